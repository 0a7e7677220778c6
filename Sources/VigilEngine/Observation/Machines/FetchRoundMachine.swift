/// Decides when stale observers fetch: all of them together, from one snapshot, one round at a time.
///
/// A round begins as soon as an observer is stale, unless the rounds pause for the sake of reads
/// (``RoundPacing``). Initial fetches never wait for the end of a pause.
///
/// An observer with slow fetches does not delay the others: it fetches in a round of its own, beside theirs
/// (``SlowFetches``). If a fetch turns out to be slow, the remaining observers of its round are stale again,
/// and the next round begins (``watchDidFire(at:)``).
///
/// Fetches of an unreadable server are postponed: their observers become stale again after a pause, without
/// delaying the others (``postpone(_:)``).
///
/// A value without threads, locks or a clock. Its driver, ``PoolObservationHost``, leases readers and
/// fetches.
struct FetchRoundMachine<Observer: Hashable> {
    typealias Instant = ContinuousClock.Instant
    typealias Pause = UInt64
    typealias RoundNumber = UInt64
    /// The number of a group of fetches with the same pause.
    typealias Postponement = UInt64

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
        let timeout: Duration
    }

    private enum Phase: Equatable {
        case idle
        /// A reader is requested.
        case leasing
        /// A reader is in use since the given time.
        case fetching(Instant)
        case pausing(Pause)
    }

    private struct Round {
        let number: RoundNumber
        var observers: [Observer] = []
        /// The number of fetches begun.
        var position = 0
        var hasInitial = false
        var earlyEnd: RoundPacing.EarlyEnd?
    }

    private var phase = Phase.idle
    /// The slow fetches beside the rounds.
    private var slow: SlowFetches<Observer>
    /// The running rounds: the current one, and rounds that are slow or overtaken.
    private var running: [Round] = []
    /// The running round, unless it is slow or overtaken.
    private(set) var current: RoundNumber?
    private var lastRound: RoundNumber = 0
    /// The number of fetches begun by current rounds, and of those rounds.
    private var fetchCount = 0
    /// The running or next fetch, if a watch runs; `nil` otherwise.
    private var watchedFetch: Int?
    private var pacing = RoundPacing()
    /// Whether an observer waits for its initial fetch.
    private var hasInitial = false
    /// How old a stale value can be when the next round requests its reader.
    private var age = Duration.zero
    private var lastPause: Pause = 0
    /// The begin of the first of the last rounds, if they have all ended early.
    private var firstCut: Instant?
    /// Whether no pause may follow the running round.
    private var skipsPause = false
    /// The observers to become stale again after a pause.
    private var postponed: [Postponement: [Observer]] = [:]
    private var lastPostponement: Postponement = 0
    /// The stale observers, in the order of becoming stale.
    private(set) var stale: [Observer] = []
    /// The elements of `stale`, for lookups.
    private var members: Set<Observer> = []

    /// - Parameter readerCount: the number of readers shared by rounds and reads.
    init(readerCount: Int) {
        slow = SlowFetches(readerCount: readerCount)
    }

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

    /// Begins a round on the leased reader, and returns all stale observers. Must be followed by
    /// ``startRound(_:slow:)``.
    mutating func beginRound(at now: Instant) -> [Observer] {
        phase = .fetching(now)
        lastRound += 1
        current = lastRound
        // A watch begun in an earlier round must not take the last fetch of that round for a running one.
        fetchCount += 1
        running.append(Round(number: lastRound, hasInitial: hasInitial))
        hasInitial = false
        defer {
            stale = []
            members = []
        }
        return stale
    }

    /// Starts the round.
    ///
    /// - Parameter slow: the other stale observers, with slow fetches. Observers of a group share a fetch.
    mutating func startRound(_ observers: [Observer], slow groups: [[Observer]] = []) -> RoundNumber {
        if slow.isPossible { slow.add(groups) }
        let late = slow.isPossible ? [] : Array(groups.joined())
        guard let current, let index = running.firstIndex(where: { $0.number == current }) else { return 0 }
        running[index].observers = observers + late
        return current
    }

    /// Whether the fetches of a round delay the next one.
    var isFetching: Bool {
        if case .fetching = phase { true } else { false }
    }

    /// Returns the observers of a round.
    func observers(of number: RoundNumber) -> [Observer] {
        running.first { $0.number == number }?.observers ?? []
    }

    /// Returns the remaining observers of a round.
    func rest(of number: RoundNumber) -> ArraySlice<Observer> {
        running.first { $0.number == number }.map { $0.observers[$0.position...] } ?? []
    }

    /// Returns the next observer to fetch for in a round; `nil` after the last.
    mutating func nextFetch(in number: RoundNumber) -> Observer? {
        guard let index = running.firstIndex(where: { $0.number == number }) else { return nil }
        let position = running[index].position
        guard position < running[index].observers.count else { return nil }
        running[index].position += 1
        if number == current { fetchCount += 1 }
        return running[index].observers[position]
    }

    // MARK: - Postponed fetches

    /// Postpones fetches that were not possible. ``postponementDidEnd(_:)`` must be called after a pause.
    mutating func postpone(_ observers: [Observer]) -> Postponement {
        lastPostponement += 1
        postponed[lastPostponement] = observers
        return lastPostponement
    }

    /// Ends the pause of postponed fetches. Does nothing if ``endPause()`` has ended it.
    mutating func postponementDidEnd(_ number: Postponement) -> Action {
        becameStale(postponed.removeValue(forKey: number) ?? [], isInitial: false)
    }

    // MARK: - Slow fetches

    /// Whether observers with slow fetches wait for a reader.
    var isWaitingForSlowReader: Bool { slow.isWaiting }

    /// Returns whether to request a reader for slow fetches. Called after each event, until it returns
    /// `false`.
    mutating func requestsSlowReader() -> Bool { slow.requestsReader() }

    /// Begins a round for observers with slow fetches, on a reader requested for them.
    mutating func beginSlowRound() -> RoundNumber {
        lastRound += 1
        running.append(Round(number: lastRound, observers: slow.next()))
        return lastRound
    }

    /// Returns whether to begin a watch: to call ``watchDidFire(at:)`` after ``RoundPacing/slowFetch``.
    mutating func beginsWatch() -> Bool {
        guard watchedFetch == nil, slow.isPossible else { return false }
        watchedFetch = fetchCount + 1
        return true
    }

    /// Handles the end of the watch's interval. If the fetch has been running since its begin, the round is
    /// overtaken: the rest of its observers is stale again, and the next round begins on another reader.
    ///
    /// - Returns: the driver's task, and whether the watch continues for another interval.
    mutating func watchDidFire(at now: Instant) -> (Action, continues: Bool) {
        guard case .fetching(let begin) = phase,
            let index = running.firstIndex(where: { $0.number == current })
        else {
            watchedFetch = nil
            return (.none, false)
        }
        guard watchedFetch == fetchCount, running[index].position > 0, slow.canOvertake else {
            watchedFetch = fetchCount
            return (.none, true)
        }
        watchedFetch = nil
        overtake(index)
        age = begin.duration(to: now)
        return (leaseOrRest(), false)
    }

    private mutating func overtake(_ index: Int) {
        removeRest(at: index)
        current = nil
        slow.didOvertake()
    }

    /// Makes the observers of the current round that have not fetched stale again, to end the round and its
    /// snapshot early. Call ``endRound(_:at:reads:)`` afterwards.
    mutating func cutShort(_ number: RoundNumber, for reason: RoundPacing.EarlyEnd) {
        guard number == current, let index = running.firstIndex(where: { $0.number == number }) else {
            return
        }
        removeRest(at: index)
        running[index].earlyEnd = reason
    }

    private mutating func removeRest(at index: Int) {
        let round = running[index]
        let rest = round.observers[round.position...]
        running[index] = Round(
            number: round.number, observers: Array(round.observers[..<round.position]),
            position: round.position)
        stale = rest.filter { members.insert($0).inserted } + stale
        hasInitial = hasInitial || (round.hasInitial && !rest.isEmpty)
    }

    // MARK: - Ends and pauses

    /// Ends a round.
    ///
    /// - Parameter reads: whether reads compete with rounds.
    mutating func endRound(_ number: RoundNumber, at now: Instant, reads: Bool) -> Action {
        let round = running.first { $0.number == number }
        let isEmpty = round?.observers.isEmpty ?? true
        let reads = reads || round?.earlyEnd == .checkpoint
        running.removeAll { $0.number == number }
        guard number == current, case .fetching(let begin) = phase else {
            slow.didEnd()
            return .none
        }
        current = nil
        // A round of slow observers alone has read nothing.
        if isEmpty { return leaseOrRest() }
        let pause = pacing.roundDidEnd(from: begin, to: now, reads: reads)
        // A value can be stale since the begin of the round, or of the rounds before it that ended early.
        let first = firstCut ?? begin
        firstCut = round?.earlyEnd == nil ? nil : first
        age = first.duration(to: now)
        defer { skipsPause = false }
        let isLate = firstCut != nil && age >= RoundPacing.maximumAge
        guard pause == .zero || hasInitial || skipsPause || isLate else {
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

    /// Ends all pauses, and skips the next one if a round is running, because the database is closed or
    /// suspended.
    mutating func endPause() -> Action {
        for (_, observers) in postponed.sorted(by: { $0.key < $1.key }) {
            stale += observers.filter { members.insert($0).inserted }
        }
        postponed = [:]
        switch phase {
        case .idle, .pausing: return leaseOrRest()
        case .fetching: skipsPause = true
        case .leasing: break
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
        let timeout = hasInitial ? .zero : max(.zero, RoundPacing.maximumAge - age)
        return .lease(LeaseRequest(timeout: timeout))
    }
}
