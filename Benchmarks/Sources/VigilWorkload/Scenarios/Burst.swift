import BenchmarkReport
import BenchmarkWork
import Dispatch
import Synchronization

#if GRDB
    import GRDB
#else
    import Vigil
#endif

extension ObservedWorkload {
    func burst(_ request: RoundRequest) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let dbPool = try filePool(in: folder)
        let activity = Activity()
        let consumer = SlowConsumer(last: Int64(request.n), activity)
        let values = playerObservation(1, activity).values(in: dbPool, bufferingPolicy: .bufferingNewest(1))
        let task = Task { [consumer] in
            do {
                for try await value in values {
                    if try await consumer.consume(value ?? 0) { break }
                }
            } catch {
                consumer.failures.note(error)
            }
            consumer.ended.signal()
        }
        try activity.wait(forNotifications: 1)
        let before = activity.counts
        for number in 1...Int64(request.n) {
            try dbPool.write { db in try db.run(Schema.updatePlayer, number, 1) }
            consumer.committed.increment()
        }
        let lastCommit = now()
        guard consumer.ended.wait(timeout: .now() + 60) == .success else {
            throw WorkError("the last value was not delivered within 60 seconds")
        }
        task.cancel()
        try consumer.failures.rethrow()
        let counts = activity.counts - before
        return RoundResult(
            value: Double(max(consumer.lastTime.load(ordering: .acquiring) - lastCommit, 0)),
            operations: request.n, fetches: counts.fetches, notifications: counts.notifications,
            metrics: [
                "values consumed": Double(counts.notifications),
                "commits behind, at most": Double(consumer.mostBehind.value),
                "fetched and not consumed, at most": Double(consumer.mostWaiting.value),
            ])
    }
}

/// A consumer that takes a millisecond for each value.
private final class SlowConsumer: Sendable {
    let last: Int64
    let activity: Activity
    let committed = Counter()
    let mostBehind = Counter()
    let mostWaiting = Counter()
    let failures = FirstError()
    let ended = DispatchSemaphore(value: 0)
    let lastTime = Atomic<Int64>(0)

    init(last: Int64, _ activity: Activity) {
        self.last = last
        self.activity = activity
    }

    /// Consumes a value, and returns whether it was the last one.
    func consume(_ value: Int64) async throws -> Bool {
        mostBehind.raise(to: committed.value - Int(value))
        mostWaiting.raise(to: activity.fetches.value - activity.notifications.value)
        activity.notifications.increment()
        lastTime.store(now(), ordering: .releasing)
        if value == last { return true }
        try await Task.sleep(for: .milliseconds(1))
        return false
    }
}
