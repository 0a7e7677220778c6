import Synchronization
import VigilStorage

/// Tracks the running statements of a connection, and whether they have been interrupted.
final class SimulatedInterrupter: StorageInterrupter {
    private struct State {
        var running = 0
        var isInterrupted = false
    }

    private let state = Mutex(State())

    func interrupt() {
        state.withLock { if $0.running > 0 { $0.isInterrupted = true } }
    }

    func beginRun() {
        state.withLock { $0.running += 1 }
    }

    /// Ends a run. An interruption is cleared when no statement is running.
    func endRun() {
        state.withLock {
            $0.running -= 1
            if $0.running == 0 { $0.isInterrupted = false }
        }
    }

    func check() throws(StorageError) {
        if state.withLock({ $0.isInterrupted }) { throw StorageError(.interrupt, "interrupted") }
    }
}
