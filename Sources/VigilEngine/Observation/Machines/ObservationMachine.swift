import VigilRegions

/// Decides what one observation does next: fetch, deliver, wait or end.
///
/// A value without locks, clocks or threads. Its driver, ``ValueObserver``, reports events to it and performs
/// the returned actions.
///
/// The machine serves all observations: of a queue or a pool, throttled, debounced or not, with limited or
/// unlimited demand, paused or not, of a database that can change or one that cannot.
struct ObservationMachine {
    /// Decides whether commits are coalesced if they occur faster than the consumer accepts values.
    enum Mode: Equatable {
        /// Each commit in the region is fetched and delivered.
        case eachCommit
        /// One fetch runs at a time, and none before the previous value was consumed. Commits in between are
        /// fetched together, afterwards.
        case coalescing
    }

    /// The activity of the observation. With ``Mode/eachCommit``, several fetches may be under way, and the
    /// state remains ``waiting``.
    enum State: Equatable, CaseIterable {
        /// The observation has not started.
        case idle
        /// No fetch is needed, or the next one must wait: for demand, for the end of an interval or of a
        /// pause.
        case waiting
        /// A fetch is scheduled and has not begun.
        case scheduled
        case fetching
        /// A value is being reduced or delivered, and the consumer has not returned.
        case delivering
        /// The observation has failed or was cancelled.
        case ended

        /// Returns whether the next state of an observation can be `next`.
        func canTransition(to next: State, _ mode: Mode) -> Bool {
            switch (self, next) {
            case (.idle, .waiting), (.idle, .ended), (.waiting, .ended): true
            case (.waiting, .scheduled), (.scheduled, .fetching), (.fetching, .delivering):
                mode == .coalescing
            // The fetch could not read the database, and is repeated.
            case (.fetching, .scheduled): mode == .coalescing
            // The fetch was not needed any more, or not allowed; or the consumer has returned.
            case (.scheduled, .waiting), (.delivering, .waiting): mode == .coalescing
            case (.scheduled, .ended), (.fetching, .ended), (.delivering, .ended): mode == .coalescing
            default: false
            }
        }
    }

    /// The progress of the first fetch with ``Mode/eachCommit``: ``state`` does not describe it.
    enum FirstFetch {
        case none
        /// It is scheduled and has not begun.
        case scheduled
        case running
        case done
    }

    /// The driver's task after an event.
    enum Action: Equatable {
        case none
        /// Schedule a fetch, and call ``willFetch(at:)`` when it is about to begin.
        case scheduleFetch
        /// Begin the debounce interval, or extend it, and call ``debounceIntervalDidEnd()`` after it.
        case startDebounceInterval
    }

    /// Whether a scheduled fetch takes place.
    enum FetchAnswer: Equatable {
        case fetch
        /// It is not needed any more, or not allowed now.
        case skip
        /// The observation has ended.
        case unregister
    }

    /// The driver's task after a fetch.
    enum ValueAnswer: Equatable {
        /// Deliver the value. If `startsThrottlingInterval` is true, also call ``throttlingIntervalDidEnd()``
        /// after the interval.
        case deliver(startsThrottlingInterval: Bool)
        /// Drop the value: the observation ended during the fetch.
        case drop
    }

    let mode: Mode
    /// Whether there is a minimum interval between fetches.
    let isThrottled: Bool
    /// Whether commits are fetched only after an interval without commits.
    let isDebounced: Bool
    private(set) var state = State.idle
    /// Whether a fetch is needed: there was none yet, or a commit has modified the region since.
    private(set) var isStale = false
    /// The last commit known to have modified the region.
    private var lastMatch = CommitNumber.zero
    /// The number of values still to be fetched, `nil` if it is unlimited.
    private(set) var demand: Int?
    /// Whether the throttling interval after a fetch is still running.
    private(set) var isCoolingDown = false
    /// Whether the debounce interval after a commit is still running.
    private(set) var isSettling = false
    private(set) var isPaused = false
    /// Whether the driver is notified of commits in any state.
    private var isAlwaysArmed = false
    private(set) var firstFetch = FirstFetch.none
    /// Whether a fetch could not read the database, and none has begun since; with ``Mode/eachCommit``,
    /// ``state`` does not say so.
    private(set) var isPostponed = false
    /// The number of values that are being reduced or delivered: with ``Mode/eachCommit``, there may be
    /// several, and ``state`` describes none of them.
    private(set) var deliveryCount: UInt32 = 0

    init(
        mode: Mode = .coalescing, isThrottled: Bool = false, isDebounced: Bool = false, demand: Int? = nil
    ) {
        // An observation that has to wait cannot fetch at every commit.
        self.mode = isThrottled || isDebounced || demand != nil ? .coalescing : mode
        self.isThrottled = isThrottled
        self.isDebounced = isDebounced
        self.demand = demand
    }

    /// Prevents the observation from being disarmed. Called before its start.
    mutating func keepArmed() { isAlwaysArmed = true }

    var isEnded: Bool { state == .ended }

    private var isLive: Bool { state != .idle && state != .ended }

    // MARK: - Events

    /// Starts the observation. Has no effect on a started observation.
    mutating func start() -> Action {
        guard state == .idle else { return .none }
        transition(to: .waiting)
        isStale = true
        return next()
    }

    mutating func didMatchCommit(_ commit: CommitNumber) -> Action {
        guard isLive else { return .none }
        lastMatch = max(lastMatch, commit)
        isStale = true
        isSettling = isDebounced
        return isDebounced ? .startDebounceInterval : next()
    }

    /// Handles a change of the fetch itself, independent of any commit.
    mutating func didChangeRequest() -> Action {
        guard isLive else { return .none }
        isStale = true
        return next()
    }

    /// Handles the begin of a scheduled fetch.
    ///
    /// - Parameter commit: The last commit known to be in the snapshot of the fetch. Later commits may have
    ///   been reported already without being part of the snapshot; the observation then stays stale, and
    ///   fetches once more.
    mutating func willFetch(at commit: CommitNumber) -> FetchAnswer {
        guard isLive else { return isEnded ? .unregister : .skip }
        guard mode == .coalescing else {
            if isPaused {
                isStale = true
                return .skip
            }
            if firstFetch == .scheduled { firstFetch = .running }
            isPostponed = false
            return .fetch
        }
        guard state == .scheduled else { return .skip }
        guard mayFetch else {
            transition(to: .waiting)
            return .skip
        }
        transition(to: .fetching)
        isStale = lastMatch > commit
        demand = demand.map { $0 - 1 }
        return .fetch
    }

    /// Handles the end of a successful fetch.
    mutating func didFetch() -> ValueAnswer {
        guard isLive else { return .drop }
        firstFetch = .done
        deliveryCount += 1
        if state == .fetching { transition(to: .delivering) }
        if isThrottled { isCoolingDown = true }
        return .deliver(startsThrottlingInterval: isThrottled)
    }

    /// Handles a fetch of an unreadable database. Returns whether to repeat it later: `false` after the end.
    mutating func didNotFetch() -> Bool {
        guard isLive else { return false }
        guard state == .fetching else {
            isPostponed = mode == .eachCommit
            return true
        }
        transition(to: .scheduled)
        isStale = true
        demand = demand.map { $0 + 1 }
        return true
    }

    /// Whether a postponed fetch is still needed: no later fetch has begun during the pause.
    var needsPostponedFetch: Bool { isPostponed || state == .scheduled }

    /// Handles the return of the consumer from a delivery.
    mutating func didDeliver() -> Action {
        if deliveryCount > 0 { deliveryCount -= 1 }
        guard state == .delivering else { return .none }
        transition(to: .waiting)
        return next()
    }

    /// Handles a value not to be delivered, for example because it is equal to the previous one.
    mutating func didReduceToNothing() -> Action {
        if state == .delivering { demand = demand.map { $0 + 1 } }
        return didDeliver()
    }

    mutating func throttlingIntervalDidEnd() -> Action {
        isCoolingDown = false
        return next()
    }

    /// Handles the end of an interval without commits.
    mutating func debounceIntervalDidEnd() -> Action {
        isSettling = false
        return next()
    }

    mutating func setPaused(_ isPaused: Bool) -> Action {
        guard self.isPaused != isPaused else { return .none }
        self.isPaused = isPaused
        return next()
    }

    /// Increases the demand by `number` values.
    mutating func request(_ number: Int) -> Action {
        guard let demand else { return .none }
        let (sum, overflows) = demand.addingReportingOverflow(number)
        self.demand = overflows ? nil : sum
        return next()
    }

    /// Ends the observation after an error. Returns whether to report it: `false` if it had ended before.
    mutating func didFail() -> Bool { end() }

    /// Cancels the observation. Returns `false` if it had ended before.
    mutating func cancel() -> Bool { end() }

    /// Whether further commits make no difference until the observation is resumed or its demand increases:
    /// it may be disarmed. To a debounced observation, further commits make a difference: they delay its
    /// fetch.
    var mayDisarm: Bool {
        state == .waiting && isStale && (isPaused || demand == 0) && !isDebounced && !isAlwaysArmed
    }

    // MARK: - Decisions

    private var mayFetch: Bool {
        isStale && !isPaused && !isCoolingDown && !isSettling && demand.map { $0 > 0 } ?? true
    }

    private mutating func next() -> Action {
        guard state == .waiting, mayFetch else { return .none }
        switch mode {
        case .coalescing: transition(to: .scheduled)
        // The driver now fetches, and is notified of each further commit.
        case .eachCommit:
            isStale = false
            if firstFetch == .none { firstFetch = .scheduled }
        }
        return .scheduleFetch
    }

    private mutating func end() -> Bool {
        guard state != .ended else { return false }
        transition(to: .ended)
        return true
    }

    private mutating func transition(to next: State) {
        assert(state.canTransition(to: next, mode), "from \(state) to \(next)")
        state = next
    }
}
