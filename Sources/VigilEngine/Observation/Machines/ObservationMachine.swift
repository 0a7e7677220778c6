import VigilRegions

/// Decides what one observation does next: fetch, deliver, wait or end.
///
/// A value without locks, clocks or threads. Its driver, ``ValueObserver``, reports events to it and performs
/// its decisions. A method that returns `true` asks the driver to schedule a fetch, and to call
/// ``willFetch(at:)`` when the fetch is about to begin.
///
/// The machine serves all observations: of a queue or a pool, throttled, debounced or not, with limited or unlimited
/// demand, paused or not, of a database that can change or one that cannot.
struct ObservationMachine {
    /// Decides whether commits are coalesced if they occur faster than the consumer accepts values.
    enum Mode: Equatable {
        /// Each commit that modifies the region is fetched and delivered.
        case eachCommit
        /// One fetch runs at a time, and none before the previous value was consumed. Commits in between are
        /// fetched together, afterwards.
        case coalescing
    }

    enum Phase: Equatable {
        case idle
        case live
        /// The observation has failed or was cancelled. This phase is final.
        case ended
    }

    /// The current activity in the mode ``Mode/coalescing``. In the other mode it is always ``none``.
    enum Activity: Equatable {
        case none
        /// A fetch is scheduled and has not begun.
        case wanted
        case fetching
        /// A value is being reduced or delivered, and the consumer has not returned.
        case delivering
    }

    enum FetchAnswer: Equatable {
        /// Deliver the value. If `startsThrottlingInterval` is true, also call ``throttlingIntervalDidEnd()`` after
        /// the interval.
        case deliver(startsThrottlingInterval: Bool)
        /// Drop the value: the observation ended during the fetch.
        case drop
    }

    let mode: Mode
    /// Whether there is a minimum interval between fetches.
    let isThrottled: Bool
    /// Whether commits are fetched only after an interval without commits.
    let isDebounced: Bool
    private(set) var phase = Phase.idle
    private(set) var activity = Activity.none
    /// Whether a fetch is needed: there was none yet, or a commit has modified the region since.
    private(set) var isStale = false
    /// The last commit that is known to have modified the region.
    private var lastMatch = CommitNumber.zero
    /// The number of values that may still be fetched, `nil` if it is unlimited.
    private(set) var demand: Int?
    /// Whether the throttling interval after a fetch is still running.
    private(set) var isCoolingDown = false
    /// Whether the debounce interval after a commit is still running.
    private(set) var isSettling = false
    private(set) var isPaused = false

    init(
        mode: Mode = .coalescing, isThrottled: Bool = false, isDebounced: Bool = false, demand: Int? = nil
    ) {
        // An observation that has to wait cannot fetch at every commit.
        self.mode = isThrottled || isDebounced || demand != nil ? .coalescing : mode
        self.isThrottled = isThrottled
        self.isDebounced = isDebounced
        self.demand = demand
    }

    var isEnded: Bool { phase == .ended }

    // MARK: - Events

    /// Starts the observation. Has no effect on an observation that was started before.
    mutating func start() -> Bool {
        guard phase == .idle else { return false }
        phase = .live
        isStale = true
        return next()
    }

    /// Handles a commit that modified the region. If ``isSettling`` is true afterwards, the driver calls
    /// ``debounceIntervalDidEnd()`` when an interval without commits has passed.
    mutating func didMatchCommit(_ commit: CommitNumber) -> Bool {
        guard phase == .live else { return false }
        lastMatch = max(lastMatch, commit)
        isStale = true
        isSettling = isDebounced
        return next()
    }

    /// Begins a scheduled fetch, and returns whether it is still needed and allowed.
    ///
    /// - Parameter commit: The last commit that the snapshot of the fetch is known to contain. Later commits
    ///   may have been reported already without being part of the snapshot; the observation then stays stale,
    ///   and fetches once more.
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
        isStale = lastMatch > commit
        demand = demand.map { $0 - 1 }
        return true
    }

    /// Handles the end of a successful fetch.
    mutating func didFetch() -> FetchAnswer {
        guard phase == .live else { return .drop }
        if mode == .coalescing { activity = .delivering }
        if isThrottled { isCoolingDown = true }
        return .deliver(startsThrottlingInterval: isThrottled)
    }

    /// Handles the return of the consumer from a delivery.
    mutating func didDeliver() -> Bool {
        guard phase == .live, activity == .delivering else { return false }
        activity = .none
        return next()
    }

    /// Handles a value that is not delivered, for example because it is equal to the previous one.
    mutating func didReduceToNothing() -> Bool {
        guard phase == .live, activity == .delivering else { return false }
        demand = demand.map { $0 + 1 }
        return didDeliver()
    }

    /// Handles the end of the throttling interval.
    mutating func throttlingIntervalDidEnd() -> Bool {
        isCoolingDown = false
        return next()
    }

    /// Handles the end of an interval without commits.
    mutating func debounceIntervalDidEnd() -> Bool {
        isSettling = false
        return next()
    }

    /// Pauses or resumes the observation.
    mutating func setPaused(_ isPaused: Bool) -> Bool {
        guard self.isPaused != isPaused else { return false }
        self.isPaused = isPaused
        return next()
    }

    /// Increases the demand by `number` values.
    mutating func request(_ number: Int) -> Bool {
        guard let demand else { return false }
        let (sum, overflows) = demand.addingReportingOverflow(number)
        self.demand = overflows ? nil : sum
        return next()
    }

    /// Ends the observation after an error. Returns whether to report the error: `false` if the observation
    /// had ended before.
    mutating func didFail() -> Bool { end() }

    /// Cancels the observation. Returns `false` if it had ended before.
    mutating func cancel() -> Bool { end() }

    /// Whether further commits make no difference until the observation is resumed or its demand increases:
    /// it may be disarmed. To a debounced observation, further commits make a difference: they delay its fetch.
    var mayDisarm: Bool {
        phase == .live && isStale && activity == .none && (isPaused || demand == 0) && !isDebounced
    }

    // MARK: - Decisions

    private var mayFetch: Bool {
        isStale && !isPaused && !isCoolingDown && !isSettling && demand.map { $0 > 0 } ?? true
    }

    private mutating func next() -> Bool {
        guard phase == .live, activity == .none, mayFetch else { return false }
        switch mode {
        case .coalescing: activity = .wanted
        // The driver now fetches, and is notified of each further commit.
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
