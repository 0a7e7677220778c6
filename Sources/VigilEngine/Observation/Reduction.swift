import Dispatch
import VigilRegions

/// Turns what one observation fetched into what it delivers: in order, and off the database connection if that is work.
// Guard of `reducer`: `queue`; without one, the serial access of the connection that fetches.
final class Reduction<Reducer: ValueReducer>: @unchecked Sendable {
    private var reducer: Reducer
    /// `nil` for reducers that do nothing: a change of thread would cost more.
    private let queue: DispatchQueue?

    init(_ reducer: Reducer) {
        self.reducer = reducer
        queue = Reducer._isTrivial ? nil : DispatchQueue(label: "Vigil.ValueObservation.reduce")
    }

    /// `nil` if there is nothing to deliver.
    func now(_ fetched: Reducer.Fetched, at commit: CommitNumber) -> Result<Reducer.Value, any Error>? {
        guard let queue else { return reduce(fetched, commit) }
        return queue.sync { reduce(fetched, commit) }
    }

    func schedule(
        _ fetched: Reducer.Fetched, at commit: CommitNumber,
        deliver: @escaping @Sendable (Result<Reducer.Value, any Error>?) -> Void
    ) {
        guard let queue else { return deliver(reduce(fetched, commit)) }
        queue.async { deliver(self.reduce(fetched, commit)) }
    }

    private func reduce(
        _ fetched: Reducer.Fetched, _ commit: CommitNumber
    ) -> Result<Reducer.Value, any Error>? {
        do {
            return try reducer._value(fetched, at: commit).map { .success($0) }
        } catch {
            return .failure(error)
        }
    }
}
