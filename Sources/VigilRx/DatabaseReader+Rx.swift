#if RxSwift
    public import Vigil
    @preconcurrency public import RxSwift

    extension DatabaseReader {
        /// The reactive extensions of the database.
        public var rx: Reactive<AnyDatabaseReader> { Reactive(AnyDatabaseReader(self)) }
    }

    extension Reactive where Base: DatabaseReader {
        /// Returns a single that reads a value.
        ///
        /// ```swift
        /// let players: Single<[Player]> = dbPool.rx.read { db in
        ///     try Player.fetchAll(db)
        /// }
        /// ```
        ///
        /// Each subscription reads once, in a read-only transaction. A subscription disposed of before the
        /// read begins does not read.
        ///
        /// - Parameters:
        ///   - scheduler: The scheduler to emit on.
        ///   - value: Reads the value. If it throws, the single fails with the error.
        public func read<T>(
            observeOn scheduler: any ImmediateSchedulerType = MainScheduler.instance,
            value: @escaping (Database) throws -> T
        ) -> Single<T> {
            let value = UncheckedSendable(value)
            return Single.access(
                observeOn: scheduler, base.readForSubscription(value: { try value.value($0) }))
        }
    }
#endif
