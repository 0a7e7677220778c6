import Synchronization

/// Something that goes on until it is cancelled.
public protocol DatabaseCancellable: Sendable {
    /// Ends it. Safe to call from any thread, and again.
    func cancel()
}

/// Ends something when it is cancelled, or released.
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// Does nothing when it is cancelled.
    public init() {
        onCancel = Mutex(nil)
    }

    public init(cancel: @escaping @Sendable () -> Void) {
        onCancel = Mutex(cancel)
    }

    public convenience init(_ cancellable: some DatabaseCancellable) {
        self.init { cancellable.cancel() }
    }

    deinit { cancel() }

    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
