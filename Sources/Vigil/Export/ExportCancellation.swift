import Synchronization
import VigilEngine

/// The cancellation of an export. Interrupts the statements of the new database.
final class ExportCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var destination: DatabaseQueue?
    }

    private let state = Mutex(State())

    func cancel() {
        let destination = state.withLock { state in
            state.isCancelled = true
            return state.destination
        }
        destination?.interrupt()
    }

    /// Sets the database being written; `nil` once it is complete.
    func setDestination(_ destination: DatabaseQueue?) {
        state.withLock { $0.destination = destination }
    }

    /// Throws `CancellationError` if the export was cancelled.
    func check() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }
}
