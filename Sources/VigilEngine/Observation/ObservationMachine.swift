import VigilRegions

/// What one observation does next: start, fetch, hear of commits, deliver, wait, end.
///
/// A value without lock, clock or thread. The driver beside it, ``ValueObserver``, tells it what happened and does
/// what it answers. `true` means: see to it that it is fetched for this observation, and call ``willFetch(at:)`` then.
///
/// There is one machine for all observations: of a queue or a pool, eager or throttled, with or without demand, paused or
/// not, of a database that can change or one that cannot.
struct ObservationMachine {
    /// What becomes of commits that come faster than values are taken.
    enum Mode: Equatable {
        /// Each commit that touches the region is fetched, and delivered.
        case eachCommit
        /// One fetch at a time, and none before the last value was taken. Commits that come meanwhile are fetched
        /// together, afterwards.
        case coalescing
    }

    enum Phase: Equatable {
        case idle
        case live
        /// Failed or cancelled: nothing happens any more.
        case ended
    }

    /// What goes on in the mode ``Mode/coalescing``. Elsewhere it is always ``none``.
    enum Activity: Equatable {
        case none
        /// A fetch was asked for and has not begun.
        case wanted
        case fetching
        /// A value is on its way to the consumer.
        case delivering
    }

    enum FetchAnswer: Equatable {
        /// Deliver the value; and if a pause between fetches is asked for, tell when it is over.
        case deliver(startsPause: Bool)
        /// The observation ended while the value was fetched.
        case drop
    }

    let mode: Mode
    /// Whether fetches keep a distance in time.
    let isThrottled: Bool
    private(set) var phase = Phase.idle
    private(set) var activity = Activity.none
    /// Whether a value is to be fetched: none was, or a commit touched the region since then.
    private(set) var isStale = false
    /// The last commit that was told.
    private var lastTouch = CommitNumber.zero
    /// Whether the pause after a fetch lasts.
    private(set) var isCoolingDown = false
    private(set) var isPaused = false
    /// How many more values may be fetched; `nil`: any number.
    private(set) var demand: Int?

    init(mode: Mode = .coalescing, isThrottled: Bool = false, demand: Int? = nil) {
        // What waits for anything cannot fetch at each commit.
        self.mode = isThrottled || demand != nil ? .coalescing : mode
        self.isThrottled = isThrottled
        self.demand = demand
    }

    var isEnded: Bool { phase == .ended }

    // MARK: - Events

    /// An observation starts once.
    mutating func start() -> Bool {
        guard phase == .idle else { return false }
        phase = .live
        isStale = true
        return next()
    }

    mutating func commitTouchedRegion(_ commit: CommitNumber) -> Bool {
        guard phase == .live else { return false }
        lastTouch = max(lastTouch, commit)
        isStale = true
        return next()
    }

    /// Whoever was to fetch is about to. `false`: it must not, and need not.
    ///
    /// - Parameter commit: what is read has all commits up to this one. Later ones may have been told already, though they
    ///   are not in the snapshot that was taken for the fetch: then one more is to follow.
    mutating func willFetch(at commit: CommitNumber) -> Bool {
        guard phase == .live else { return false }
        guard mode == .coalescing else {
            if isPaused { isStale = true }
            return !isPaused
        }
        guard activity == .wanted else { return false }
        activity = .none
        guard mayFetch else { return false }
        activity = .fetching
        isStale = lastTouch > commit
        demand = demand.map { $0 - 1 }
        return true
    }

    mutating func didFetch() -> FetchAnswer {
        guard phase == .live else { return .drop }
        if mode == .coalescing { activity = .delivering }
        if isThrottled { isCoolingDown = true }
        return .deliver(startsPause: isThrottled)
    }

    /// The consumer has taken the value.
    mutating func didDeliver() -> Bool {
        guard phase == .live, activity == .delivering else { return false }
        activity = .none
        return next()
    }

    /// There is nothing to deliver: the value is the same as the one before.
    mutating func didReduceToNothing() -> Bool {
        guard phase == .live, activity == .delivering else { return false }
        demand = demand.map { $0 + 1 }
        return didDeliver()
    }

    mutating func pauseIsOver() -> Bool {
        isCoolingDown = false
        return next()
    }

    mutating func setPaused(_ isPaused: Bool) -> Bool {
        guard self.isPaused != isPaused else { return false }
        self.isPaused = isPaused
        return next()
    }

    /// The consumer takes `number` more values.
    mutating func request(_ number: Int) -> Bool {
        guard let demand else { return false }
        let (sum, overflows) = demand.addingReportingOverflow(number)
        self.demand = overflows ? nil : sum
        return next()
    }

    /// Fetching or reducing failed. Answers whether to tell.
    mutating func didFail() -> Bool { end() }

    /// Answers whether there was anything to cancel.
    mutating func cancel() -> Bool { end() }

    /// Whether further commits make no difference until somebody resumes the observation or asks for more.
    var isAsleep: Bool {
        phase == .live && isStale && activity == .none && (isPaused || demand == 0)
    }

    // MARK: - Decisions

    private var mayFetch: Bool {
        isStale && !isPaused && !isCoolingDown && demand.map { $0 > 0 } ?? true
    }

    private mutating func next() -> Bool {
        guard phase == .live, activity == .none, mayFetch else { return false }
        switch mode {
        case .coalescing: activity = .wanted
        // From now on somebody sees to it, and to each further commit.
        case .eachCommit: isStale = false
        }
        return true
    }

    private mutating func end() -> Bool {
        guard phase != .ended else { return false }
        phase = .ended
        activity = .none
        return true
    }
}
