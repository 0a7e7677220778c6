import Synchronization
import VigilStorage

/// Whether the task that makes an access was cancelled.
///
/// A cancelled task's statement is interrupted, and its next one fails. What the access must do all the same, a
/// rollback or telling observers, is shielded.
final class AccessCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var shields = 0
    }

    private let state = Mutex(State())
    private let interrupter: any StorageInterrupter

    init(interrupter: any StorageInterrupter) {
        self.interrupter = interrupter
    }

    /// From any thread.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if state.shields == 0 { interrupter.interrupt() }
        }
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

    func shieldedFromCancellation<T>(_ body: () throws -> T) rethrows -> T {
        guard let cancellation else { return try body() }
        return try cancellation.shield(body)
    }
}
