import Synchronization
public import VigilEngine

/// Counts the fetches of all value observations of a database, to test that a write causes as many as it
/// must.
///
/// ```swift
/// let counter = FetchCounter()
/// configuration.observationMonitor = counter
/// let dbQueue = try DatabaseQueue(configuration: configuration)
/// try await counter.expect(1, in: dbQueue) {
///     try await dbQueue.write { db in try player.update(db) }
/// }
/// ```
///
/// A value that an equal observation has fetched is not counted. On a pool, equal observations fetch
/// separately if the fetch takes longer than 25 ms, for example on a busy machine.
public final class FetchCounter: ObservationMonitor {
    private let fetches = Atomic(0)

    /// Creates a counter.
    public init() {}

    /// The number of fetches so far.
    public var count: Int { fetches.load(ordering: .relaxed) }

    /// Counts a fetch.
    public func didFetch(in time: Duration) { fetches.add(1, ordering: .relaxed) }

    /// Runs `body`, waits until its changes are fetched and delivered, and compares the number of fetches.
    ///
    /// - Parameters:
    ///   - expected: The number of fetches that `body` must cause.
    ///   - reader: The database.
    ///   - body: Writes to the database, on this process' connections.
    /// - Returns: the result of `body`.
    /// - Throws: ``RecordingError`` with another number of fetches; the error of `body`.
    @discardableResult
    public func expect<T>(
        _ expected: Int, in reader: some DatabaseReader, during body: () async throws -> T
    ) async throws -> T {
        try await reader.observationsDidSettle()
        let before = count
        let result = try await body()
        try await reader.observationsDidSettle()
        let fetches = count - before
        guard fetches == expected else {
            throw RecordingError("\(fetches) fetches instead of \(expected)")
        }
        return result
    }
}
