/// Who gets which reader, and who waits.
///
/// At most ``capacity`` readers are open; they are opened when they are needed. Whoever comes first is served
/// first. A barrier waits until all readers are back, and nobody gets one before it has ended.
///
/// A value without thread or lock. The driver beside it, ``ReaderPool``, opens connections and wakes waiters.
struct ReaderPoolMachine {
    /// A reader's number, from 1 on; free numbers are used again.
    typealias Slot = Int
    typealias Waiter = UInt64

    /// How somebody who asked goes on.
    enum Grant: Equatable {
        /// With a reader that is open.
        case reader(Slot)
        /// With a reader to be opened first.
        case open(Slot)
        /// Alone: no reader is lent.
        case barrier
        /// With an error: the pool is closed.
        case closed
    }

    struct Resumption: Equatable {
        let waiter: Waiter
        let grant: Grant
    }

    private enum Request: Equatable {
        case reader(Waiter)
        /// Of whoever holds the writer, for whom a barrier may be waiting.
        case writersReader(Waiter)
        case barrier(Waiter)
        /// Of a barrier that met a reader of the writer's.
        case barrierAgain(Waiter)

        var waiter: Waiter {
            switch self {
            case .reader(let waiter), .writersReader(let waiter), .barrier(let waiter),
                .barrierAgain(let waiter):
                waiter
            }
        }

        /// Whether it is served during a barrier too.
        var passesBarriers: Bool {
            switch self {
            case .writersReader, .barrierAgain: true
            case .reader, .barrier: false
            }
        }
    }

    let capacity: Int
    private(set) var lent: Set<Slot> = []
    /// The reader that was used last is used next: its cache is warm.
    private(set) var idle: [Slot] = []
    private var queue: [Request] = []
    private var isBarred = false
    private(set) var isClosed = false

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var openCount: Int { lent.count + idle.count }
    var waiterCount: Int { queue.count }

    /// Asks for a reader. `nil`: wait for a ``Resumption``.
    mutating func acquire(_ waiter: Waiter) -> Grant? {
        if isClosed { return .closed }
        queue.append(.reader(waiter))
        return serve(newest: waiter)
    }

    /// The same for whoever holds the writer, before everybody else: a barrier waits for the writer, and must not keep
    /// it waiting. ``isUnused`` then tells whether the barrier is alone.
    mutating func acquireAsWriter(_ waiter: Waiter) -> Grant? {
        if isClosed { return .closed }
        if let grant = nextReader() { return grant }
        queue.insert(.writersReader(waiter), at: 0)
        return nil
    }

    /// The same for whoever holds the writer and does not wait: `nil` means no.
    mutating func acquireIfIdle() -> Grant? {
        isClosed ? nil : nextReader()
    }

    /// The same for a caller that holds a reader, and would wait for itself: if no reader is idle, one more than
    /// ``capacity`` is opened. A barrier that waits for the caller's reader does not keep it waiting either.
    mutating func acquireInsideRead() -> Grant {
        if isClosed { return .closed }
        if let grant = nextReader() { return grant }
        var slot = 1
        while lent.contains(slot) { slot += 1 }
        lent.insert(slot)
        return .open(slot)
    }

    /// Asks to be alone. `nil`: wait for a ``Resumption``.
    mutating func acquireBarrier(_ waiter: Waiter) -> Grant? {
        if isClosed { return .closed }
        queue.append(.barrier(waiter))
        return serve(newest: waiter)
    }

    /// The holder of the barrier waits until the writer's readers are back.
    mutating func acquireBarrierAgain(_ waiter: Waiter) -> Grant? {
        guard !lent.isEmpty else { return .barrier }
        queue.insert(.barrierAgain(waiter), at: 0)
        return nil
    }

    /// Whether no reader is lent.
    var isUnused: Bool { lent.isEmpty }

    /// Whoever came last can be served at once only if nobody waits before.
    private mutating func serve(newest waiter: Waiter) -> Grant? {
        guard queue.count == 1, let resumption = nextResumption() else { return nil }
        return resumption.grant
    }

    /// Whether a reader is open.
    func isOpen(_ slot: Slot) -> Bool { lent.contains(slot) || idle.contains(slot) }

    /// A reader came back. It is closed if it is not ``isOpen(_:)`` afterwards.
    ///
    /// - Parameter isReusable: whether it is fit to be lent again; otherwise it is closed.
    mutating func release(_ slot: Slot, isReusable: Bool = true) -> [Resumption] {
        guard lent.remove(slot) != nil else { return [] }
        if isReusable, !isClosed, openCount < capacity { idle.append(slot) }
        return resumptions()
    }

    /// A reader that was to be opened could not be.
    mutating func openDidFail(_ slot: Slot) -> [Resumption] {
        release(slot, isReusable: false)
    }

    mutating func endBarrier() -> [Resumption] {
        isBarred = false
        return resumptions()
    }

    /// Somebody does not want to wait any more. `false`: too late, the grant is on its way.
    mutating func cancel(_ waiter: Waiter) -> (wasWaiting: Bool, others: [Resumption]) {
        guard let index = queue.firstIndex(where: { $0.waiter == waiter }) else { return (false, []) }
        queue.remove(at: index)
        return (true, resumptions())
    }

    /// Takes the idle readers out, to be closed. Lent ones are not affected.
    mutating func takeIdle() -> [Slot] {
        defer { idle = [] }
        return idle
    }

    /// An idle reader was closed.
    mutating func remove(idle slot: Slot) {
        idle.removeAll { $0 == slot }
    }

    /// Ends everything. Those who wait are told.
    mutating func close() -> [Resumption] {
        isClosed = true
        defer { queue = [] }
        return queue.map { Resumption(waiter: $0.waiter, grant: .closed) }
    }

    private mutating func resumptions() -> [Resumption] {
        var result: [Resumption] = []
        while let resumption = nextResumption() { result.append(resumption) }
        return result
    }

    private mutating func nextResumption() -> Resumption? {
        guard let first = queue.first, !isBarred || first.passesBarriers else { return nil }
        switch first {
        case .barrierAgain(let waiter):
            guard lent.isEmpty else { return nil }
            queue.removeFirst()
            return Resumption(waiter: waiter, grant: .barrier)
        case .barrier(let waiter):
            guard lent.isEmpty else { return nil }
            isBarred = true
            queue.removeFirst()
            return Resumption(waiter: waiter, grant: .barrier)
        case .reader(let waiter), .writersReader(let waiter):
            guard let grant = nextReader() else { return nil }
            queue.removeFirst()
            return Resumption(waiter: waiter, grant: grant)
        }
    }

    private mutating func nextReader() -> Grant? {
        if let slot = idle.popLast() {
            lent.insert(slot)
            return .reader(slot)
        }
        guard openCount < capacity, let slot = (1...capacity).first(where: { !lent.contains($0) }) else {
            return nil
        }
        lent.insert(slot)
        return .open(slot)
    }
}
