public import VigilEngine

extension DatabaseReader {
    /// Waits until the observations of the database have nothing to do: no fetch is scheduled or running,
    /// and no value is being delivered.
    ///
    /// The values of the writes before it, by connections of this object, have been delivered then, where the
    /// schedulers of the observations deliver them. Commits by other processes, and those on a server, may
    /// not have been noticed yet: await a value instead. The end of an interval of `throttled(_:)` or
    /// `debounced(_:)` is not awaited, and neither is the fetch of `coalescing(.never)` on a pool, or that
    /// of an asynchronous closure.
    ///
    /// - Parameter timeout: The longest wait.
    /// - Throws: ``RecordingError`` after the longest wait; `CancellationError`.
    public func observationsDidSettle(within timeout: Duration = .seconds(10)) async throws {
        let end = ContinuousClock.now + timeout
        var quietChecks = 0
        while quietChecks < 2 {
            // The region of a fetch is registered on the writer, and matched there with the commits since.
            if let writer = self as? any DatabaseWriter { try await writer.writeWithoutTransaction { _ in } }
            if let busy = observations.first(where: \.isBusy) {
                quietChecks = 0
                guard ContinuousClock.now < end else {
                    throw RecordingError(
                        "an observation is still \(busy.phase) after \(timeout): \(busy.label)")
                }
                try await Task.sleep(for: .milliseconds(1))
            } else {
                quietChecks += 1
            }
        }
    }
}

extension ObservationStatus {
    fileprivate var isBusy: Bool {
        switch phase {
        case .waitingToFetch, .fetching, .delivering: true
        case .observing, .paused: false
        }
    }
}
