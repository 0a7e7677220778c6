import Dispatch
import Synchronization

/// Opens the readers of a pool on demand, and leases them to accesses.
///
/// The driver of ``ReaderPoolMachine``: it opens and closes connections, and resumes waiters, outside of its
/// lock.
final class ReaderPool: Sendable {
    private typealias Machine = ReaderPoolMachine

    private struct State {
        var machine: Machine
        var readers: [Machine.Slot: ConnectionAccess] = [:]
        var waiters: [Machine.Waiter: @Sendable (Machine.Grant?) -> Void] = [:]
        var nextWaiter: Machine.Waiter = 0
        /// The leased readers to close on their release.
        var invalidated: Set<Machine.Slot> = []

        /// Sends a request to the machine. If it waits, `resume` makes the closure for its grant.
        mutating func request(
            _ makeRequest: (inout Machine, Machine.Waiter) -> Machine.Grant?,
            resume: () -> @Sendable (Machine.Grant?) -> Void
        ) -> (waiter: Machine.Waiter, grant: Machine.Grant?) {
            defer { nextWaiter += 1 }
            let grant = makeRequest(&machine, nextWaiter)
            if grant == nil { waiters[nextWaiter] = resume() }
            return (nextWaiter, grant)
        }
    }

    /// The maximum number of open readers, apart from exceptions.
    let capacity: Int
    private let state: Mutex<State>
    private let closedError: DatabaseError
    private let open: @Sendable (_ number: Int) throws -> ConnectionAccess

    /// - Parameters:
    ///   - capacity: the maximum number of open readers.
    ///   - closedError: the error of requests after the pool was closed.
    ///   - open: opens the reader with the given number.
    init(
        capacity: Int, closedError: DatabaseError,
        open: @escaping @Sendable (_ number: Int) throws -> ConnectionAccess
    ) {
        let machine = Machine(capacity: capacity)
        self.capacity = machine.capacity
        state = Mutex(State(machine: machine))
        self.closedError = closedError
        self.open = open
    }

    /// A leased reader, for ``ReaderPool/release(_:)``.
    struct Lease: Sendable {
        fileprivate let slot: ReaderPoolMachine.Slot
        let access: ConnectionAccess
    }

    var isClosed: Bool { state.withLock { $0.machine.isClosed } }

    func checkIsOpen() throws { if isClosed { throw closedError } }

    var openCount: Int { state.withLock { $0.machine.openCount } }

    // MARK: - Leasing

    /// Blocks the calling thread until a reader is available, and leases it.
    ///
    /// - Parameter isWriter: whether the caller holds the writer. A barrier may then wait for the caller.
    /// - Throws: `DatabaseError` if the pool is closed, or if a reader cannot be opened.
    func acquire(asWriter isWriter: Bool) throws -> Lease {
        try lease(
            wait { machine, waiter in
                isWriter ? machine.acquireAsWriter(waiter) : machine.acquire(waiter)
            })
    }

    // MARK: - Rounds

    /// Calls `body` once with a reader for a round, or with an error, like ``acquire(_:)``. Reads come first.
    ///
    /// - Returns: a number if the round waits for a reader.
    func acquireForRound(
        isSlow: Bool = false, _ body: @escaping @Sendable (Result<Lease, any Error>) -> Void
    ) -> ReaderPoolMachine.Waiter? {
        let (waiter, isWaiting) = request(
            { $0.acquireForRound($1, isSlow: isSlow) }, resume: resumption(body))
        return isWaiting ? waiter : nil
    }

    /// From now on, serves the waiting rounds in order, like reads. Does nothing if the given one does not
    /// wait.
    func roundsAreOverdue(_ waiter: ReaderPoolMachine.Waiter? = nil) {
        resume(state.withLock { $0.machine.roundsAreOverdue(waiter) })
    }

    func isWaiting(_ waiter: ReaderPoolMachine.Waiter) -> Bool {
        state.withLock { $0.waiters[waiter] != nil }
    }

    /// Serves the round now, if it still waits, even if the pool exceeds its capacity.
    func roundIsLate(_ waiter: ReaderPoolMachine.Waiter) {
        resume(state.withLock { $0.machine.roundIsLate(waiter) }.map { [$0] } ?? [])
    }

    /// Returns whether reads compete with rounds: whether one runs or waits, or has run since the last call.
    func takeReadActivity() -> Bool { state.withLock { $0.machine.takeReadActivity() } }

    // MARK: - Other leases

    /// Leases a reader to a caller that may already hold a reader of this pool.
    ///
    /// A caller with a reader never waits, because all readers may be held by callers with a second request.
    /// If no reader is idle, the pool exceeds its capacity: it opens one more, and closes it on release.
    ///
    /// - Throws: the errors of ``acquire(asWriter:)``.
    func acquireInsideRead(asWriter isWriter: Bool) throws -> Lease {
        guard readers.contains(where: \.isHeldByCaller) else { return try acquire(asWriter: isWriter) }
        return try lease(state.withLock { $0.machine.acquireInsideRead() })
    }

    /// Leases an idle or a new reader. Returns `nil` if the caller would have to wait for one.
    ///
    /// The caller must hold the writer.
    func acquireIfIdle() -> Lease? {
        guard let grant = state.withLock({ $0.machine.acquireIfIdle() }) else { return nil }
        return try? lease(grant)
    }

    /// Suspends the task until a reader is available, and leases it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; otherwise the errors of
    ///   ``acquire(asWriter:)``.
    func acquireAsync() async throws -> Lease {
        try await openOffPool(waitAsync { machine, waiter in machine.acquire(waiter) })
    }

    private func waitAsync(
        _ makeRequest: @Sendable (inout Machine, Machine.Waiter) -> Machine.Grant?
    ) async throws -> Machine.Grant {
        let ticket = Ticket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (waiter, _) = request(makeRequest) { grant in
                    continuation.resume(with: grant.map { .success($0) } ?? .failure(CancellationError()))
                }
                if ticket.didRequest(waiter) { cancel(waiter) }
            }
        } onCancel: {
            if let waiter = ticket.cancel() { cancel(waiter) }
        }
    }

    /// Calls `body` once with a reader or an error: immediately, on the thread of a release, or on another
    /// thread. `body` must not block.
    func acquire(_ body: @escaping @Sendable (Result<Lease, any Error>) -> Void) {
        request({ $0.acquire($1) }, resume: resumption(body))
    }

    /// Returns the closure for passing a grant to `body`.
    private func resumption(
        _ body: @escaping @Sendable (Result<Lease, any Error>) -> Void
    ) -> @Sendable (Machine.Grant?) -> Void {
        { [self] grant in
            let grant = grant ?? .closed
            if case .reader = grant { return body(Result { try lease(grant) }) }
            // Opening is slow: do not block the releasing thread.
            DispatchQueue.global().async { [self] in body(Result { try lease(grant) }) }
        }
    }

    /// Ends a lease. The reader is closed if it was invalidated, if the pool is closed, or if it exceeds the
    /// capacity.
    func release(_ lease: Lease) {
        let (resumptions, reader) = state.withLock { state in
            let isReusable = state.invalidated.remove(lease.slot) == nil
            let resumptions = state.machine.release(lease.slot, isReusable: isReusable)
            let isClosed = !isReusable || !state.machine.isOpen(lease.slot)
            return (resumptions, isClosed ? state.readers.removeValue(forKey: lease.slot) : nil)
        }
        resume(resumptions)
        reader?.async { try? $0.close() }
    }

    private func lease(_ grant: Machine.Grant) throws -> Lease {
        switch grant {
        case .reader(let slot):
            guard let access = state.withLock({ $0.readers[slot] }) else {
                throw closedError
            }
            return Lease(slot: slot, access: access)
        case .open(let slot):
            do {
                let access = try open(slot)
                state.withLock { $0.readers[slot] = access }
                return Lease(slot: slot, access: access)
            } catch {
                resume(
                    state.withLock { state in
                        state.invalidated.remove(slot)
                        return state.machine.openDidFail(slot)
                    })
                throw error
            }
        case .barrier, .closed: throw closedError
        }
    }

    /// Opens a reader on a dispatch queue: opening must not block a thread of the cooperative pool.
    private func openOffPool(_ grant: Machine.Grant) async throws -> Lease {
        guard case .open = grant else { return try lease(grant) }
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [self] in
                continuation.resume(with: Result { try lease(grant) })
            }
        }
    }

    // MARK: - Barriers

    /// Whether no reader is leased. The owner of a barrier checks it once it holds the writer.
    var isUnused: Bool { state.withLock { $0.machine.isUnused } }

    /// Blocks the calling thread until no reader is leased. From then on, only the holder of the writer can
    /// lease readers.
    ///
    /// - Throws: `DatabaseError` if the pool is closed.
    func beginBarrier() throws {
        try check(wait { machine, waiter in machine.acquireBarrier(waiter) })
    }

    /// Begins a barrier like ``beginBarrier()``, but suspends the task instead of blocking a thread.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; `DatabaseError` if the pool is
    ///   closed.
    func beginBarrierAsync() async throws {
        try check(await waitAsync { machine, waiter in machine.acquireBarrier(waiter) })
    }

    /// Calls `body` on a global dispatch queue when the barrier has begun, or with an error if the pool is
    /// closed.
    func beginBarrier(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        request({ $0.acquireBarrier($1) }) { [self] grant in
            DispatchQueue.global().async { [self] in
                body(Result { try check(grant ?? .closed) })
            }
        }
    }

    /// Blocks the calling thread, inside a barrier, until the readers leased to the writer are released.
    func waitInsideBarrier() {
        _ = try? wait { machine, waiter in machine.acquireBarrierAgain(waiter) }
    }

    /// Suspends the task, inside a barrier, until the readers leased to the writer are released.
    /// Throws `CancellationError` if the task is cancelled while it waits.
    func waitInsideBarrierAsync() async throws {
        _ = try await waitAsync { machine, waiter in machine.acquireBarrierAgain(waiter) }
    }

    func endBarrier() {
        resume(state.withLock { $0.machine.endBarrier() })
    }

    private func check(_ grant: Machine.Grant) throws {
        guard grant == .barrier else { throw closedError }
    }

    // MARK: - All readers

    /// Closes the idle readers.
    func releaseMemory() {
        let readers = state.withLock { state in
            state.machine.removeIdle().compactMap { state.readers.removeValue(forKey: $0) }
        }
        for reader in readers { reader.async { try? $0.close() } }
    }

    /// Closes the idle readers, and waits until they are closed. New ones are opened on demand.
    func closeUnused() {
        let readers = state.withLock { state in
            state.machine.removeIdle().compactMap { state.readers.removeValue(forKey: $0) }
        }
        for reader in readers { reader.sync { try? $0.close() } }
    }

    /// Closes the idle readers, and the leased ones when they are released. New ones are opened on demand.
    func invalidate() {
        let readers = state.withLock { state in
            let idle = state.machine.removeIdle().compactMap { state.readers.removeValue(forKey: $0) }
            // A reader being opened is leased, too.
            state.invalidated.formUnion(state.machine.leased)
            return idle
        }
        for reader in readers { reader.async { try? $0.close() } }
    }

    /// Closes the idle readers. New ones are opened on demand.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement of a reader is alive. The readers with such statements stay
    ///   open, and the statements of each are logged.
    func closeIdle() throws {
        var firstError: (any Error)?
        for slot in state.withLock({ $0.machine.idle }) {
            guard let reader = state.withLock({ $0.readers[slot] }) else { continue }
            do {
                try reader.sync { try $0.close() }
            } catch {
                firstError = firstError ?? error
                continue
            }
            state.withLock { state in
                state.machine.remove(idle: slot)
                state.readers[slot] = nil
            }
        }
        if let firstError { throw firstError }
    }

    /// Closes the pool: all pending and later requests fail.
    func end() {
        resume(state.withLock { $0.machine.close() })
    }

    var readers: [ConnectionAccess] { state.withLock { Array($0.readers.values) } }

    // MARK: - Waiting

    /// The waiter of a task, and whether the task was cancelled before the waiter was known.
    private final class Ticket: Sendable {
        private let state = Mutex<(waiter: ReaderPoolMachine.Waiter?, isCancelled: Bool)>((nil, false))

        /// Stores the waiter, and returns whether the task has already been cancelled.
        func didRequest(_ waiter: ReaderPoolMachine.Waiter) -> Bool {
            state.withLock { state in
                state.waiter = waiter
                return state.isCancelled
            }
        }

        func cancel() -> ReaderPoolMachine.Waiter? {
            state.withLock { state in
                state.isCancelled = true
                return state.waiter
            }
        }
    }

    /// Sends a request to the machine. `resume` is called once: with the grant, or with `nil` if cancelled.
    @discardableResult
    private func request(
        _ makeRequest: (inout Machine, Machine.Waiter) -> Machine.Grant?,
        resume: @escaping @Sendable (Machine.Grant?) -> Void
    ) -> (waiter: Machine.Waiter, isWaiting: Bool) {
        let (waiter, grant) = state.withLock { $0.request(makeRequest) { resume } }
        if let grant { resume(grant) }
        return (waiter, grant == nil)
    }

    private func cancel(_ waiter: Machine.Waiter) {
        let (resume, others) = state.withLock { state in
            let (wasWaiting, others) = state.machine.cancel(waiter)
            return (wasWaiting ? state.waiters.removeValue(forKey: waiter) : nil, others)
        }
        resume?(nil)
        self.resume(others)
    }

    private func wait(_ makeRequest: (inout Machine, Machine.Waiter) -> Machine.Grant?) throws
        -> Machine.Grant
    {
        var answer: Answer?
        let grant = state.withLock { state in
            state.request(makeRequest) {
                // Only a waiting request needs a semaphore.
                let waiting = Answer()
                answer = waiting
                return { waiting.resume($0) }
            }.grant
        }
        return grant ?? answer?.wait() ?? .closed
    }

    /// A thread waiting for a grant.
    private final class Answer: Sendable {
        private let grant = Mutex<ReaderPoolMachine.Grant?>(nil)
        private let semaphore = DispatchSemaphore(value: 0)

        func resume(_ grant: ReaderPoolMachine.Grant?) {
            self.grant.withLock { $0 = grant }
            semaphore.signal()
        }

        func wait() -> ReaderPoolMachine.Grant? {
            semaphore.wait()
            return grant.withLock { $0 }
        }
    }

    private func resume(_ resumptions: [Machine.Resumption]) {
        for resumption in resumptions {
            let resume = state.withLock { $0.waiters.removeValue(forKey: resumption.waiter) }
            resume?(resumption.grant)
        }
    }
}
