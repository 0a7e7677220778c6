public import VigilEngine

// Sequences of the results of a request

extension FetchRequest where RowDecoder: FetchableRecord & Sendable {
    /// Returns an asynchronous sequence of all records, without consecutive duplicates.
    ///
    /// ```swift
    /// for try await players in Player.order(Column("score").desc).observeAll(in: dbPool) {
    ///     print("There are", players.count, "players")
    /// }
    /// ```
    ///
    /// Duplicates are detected by comparing raw database values. The observation starts when the sequence is
    /// iterated, and ends with the iteration.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - startImmediately: Whether the sequence begins with the initial value, instead of the value after
    ///     the first change.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to buffer, and the values to drop if there are more.
    public func observeAll(
        in reader: any DatabaseReader, startImmediately: Bool = true,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<[RowDecoder]>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<[RowDecoder]> {
        observationForAll().skippingInitialValue(!startImmediately)
            .values(in: reader, scheduling: scheduler, bufferingPolicy: bufferingPolicy)
    }

    /// Returns an asynchronous sequence of the first record, without consecutive duplicates. An element is
    /// `nil` if there are no rows.
    ///
    /// Duplicates are detected by comparing raw database values. The observation starts when the sequence is
    /// iterated, and ends with the iteration.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - startImmediately: Whether the sequence begins with the initial value, instead of the value after
    ///     the first change.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to buffer, and the values to drop if there are more.
    public func observeFirst(
        in reader: any DatabaseReader, startImmediately: Bool = true,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<RowDecoder?>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<RowDecoder?> {
        observationForFirst().skippingInitialValue(!startImmediately)
            .values(in: reader, scheduling: scheduler, bufferingPolicy: bufferingPolicy)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Sendable {
    /// Returns an asynchronous sequence of all values in the first column, without consecutive duplicates.
    ///
    /// Duplicates are detected by comparing raw database values. The observation starts when the sequence is
    /// iterated, and ends with the iteration.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - startImmediately: Whether the sequence begins with the initial value, instead of the value after
    ///     the first change.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to buffer, and the values to drop if there are more.
    public func observeAll(
        in reader: any DatabaseReader, startImmediately: Bool = true,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<[RowDecoder]>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<[RowDecoder]> {
        observationForAll().skippingInitialValue(!startImmediately)
            .values(in: reader, scheduling: scheduler, bufferingPolicy: bufferingPolicy)
    }

    /// Returns an asynchronous sequence of the first value in the first column, without consecutive
    /// duplicates. An element is `nil` if there are no rows, or if the value is NULL.
    ///
    /// Duplicates are detected by comparing raw database values. The observation starts when the sequence is
    /// iterated, and ends with the iteration.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - startImmediately: Whether the sequence begins with the initial value, instead of the value after
    ///     the first change.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to buffer, and the values to drop if there are more.
    public func observeFirst(
        in reader: any DatabaseReader, startImmediately: Bool = true,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<RowDecoder?>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<RowDecoder?> {
        observationForFirst().skippingInitialValue(!startImmediately)
            .values(in: reader, scheduling: scheduler, bufferingPolicy: bufferingPolicy)
    }
}

extension FetchRequest where RowDecoder == Row {
    /// Returns an asynchronous sequence of all rows, without consecutive duplicates.
    ///
    /// Duplicates are detected by comparing raw database values. The observation starts when the sequence is
    /// iterated, and ends with the iteration.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - startImmediately: Whether the sequence begins with the initial value, instead of the value after
    ///     the first change.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to buffer, and the values to drop if there are more.
    public func observeAll(
        in reader: any DatabaseReader, startImmediately: Bool = true,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<[Row]>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<[Row]> {
        observationForAll().skippingInitialValue(!startImmediately)
            .values(in: reader, scheduling: scheduler, bufferingPolicy: bufferingPolicy)
    }

    /// Returns an asynchronous sequence of the first row, without consecutive duplicates. An element is `nil`
    /// if there are no rows.
    ///
    /// Duplicates are detected by comparing raw database values. The observation starts when the sequence is
    /// iterated, and ends with the iteration.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - startImmediately: Whether the sequence begins with the initial value, instead of the value after
    ///     the first change.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to buffer, and the values to drop if there are more.
    public func observeFirst(
        in reader: any DatabaseReader, startImmediately: Bool = true,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Row?>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Row?> {
        observationForFirst().skippingInitialValue(!startImmediately)
            .values(in: reader, scheduling: scheduler, bufferingPolicy: bufferingPolicy)
    }
}

extension FetchRequest {
    /// Returns an asynchronous sequence of the number of rows, without consecutive duplicates.
    ///
    /// The observation starts when the sequence is iterated, and ends with the iteration.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - startImmediately: Whether the sequence begins with the initial number, instead of the number after
    ///     the first change.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to buffer, and the values to drop if there are more.
    public func observeCount(
        in reader: any DatabaseReader, startImmediately: Bool = true,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Int>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Int> {
        observationForCount().skippingInitialValue(!startImmediately)
            .values(in: reader, scheduling: scheduler, bufferingPolicy: bufferingPolicy)
    }
}
