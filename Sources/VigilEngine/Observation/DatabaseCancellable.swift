import Synchronization

/// Something that goes on until it is cancelled.
public protocol DatabaseCancellable: Sendable {
    /// Ends it. Safe to call from any thread, and again.
    func cancel()
}

/// Ends something when it is cancelled, or released.
public final class AnyDatabaseCancellable: DatabaseCancellable {
    // An object, which takes less room than any value: there may be many.
    private let cancellable: Mutex<(any DatabaseCancellable & AnyObject)?>

    /// Does nothing when it is cancelled.
    public init() {
        cancellable = Mutex(nil)
    }

    public init(cancel: @escaping @Sendable () -> Void) {
        cancellable = Mutex(Cancellation(cancel))
    }

    public convenience init(_ cancellable: some DatabaseCancellable) {
        self.init { cancellable.cancel() }
    }

    init(observer: any DatabaseCancellable & AnyObject) {
        cancellable = Mutex(observer)
    }

    deinit { cancel() }

    public func cancel() {
        let last = cancellable.withLock { cancellable in
            defer { cancellable = nil }
            return cancellable
        }
        last?.cancel()
    }

    private final class Cancellation: DatabaseCancellable {
        private let action: @Sendable () -> Void

        init(_ action: @escaping @Sendable () -> Void) {
            self.action = action
        }

        func cancel() { action() }
    }
}
