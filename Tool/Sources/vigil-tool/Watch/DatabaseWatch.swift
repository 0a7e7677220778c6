import Dispatch
import Synchronization
import Vigil

/// Opens a database and observes a query in it, off the calling thread.
final class DatabaseWatch: Sendable {
    private struct State {
        var database: OpenedDatabase?
        var observation: AnyDatabaseCancellable?
        /// Whether this watch may have created the log file.
        var mayHaveCreatedLog = false
        var progress: ReopeningProgress
        var isStopped = false
    }

    private let source: DatabaseSource
    private let query: Query
    private let observesList: Bool
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "vigil.watch")

    /// The longest wait of ``stop()`` for the database to close: more than closing usually takes, but short
    /// enough for a user who presses Ctrl-C.
    private static let closingTimeout = DispatchTimeInterval.milliseconds(500)
    private static let pauseBetweenTries = DispatchTimeInterval.milliseconds(100)

    /// - Parameters:
    ///   - retries: Whether the file is opened again after it was replaced or deleted.
    ///   - observesList: Whether the rows are observed as a list.
    init(source: DatabaseSource, query: Query, retries: Bool, observesList: Bool = false) {
        self.observesList = observesList
        self.source = source
        self.query = query
        state = Mutex(State(progress: ReopeningProgress(retries: retries)))
    }

    /// Starts the observation. Adds the initial result, each new result, and a final error to `events`.
    func start(_ events: WatchEvents) {
        queue.async { [self] in open(events) }
    }

    private func open(_ events: WatchEvents) {
        guard !state.withLock(\.isStopped) else { return }
        do {
            var source = source
            source.didWait = { events.add(.waiting($0)) }
            let database = try source.open(mayHaveCreatedLog: state.withLock(\.mayHaveCreatedLog))
            state.withLock { state in
                state.database = database
                state.mayHaveCreatedLog = database.mayHaveCreatedLog
            }
            // Reports statements other than queries before they run.
            let explanation = try database.reader.read { db in try query.explanation(db) }
            if explanation.region.isEmpty { events.add(.unobservable) }
            let observation = observe(database.reader, events)
            state.withLock { $0.observation = observation }
        } catch {
            didFail(error, events)
        }
    }

    private func observe(_ reader: any DatabaseReader, _ events: WatchEvents) -> AnyDatabaseCancellable {
        let query = query
        guard observesList else {
            return start(ValueObservation.tracking { db in try query.fetch(db) }, in: reader, to: events)
        }
        let lists = ValueObservation.trackingList(query.request)
        return start(
            lists.map { list in QueryResult(columns: [], rows: [], list: list) }, in: reader, to: events)
    }

    private func start<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader, to events: WatchEvents
    ) -> AnyDatabaseCancellable where Reducer.Value == QueryResult {
        observation.start(
            in: reader, scheduling: .task,
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
            close(removesLog: false)
            queue.asyncAfter(deadline: .now() + Self.pauseBetweenTries) { [self] in open(events) }
        }
    }

    private func close(removesLog: Bool) {
        let last = state.withLock { state in
            defer { (state.database, state.observation) = (nil, nil) }
            return (state.observation, state.database)
        }
        last.0?.cancel()
        // If closing fails, the process closes the file when it ends.
        try? last.1?.close(removesLog: removesLog)
    }

    /// Ends the observation and closes the database. Returns without closing it if that takes too long
    /// because of a running query or a lock.
    func stop() {
        let closed = DispatchSemaphore(value: 0)
        queue.async { [self] in
            state.withLock { $0.isStopped = true }
            close(removesLog: true)
            closed.signal()
        }
        _ = closed.wait(timeout: .now() + Self.closingTimeout)
    }
}
