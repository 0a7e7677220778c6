import Dispatch
import Synchronization

/// The readers of a pool: opens them when they are needed, lends them, and takes them back.
final class ReaderPool: Sendable {
    private typealias Machine = ReaderPoolMachine

    private struct State {
        var machine: Machine
        var readers: [Machine.Slot: ConnectionAccess] = [:]
        var waiters: [Machine.Waiter: @Sendable (Machine.Grant?) -> Void] = [:]
        var nextWaiter: Machine.Waiter = 0
    }

    private let state: Mutex<State>
    private let open: @Sendable (_ number: Int) throws -> ConnectionAccess

    /// - Parameter open: opens the reader of a number.
    init(capacity: Int, open: @escaping @Sendable (_ number: Int) throws -> ConnectionAccess) {
        state = Mutex(State(machine: Machine(capacity: capacity)))
        self.open = open
    }

    /// A lent reader, to be given back.
    struct Loan: Sendable {
        fileprivate let slot: ReaderPoolMachine.Slot
        let access: ConnectionAccess
    }

    var isClosed: Bool { state.withLock { $0.machine.isClosed } }

    var openCount: Int { state.withLock { $0.machine.openCount } }

    // MARK: - Borrowing

    /// Waits for a reader on the calling thread.
    ///
    /// - Parameter isWriter: whether the caller holds the writer, for which a barrier may be waiting.
    /// - Throws: `DatabaseError` if the pool is closed, or if a reader cannot be opened.
    func acquire(asWriter isWriter: Bool) throws -> Loan {
        try loan(
            wait { machine, waiter in
                isWriter ? machine.acquireAsWriter(waiter) : machine.acquire(waiter)
            })
    }

    /// The same for callers that may hold a reader of this pool. They never wait: all readers may be held by callers that
    /// ask for another one. If no reader is idle, one more than the capacity is opened, and closed when it comes back.
    ///
    /// - Throws: as ``acquire(asWriter:)``.
    func acquireInsideRead(asWriter isWriter: Bool) throws -> Loan {
        guard readers.contains(where: \.isHeldByCaller) else { return try acquire(asWriter: isWriter) }
        return try loan(state.withLock { $0.machine.acquireInsideRead() })
    }

    /// A reader that is idle, or can be opened; `nil` if one would have to wait for it.
    ///
    /// Only for whoever holds the writer.
    func acquireIfIdle() -> Loan? {
        guard let grant = state.withLock({ $0.machine.acquireIfIdle() }) else { return nil }
        return try? loan(grant)
    }

    /// Waits for a reader without holding a thread.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before its turn came; otherwise as ``acquire()``.
    func acquireAsync() async throws -> Loan {
        try await openOffPool(waitAsync { machine, waiter in machine.acquire(waiter) })
    }

    private func waitAsync(
        _ ask: @Sendable (inout Machine, Machine.Waiter) -> Machine.Grant?
    ) async throws -> Machine.Grant {
        let ticket = Ticket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = request(ask) { grant in
                    continuation.resume(with: grant.map { .success($0) } ?? .failure(CancellationError()))
                }
                if ticket.didAsk(waiter) { cancel(waiter) }
            }
        } onCancel: {
            if let waiter = ticket.cancel() { cancel(waiter) }
        }
    }

    /// Calls `body` with a reader, or with an error: at once, on the thread that gives a reader back, or on another. It
    /// must not block.
    func acquire(_ body: @escaping @Sendable (Result<Loan, any Error>) -> Void) {
        request({ $0.acquire($1) }) { [self] grant in
            let grant = grant ?? .closed
            if case .reader = grant { return body(Result { try loan(grant) }) }
            // Opening takes time, which is not that of whoever gave the reader back.
            DispatchQueue.global().async { [self] in body(Result { try loan(grant) }) }
        }
    }

    func release(_ loan: Loan, isReusable: Bool = true) {
        let (resumptions, reader) = state.withLock { state in
            let resumptions = state.machine.release(loan.slot, isReusable: isReusable)
            let isClosed = !isReusable || !state.machine.isOpen(loan.slot)
            return (resumptions, isClosed ? state.readers.removeValue(forKey: loan.slot) : nil)
        }
        resume(resumptions)
        reader?.async { try? $0.close() }
    }

    private func loan(_ grant: Machine.Grant) throws -> Loan {
        switch grant {
        case .reader(let slot):
            guard let access = state.withLock({ $0.readers[slot] }) else {
                throw DatabaseError.connectionIsClosed
            }
            return Loan(slot: slot, access: access)
        case .open(let slot):
            do {
                let access = try open(slot)
                state.withLock { $0.readers[slot] = access }
                return Loan(slot: slot, access: access)
            } catch {
                resume(state.withLock { $0.machine.openDidFail(slot) })
                throw error
            }
        case .barrier, .closed: throw DatabaseError.connectionIsClosed
        }
    }

    /// Opening blocks: it must not happen on a thread of the cooperative pool.
    private func openOffPool(_ grant: Machine.Grant) async throws -> Loan {
        guard case .open = grant else { return try loan(grant) }
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [self] in
                continuation.resume(with: Result { try loan(grant) })
            }
        }
    }

    // MARK: - Barriers

    /// Whether no reader is lent. To be asked by the holder of a barrier when it has the writer.
    var isUnused: Bool { state.withLock { $0.machine.isUnused } }

    /// Waits until no reader is lent, and lends none from then on, except to whoever holds the writer.
    ///
    /// - Throws: `DatabaseError` if the pool is closed.
    func beginBarrier() throws {
        try check(wait { machine, waiter in machine.acquireBarrier(waiter) })
    }

    /// The same without holding a thread.
    ///
    /// - Throws: `CancellationError` too.
    func beginBarrierAsync() async throws {
        try check(await waitAsync { machine, waiter in machine.acquireBarrier(waiter) })
    }

    /// The same later: calls `body` on a thread of its own.
    func beginBarrier(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        request({ $0.acquireBarrier($1) }) { [self] grant in
            DispatchQueue.global().async { [self] in
                body(Result { try check(grant ?? .closed) })
            }
        }
    }

    /// Waits inside a barrier until the readers are back that were lent to the writer.
    func waitInsideBarrier() {
        _ = try? wait { machine, waiter in machine.acquireBarrierAgain(waiter) }
    }

    /// The same without holding a thread.
    ///
    /// - Throws: `CancellationError`.
    func waitInsideBarrierAsync() async throws {
        _ = try await waitAsync { machine, waiter in machine.acquireBarrierAgain(waiter) }
    }

    func endBarrier() {
        resume(state.withLock { $0.machine.endBarrier() })
    }

    private func check(_ grant: Machine.Grant) throws {
        guard grant == .barrier else { throw DatabaseError.connectionIsClosed }
    }

    // MARK: - All readers

    /// Closes the readers that nobody uses.
    func releaseMemory() {
        let readers = state.withLock { state in
            state.machine.takeIdle().compactMap { state.readers.removeValue(forKey: $0) }
        }
        for reader in readers { reader.async { try? $0.close() } }
    }

    /// Closes the readers that are not lent; others are opened when they are needed.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement of a reader is alive. The readers with such statements stay open, and the
    ///   statements of each are logged.
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

    /// Lends no reader any more. Those who wait get an error.
    func end() {
        resume(state.withLock { $0.machine.close() })
    }

    /// The readers that are open.
    var readers: [ConnectionAccess] { state.withLock { Array($0.readers.values) } }

    // MARK: - Waiting

    /// The number under which a task waits, and whether it was cancelled before it had one.
    private final class Ticket: Sendable {
        private let state = Mutex<(waiter: ReaderPoolMachine.Waiter?, isCancelled: Bool)>((nil, false))

        /// Answers whether the task was cancelled meanwhile.
        func didAsk(_ waiter: ReaderPoolMachine.Waiter) -> Bool {
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

    /// - Parameter resume: called once; with `nil` if the request was cancelled.
    @discardableResult
    private func request(
        _ ask: (inout Machine, Machine.Waiter) -> Machine.Grant?,
        resume: @escaping @Sendable (Machine.Grant?) -> Void
    ) -> Machine.Waiter {
        let (waiter, grant) = state.withLock { state in
            let waiter = state.nextWaiter
            state.nextWaiter += 1
            let grant = ask(&state.machine, waiter)
            if grant == nil { state.waiters[waiter] = resume }
            return (waiter, grant)
        }
        if let grant { resume(grant) }
        return waiter
    }

    private func cancel(_ waiter: Machine.Waiter) {
        let (resume, others) = state.withLock { state in
            let (wasWaiting, others) = state.machine.cancel(waiter)
            return (wasWaiting ? state.waiters.removeValue(forKey: waiter) : nil, others)
        }
        resume?(nil)
        self.resume(others)
    }

    private func wait(_ ask: (inout Machine, Machine.Waiter) -> Machine.Grant?) throws -> Machine.Grant {
        let semaphore = DispatchSemaphore(value: 0)
        let answer = Answer()
        request(ask) { grant in
            answer.grant.withLock { $0 = grant }
            semaphore.signal()
        }
        semaphore.wait()
        return answer.grant.withLock { $0 } ?? .closed
    }

    private final class Answer: Sendable {
        let grant = Mutex<ReaderPoolMachine.Grant?>(nil)
    }

    private func resume(_ resumptions: [Machine.Resumption]) {
        for resumption in resumptions {
            let resume = state.withLock { $0.waiters.removeValue(forKey: resumption.waiter) }
            resume?(resumption.grant)
        }
    }
}
