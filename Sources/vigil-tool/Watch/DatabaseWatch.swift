import Dispatch
import Synchronization
import Vigil

/// Observes a query in a database that it opens, off the calling thread.
final class DatabaseWatch: Sendable {
    private struct State {
        var dbQueue: DatabaseQueue?
        var observation: AnyDatabaseCancellable?
    }

    private let source: DatabaseSource
    private let query: Query
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "vigil.watch")

    /// Longer than closing takes, and shorter than a user waits who wants an end.
    private static let patience = DispatchTimeInterval.milliseconds(500)

    init(source: DatabaseSource, query: Query) {
        self.source = source
        self.query = query
    }

    /// Adds each result to `events`, the initial one first, and the error that ends them.
    func start(_ events: WatchEvents) {
        queue.async { [self] in
            do {
                let dbQueue = try source.open()
                state.withLock { $0.dbQueue = dbQueue }
                // What is no query is told before it is run.
                let region = try dbQueue.read { db in try query.statement(db).observedRegion(db) }
                if region.isEmpty { events.add(.unobservable) }
                let observation = observe(dbQueue, events)
                state.withLock { $0.observation = observation }
            } catch {
                events.add(.failed(error))
            }
        }
    }

    private func observe(_ dbQueue: DatabaseQueue, _ events: WatchEvents) -> AnyDatabaseCancellable {
        let query = query
        return ValueObservation.tracking { db in try query.fetch(db) }
            .start(
                in: dbQueue, scheduling: .task, onError: { events.add(.failed($0)) },
                onChange: { events.add(.result($0)) })
    }

    /// Ends the observation and closes the database, unless that takes too long: it may be in the middle of a
    /// query, or wait for a lock.
    func stop() {
        let closed = DispatchSemaphore(value: 0)
        queue.async { [self] in
            let last = state.withLock { state in
                defer { state = State() }
                return state
            }
            last.observation?.cancel()
            // The process ends anyway.
            try? last.dbQueue?.close()
            closed.signal()
        }
        _ = closed.wait(timeout: .now() + Self.patience)
    }
}
