import Synchronization

/// An ongoing activity, such as an observation, that can be cancelled.
public protocol DatabaseCancellable: Sendable {
    /// Cancels the activity. This method is thread-safe, and does nothing if it was called before.
    func cancel()
}

/// Cancels an activity when ``cancel()`` is called, or when it is released.
///
/// ```swift
/// let cancellable = observation.start(in: dbQueue) { error in … } onChange: { value in … }
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable {
    // A reference to an object is smaller than an existential of any type, and there may be many
    // cancellables.
    private let cancellable: Mutex<(any DatabaseCancellable & AnyObject)?>

    /// Creates a cancellable that does nothing.
    public init() {
        cancellable = Mutex(nil)
    }

    /// Creates a cancellable that calls a closure once, when it is cancelled or released.
    ///
    /// - Parameter cancel: Called on the thread that cancels or releases the cancellable.
    public init(cancel: @escaping @Sendable () -> Void) {
        cancellable = Mutex(Cancellation(cancel))
    }

    /// Creates a cancellable that cancels `cancellable` when it is cancelled or released.
    public convenience init(_ cancellable: some DatabaseCancellable) {
        self.init { cancellable.cancel() }
    }

    init(observer: any DatabaseCancellable & AnyObject) {
        cancellable = Mutex(observer)
    }

    deinit { cancel() }

    /// Cancels the activity, if it was not cancelled before, and releases it. This method is thread-safe.
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
