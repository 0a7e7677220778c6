import Synchronization

/// Something that goes on until it is cancelled.
public protocol DatabaseCancellable: Sendable {
    /// Ends it. Safe to call from any thread, and again.
    func cancel()
}

/// Ends something when it is cancelled, or released.
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let cancellable: Mutex<(any DatabaseCancellable)?>

    /// Does nothing when it is cancelled.
    public init() {
        cancellable = Mutex(nil)
    }

    public init(cancel: @escaping @Sendable () -> Void) {
        cancellable = Mutex(Cancellation(action: cancel))
    }

    public init(_ cancellable: some DatabaseCancellable) {
        self.cancellable = Mutex(cancellable)
    }

    deinit { cancel() }

    public func cancel() {
        let last = cancellable.withLock { cancellable in
            defer { cancellable = nil }
            return cancellable
        }
        last?.cancel()
    }

    private struct Cancellation: DatabaseCancellable {
        let action: @Sendable () -> Void

        func cancel() { action() }
    }
}
