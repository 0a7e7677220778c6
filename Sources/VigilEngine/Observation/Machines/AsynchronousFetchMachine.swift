/// Decides when an observation with an asynchronous fetch fetches.
///
/// One fetch runs at a time, and none before the consumer accepts a value. A commit during a fetch causes
/// another one after it, because the fetch may not contain the commit.
///
/// A value without threads, locks or tasks. Its driver is ``AsynchronousFetch``.
struct AsynchronousFetchMachine {
    /// The legal changes: waiting ⇄ fetching, and from each of them → ended.
    private enum State: Equatable {
        /// Not stale until the region is registered: a fetch could miss a commit.
        case waiting(isStale: Bool)
        case fetching(isStale: Bool)
        case ended
    }

    private var state = State.waiting(isStale: false)
    /// The number of values that the consumer accepts; `nil` for any.
    private var demand: Int?

    init(demand: Int?) {
        self.demand = demand
    }

    var isEnded: Bool { state == .ended }

    // Each of these methods returns whether to begin a fetch.

    /// The region is registered, or a commit has modified it.
    mutating func didChange() -> Bool {
        switch state {
        case .waiting: state = .waiting(isStale: true)
        case .fetching: state = .fetching(isStale: true)
        case .ended: break
        }
        return fetchesNow()
    }

    /// The consumer accepts more values.
    mutating func request(_ number: Int) -> Bool {
        if let demand {
            let (sum, overflows) = demand.addingReportingOverflow(number)
            self.demand = overflows ? nil : sum
        }
        return fetchesNow()
    }

    /// The fetch has returned a value, which has been delivered.
    mutating func didDeliver() -> Bool {
        guard case .fetching(let isStale) = state else { return false }
        demand = demand.map { max($0 - 1, 0) }
        state = .waiting(isStale: isStale)
        return fetchesNow()
    }

    /// The observation was cancelled, has failed, or the database was closed.
    mutating func end() {
        state = .ended
    }

    private mutating func fetchesNow() -> Bool {
        guard state == .waiting(isStale: true), demand != 0 else { return false }
        state = .fetching(isStale: false)
        return true
    }
}
