/// Decides when stale observers fetch: all of them together, from one snapshot, one round at a time.
///
/// A round begins as soon as an observer is stale, unless the rounds pause for the sake of reads (``RoundPacing``).
/// Initial fetches never wait for the end of a pause.
///
/// If the database cannot be read, such as during a restart of its server, the observers stay stale, and the rounds pause
/// longer and longer.
///
/// A value without threads, locks or a clock. Its driver, ``PoolObservationHost``, leases readers and fetches.
struct FetchRoundMachine<Observer: Hashable> {
    typealias Instant = ContinuousClock.Instant
    /// The number of a pause.
    typealias Pause = UInt64

    enum Action: Equatable {
        case none
        /// Request a reader for the next round.
        case lease(LeaseRequest)
        /// Serve the request for a reader like a read.
        case hurry
        /// Call ``FetchRoundMachine/pauseDidEnd(_:)`` after the duration.
        case pause(Duration, Pause)
    }

    struct LeaseRequest: Equatable {
        /// How long the round may give way to reads. Zero for rounds with initial fetches.
        let patience: Duration
    }

    private enum Phase: Equatable {
        case idle
        /// A reader is requested.
        case leasing
        /// A reader is in use since the given time.
        case fetching(Instant)
        case pausing(Pause)
    }

    private var phase = Phase.idle
    private var pacing = RoundPacing()
    /// Whether an observer waits for its initial fetch.
    private var hasInitial = false
    /// How old a stale value can be when the next round requests its reader.
    private var age = Duration.zero
    private var lastPause: Pause = 0
    /// Whether the round that is running must not be followed by a pause.
    private var skipsPause = false
    /// The pause after the last round; zero if that round could read the database.
    private var outagePause = Duration.zero
    /// Whether the round that is running could not read the database.
    private var isUnreadable = false
    /// The stale observers, in the order in which they became stale.
    private(set) var stale: [Observer] = []
    /// The elements of `stale`, for lookups.
    private var members: Set<Observer> = []

    /// Adds stale observers.
    ///
    /// - Parameter isInitial: whether they wait for their initial fetch.
    mutating func becameStale(_ observers: [Observer], isInitial: Bool) -> Action {
        guard !observers.isEmpty else { return .none }
        stale += observers.filter { members.insert($0).inserted }
        let isFirstInitial = isInitial && !hasInitial
        hasInitial = hasInitial || isInitial
        switch phase {
        case .idle: return lease()
        case .leasing: return isFirstInitial ? .hurry : .none
        case .pausing: return isInitial ? lease() : .none
        case .fetching: return .none
        }
    }

    /// Whether the requested reader is needed for an initial fetch.
    var isHurried: Bool { phase == .leasing && hasInitial }

    /// Begins a round on the leased reader, and returns all stale observers.
    mutating func beginRound(at now: Instant) -> [Observer] {
        phase = .fetching(now)
        hasInitial = false
        defer {
            stale = []
            members = []
        }
        return stale
    }

    /// Keeps observers of the round stale whose fetches could not read the database.
    mutating func didNotRead(_ observers: [Observer]) {
        isUnreadable = true
        stale += observers.filter { members.insert($0).inserted }
    }

    /// The pauses after rounds that could not read the database: the first one, and the longest one.
    static var outagePauses: (first: Duration, longest: Duration) { (.milliseconds(20), .seconds(2)) }

    /// Ends a round that could not read the database.
    private mutating func endOutage() -> Action {
        isUnreadable = false
        let (first, longest) = Self.outagePauses
        outagePause = min(max(first, outagePause * 2), longest)
        guard !skipsPause, !hasInitial else { return leaseOrRest() }
        lastPause += 1
        phase = .pausing(lastPause)
        return .pause(outagePause, lastPause)
    }

    /// Ends the round.
    ///
    /// - Parameter reads: whether reads compete with rounds.
    mutating func endRound(at now: Instant, reads: Bool) -> Action {
        guard case .fetching(let begin) = phase else { return .none }
        if isUnreadable {
            defer { skipsPause = false }
            return endOutage()
        }
        outagePause = .zero
        let pause = pacing.roundDidEnd(from: begin, to: now, reads: reads)
        // A value can be stale since the begin of the round.
        age = begin.duration(to: now)
        defer { skipsPause = false }
        guard pause == .zero || hasInitial || skipsPause else {
            // Commits during a pause have nothing to decide, even if no observer is stale yet.
            lastPause += 1
            phase = .pausing(lastPause)
            age += pause
            return .pause(pause, lastPause)
        }
        return leaseOrRest()
    }

    /// Ends a pause. Does nothing if it has already ended.
    mutating func pauseDidEnd(_ pause: Pause) -> Action {
        phase == .pausing(pause) ? leaseOrRest() : .none
    }

    /// Ends the pause, if there is one, or skips the next one if a round is running, because the database is closed or
    /// suspended.
    mutating func endPause() -> Action {
        switch phase {
        case .pausing: return leaseOrRest()
        case .fetching: skipsPause = true
        case .idle, .leasing: break
        }
        return .none
    }

    private mutating func leaseOrRest() -> Action {
        if !stale.isEmpty { return lease() }
        phase = .idle
        age = .zero
        return .none
    }

    private mutating func lease() -> Action {
        phase = .leasing
        let patience = hasInitial ? .zero : max(.zero, RoundPacing.maximumAge - age)
        return .lease(LeaseRequest(patience: patience))
    }
}
