import BenchmarkWork
import Dispatch

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
    func observePlayers(
        _ count: Int, in reader: any DatabaseReader, with observers: Observers,
        onChange: @escaping @Sendable (Int64?) -> Void = { _ in }
    ) throws {
        let activity = observers.activity
        for id in 1...Int64(max(count, 1)) where count > 0 {
            observers.start(playerObservation(id, activity), in: reader, onChange: onChange)
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
