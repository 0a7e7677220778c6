import CVigilPostgres
import Dispatch
import Synchronization
import VigilStorage

/// Cancels what a connection runs, from any thread.
///
/// A request to cancel is a separate connection to the server. It has no effect if it arrives before the server has
/// read the command, so it is repeated until the command ends. The connection, in turn, waits for an outgoing request
/// before it sends its next command, which the request would otherwise cancel.
final class PostgresInterrupter: StorageInterrupter {
    // `@unchecked Sendable`: guarded by `state`. libpq allows any thread to use the object of a cancellation.
    private struct State: @unchecked Sendable {
        var cancel: OpaquePointer?
        let api: UnsafePointer<vigil_postgres_api>
        /// Whether a command is being run by the server.
        var isRunning = false
        /// The cancellation of the running command, if it was requested.
        var cancellation: Cancellation?
    }

    /// The cancellation of one command.
    private final class Cancellation: Sendable {
        let commandEnded = DispatchSemaphore(value: 0)
        let requestsEnded = DispatchSemaphore(value: 0)
    }

    private let state: Mutex<State>
    private let interruptions = Atomic<Int>(0)
    private let queue = DispatchQueue(label: "vigil.postgres.cancel", attributes: .concurrent)

    /// The number of interrupts. A statement whose rows are still being read ends if the number has changed.
    var count: Int { interruptions.load(ordering: .relaxed) }

    init(api: UnsafePointer<vigil_postgres_api>) {
        state = Mutex(State(api: api))
    }

    deinit { setTarget(nil) }

    func interrupt() {
        interruptions.add(1, ordering: .relaxed)
        let cancellation = state.withLock { state -> Cancellation? in
            guard state.isRunning, state.cancellation == nil, state.cancel != nil else { return nil }
            let cancellation = Cancellation()
            state.cancellation = cancellation
            return cancellation
        }
        guard let cancellation else { return }
        queue.async { self.requestCancellation(cancellation) }
    }

    /// Runs a command of the connection, which can be cancelled while it runs.
    func whileRunning<Result>(_ command: () -> Result) -> Result {
        state.withLock { $0.isRunning = true }
        let result = command()
        let cancellation = state.withLock { state in
            state.isRunning = false
            let cancellation = state.cancellation
            state.cancellation = nil
            return cancellation
        }
        if let cancellation {
            cancellation.commandEnded.signal()
            cancellation.requestsEnded.wait()
        }
        return result
    }

    /// Sets the connection to the server that is cancelled. Called while no command runs.
    func setTarget(_ connection: OpaquePointer?) {
        state.withLock { state in
            if let cancel = state.cancel { state.api.pointee.freeCancel(cancel) }
            state.cancel = connection.flatMap { state.api.pointee.getCancel($0) }
        }
    }

    private func requestCancellation(_ cancellation: Cancellation) {
        // The command does not end, and the object is not freed, before `requestsEnded` is signalled.
        let (cancel, api) = state.withLock { (Address(pointer: $0.cancel), $0.api.pointee.cancel) }
        var delay = 1
        repeat {
            var message = [CChar](repeating: 0, count: 256)
            if let pointer = cancel.pointer { _ = api(pointer, &message, Int32(message.count)) }
            delay = min(delay * 2, 500)
        } while cancellation.commandEnded.wait(timeout: .now() + .milliseconds(delay)) == .timedOut
        cancellation.requestsEnded.signal()
    }

    // `@unchecked Sendable`: guarded by `Cancellation.requestsEnded`, until which the object exists.
    private struct Address: @unchecked Sendable {
        let pointer: OpaquePointer?
    }
}
