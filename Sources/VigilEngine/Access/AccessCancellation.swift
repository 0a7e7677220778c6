import Dispatch
import Synchronization
import VigilStorage

/// Whether the task that makes an access was cancelled.
///
/// A cancelled task's statement is interrupted, and its next one fails. What the access must do all the same, a
/// rollback or telling observers, is shielded.
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

    /// From any thread.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        interrupt(againAfter: .milliseconds(1))
    }

    /// The library forgets an interruption that comes just before a statement takes its first step, and that statement
    /// might run for minutes: so it is repeated until the access is over.
    private func interrupt(againAfter delay: DispatchTimeInterval) {
        let isOver = state.withLock { state in
            if !state.isOver, state.shields == 0 { interrupter.interrupt() }
            return state.isOver
        }
        guard !isOver else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.interrupt(againAfter: .milliseconds(20))
        }
    }

    /// The connection is somebody else's from now on: nothing is interrupted any more.
    func end() {
        state.withLock { $0.isOver = true }
    }

    /// - Throws: `CancellationError` if the task was cancelled, outside of a shield.
    func check() throws {
        let isCancelled = state.withLock { $0.isCancelled && $0.shields == 0 }
        if isCancelled { throw CancellationError() }
    }

    /// Runs what a cancellation must not prevent.
    func shield<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { $0.shields += 1 }
        defer { state.withLock { $0.shields -= 1 } }
        return try body()
    }
}

extension Database {
    /// - Throws: `CancellationError` if the task that makes the access was cancelled.
    func checkCancellation() throws {
        try cancellation?.check()
    }

    /// - Throws: `CancellationError` if `error` is what a cancellation made of a statement: it was interrupted, or it gave
    ///   up waiting for a lock.
    func checkCancellation(after error: StorageError) throws {
        switch error.code.primary {
        case .interrupt, .busy: try checkCancellation()
        default: break
        }
    }

    @inline(__always)  // bench: write-baseline
    func shieldedFromCancellation<T>(_ body: () throws -> T) rethrows -> T {
        guard let cancellation else { return try body() }
        return try cancellation.shield(body)
    }
}
