import Dispatch
import Synchronization
import VigilStorage

/// The cancellation of an access by its task.
///
/// When the task is cancelled, its running statement is interrupted and its next one fails. Work that must
/// still be done, such as rolling back and notifying observers, is shielded.
final class AccessCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var isOver = false
        var shields = 0
    }

    private let state = Mutex(State())
    private let interrupter: any StorageInterrupter

    init(interrupter: any StorageInterrupter) {
        self.interrupter = interrupter
    }

    /// Interrupts the access. Can be called from any thread.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        interrupt(againAfter: .milliseconds(1))
    }

    /// Interrupts the connection repeatedly until the access ends. The library ignores an interruption just
    /// before the first step of a statement, and the statement could then run for minutes.
    private func interrupt(againAfter delay: DispatchTimeInterval) {
        // Called while the lock is held, so that `end()` and `shield(_:)` wait for it: an interruption must
        // not hit the next access or shielded work. This cannot deadlock, because an interrupter calls no
        // other code.
        let isOver = state.withLock { state in
            if !state.isOver, state.shields == 0 { interrupter.interrupt() }
            return state.isOver
        }
        guard !isOver else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.interrupt(againAfter: .milliseconds(20))
        }
    }

    /// Ends the access. The connection is not interrupted from now on, because other accesses use it.
    func end() {
        state.withLock { $0.isOver = true }
    }

    /// Whether the task was cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Throws `CancellationError` if the task was cancelled, except inside a shield.
    func check() throws {
        let isCancelled = state.withLock { $0.isCancelled && $0.shields == 0 }
        if isCancelled { throw CancellationError() }
    }

    /// Runs work that a cancellation must not prevent or interrupt.
    func shield<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { $0.shields += 1 }
        defer { state.withLock { $0.shields -= 1 } }
        return try body()
    }
}

extension Database {
    /// Throws `CancellationError` if the task of the access was cancelled.
    func checkCancellation() throws {
        try cancellation?.check()
    }

    /// Throws `CancellationError` if a statement failed because the task was cancelled: it was interrupted,
    /// or it stopped waiting for a lock.
    func checkCancellation(after error: StorageError) throws {
        switch error.code.primary {
        case .interrupt, .busy: try checkCancellation()
        default: break
        }
    }

    /// Returns whether a statement of shielded work failed because the task had been cancelled before. The
    /// library keeps an interruption while any statement runs, such as that of a cursor.
    func isInterruptedByCancellation(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT && cancellation?.isCancelled == true
    }

    /// Runs work of the current access that a cancellation must not prevent or interrupt.
    @inline(__always)  // bench: write-baseline
    func shieldedFromCancellation<T>(_ body: () throws -> T) rethrows -> T {
        guard let cancellation else { return try body() }
        return try cancellation.shield(body)
    }
}
