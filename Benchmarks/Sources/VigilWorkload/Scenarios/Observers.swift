import BenchmarkWork
import Dispatch
import Synchronization

#if GRDB
    import GRDB
#else
    import Vigil
#endif

/// Started observations, and the counts of their fetches and callbacks.
final class Observers {
    let activity = Activity()
    let callbacks = DispatchQueue(label: "callbacks", qos: .userInitiated)
    private let failures = FirstError()
    private var cancellables: [AnyDatabaseCancellable] = []

    var count: Int { cancellables.count }

    /// Starts an observation that calls back on ``callbacks``.
    func start<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader,
        onChange: @escaping @Sendable (Reducer.Value) -> Void = { _ in }
    ) where Reducer.Value: Sendable {
        cancellables.append(
            observation.start(in: reader, scheduling: .async(onQueue: callbacks)) { [failures] error in
                failures.note(error)
            } onChange: { [activity] value in
                activity.notify()
                onChange(value)
            })
    }

    /// Waits until all observations have delivered their first value.
    func waitForInitialValues(seconds: Double = 60) throws {
        try activity.wait(forNotifications: count, seconds: seconds)
        activity.waitUntilQuiet()
        try failures.rethrow()
    }

    func end() throws {
        for cancellable in cancellables { cancellable.cancel() }
        try failures.rethrow()
    }
}

extension ObservedWorkload {
    /// Starts one observation for the score of each of the players 1 to `count`.
    ///
    /// - Parameter onFreshScore: called with scores other than 0 that differ from the previous one. An engine
    ///   that fetches unnecessarily delivers a score again, which must not count as late.
    func observePlayers(
        _ count: Int, in reader: any DatabaseReader, with observers: Observers,
        onFreshScore: @escaping @Sendable (Int64) -> Void = { _ in }
    ) throws {
        for id in 1...Int64(max(count, 1)) where count > 0 {
            let last = LastScore()
            observers.start(playerObservation(id, observers.activity), in: reader) { score in
                if let score, last.isFresh(score) { onFreshScore(score) }
            }
        }
        try observers.waitForInitialValues()
    }

    func playerObservation(
        _ id: Int64, _ activity: Activity
    ) -> ValueObservation<ValueReducers.Fetch<Int64?>> {
        library.observation(ofPlayer: id) { db in
            activity.fetches.increment()
            return try db.integer(Schema.selectPlayer, id)
        }
    }
}

/// The last score that an observation delivered.
private final class LastScore: Sendable {
    private let score = Atomic<Int64>(0)

    func isFresh(_ score: Int64) -> Bool {
        self.score.exchange(score, ordering: .acquiringAndReleasing) != score
    }
}
