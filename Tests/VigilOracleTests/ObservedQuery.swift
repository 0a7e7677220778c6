import Synchronization
import Vigil

/// A query, and the values that its observation has delivered.
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

    /// Starts counting fetches, after the initial ones.
    func beginCounting() { state.withLock { $0.isCounting = true } }

    /// Starts the observation. It does not reduce values on another thread, so that they are delivered
    /// immediately.
    func start(in writer: any DatabaseWriter) -> AnyDatabaseCancellable {
        ValueObservation.tracking { [self] db in
            state.withLock { if $0.isCounting { $0.fetches += 1 } }
            return query.rows(db)
        }
        .coalescing(query.fetchesEachCommit ? .never : .automatic)
        .labeled(query.sql)
        .start(
            in: writer, scheduling: InlineScheduler(),
            onError: { [self] error in state.withLock { $0.error = "\(error)" } },
            onChange: { [self] rows in state.withLock { $0.last = rows } })
    }
}
