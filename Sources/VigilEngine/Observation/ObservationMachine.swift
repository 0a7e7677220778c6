/// What one observation does next: start, fetch, hear of commits, deliver, end.
///
/// A value without lock, clock or thread. The driver beside it, ``ValueObserver``, tells it what happened and does
/// what it answers.
struct ObservationMachine {
    enum Phase: Equatable {
        case idle
        /// A value is being fetched. If a commit touches the region meanwhile, that value may be outdated.
        case fetching(isStale: Bool)
        /// The last fetched value is current, as far as is known.
        case observing
        /// Failed or cancelled: nothing happens any more.
        case ended
    }

    enum FetchAnswer: Equatable {
        /// Deliver the value; if it is already outdated, fetch again after that.
        case deliver(fetchAgain: Bool)
        /// The observation ended while the value was fetched.
        case drop
    }

    private(set) var phase = Phase.idle

    var isEnded: Bool { phase == .ended }

    /// Answers whether to fetch the initial value. An observation starts once.
    mutating func start() -> Bool {
        guard phase == .idle else { return false }
        phase = .fetching(isStale: false)
        return true
    }

    /// A commit touched the region. Answers whether to fetch.
    mutating func commitTouchedRegion() -> Bool {
        switch phase {
        case .observing:
            phase = .fetching(isStale: false)
            return true
        case .fetching:
            phase = .fetching(isStale: true)
            return false
        case .idle, .ended:
            return false
        }
    }

    mutating func didFetch() -> FetchAnswer {
        guard case .fetching(let isStale) = phase else { return .drop }
        phase = isStale ? .fetching(isStale: false) : .observing
        return .deliver(fetchAgain: isStale)
    }

    /// Fetching or reducing failed. Answers whether to tell.
    mutating func didFail() -> Bool {
        guard phase != .ended else { return false }
        phase = .ended
        return true
    }

    /// Answers whether there was anything to cancel.
    mutating func cancel() -> Bool {
        guard phase != .ended else { return false }
        phase = .ended
        return true
    }
}
