#if RxSwift
    public import Dispatch
    public import Vigil
    @preconcurrency public import RxSwift

    extension DatabaseReactive {
        /// Returns an observable of the values of a `ValueObservation`.
        ///
        /// ```swift
        /// let players: Observable<[Player]> = ValueObservation.tracking(Player.fetchAll)
        ///     .rx.observe(in: dbPool, scheduling: .immediate)
        /// ```
        ///
        /// Each subscription starts an observation of its own, and ends it when the subscription is disposed
        /// of. The observable fails if the observation does, and never completes. It can be subscribed on any
        /// thread, unless the scheduler is `.immediate`.
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - scheduler: Decides where the observable emits.
        public func observe<Reducer: ValueReducer>(
            in reader: any DatabaseReader,
            scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
        ) -> Observable<Reducer.Value> where Base == ValueObservation<Reducer> {
            let observation = base
            return Observable.observing { onError, onChange in
                observation.subscription(
                    in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
            }
        }

        /// Returns an observable of the values of a `ValueObservation`, emitting on a scheduler of RxSwift.
        ///
        /// ```swift
        /// let scheduler = SerialDispatchQueueScheduler(qos: .default)
        /// let players: Observable<[Player]> = ValueObservation.tracking(Player.fetchAll)
        ///     .rx.observe(in: dbPool, observeOn: scheduler)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value, unless the
        ///     observation skips it.
        ///   - scheduler: The scheduler to emit on. `nil` stands for the main queue: the initial value is
        ///     emitted before `subscribe` returns if the observable is subscribed on the main queue.
        public func observe<Reducer: ValueReducer>(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            observeOn scheduler: (any ImmediateSchedulerType)?
        ) -> Observable<Reducer.Value> where Base == ValueObservation<Reducer> {
            base.observable(in: reader, startImmediately, scheduler)
        }

        /// Returns an observable of the values of a `ValueObservation`, emitting on the main queue. If it is
        /// subscribed on the main queue, the initial value is emitted before `subscribe` returns.
        ///
        /// ```swift
        /// let changedPlayers: Observable<[Player]> = ValueObservation.tracking(Player.fetchAll)
        ///     .rx.observe(in: dbPool, startImmediately: false)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value, unless the
        ///     observation skips it.
        public func observe<Reducer: ValueReducer>(in reader: any DatabaseReader, startImmediately: Bool)
            -> Observable<Reducer.Value> where Base == ValueObservation<Reducer>
        {
            base.observable(in: reader, startImmediately, nil)
        }

        /// Returns an observable of the values of a `SharedValueObservation`. Each subscription is a client.
        ///
        /// ```swift
        /// let players = ValueObservation.tracking(Player.fetchAll).shared(in: dbPool)
        /// let observable: Observable<[Player]> = players.rx.observe()
        /// ```
        public func observe<Element: Sendable>() -> Observable<Element>
        where Base == SharedValueObservation<Element> {
            let observation = base
            return Observable.observing { onError, onChange in
                observation.subscription(onError: onError, onChange: onChange)
            }
        }
    }

    extension DatabaseReactive where Base == DatabaseRegionObservation {
        /// Returns an observable of the commits that modify the region.
        ///
        /// ```swift
        /// let changes: Observable<Database> = DatabaseRegionObservation(tracking: Player.all())
        ///     .rx.changes(in: dbPool)
        /// ```
        ///
        /// It emits the writer connection inside the access of the commit, before any other write. The
        /// connection can be used only inside the call. If the observable is subscribed inside a write access
        /// of the same database, the current transaction is observed too.
        ///
        /// - Parameters:
        ///   - writer: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the connection when it is subscribed,
        ///     before `subscribe` returns.
        public func changes(
            in writer: any DatabaseWriter, startImmediately: Bool = false
        ) -> Observable<Database> {
            let observation = base
            return Observable.observing { onError, onChange in
                observation.subscription(
                    in: writer, startImmediately: startImmediately, onError: onError, onChange: onChange)
            }
        }
    }
#endif
