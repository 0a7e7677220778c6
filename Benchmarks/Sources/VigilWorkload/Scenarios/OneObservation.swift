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
    func oneObservationOfSQL(_ request: RoundRequest, in place: Place) throws -> RoundResult {
        let observers = Observers()
        let activity = observers.activity
        let observation = ValueObservation.tracking { db in
            activity.fetches.increment()
            return try Int.fetchOne(db, sql: Schema.selectPlayer, arguments: [1])
        }
        return try measure(observation, observers, request, in: place) { $0 }
    }

    func oneObservationOfRecord(_ request: RoundRequest, in place: Place) throws -> RoundResult {
        let observers = Observers()
        let activity = observers.activity
        let observation = ValueObservation.tracking { db in
            activity.fetches.increment()
            return try Player.filter(key: 1).fetchOne(db)
        }
        return try measure(observation, observers, request, in: place) { $0.map { Int($0.score) } }
    }

    /// Measures writes, each of which waits for its value.
    private func measure<Value: Sendable>(
        _ observation: ValueObservation<ValueReducers.Fetch<Value>>, _ observers: Observers,
        _ request: RoundRequest, in place: Place, score: @escaping @Sendable (Value) -> Int?
    ) throws -> RoundResult {
        let folder = try TemporaryFolder()
        let writer = try database(place, in: folder)
        let awaited = AwaitedScore()
        observers.start(observation, in: writer) { value in awaited.receive(score(value)) }
        try observers.waitForInitialValues()
        var number = 0
        func next(_: Int) throws {
            number += 1
            awaited.expect(number)
            try writer.write { db in
                try db.execute(sql: Schema.updatePlayer, arguments: [number, 1])
            }
            try awaited.wait()
        }
        let warmUp = try TimedLoop.warmUp(request.effort, operation: next)
        let before = observers.activity.counts
        let loop = try TimedLoop(request.effort, after: warmUp, operation: next)
        observers.activity.waitUntilQuiet()
        let counts = observers.activity.counts - before
        try observers.end()
        return RoundResult(
            value: loop.nanoseconds, operations: loop.operations, fetches: counts.fetches,
            notifications: counts.notifications, latencies: loop.latencies)
    }
}

/// Blocks a thread until an observation has delivered a certain score.
private final class AwaitedScore: Sendable {
    private let score = Atomic<Int>(0)
    private let arrived = DispatchSemaphore(value: 0)

    /// Sets the score that wait() waits for.
    func expect(_ score: Int) { self.score.store(score, ordering: .releasing) }

    func receive(_ score: Int?) {
        if score == self.score.load(ordering: .acquiring), score != 0 { arrived.signal() }
    }

    func wait() throws {
        guard arrived.wait(timeout: .now() + 10) == .success else {
            throw WorkError("no value within 10 seconds")
        }
    }
}
