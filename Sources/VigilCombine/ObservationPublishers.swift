#if canImport(Combine) || OpenCombine
    public import Dispatch
    public import Vigil

    #if canImport(Combine)
        public import Combine
    #else
        @preconcurrency public import OpenCombine
    #endif

    extension DatabasePublishers {
        /// A publisher of the values of a `ValueObservation` or a `SharedValueObservation`.
        ///
        /// ```swift
        /// let cancellable = ValueObservation.tracking(Player.fetchAll)
        ///     .publisher(in: dbPool)
        ///     .sink { completion in … } receiveValue: { players in … }
        /// ```
        ///
        /// The observation starts when a subscriber requests the first value. It fetches requested values
        /// only: changes without demand are fetched together, once the subscriber requests more. The
        /// publisher fails if the observation does, and never finishes.
        public struct Value<Output>: Publisher, Sendable {
            /// The error of the observation.
            public typealias Failure = any Error

            typealias MakeSubscription =
                @Sendable (
                    _ onError: @escaping @Sendable (any Error) -> Void,
                    _ onChange: @escaping @Sendable (Output) -> Void
                ) -> ObservationSubscription

            let makeSubscription: MakeSubscription

            /// Starts an observation for a subscriber, with its first demand.
            public func receive<S>(subscriber: S)
            where S: Subscriber, S.Failure == any Error, S.Input == Output {
                let subscriber = ObservingSubscriber(subscriber)
                let source = makeSubscription({ subscriber.fail($0) }, { subscriber.receive($0) })
                subscriber.subscribe(to: source)
            }
        }

        /// A publisher of the commits that modify the region of a `DatabaseRegionObservation`.
        ///
        /// ```swift
        /// let cancellable = DatabaseRegionObservation(tracking: Player.all())
        ///     .publisher(in: dbPool)
        ///     .sink { completion in … } receiveValue: { db in
        ///         // Players have changed, and no other write has begun since.
        ///     }
        /// ```
        ///
        /// The output is the writer connection, for use inside the call only. The observation starts when a
        /// subscriber requests the first commit. Commits without demand are not delivered later. The
        /// publisher fails if the observation does, and never finishes.
        public struct DatabaseRegion: Publisher, Sendable {
            /// The connection of the commit.
            public typealias Output = Database
            /// The error of the observation.
            public typealias Failure = any Error

            let writer: any DatabaseWriter
            let observation: DatabaseRegionObservation

            /// Starts an observation for a subscriber, with its first demand.
            public func receive<S>(subscriber: S)
            where S: Subscriber, S.Failure == any Error, S.Input == Database {
                let subscriber = ObservingSubscriber(subscriber)
                let source = observation.subscription(
                    in: writer, onError: { subscriber.fail($0) }, onChange: { subscriber.receive($0) })
                subscriber.subscribe(to: source)
            }
        }
    }

    extension ValueObservation {
        /// Returns a publisher of the observed values.
        ///
        /// ```swift
        /// let cancellable = ValueObservation.tracking(Player.fetchAll)
        ///     .publisher(in: dbPool, scheduling: .immediate)
        ///     .sink { completion in … } receiveValue: { players in … }
        /// // <- With the scheduler .immediate, the initial players have been received.
        /// ```
        ///
        /// Each subscription starts an observation of its own, and ends it when the subscription is
        /// cancelled. The publisher can be subscribed on any thread, unless the scheduler is `.immediate`.
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - scheduler: Decides where values and errors are published.
        public func publisher(
            in reader: any DatabaseReader,
            scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
        ) -> DatabasePublishers.Value<Reducer.Value> {
            DatabasePublishers.Value { onError, onChange in
                subscription(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
            }
        }
    }

    extension SharedValueObservation {
        /// Returns a publisher of the observed values.
        ///
        /// Each subscriber with demand is a client of the shared observation, and first receives the last
        /// value, if any.
        ///
        /// ```swift
        /// let players = ValueObservation.tracking(Player.fetchAll).shared(in: dbPool)
        /// let cancellable = players.publisher().sink { completion in … } receiveValue: { players in … }
        /// ```
        public func publisher() -> DatabasePublishers.Value<Element> {
            DatabasePublishers.Value { onError, onChange in
                self.subscription(onError: onError, onChange: onChange)
            }
        }
    }

    extension DatabaseRegionObservation {
        /// Returns a publisher of the commits that modify the region.
        ///
        /// It publishes the writer connection inside the access of the commit, before any other write. To
        /// receive elsewhere, derive values from the connection first:
        ///
        /// ```swift
        /// let counts = DatabaseRegionObservation(tracking: Player.all())
        ///     .publisher(in: dbPool)
        ///     .tryMap { db in try Player.fetchCount(db) }
        ///     .receive(on: DispatchQueue.main)
        /// ```
        ///
        /// The publisher can be subscribed on any thread. If the first demand arrives inside a write access
        /// of the same database, the current transaction is observed too.
        ///
        /// - Parameter writer: The database to observe. Started observations retain it.
        public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
            DatabasePublishers.DatabaseRegion(writer: writer, observation: self)
        }
    }
#endif
