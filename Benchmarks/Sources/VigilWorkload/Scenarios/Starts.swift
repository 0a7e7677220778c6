import BenchmarkReport
import BenchmarkWork
import Dispatch

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func startChurn(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        let activity = Activity()
        let callbacks = DispatchQueue(label: "callbacks")
        let failures = FirstError()
        func churn(_ ids: ClosedRange<Int64>) throws {
            for id in ids {
                playerObservation(id, activity).start(in: dbQueue, scheduling: .async(onQueue: callbacks)) {
                    failures.note($0)
                } onChange: { _ in
                    activity.notifications.increment()
                }.cancel()
            }
            // This access runs after all work that the starts enqueued.
            try dbQueue.write { _ in }
            callbacks.sync {}
        }
        try churn(1...10)
        let before = activity.counts
        let start = now()
        try churn(1...Int64(request.n))
        let time = now() - start
        let counts = activity.counts - before
        try failures.rethrow()
        return RoundResult(
            value: Double(time) / Double(request.n), operations: request.n, fetches: counts.fetches,
            notifications: counts.notifications)
    }

    func memory(_ request: RoundRequest) throws -> RoundResult {
        let dbQueue = try memoryQueue()
        // The first observation allocates what all of them share.
        let first = Observers()
        try observePlayers(1, in: dbQueue, with: first)
        let resident = ProcessMemory.residentBytes
        let allocated = ProcessMemory.allocatedBytes
        let observers = Observers()
        for id in 1...Int64(request.n) {
            observers.start(playerObservation(id, observers.activity), in: dbQueue)
        }
        try observers.waitForInitialValues()
        let count = Double(request.n)
        let bytes = Double(ProcessMemory.allocatedBytes - allocated) / count
        let residentBytes = Double(ProcessMemory.residentBytes - resident) / count
        try observers.end()
        try first.end()
        return RoundResult(
            value: bytes, operations: request.n,
            metrics: ["resident bytes per observation": residentBytes])
    }
}
