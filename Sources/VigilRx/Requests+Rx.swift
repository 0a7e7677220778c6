#if RxSwift
    public import Vigil
    @preconcurrency public import RxSwift

    extension DatabaseReactive where Base: FetchRequest {
        /// Returns an observable of the number of rows of the request. It emits after each commit that
        /// changes it.
        ///
        /// ```swift
        /// let count: Observable<Int> = Player.all().rx.observeCount(in: dbPool)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value. It does so before
        ///     `subscribe` returns if it is subscribed on the main queue without a scheduler.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        public func observeCount(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            observeOn scheduler: (any ImmediateSchedulerType)? = nil
        ) -> Observable<Int> {
            base.observationForCount().observable(in: reader, startImmediately, scheduler)
        }

        /// Returns an observable of the commits that modify the region of the request.
        ///
        /// ```swift
        /// let changes: Observable<Database> = Player.all().rx.changes(in: dbPool)
        /// ```
        ///
        /// It emits the writer connection inside the access of the commit, before any other write. The
        /// connection can be used only inside the call.
        ///
        /// - Parameters:
        ///   - writer: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the connection when it is subscribed,
        ///     before `subscribe` returns.
        public func changes(
            in writer: any DatabaseWriter, startImmediately: Bool = true
        ) -> Observable<Database> {
            DatabaseRegionObservation(tracking: base).rx.changes(
                in: writer, startImmediately: startImmediately)
        }
    }

    extension DatabaseReactive where Base: FetchRequest, Base.RowDecoder: FetchableRecord & Sendable {
        /// Returns an observable of all records of the request. It emits after each commit that changes
        /// them.
        ///
        /// Values with equal database rows are not repeated; they need not be `Equatable`.
        ///
        /// ```swift
        /// let players: Observable<[Player]> = Player.all().rx.observeAll(in: dbPool)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value. It does so before
        ///     `subscribe` returns if it is subscribed on the main queue without a scheduler.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        public func observeAll(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            observeOn scheduler: (any ImmediateSchedulerType)? = nil
        ) -> Observable<[Base.RowDecoder]> {
            base.observationForAll().observable(in: reader, startImmediately, scheduler)
        }

        /// Returns an observable of the first record of the request. It emits after each commit that
        /// changes it. It emits `nil` if there are no rows.
        ///
        /// Values with equal database rows are not repeated; they need not be `Equatable`.
        ///
        /// ```swift
        /// let player: Observable<Player?> = Player.filter(key: 1).rx.observeFirst(in: dbPool)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value. It does so before
        ///     `subscribe` returns if it is subscribed on the main queue without a scheduler.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        public func observeFirst(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            observeOn scheduler: (any ImmediateSchedulerType)? = nil
        ) -> Observable<Base.RowDecoder?> {
            base.observationForFirst().observable(in: reader, startImmediately, scheduler)
        }
    }

    extension DatabaseReactive
    where Base: FetchRequest, Base.RowDecoder: DatabaseValueConvertible & Sendable {
        /// Returns an observable of all values of the request. It emits after each commit that changes
        /// them.
        ///
        /// Values with equal database rows are not repeated; they need not be `Equatable`.
        ///
        /// ```swift
        /// let request: SQLRequest<String> = "SELECT name FROM player"
        /// let names: Observable<[String]> = request.rx.observeAll(in: dbPool)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value. It does so before
        ///     `subscribe` returns if it is subscribed on the main queue without a scheduler.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        public func observeAll(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            observeOn scheduler: (any ImmediateSchedulerType)? = nil
        ) -> Observable<[Base.RowDecoder]> {
            base.observationForAll().observable(in: reader, startImmediately, scheduler)
        }

        /// Returns an observable of the first value of the request. It emits after each commit that
        /// changes it. It emits `nil` if there are no rows, and if the value is NULL.
        ///
        /// Values with equal database rows are not repeated; they need not be `Equatable`.
        ///
        /// ```swift
        /// let request: SQLRequest<Int> = "SELECT MAX(score) FROM player"
        /// let score: Observable<Int?> = request.rx.observeFirst(in: dbPool)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value. It does so before
        ///     `subscribe` returns if it is subscribed on the main queue without a scheduler.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        public func observeFirst(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            observeOn scheduler: (any ImmediateSchedulerType)? = nil
        ) -> Observable<Base.RowDecoder?> {
            base.observationForFirst().observable(in: reader, startImmediately, scheduler)
        }
    }

    extension DatabaseReactive where Base: FetchRequest, Base.RowDecoder == Row {
        /// Returns an observable of all rows of the request. It emits after each commit that changes them.
        ///
        /// Values with equal database rows are not repeated; they need not be `Equatable`.
        ///
        /// ```swift
        /// let request: SQLRequest<Row> = "SELECT * FROM player"
        /// let rows: Observable<[Row]> = request.rx.observeAll(in: dbPool)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value. It does so before
        ///     `subscribe` returns if it is subscribed on the main queue without a scheduler.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        public func observeAll(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            observeOn scheduler: (any ImmediateSchedulerType)? = nil
        ) -> Observable<[Base.RowDecoder]> {
            base.observationForAll().observable(in: reader, startImmediately, scheduler)
        }

        /// Returns an observable of the first row of the request. It emits after each commit that changes
        /// it. It emits `nil` if there are no rows.
        ///
        /// Values with equal database rows are not repeated; they need not be `Equatable`.
        ///
        /// ```swift
        /// let request: SQLRequest<Row> = "SELECT * FROM player WHERE id = 1"
        /// let row: Observable<Row?> = request.rx.observeFirst(in: dbPool)
        /// ```
        ///
        /// - Parameters:
        ///   - reader: The database to observe. Started observations retain it.
        ///   - startImmediately: Whether the observable also emits the initial value. It does so before
        ///     `subscribe` returns if it is subscribed on the main queue without a scheduler.
        ///   - scheduler: The scheduler to emit on, `nil` for the main queue.
        public func observeFirst(
            in reader: any DatabaseReader, startImmediately: Bool = true,
            observeOn scheduler: (any ImmediateSchedulerType)? = nil
        ) -> Observable<Base.RowDecoder?> {
            base.observationForFirst().observable(in: reader, startImmediately, scheduler)
        }
    }
#endif
