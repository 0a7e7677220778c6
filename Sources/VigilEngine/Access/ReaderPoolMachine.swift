import VigilStorage

/// Decides which request receives which reader, and which requests wait.
///
/// At most ``capacity`` readers are open, and they are opened on demand. Requests are served in order. A
/// barrier waits until all readers are released, and requests wait until the barrier has ended.
///
/// Reads come before the rounds of observations: a round receives a reader only if no read waits for one, and
/// not the last one while reads run. A round that has waited for too long is served in order, like a read
/// (``roundsAreOverdue(_:)``), and at last exceeds the capacity (``roundIsLate(_:)``).
///
/// A value without threads or locks. Its driver, ``ReaderPool``, opens connections and resumes waiters.
struct ReaderPoolMachine {
    /// The number of a reader, starting at 1. The numbers of closed readers are reused.
    typealias Slot = Int
    typealias Waiter = UInt64

    /// The answer to a request.
    enum Grant: Equatable {
        /// The request receives an open reader.
        case reader(Slot)
        /// The request receives a reader, and must open it.
        case open(Slot)
        /// The barrier has begun: no reader is leased.
        case barrier
        /// The request fails, because the pool is closed.
        case closed
    }

    struct Resumption: Equatable {
        let waiter: Waiter
        let grant: Grant
    }

    private enum Phase {
        /// Requests are served.
        case open
        /// A barrier holds the pool: no reader is leased, except to the holder of the writer.
        case barred
        /// All requests fail. The barrier of the closing pool may still have to end.
        case closed

        func canTransition(to next: Phase) -> Bool {
            switch (self, next) {
            case (.open, .barred), (.open, .closed), (.barred, .open), (.barred, .closed): true
            case (.open, .open), (.barred, .barred), (.closed, _): false
            }
        }
    }

    private enum Request: Equatable {
        case reader(Waiter)
        /// A request by the holder of the writer, possibly with a barrier waiting for it.
        case writersReader(Waiter)
        /// A request by an overdue round.
        case round(Waiter)
        case barrier(Waiter)
        /// A request by a barrier after it found a reader leased to the writer.
        case barrierAgain(Waiter)

        var waiter: Waiter {
            switch self {
            case .reader(let waiter), .writersReader(let waiter), .round(let waiter), .barrier(let waiter),
                .barrierAgain(let waiter):
                waiter
            }
        }

        var isRound: Bool {
            if case .round = self { true } else { false }
        }

        /// Whether the request is also served during a barrier.
        var passesBarriers: Bool {
            switch self {
            case .writersReader, .barrierAgain: true
            case .reader, .round, .barrier: false
            }
        }
    }

    let capacity: Int
    /// The readers in accesses.
    private(set) var leased: Set<Slot> = []
    /// The idle readers. The last one was used most recently and is leased first, because its cache is warm.
    private(set) var idle: [Slot] = []
    /// The waiting requests, in order.
    ///
    /// Their number is not limited, and neither is that of ``rounds``: each is an access begun by the
    /// application or a round of its observations. A limit would make accesses fail instead of wait. To wait
    /// for fewer, the application cancels accesses or begins fewer at once.
    private var queue: [Request] = []
    /// The readers among ``leased`` for rounds and for fetches of single commits.
    private(set) var leasedToRounds: Set<Slot> = []
    /// The requests of rounds, except overdue ones.
    private var rounds: [Waiter] = []
    /// The requests of slow fetches, after all others.
    private var slowRounds: [Waiter] = []
    /// Whether a read received a reader since the last call of ``takeReadActivity()``.
    private var hasReadSince = false
    private var phase = Phase.open

    var isClosed: Bool { phase == .closed }

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var openCount: Int { leased.count + idle.count }
    var waiterCount: Int { queue.count + rounds.count + slowRounds.count }

    /// Requests a reader. Returns `nil` if the request waits for a ``Resumption``.
    mutating func acquire(_ waiter: Waiter) -> Grant? {
        if isClosed { return .closed }
        queue.append(.reader(waiter))
        return serveNewest()
    }

    /// Requests a reader on behalf of the holder of the writer, ahead of all other requests. Returns `nil` if
    /// the request waits for a ``Resumption``.
    ///
    /// A barrier waits for the writer and must not block it, so this request is served during barriers too.
    /// The barrier checks ``isUnused`` when it holds the writer.
    mutating func acquireAsWriter(_ waiter: Waiter) -> Grant? {
        if isClosed { return .closed }
        if let grant = nextReader(forRound: false) { return grant }
        queue.insert(.writersReader(waiter), at: 0)
        return nil
    }

    /// Requests a reader for a per-commit fetch, on behalf of the holder of the writer. Returns `nil` if none
    /// is available; the request does not wait.
    mutating func acquireIfIdle() -> Grant? {
        isClosed ? nil : nextReader(forRound: true)
    }

    /// Requests a reader for a caller that already holds one, and never waits, because the caller could wait
    /// for itself.
    ///
    /// If no reader is idle, the number of open readers exceeds ``capacity``. A barrier waiting for the
    /// caller's reader does not delay the request either.
    mutating func acquireInsideRead() -> Grant {
        if isClosed { return .closed }
        return nextReader(forRound: false) ?? exceedCapacity(forRound: false)
    }

    // MARK: - Rounds

    /// Requests a reader for a round. Returns `nil` if the request waits for a ``Resumption``.
    ///
    /// - Parameter isSlow: whether the fetch is slow. It waits for other rounds, too.
    mutating func acquireForRound(_ waiter: Waiter, isSlow: Bool = false) -> Grant? {
        if isClosed { return .closed }
        if isSlow { slowRounds.append(waiter) } else { rounds.append(waiter) }
        guard rounds.count + slowRounds.count == 1, let resumption = nextRound() else { return nil }
        return resumption.grant
    }

    /// From now on, serves the waiting rounds, except slow ones, in order, like reads, and even with the last
    /// reader.
    ///
    /// - Parameter waiter: if not `nil`, and this round does not wait, nothing happens. If it is slow, the
    ///   others are not affected.
    mutating func roundsAreOverdue(_ waiter: Waiter? = nil) -> [Resumption] {
        if let waiter, let index = slowRounds.firstIndex(of: waiter) {
            queue.append(.round(slowRounds.remove(at: index)))
            return resumptions()
        }
        if let waiter, !rounds.contains(waiter) { return [] }
        queue += rounds.map { .round($0) }
        rounds = []
        return resumptions()
    }

    /// Handles a round that has waited in order for too long. All readers may be held by reads waiting for
    /// the round, so it receives one in excess of ``capacity``, unless a barrier has begun.
    ///
    /// Does nothing if the round does not wait.
    mutating func roundIsLate(_ waiter: Waiter) -> Resumption? {
        guard phase == .open, let index = queue.firstIndex(of: .round(waiter)) else { return nil }
        queue.remove(at: index)
        return Resumption(
            waiter: waiter, grant: nextReader(forRound: true) ?? exceedCapacity(forRound: true))
    }

    /// Returns whether reads compete with rounds: whether one runs or waits, or has run since the last call.
    mutating func takeReadActivity() -> Bool {
        defer { hasReadSince = false }
        return hasReadSince || isReading || queue.contains { !$0.isRound }
    }

    private var isReading: Bool { leased.count > leasedToRounds.count }

    private mutating func nextRound() -> Resumption? {
        guard let waiter = rounds.first ?? slowRounds.first, queue.isEmpty, phase == .open,
            !isReading || capacity - leased.count > 1,
            let grant = nextReader(forRound: true)
        else { return nil }
        if rounds.isEmpty { slowRounds.removeFirst() } else { rounds.removeFirst() }
        return Resumption(waiter: waiter, grant: grant)
    }

    // MARK: - Barriers

    /// Requests a barrier. Returns `nil` if the request waits for a ``Resumption``.
    mutating func acquireBarrier(_ waiter: Waiter) -> Grant? {
        if isClosed { return .closed }
        queue.append(.barrier(waiter))
        return serveNewest()
    }

    /// Makes the owner of the barrier wait until the writer's readers are released. Returns `nil` if the
    /// request waits for a ``Resumption``.
    mutating func acquireBarrierAgain(_ waiter: Waiter) -> Grant? {
        guard !leased.isEmpty else { return .barrier }
        queue.insert(.barrierAgain(waiter), at: 0)
        return nil
    }

    var isUnused: Bool { leased.isEmpty }

    /// Serves the newest request immediately if no older request waits.
    private mutating func serveNewest() -> Grant? {
        guard queue.count == 1, let resumption = nextResumption() else { return nil }
        return resumption.grant
    }

    func isOpen(_ slot: Slot) -> Bool { leased.contains(slot) || idle.contains(slot) }

    /// Ends the lease of a reader. The caller must close the reader if it is not ``isOpen(_:)`` afterwards.
    ///
    /// - Parameter isReusable: whether the reader can be leased again. If `false`, it is closed.
    mutating func release(_ slot: Slot, isReusable: Bool = true) -> [Resumption] {
        guard leased.remove(slot) != nil else { return [] }
        leasedToRounds.remove(slot)
        if isReusable, !isClosed, openCount < capacity { idle.append(slot) }
        return resumptions()
    }

    /// Gives up a reader after a failure to open it.
    mutating func openDidFail(_ slot: Slot) -> [Resumption] {
        release(slot, isReusable: false)
    }

    mutating func endBarrier() -> [Resumption] {
        if phase == .barred { enter(.open) }
        return resumptions()
    }

    /// Cancels a request. `wasWaiting` is `false` if the request has already been granted.
    mutating func cancel(_ waiter: Waiter) -> (wasWaiting: Bool, others: [Resumption]) {
        if let index = rounds.firstIndex(of: waiter) {
            rounds.remove(at: index)
            return (true, resumptions())
        }
        if let index = slowRounds.firstIndex(of: waiter) {
            slowRounds.remove(at: index)
            return (true, resumptions())
        }
        guard let index = queue.firstIndex(where: { $0.waiter == waiter }) else { return (false, []) }
        queue.remove(at: index)
        return (true, resumptions())
    }

    /// Removes and returns the idle readers, for the caller to close. Leased readers are not affected.
    mutating func removeIdle() -> [Slot] {
        defer { idle = [] }
        return idle
    }

    /// Removes an idle reader after it was closed.
    mutating func remove(idle slot: Slot) {
        idle.removeAll { $0 == slot }
    }

    /// Closes the pool, and returns a resumption for each waiting request.
    mutating func close() -> [Resumption] {
        if phase != .closed { enter(.closed) }
        defer { (queue, rounds, slowRounds) = ([], [], []) }
        return (queue.map(\.waiter) + rounds + slowRounds).map { Resumption(waiter: $0, grant: .closed) }
    }

    private mutating func enter(_ next: Phase) {
        trap(unless: phase.canTransition(to: next), "from \(phase) to \(next)")
        phase = next
    }

    private mutating func resumptions() -> [Resumption] {
        var result: [Resumption] = []
        while let resumption = nextResumption() { result.append(resumption) }
        return result
    }

    private mutating func nextResumption() -> Resumption? {
        guard let first = queue.first else { return nextRound() }
        guard phase != .barred || first.passesBarriers else { return nil }
        switch first {
        case .barrierAgain(let waiter):
            guard leased.isEmpty else { return nil }
            queue.removeFirst()
            return Resumption(waiter: waiter, grant: .barrier)
        case .barrier(let waiter):
            guard leased.isEmpty else { return nil }
            enter(.barred)
            queue.removeFirst()
            return Resumption(waiter: waiter, grant: .barrier)
        case .reader(let waiter), .writersReader(let waiter):
            guard let grant = nextReader(forRound: false) else { return nil }
            queue.removeFirst()
            return Resumption(waiter: waiter, grant: grant)
        case .round(let waiter):
            guard let grant = nextReader(forRound: true) else { return nil }
            queue.removeFirst()
            return Resumption(waiter: waiter, grant: grant)
        }
    }

    private mutating func nextReader(forRound isRound: Bool) -> Grant? {
        if let slot = idle.popLast() {
            lease(slot, toRound: isRound)
            return .reader(slot)
        }
        guard openCount < capacity, let slot = (1...capacity).first(where: { !leased.contains($0) }) else {
            return nil
        }
        lease(slot, toRound: isRound)
        return .open(slot)
    }

    private mutating func exceedCapacity(forRound isRound: Bool) -> Grant {
        var slot = 1
        while leased.contains(slot) { slot += 1 }
        lease(slot, toRound: isRound)
        return .open(slot)
    }

    private mutating func lease(_ slot: Slot, toRound isRound: Bool) {
        leased.insert(slot)
        if isRound { leasedToRounds.insert(slot) } else { hasReadSince = true }
    }
}
