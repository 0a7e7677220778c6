import Foundation
import Synchronization

/// The first error of several threads.
public final class FirstError: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    public init() {}

    public func note(_ error: any Error) {
        self.error.withLock { first in if first == nil { first = error } }
    }

    public func rethrow() throws {
        if let error = error.withLock({ $0 }) { throw error }
    }
}

/// A thread of its own, so that work that blocks takes none from Dispatch or from Swift's pool.
public final class BackgroundThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    public init(_ failures: FirstError, _ work: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [ended] in
            do { try work() } catch { failures.note(error) }
            ended.signal()
        }
    }

    /// Waits for its end. Once.
    public func join() { ended.wait() }
}
