#if canImport(Combine) || OpenCombine
    import Vigil

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
    #endif

    /// Passes the demand and the cancellation of a subscriber to the engine.
    final class DatabaseSubscription: Subscription {
        private let requestValues: @Sendable (Int?) -> Void
        private let cancelSource: @Sendable () -> Void

        init(_ source: ObservationSubscription) {
            requestValues = { source.request($0) }
            cancelSource = { source.cancel() }
        }

        init<Value>(_ source: AccessSubscription<Value>) {
            requestValues = { source.request($0) }
            cancelSource = { source.cancel() }
        }

        func request(_ demand: Subscribers.Demand) { requestValues(demand.max) }

        func cancel() { cancelSource() }
    }

    /// Passes the values and the error of an observation to a subscriber, and the demand to the observation.
    // Guard of `source`: it is set before the subscriber receives its subscription, and so before the first
    // value.
    final class ObservingSubscriber<Input>: @unchecked Sendable {
        private let base: any Subscriber<Input, any Error>
        private weak var source: ObservationSubscription?

        init(_ base: any Subscriber<Input, any Error>) { self.base = base }

        func subscribe(to source: ObservationSubscription) {
            self.source = source
            base.receive(subscription: DatabaseSubscription(source))
        }

        func receive(_ value: Input) {
            let demand = base.receive(value)
            if demand > .none { source?.request(demand.max) }
        }

        func fail(_ error: any Error) { base.receive(completion: .failure(error)) }
    }
#endif
