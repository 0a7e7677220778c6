import BenchmarkReport
import BenchmarkWork
import Dispatch
import Foundation

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func notificationLatency(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbPool = try filePool(in: folder)
        let observers = Observers()
        let latencies = LatencyRecorder()
        let arrived = DispatchSemaphore(value: 0)
        try observePlayers(request.n, in: dbPool, with: observers) { moment in
            latencies.record(now() - moment)
            arrived.signal()
        }
        let before = observers.activity.counts
        let writes = request.effort.limited(to: 1_000).operations
        for number in 0..<writes {
            let id = Int64(number % request.n) + 1
            try dbPool.write { db in try db.run(Schema.updatePlayer, now(), id) }
            guard arrived.wait(timeout: .now() + 10) == .success else {
                throw WorkError("no callback within 10 seconds")
            }
            // Callbacks with unchanged scores also belong to this write.
            observers.callbacks.sync {}
        }
        observers.activity.waitUntilQuiet()
        return try latencyResult(writes, latencies.latencies, observers, since: before)
    }

    func latencyResult(
        _ writes: Int, _ latencies: LatencyHistogram, _ observers: Observers, since before: Activity.Counts
    ) throws -> RoundResult {
        guard let middle = latencies.percentile(50) else { throw WorkError("no callback was received") }
        let counts = observers.activity.counts - before
        try observers.end()
        return RoundResult(
            value: middle, operations: writes, fetches: counts.fetches, notifications: counts.notifications,
            latencies: latencies)
    }
}
