import Synchronization
import VigilStorage

/// Knows whether anything runs on a connection, and whether it was asked to end.
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

    /// An interruption lasts until nothing runs any more.
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
