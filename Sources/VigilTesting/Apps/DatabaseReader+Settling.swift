public import VigilEngine

extension DatabaseReader {
    /// Waits until the observations of the database have nothing to do: none is about to start, no fetch is
    /// scheduled or running, and no value or error is being delivered.
    ///
    /// The values of the writes before it, by connections of this object, have been delivered then, where the
    /// schedulers of the observations deliver them. Commits by other processes, and those on a server, may
    /// not have been noticed yet: await a value instead. The end of an interval of `throttled(_:)` or
    /// `debounced(_:)` is not awaited, and neither are fetches by `coalescing(.never)` on a pool after a
    /// commit, and by asynchronous closures.
    ///
    /// - Parameter timeout: The longest wait.
    /// - Throws: ``RecordingError`` after the longest wait; `CancellationError`.
    public func observationsDidSettle(within timeout: Duration = .seconds(10)) async throws {
        let end = ContinuousClock.now + timeout
        let registry = (self as? any ObservedDatabase)?.observationRegistry
        var quietChecks = 0
        while quietChecks < 2 {
            if let writer = self as? any DatabaseWriter {
                // The region of a fetch is registered on the writer, and matched there with the commits
                // since.
                try await writer.writeWithoutTransaction { _ in }
            } else {
                // The reader may be a queue, where fetches wait for their turn.
                try await unsafeRead { _ in }
            }
            if let busy = registry.map({ $0.busy }) ?? busyObservation {
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

    /// A busy observation of a reader without a known registry, such as a wrapper of an app.
    private var busyObservation: (label: String, phase: ObservationStatus.Phase)? {
        observations.first { $0.phase.isBusy }.map { ($0.label, $0.phase) }
    }
}
