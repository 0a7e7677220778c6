extension ValueObservation {
    /// Returns the first value of the observation, which then ends.
    ///
    /// ```swift
    /// let players = try await ValueObservation.tracking(Player.fetchAll).first(in: dbPool)
    /// ```
    ///
    /// If the initial value is not delivered, because of ``skippingInitialValue(_:)`` for example, this method waits
    /// for a commit that modifies the region.
    ///
    /// - Parameter reader: The database to observe.
    /// - Throws: The error that ends the observation; `CancellationError` if the task is cancelled; `DatabaseError`
    ///   with `SQLITE_MISUSE` if the database is closed before there is a value.
    public func first(in reader: any DatabaseReader) async throws -> Reducer.Value {
        for try await value in values(in: reader, bufferingPolicy: .bufferingOldest(1)) { return value }
        try Task.checkCancellation()
        throw DatabaseError.connectionIsClosed
    }
}
