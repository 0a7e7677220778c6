import Synchronization
import Vigil

/// A query, and what its observation has told so far.
final class ObservedQuery: Sendable {
    private struct State {
        var last: [String]?
        var error: String?
        var fetches = 0
        var isCounting = false
    }

    let query: OracleQuery
    private let state = Mutex(State())

    init(_ query: OracleQuery) {
        self.query = query
    }

    var last: [String]? { state.withLock { $0.last } }
    var fetches: Int { state.withLock { $0.fetches } }
    var error: String? { state.withLock { $0.error } }

    /// The initial fetches are over.
    func beginCounting() { state.withLock { $0.isCounting = true } }

    /// What is reduced on another thread is delivered later: nothing is.
    func start(in writer: any DatabaseWriter) -> AnyDatabaseCancellable {
        ValueObservation.tracking { [self] db in
            state.withLock { if $0.isCounting { $0.fetches += 1 } }
            return query.rows(db)
        }
        .coalescing(query.readsEachCommit ? .never : .automatic)
        .labeled(query.sql)
        .start(
            in: writer, scheduling: InlineScheduler(),
            onError: { [self] error in state.withLock { $0.error = "\(error)" } },
            onChange: { [self] rows in state.withLock { $0.last = rows } })
    }
}

/// Calls back on the thread that fetched, before it goes on.
struct InlineScheduler: ValueObservationScheduler {
    func immediateInitialValue() -> Bool { false }
    func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}
