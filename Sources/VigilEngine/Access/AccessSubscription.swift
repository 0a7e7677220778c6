import Synchronization

/// A consumer's asynchronous access with one result: what a Combine `Subscription` or an RxSwift `Disposable`
/// wraps.
///
/// The access begins with the first requested value. Its result is delivered once, unless the subscription is
/// cancelled before. A running access retains the subscription.
package final class AccessSubscription<Value>: DatabaseCancellable {
    /// Runs actions where results are delivered.
    package typealias Executor = @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Begins the access, and makes it call ``complete(with:)`` once.
    package typealias Begin = @Sendable (AccessSubscription) -> Void

    private struct Callbacks {
        let onValue: @Sendable (Value) -> Void
        let onEnd: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        /// Begins the access, `nil` after the first request.
        var begin: Begin?
        /// The callbacks, `nil` once nothing may be delivered.
        var callbacks: Callbacks?
    }

    private let execute: Executor
    private let state: Mutex<State>

    /// - Parameters:
    ///   - execute: Runs the callbacks.
    ///   - onValue: Called with the result of a successful access.
    ///   - onEnd: Called after `onValue`, or with the error of the access. It is the last callback.
    ///   - begin: Called at most once, by the first request.
    package init(
        deliveringOn execute: @escaping Executor, onValue: @escaping @Sendable (Value) -> Void,
        onEnd: @escaping @Sendable ((any Error)?) -> Void, begin: @escaping Begin
    ) {
        self.execute = execute
        state = Mutex(State(begin: begin, callbacks: Callbacks(onValue: onValue, onEnd: onEnd)))
    }

    package var isEnded: Bool { state.withLock { $0.callbacks == nil } }

    /// Begins the access. Later calls, and requests for no value, do nothing.
    ///
    /// - Parameter number: The number of values accepted by the consumer, `nil` if it is unlimited.
    package func request(_ number: Int?) {
        guard number != 0 else { return }
        let begin = state.withLock { state in
            defer { state.begin = nil }
            return state.begin
        }
        begin?(self)
    }

    package func complete(with result: Result<Value, any Error>) {
        let result = UncheckedSendable(result)
        execute { [self] in deliver(result.value) }
    }

    private func deliver(_ result: Result<Value, any Error>) {
        switch result {
        case .success(let value):
            state.withLock { $0.callbacks }?.onValue(value)
            // The callback may have cancelled the subscription.
            takeCallbacks()?.onEnd(nil)
        case .failure(let error): takeCallbacks()?.onEnd(error)
        }
    }

    /// Prevents later callbacks, and an access without a request. A running access continues.
    package func cancel() {
        let begin = state.withLock { state in
            defer { state.begin = nil }
            return state.begin
        }
        let callbacks = takeCallbacks()
        // Release the captured values of the closures outside of the lock.
        withExtendedLifetime((begin, callbacks)) {}
    }

    private func takeCallbacks() -> Callbacks? {
        state.withLock { state in
            defer { state.callbacks = nil }
            return state.callbacks
        }
    }
}

extension DatabaseReader {
    /// Returns the beginning of a read for a subscription to its result.
    ///
    /// If the subscription is cancelled before the read begins, `value` does not run.
    package func readForSubscription<Value>(
        value: @escaping @Sendable (Database) throws -> Value
    ) -> AccessSubscription<Value>.Begin {
        { subscription in
            self.asyncRead { access in
                if subscription.isEnded { return }
                subscription.complete(with: access.flatMap { db in Result { try value(db) } })
            }
        }
    }
}

extension DatabaseWriter {
    /// Returns the beginning of a write in a transaction for a subscription to its result.
    ///
    /// Once requested, the write takes place even if the subscription is cancelled.
    package func writeForSubscription<Value>(
        updates: @escaping @Sendable (Database) throws -> Value
    ) -> AccessSubscription<Value>.Begin {
        { subscription in
            self.asyncWrite(updates) { _, result in subscription.complete(with: result) }
        }
    }

    /// Returns the beginning of a write in a transaction for a subscription to the result of a read after it.
    /// The read sees the write, and no later one.
    ///
    /// Once requested, the write takes place even if the subscription is cancelled.
    package func writeForSubscription<Updated, Value>(
        updates: @escaping @Sendable (Database) throws -> Updated,
        thenRead value: @escaping @Sendable (Database, Updated) throws -> Value
    ) -> AccessSubscription<Value>.Begin {
        { subscription in
            self.asyncWrite(
                updates: { db in UncheckedSendable(try updates(db)) },
                thenRead: { db, updated in UncheckedSendable(try value(db, updated.value)) },
                completion: { result in subscription.complete(with: result.map(\.value)) })
        }
    }
}
