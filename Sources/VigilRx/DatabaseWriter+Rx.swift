#if RxSwift
    public import Vigil
    @preconcurrency public import RxSwift

    extension DatabaseWriter {
        /// The reactive extensions of the database.
        public var rx: Reactive<AnyDatabaseWriter> { Reactive(AnyDatabaseWriter(self)) }
    }

    extension Reactive where Base: DatabaseWriter {
        /// Returns a single that writes in a transaction, and emits the result.
        ///
        /// ```swift
        /// let write: Completable = dbPool.rx
        ///     .write { db in try Player(id: 1, name: "Arthur").insert(db) }
        ///     .asCompletable()
        /// ```
        ///
        /// Each subscription writes once. The write takes place even if the subscription is disposed of.
        ///
        /// - Parameters:
        ///   - scheduler: The scheduler to emit on.
        ///   - updates: Writes. If it throws, the transaction is rolled back, and the single fails with the
        ///     error.
        public func write<T>(
            observeOn scheduler: any ImmediateSchedulerType = MainScheduler.instance,
            updates: @escaping @Sendable (Database) throws -> T
        ) -> Single<T> {
            Single.access(observeOn: scheduler, base.writeForSubscription(updates: updates))
        }

        /// Returns a single that writes in a transaction, then reads, and emits the value.
        ///
        /// The read sees the database as the write has left it. In a `DatabasePool`, it runs concurrently
        /// with later writes.
        ///
        /// ```swift
        /// let count: Single<Int> = dbPool.rx.write(
        ///     updates: { db in try Player(id: 1, name: "Arthur").insert(db) },
        ///     thenRead: { db, _ in try Player.fetchCount(db) })
        /// ```
        ///
        /// Each subscription writes once. The write takes place even if the subscription is disposed of.
        ///
        /// - Parameters:
        ///   - scheduler: The scheduler to emit on.
        ///   - updates: Writes. If it throws, the transaction is rolled back, and the single fails with the
        ///     error.
        ///   - value: Reads the value, from the result of `updates`. If it throws, the single fails, and the
        ///     write is not rolled back.
        public func write<T, U>(
            observeOn scheduler: any ImmediateSchedulerType = MainScheduler.instance,
            updates: @escaping @Sendable (Database) throws -> T,
            thenRead value: @escaping @Sendable (Database, T) throws -> U
        ) -> Single<U> {
            Single.access(
                observeOn: scheduler, base.writeForSubscription(updates: updates, thenRead: value))
        }

        /// Returns a single that writes in a transaction. Another name of ``write(observeOn:updates:)``.
        public func writeAndReturn<T>(
            observeOn scheduler: any ImmediateSchedulerType = MainScheduler.instance,
            updates: @escaping @Sendable (Database) throws -> T
        ) -> Single<T> {
            write(observeOn: scheduler, updates: updates)
        }

        /// Returns an observable of the commits that modify one of the given regions or requests.
        ///
        /// ```swift
        /// let changes: Observable<Database> = dbPool.rx.changes(in: [Player.all(), Team.all()])
        /// ```
        ///
        /// It emits the writer connection inside the access of the commit, before any other write. The
        /// connection can be used only inside the call.
        ///
        /// - Parameters:
        ///   - regions: The regions or requests to observe.
        ///   - startImmediately: Whether the observable also emits the connection when it is subscribed,
        ///     before `subscribe` returns.
        public func changes(
            in regions: [any DatabaseRegionConvertible], startImmediately: Bool = true
        ) -> Observable<Database> {
            DatabaseRegionObservation(tracking: regions).rx.changes(
                in: base, startImmediately: startImmediately)
        }

        /// Returns an observable of a value, fetched again after each commit that modifies one of the given
        /// regions or requests.
        ///
        /// ```swift
        /// let summary = dbPool.rx.fetch(from: [Player.all(), Team.all()]) { db in
        ///     try (Player.fetchCount(db), Team.fetchCount(db))
        /// }
        /// ```
        ///
        /// Equal values are not removed.
        ///
        /// - Parameters:
        ///   - regions: The regions or requests to observe.
        ///   - startImmediately: Whether the observable also emits the initial value. It does so before
        ///     `subscribe` returns if it is subscribed on the main queue without a scheduler.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        ///   - values: Fetches the value. If it throws, the observable fails with the error.
        public func fetch<T: Sendable>(
            from regions: [any DatabaseRegionConvertible], startImmediately: Bool = true,
            scheduler: (any ImmediateSchedulerType)? = nil,
            values: @escaping @Sendable (Database) throws -> T
        ) -> Observable<T> {
            ValueObservation.tracking(regions: regions, fetch: values).observable(
                in: base, startImmediately, scheduler)
        }
    }
#endif
