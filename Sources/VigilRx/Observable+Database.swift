#if RxSwift
    import Vigil
    @preconcurrency import RxSwift

    extension Observable {
        /// Creates an observable of an observation with unlimited demand, cancelled when the subscription is
        /// disposed of.
        static func observing(
            _ makeSubscription:
                @escaping (
                    _ onError: @escaping @Sendable (any Error) -> Void,
                    _ onChange: @escaping @Sendable (Element) -> Void
                ) -> ObservationSubscription
        ) -> Observable {
            Observable.create { observer in
                let source = makeSubscription({ observer.onError($0) }, { observer.onNext($0) })
                source.request(nil)
                return Disposables.create { source.cancel() }
            }
        }
    }

    extension ValueObservation {
        /// Returns an observable of the observation, emitting on the given scheduler, or on the main queue.
        func observable(
            in reader: any DatabaseReader, _ startImmediately: Bool,
            _ scheduler: (any ImmediateSchedulerType)?
        ) -> Observable<Reducer.Value> {
            let observation = startImmediately ? self : skippingInitialValue()
            guard let scheduler else {
                return observation.rx.observe(in: reader, scheduling: .mainQueue)
            }
            let target = UncheckedSendable(scheduler)
            return Observable.observing { onError, onChange in
                let external = ExternalScheduler { action in
                    _ = target.value.schedule(()) { _ in
                        action()
                        return Disposables.create()
                    }
                }
                return observation.subscription(
                    in: reader, scheduling: external, onError: onError, onChange: onChange)
            }
        }
    }

    extension PrimitiveSequence where Trait == SingleTrait {
        /// Creates a single with one access of a database per subscriber, emitting on `scheduler`.
        static func access(
            observeOn scheduler: any ImmediateSchedulerType,
            _ begin: @escaping AccessSubscription<Element>.Begin
        ) -> Single<Element> {
            Single.create { observer in
                let observer = UncheckedSendable(observer)
                let source = AccessSubscription<Element>(
                    deliveringOn: { action in action() }, onValue: { observer.value(.success($0)) },
                    onEnd: { error in if let error { observer.value(.failure(error)) } }, begin: begin)
                source.request(1)
                return Disposables.create { source.cancel() }
            }
            .observe(on: scheduler)
        }
    }
#endif
