import Dispatch
import Synchronization
import Vigil

/// Observes a query in a database that it opens, off the calling thread.
final class DatabaseWatch: Sendable {
    private struct State {
        var database: OpenedDatabase?
        var observation: AnyDatabaseCancellable?
        var progress: ReopeningProgress
        var isStopped = false
    }

    private let source: DatabaseSource
    private let query: Query
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "vigil.watch")

    /// Longer than closing takes, and shorter than a user waits who wants an end.
    private static let patience = DispatchTimeInterval.milliseconds(500)
    private static let pauseBetweenTries = DispatchTimeInterval.milliseconds(100)

    /// - Parameter retries: whether the file is opened again when it was replaced or deleted.
    init(source: DatabaseSource, query: Query, retries: Bool) {
        self.source = source
        self.query = query
        state = Mutex(State(progress: ReopeningProgress(retries: retries)))
    }

    /// Adds each result to `events`, the initial one first, and the error that ends them.
    func start(_ events: WatchEvents) {
        queue.async { [self] in open(events) }
    }

    private func open(_ events: WatchEvents) {
        guard !state.withLock(\.isStopped) else { return }
        do {
            let database = try source.open()
            state.withLock { $0.database = database }
            // What is no query is told before it is run.
            let region = try database.dbQueue.read { db in try query.statement(db).observedRegion(db) }
            if region.isEmpty { events.add(.unobservable) }
            let observation = observe(database.dbQueue, events)
            state.withLock { $0.observation = observation }
        } catch {
            didFail(error, events)
        }
    }

    private func observe(_ dbQueue: DatabaseQueue, _ events: WatchEvents) -> AnyDatabaseCancellable {
        let query = query
        return ValueObservation.tracking { db in try query.fetch(db) }
            .start(
                in: dbQueue, scheduling: .task,
                onError: { [self] error in queue.async { self.didFail(error, events) } },
                onChange: { [self] result in
                    state.withLock { $0.progress.didRead() }
                    events.add(.result(result))
                })
    }

    private func didFail(_ error: any Error, _ events: WatchEvents) {
        switch state.withLock({ $0.progress.didFail(error) }) {
        case .end: events.add(.failed(error))
        case .tryAgain(let note):
            if let note { events.add(.waiting(note)) }
            close()
            queue.asyncAfter(deadline: .now() + Self.pauseBetweenTries) { [self] in open(events) }
        }
    }

    private func close() {
        let last = state.withLock { state in
            defer { (state.database, state.observation) = (nil, nil) }
            return (state.observation, state.database)
        }
        last.0?.cancel()
        // Whatever keeps it open ends with the process.
        try? last.1?.close()
    }

    /// Ends the observation and closes the database, unless that takes too long: it may be in the middle of a
    /// query, or wait for a lock.
    func stop() {
        let closed = DispatchSemaphore(value: 0)
        queue.async { [self] in
            state.withLock { $0.isStopped = true }
            close()
            closed.signal()
        }
        _ = closed.wait(timeout: .now() + Self.patience)
    }
}
