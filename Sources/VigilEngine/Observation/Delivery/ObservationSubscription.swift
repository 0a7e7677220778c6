import Synchronization
import VigilStorage

/// The observation of one consumer with a demand, wrapped by the subscription of a publisher.
///
/// The observation starts with the first request, and ends when the subscription is cancelled or released.
/// The callbacks do not retain the subscription. All methods are thread-safe, and can be called inside the
/// callbacks, even before the first request has returned.
///
/// The consumer never receives more values than it requested. A value observation with limited demand fetches
/// only requested values: the next request fetches the newest one, if any.
package final class ObservationSubscription: DatabaseCancellable {
    /// Starts the observation for a consumer of `demand` values. The callbacks may run before it returns.
    typealias Start = @Sendable (_ demand: ObservationDemand, Gate) -> any DemandingCancellable

    /// Suppresses the callbacks once the subscription is cancelled: until `start` has returned, there is
    /// nothing else to cancel.
    final class Gate: Sendable {
        private let isCancelled = Mutex(false)

        func close() { isCancelled.withLock { $0 = true } }

        /// Runs `callback` unless the subscription is cancelled.
        func pass(_ callback: () -> Void) {
            if !isCancelled.withLock({ $0 }) { callback() }
        }
    }

    private struct State {
        /// Starts the observation; `nil` after the first request.
        var start: Start?
        /// The started observation; `nil` before `start` has returned.
        var source: (any DemandingCancellable)?
        /// The number of values requested while `start` was running.
        var pendingRequest = 0
        var isCancelled = false

        mutating func add(_ number: Int?) {
            let (sum, overflows) = pendingRequest.addingReportingOverflow(number ?? .max)
            pendingRequest = overflows ? .max : sum
        }
    }

    private let gate = Gate()
    private let state: Mutex<State>
    /// Called with each request, before anything else. If it is `nil`, the started observation is notified of
    /// the requests after the first one.
    private let willRequest: (@Sendable (Int?) -> Void)?

    init(willRequest: (@Sendable (Int?) -> Void)? = nil, start: @escaping Start) {
        self.willRequest = willRequest
        state = Mutex(State(start: start))
    }

    deinit { cancel() }

    /// Accepts `number` more values. The first request starts the observation.
    ///
    /// - Parameter number: The number of values, in addition to earlier requests. `nil` stands for any
    ///   number. If the first request has no limit, each value of the observation is delivered, as with
    ///   ``ValueObservation/start(in:scheduling:onError:onChange:)``.
    package func request(_ number: Int?) {
        trap(unless: number.map { $0 >= 0 } ?? true, "a negative number of values cannot be requested")
        guard number != 0 else { return }
        willRequest?(number)
        let (start, source) = state.withLock { state in
            let (start, source) = (state.start, state.source)
            state.start = nil
            if start == nil, source == nil { state.add(number) }
            return (start, source)
        }
        if let start {
            didStart(start(number.map { .limited($0) } ?? .unlimited, gate))
        } else {
            source?.request(number ?? .max)
        }
    }

    private func didStart(_ source: any DemandingCancellable) {
        let (isCancelled, pendingRequest) = state.withLock { state in
            if !state.isCancelled { state.source = source }
            defer { state.pendingRequest = 0 }
            return (state.isCancelled, state.pendingRequest)
        }
        if isCancelled {
            source.cancel()
        } else if pendingRequest > 0 {
            source.request(pendingRequest)
        }
    }

    /// Ends the observation. No callback begins afterwards, unless another thread is just about to call it.
    package func cancel() {
        gate.close()
        let ended = state.withLock { state in
            defer { state = State(isCancelled: true) }
            return state
        }
        // Cancel and release outside of the lock: the callbacks may capture anything.
        ended.source?.cancel()
    }
}

extension ValueObservation {
    /// Returns a subscription to `reader` from its first request.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - scheduler: Decides where `onError` and `onChange` are called. If it delivers the initial value
    ///     immediately, it does so before the first request returns.
    ///   - onError: Called at most once, with the error that ended the observation. No callback follows it.
    ///   - onChange: Called with the requested values, in commit order.
    package func subscription(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> ObservationSubscription {
        ObservationSubscription { demand, gate in
            started(
                in: reader, scheduling: scheduler, demand: demand,
                onError: { error in gate.pass { onError(error) } },
                onChange: { value in gate.pass { onChange(value) } })
        }
    }
}

extension SharedValueObservation {
    /// Returns a subscription, a client from its first request on.
    ///
    /// A value is fetched once for all clients. A client without a request for it receives it with its next
    /// one, unless there is a newer value by then.
    ///
    /// - Parameters:
    ///   - onError: Called at most once, with the error that ended the observation. No callback follows it.
    ///   - onChange: Called with the requested values, in commit order.
    package func subscription(
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Element) -> Void
    ) -> ObservationSubscription {
        ObservationSubscription { [self] demand, gate in
            startClient(
                demand: demand,
                onError: { error in gate.pass { onError(error) } },
                onChange: { value in gate.pass { onChange(value) } })
        }
    }
}

extension DatabaseRegionObservation {
    /// Returns a subscription to `writer` from its first request. It reports only requested commits.
    ///
    /// - Parameters:
    ///   - writer: The database to observe.
    ///   - startImmediately: Whether `onChange` is also called when the observation starts, before the first
    ///     request returns.
    ///   - onError: Called at most once, with the error that ended the observation. No callback follows it.
    ///   - onChange: Called inside an access of the writer connection.
    package func subscription(
        in writer: any DatabaseWriter, startImmediately: Bool = false,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> ObservationSubscription {
        // Commits are not kept until they are requested, so a request counts even if the start has not
        // returned yet.
        let remaining = RemainingDemand()
        return ObservationSubscription(willRequest: { remaining.add($0) }) { _, gate in
            start(
                in: writer, startImmediately: startImmediately,
                onError: { error in gate.pass { onError(error) } },
                onChange: { db in gate.pass { if remaining.take() { onChange(db) } } })
        }
    }
}

/// The number of elements still accepted by a consumer.
private final class RemainingDemand: Sendable {
    /// The number, `nil` if it is unlimited.
    private let number = Mutex<Int?>(0)

    /// Returns whether the consumer accepts an element, and subtracts it.
    func take() -> Bool {
        number.withLock { number in
            guard let some = number else { return true }
            guard some > 0 else { return false }
            number = some - 1
            return true
        }
    }

    func add(_ more: Int?) {
        number.withLock { number in
            guard let some = number else { return }
            guard let more else { return number = nil }
            let (sum, overflows) = some.addingReportingOverflow(more)
            number = overflows ? nil : sum
        }
    }
}
