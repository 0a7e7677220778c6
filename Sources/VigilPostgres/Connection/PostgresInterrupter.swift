import CVigilPostgres
import Dispatch
import Synchronization
import VigilStorage

/// Cancels what a connection runs, from any thread.
///
/// A request to cancel is a separate connection to the server. It has no effect if it arrives before the
/// server has read the command, so it is repeated until the command ends. The connection, in turn, waits for
/// an outgoing request before it sends its next command. Otherwise the request would cancel that command.
final class PostgresInterrupter: StorageInterrupter {
    private struct State {
        var target: Target?
        var isRunning = false
        /// The cancellation of the running command, if it was requested.
        var cancellation: Cancellation?
    }

    /// The object of libpq to cancel the commands of one session.
    private final class Target: Sendable {
        // The object is immutable, and libpq allows any thread to use it. The table exists as long as the
        // process.
        private let cancel: SendablePointer<OpaquePointer>
        private let api: SendablePointer<UnsafePointer<vigil_postgres_api>>

        init?(_ connection: OpaquePointer, _ api: UnsafePointer<vigil_postgres_api>) {
            guard let cancel = api.pointee.getCancel(connection) else { return nil }
            self.cancel = SendablePointer(cancel)
            self.api = SendablePointer(api)
        }

        deinit { api.pointer.pointee.freeCancel(cancel.pointer) }

        func request() {
            var message = [CChar](repeating: 0, count: 256)
            _ = api.pointer.pointee.cancel(cancel.pointer, &message, Int32(message.count))
        }
    }

    private final class Cancellation: Sendable {
        let commandEnded = DispatchSemaphore(value: 0)
        let requestsEnded = DispatchSemaphore(value: 0)
        let begin = ContinuousClock.now
    }

    /// How long a connection waits for the answer to a cancelled command, and for the end of the request.
    static let timeout = Duration.seconds(2)

    private let state = Mutex(State())
    private let interruptions = Atomic<Int>(0)
    private let queue = DispatchQueue(label: "vigil.postgres.cancel", attributes: .concurrent)

    /// The number of interrupts. A statement with unread rows ends if the number has changed.
    var count: Int { interruptions.load(ordering: .relaxed) }

    /// Whether the running command was cancelled so long ago that no answer of the server can be expected.
    var isOverdue: Bool {
        let begin = state.withLock { $0.cancellation?.begin }
        return begin.map { $0.duration(to: .now) > Self.timeout } ?? false
    }

    func interrupt() {
        interruptions.add(1, ordering: .relaxed)
        cancelCommand()
    }

    /// Cancels the running command, without counting as an interrupt.
    func cancelCommand() {
        let work = state.withLock { state -> (Target, Cancellation)? in
            guard state.isRunning, state.cancellation == nil, let target = state.target else { return nil }
            let cancellation = Cancellation()
            state.cancellation = cancellation
            return (target, cancellation)
        }
        guard let (target, cancellation) = work else { return }
        queue.async { Self.request(target, cancellation) }
    }

    /// Records that the connection sends a command. It can be cancelled until ``commandDidEnd(isLost:)``.
    func commandWillBegin() {
        state.withLock { $0.isRunning = true }
    }

    /// Records that the server has answered the command completely, or that the connection is lost.
    ///
    /// - Parameter isLost: whether the session is over, so that a late request can do no harm.
    /// - Returns: `false` if a request to cancel the command may still arrive, and cancel the next one.
    func commandDidEnd(isLost: Bool) -> Bool {
        let cancellation = state.withLock { state in
            state.isRunning = false
            let cancellation = state.cancellation
            state.cancellation = nil
            return cancellation
        }
        guard let cancellation else { return true }
        cancellation.commandEnded.signal()
        guard !isLost else { return true }
        let deadline = DispatchTime.now() + .seconds(Int(Self.timeout.components.seconds))
        return cancellation.requestsEnded.wait(timeout: deadline) == .success
    }

    /// Sets the session of the cancelled commands. Called while no command runs.
    func setTarget(_ connection: OpaquePointer?, _ api: UnsafePointer<vigil_postgres_api>) {
        let target = connection.flatMap { Target($0, api) }
        state.withLock { $0.target = target }
    }

    private static func request(_ target: Target, _ cancellation: Cancellation) {
        var delay = 1
        repeat {
            target.request()
            delay = min(delay * 2, 500)
        } while cancellation.commandEnded.wait(timeout: .now() + .milliseconds(delay)) == .timedOut
        cancellation.requestsEnded.signal()
    }
}
