#if canImport(Combine) || OpenCombine
    import Synchronization
    import VigilTestSupport

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
    #endif

    /// A subscriber that requests as many values as a test asks for, and records what it receives.
    // Guarded by `lock`.
    final class TestSubscriber<Input: Sendable>: Subscriber, @unchecked Sendable {
        typealias Failure = any Error

        let values = Recorder<Input>()
        /// `finished`, or the error.
        let completions = Recorder<String>()
        private let initialDemand: Subscribers.Demand
        private let onValue: @Sendable (TestSubscriber, Input) -> Subscribers.Demand
        private let lock = Mutex(())
        private var subscription: (any Subscription)?

        init(
            demand: Subscribers.Demand,
            onValue: @escaping @Sendable (TestSubscriber, Input) -> Subscribers.Demand = { _, _ in .none }
        ) {
            initialDemand = demand
            self.onValue = onValue
        }

        func receive(subscription: any Subscription) {
            lock.withLock { _ in self.subscription = subscription }
            subscription.request(initialDemand)
        }

        func receive(_ value: Input) -> Subscribers.Demand {
            values.append(value)
            return onValue(self, value)
        }

        func receive(completion: Subscribers.Completion<any Error>) {
            switch completion {
            case .finished: completions.append("finished")
            case .failure(let error): completions.append("\(error)")
            }
        }

        func request(_ demand: Subscribers.Demand) {
            lock.withLock { _ in subscription }?.request(demand)
        }

        func cancel() {
            lock.withLock { _ in subscription }?.cancel()
        }

        /// Releases the subscription without cancelling it.
        func releaseSubscription() {
            let released = lock.withLock { _ in
                defer { subscription = nil }
                return subscription
            }
            withExtendedLifetime(released) {}
        }
    }
#endif
