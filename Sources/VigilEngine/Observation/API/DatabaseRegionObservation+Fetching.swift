extension DatabaseRegionObservation {
    /// Returns an observation of the values that an asynchronous closure fetches, for example with another
    /// client of the same server.
    ///
    /// ```swift
    /// let players = DatabaseRegionObservation(tracking: Table("player")).fetching(in: dbPool) {
    ///     try await service.players()
    /// }
    /// for try await players in players.values() { … }
    /// ```
    ///
    /// `fetch` runs once for all clients: when the first one starts, and again after commits in the region.
    /// It runs in a task, never twice at the same time, and after the commits that made it run are visible to
    /// other connections. Commits during a run cause one more run. A client whose buffer is full causes no
    /// run. The observation retains the database while it has clients.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - scheduler: Decides where the callbacks of clients run.
    ///   - extent: Decides when the observation ends.
    ///   - fetch: Fetches a value. Its error ends the observation, and the next client starts it again. Its
    ///     task is cancelled when the last client ends. The next client then waits until `fetch` has
    ///     returned.
    public func fetching<Value: Sendable>(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .task,
        extent: SharedValueObservationExtent = .whileObserved,
        fetch: @escaping @Sendable () async throws -> Value
    ) -> SharedValueObservation<Value> {
        // A cancelled run may not have returned when the next client starts.
        let turn = FetchLimiter(limit: 1)
        return SharedValueObservation(scheduler: scheduler, extent: extent) { demand, onError, onChange in
            let source = AsynchronousFetch(
                demand: demand, scheduler: scheduler, onError: onError, onChange: onChange
            ) {
                try await turn.run(fetch)
            }
            source.start(regions, in: reader)
            return source
        }
    }
}
