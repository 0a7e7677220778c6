public import VigilEngine

// The commits that modify the results of a request

extension FetchRequest {
    /// Calls a closure after each commit that may modify the results of the request, before any other write.
    ///
    /// ```swift
    /// let cancellable = Player.all().changes(in: dbQueue) { error in
    ///     print(error)
    /// } onChange: { db in
    ///     // Players have changed, and no other write has begun since.
    /// }
    /// ```
    ///
    /// Writes wait while `onChange` runs. To fetch values, use `observationForAll()` instead. To observe
    /// several requests at once, use `DatabaseRegionObservation.tracking(_:)`.
    ///
    /// - Parameters:
    ///   - writer: The database to observe.
    ///   - startImmediately: Whether `onChange` is also called once before this method returns. No other
    ///     write can begin between this call and the start of the observation.
    ///   - onError: Called at most once, with the error that ended the observation.
    ///   - onChange: Called inside an access of the writer connection.
    /// - Returns: A cancellable. The observation ends when it is cancelled or released.
    public func changes(
        in writer: any DatabaseWriter, startImmediately: Bool = true,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        DatabaseRegionObservation(tracking: self)
            .start(in: writer, startImmediately: startImmediately, onError: onError, onChange: onChange)
    }

    /// Returns an asynchronous sequence of the commits that may modify the results of the request.
    ///
    /// The observation starts when the sequence is iterated, and ends with the iteration.
    ///
    /// - Parameters:
    ///   - writer: The database to observe.
    ///   - startImmediately: Whether the first element is the last commit before the start.
    ///   - bufferingPolicy: The number of commits to buffer, and the commits to drop if there are more. By
    ///     default, only the newest is kept.
    public func changes(
        in writer: any DatabaseWriter, startImmediately: Bool = true,
        bufferingPolicy: AsyncValueObservation<DatabaseRegionObservation.Commit>.BufferingPolicy =
            .bufferingNewest(1)
    ) -> AsyncValueObservation<DatabaseRegionObservation.Commit> {
        DatabaseRegionObservation(tracking: self)
            .commits(in: writer, startImmediately: startImmediately, bufferingPolicy: bufferingPolicy)
    }
}
