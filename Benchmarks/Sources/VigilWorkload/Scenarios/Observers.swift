import BenchmarkWork
import Dispatch
import Synchronization

#if GRDB
    import GRDB
#else
    import Vigil
#endif

/// Started observations, with what they count.
final class Observers {
    let activity = Activity()
    let callbacks = DispatchQueue(label: "callbacks", qos: .userInitiated)
    private let failures = FirstError()
    private var cancellables: [AnyDatabaseCancellable] = []

    var count: Int { cancellables.count }

    /// Starts an observation that calls back on a queue of its own.
    func start<Value: Sendable>(
        _ observation: ValueObservation<ValueReducers.Fetch<Value>>, in reader: any DatabaseReader,
        onChange: @escaping @Sendable (Value) -> Void = { _ in }
    ) {
        cancellables.append(
            observation.start(in: reader, scheduling: .async(onQueue: callbacks)) { [failures] error in
                failures.note(error)
            } onChange: { [activity] value in
                activity.notifications.increment()
                onChange(value)
            })
    }

    /// Waits until all have their first value.
    func waitForInitialValues() throws {
        try activity.wait(forNotifications: count)
        activity.waitUntilQuiet()
        try failures.rethrow()
    }

    func end() throws {
        for cancellable in cancellables { cancellable.cancel() }
        try failures.rethrow()
    }
}

extension ObservedWorkload {
    /// Observes the scores of the players 1 to `count`, each with an observation of its own.
    ///
    /// - Parameter onFreshScore: called with scores other than 0 that differ from the one before: an engine that
    ///   fetches in vain tells a score again, and what is old news by then is not late.
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

/// What an observation has told before.
private final class LastScore: Sendable {
    private let score = Atomic<Int64>(0)

    func isFresh(_ score: Int64) -> Bool {
        self.score.exchange(score, ordering: .acquiringAndReleasing) != score
    }
}
