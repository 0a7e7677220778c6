import Dispatch
import VigilRegions

/// Reduces the values that one observation fetches, in order and off the database connection.
// Guard of `reducer`: `queue`.
final class Reduction<Reducer: ValueReducer>: @unchecked Sendable {
    private var reducer: Reducer
    private let queue = DispatchQueue(label: "Vigil.ValueObservation.reduce")

    /// Creates a reduction, or returns `nil` if the reducer is trivial: such a reducer has no state, and a
    /// change of thread would cost more than the reduction itself.
    init?(_ reducer: Reducer) {
        guard !Reducer._isTrivial else { return nil }
        self.reducer = reducer
    }

    /// Reduces a fetched value synchronously. Returns `nil` if there is nothing to deliver.
    func reduceNow(_ fetched: Reducer.Fetched, at commit: CommitNumber) -> Result<Reducer.Value, any Error>? {
        queue.sync { reducer.reduce(fetched, at: commit) }
    }

    /// Reduces a fetched value later, in the order of the calls, and passes the result to `deliver`.
    func schedule(
        _ fetched: Reducer.Fetched, at commit: CommitNumber,
        deliver: @escaping @Sendable (Result<Reducer.Value, any Error>?) -> Void
    ) {
        queue.async { deliver(self.reducer.reduce(fetched, at: commit)) }
    }
}

extension ValueReducer {
    /// Reduces a fetched value. Returns `nil` if there is nothing to deliver.
    mutating func reduce(_ fetched: Fetched, at commit: CommitNumber) -> Result<Value, any Error>? {
        do {
            return try _value(fetched, at: commit).map { .success($0) }
        } catch {
            return .failure(error)
        }
    }
}
