#if RxSwift
    public import Vigil
    @preconcurrency public import RxSwift

    // The names of RxGRDB 0.12.

    extension DatabaseReactive where Base: FetchRequest {
        /// Returns an observable of the number of rows of the request. It emits after each possible change.
        ///
        /// - Parameters:
        ///   - reader: The database to observe.
        ///   - startImmediately: Whether the observable also emits the initial value.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        @available(
            *, deprecated,
            message: "use observeCount(in:startImmediately:observeOn:), which skips equal counts"
        )
        public func fetchCount(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            scheduler: (any ImmediateSchedulerType)? = nil
        ) -> Observable<Int> {
            ValueObservation.trackingCount(base).observable(in: reader, startImmediately, scheduler)
        }
    }

    extension DatabaseReactive where Base: FetchRequest, Base.RowDecoder: FetchableRecord & Sendable {
        /// Returns an observable of all records of the request. It emits after each possible change.
        ///
        /// - Parameters:
        ///   - reader: The database to observe.
        ///   - startImmediately: Whether the observable also emits the initial value.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        ///   - distinctUntilChanged: Whether values with equal database rows are skipped.
        @available(
            *, deprecated, message: "use observeAll(in:startImmediately:observeOn:), which skips equal values"
        )
        public func fetchAll(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            scheduler: (any ImmediateSchedulerType)? = nil, distinctUntilChanged: Bool = false
        ) -> Observable<[Base.RowDecoder]> {
            distinctUntilChanged
                ? base.observationForAll().observable(in: reader, startImmediately, scheduler)
                : ValueObservation.trackingAll(base).observable(in: reader, startImmediately, scheduler)
        }

        /// Returns an observable of the first record of the request. It emits after each possible change.
        ///
        /// - Parameters:
        ///   - reader: The database to observe.
        ///   - startImmediately: Whether the observable also emits the initial value.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        ///   - distinctUntilChanged: Whether values with equal database rows are skipped.
        @available(
            *, deprecated,
            message: "use observeFirst(in:startImmediately:observeOn:), which skips equal values"
        )
        public func fetchOne(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            scheduler: (any ImmediateSchedulerType)? = nil, distinctUntilChanged: Bool = false
        ) -> Observable<Base.RowDecoder?> {
            distinctUntilChanged
                ? base.observationForFirst().observable(in: reader, startImmediately, scheduler)
                : ValueObservation.trackingOne(base).observable(in: reader, startImmediately, scheduler)
        }
    }

    extension DatabaseReactive
    where Base: FetchRequest, Base.RowDecoder: DatabaseValueConvertible & Sendable {
        /// Returns an observable of all values of the request. It emits after each possible change.
        ///
        /// - Parameters:
        ///   - reader: The database to observe.
        ///   - startImmediately: Whether the observable also emits the initial value.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        ///   - distinctUntilChanged: Whether values with equal database rows are skipped.
        @available(
            *, deprecated, message: "use observeAll(in:startImmediately:observeOn:), which skips equal values"
        )
        public func fetchAll(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            scheduler: (any ImmediateSchedulerType)? = nil, distinctUntilChanged: Bool = false
        ) -> Observable<[Base.RowDecoder]> {
            distinctUntilChanged
                ? base.observationForAll().observable(in: reader, startImmediately, scheduler)
                : ValueObservation.trackingAll(base).observable(in: reader, startImmediately, scheduler)
        }

        /// Returns an observable of the first value of the request. It emits after each possible change.
        ///
        /// - Parameters:
        ///   - reader: The database to observe.
        ///   - startImmediately: Whether the observable also emits the initial value.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        ///   - distinctUntilChanged: Whether values with equal database rows are skipped.
        @available(
            *, deprecated,
            message: "use observeFirst(in:startImmediately:observeOn:), which skips equal values"
        )
        public func fetchOne(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            scheduler: (any ImmediateSchedulerType)? = nil, distinctUntilChanged: Bool = false
        ) -> Observable<Base.RowDecoder?> {
            distinctUntilChanged
                ? base.observationForFirst().observable(in: reader, startImmediately, scheduler)
                : ValueObservation.trackingOne(base).observable(in: reader, startImmediately, scheduler)
        }
    }

    extension DatabaseReactive where Base: FetchRequest, Base.RowDecoder == Row {
        /// Returns an observable of all rows of the request. It emits after each possible change.
        ///
        /// - Parameters:
        ///   - reader: The database to observe.
        ///   - startImmediately: Whether the observable also emits the initial value.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        ///   - distinctUntilChanged: Whether values with equal database rows are skipped.
        @available(
            *, deprecated, message: "use observeAll(in:startImmediately:observeOn:), which skips equal values"
        )
        public func fetchAll(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            scheduler: (any ImmediateSchedulerType)? = nil, distinctUntilChanged: Bool = false
        ) -> Observable<[Base.RowDecoder]> {
            distinctUntilChanged
                ? base.observationForAll().observable(in: reader, startImmediately, scheduler)
                : ValueObservation.trackingAll(base).observable(in: reader, startImmediately, scheduler)
        }

        /// Returns an observable of the first row of the request. It emits after each possible change.
        ///
        /// - Parameters:
        ///   - reader: The database to observe.
        ///   - startImmediately: Whether the observable also emits the initial value.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        ///   - distinctUntilChanged: Whether values with equal database rows are skipped.
        @available(
            *, deprecated,
            message: "use observeFirst(in:startImmediately:observeOn:), which skips equal values"
        )
        public func fetchOne(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            scheduler: (any ImmediateSchedulerType)? = nil, distinctUntilChanged: Bool = false
        ) -> Observable<Base.RowDecoder?> {
            distinctUntilChanged
                ? base.observationForFirst().observable(in: reader, startImmediately, scheduler)
                : ValueObservation.trackingOne(base).observable(in: reader, startImmediately, scheduler)
        }
    }
#endif
