import Dispatch
import VigilRegions

/// Turns what one observation fetched into what it delivers: in order, and off the database connection.
// Guard of `reducer`: `queue`.
final class Reduction<Reducer: ValueReducer>: @unchecked Sendable {
    private var reducer: Reducer
    private let queue = DispatchQueue(label: "Vigil.ValueObservation.reduce")

    /// `nil` for reducers that do nothing, and so have nothing to remember: a change of thread would cost more.
    init?(_ reducer: Reducer) {
        guard !Reducer._isTrivial else { return nil }
        self.reducer = reducer
    }

    /// `nil` if there is nothing to deliver.
    func now(_ fetched: Reducer.Fetched, at commit: CommitNumber) -> Result<Reducer.Value, any Error>? {
        queue.sync { reducer.reduce(fetched, at: commit) }
    }

    func schedule(
        _ fetched: Reducer.Fetched, at commit: CommitNumber,
        deliver: @escaping @Sendable (Result<Reducer.Value, any Error>?) -> Void
    ) {
        queue.async { deliver(self.reducer.reduce(fetched, at: commit)) }
    }
}

extension ValueReducer {
    /// `nil` if there is nothing to deliver.
    mutating func reduce(_ fetched: Fetched, at commit: CommitNumber) -> Result<Value, any Error>? {
        do {
            return try _value(fetched, at: commit).map { .success($0) }
        } catch {
            return .failure(error)
        }
    }
}
