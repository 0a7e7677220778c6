import Foundation
import Synchronization

/// Keeps the first error of several threads.
public final class FirstError: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    public init() {}

    /// Keeps the error if it is the first one.
    public func note(_ error: any Error) {
        self.error.withLock { first in if first == nil { first = error } }
    }

    /// Throws the first error of the work.
    public func rethrow() throws {
        if let error = error.withLock({ $0 }) { throw error }
    }
}

/// A dedicated thread for blocking work, which would otherwise occupy a thread of Dispatch or of Swift's
/// pool.
public final class BackgroundThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a thread that runs `work` and notes its error in `failures`.
    public init(_ failures: FirstError, _ work: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [ended] in
            do { try work() } catch { failures.note(error) }
            ended.signal()
        }
    }

    /// Waits until the work has ended. Must be called at most once.
    public func join() { ended.wait() }
}
