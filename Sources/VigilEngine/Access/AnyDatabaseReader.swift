/// A type-erased ``DatabaseReader``. It forwards all calls to another reader.
///
/// ```swift
/// let reader = AnyDatabaseReader(dbPool)
/// ```
public final class AnyDatabaseReader: DatabaseReader, ForwardingReader {
    let reader: any DatabaseReader

    /// Creates a reader that forwards to `base`.
    public init(_ base: any DatabaseReader) {
        reader = base
    }
}

/// A database with the reads of another one.
protocol ForwardingReader: DatabaseReader, ObservedDatabase {
    var reader: any DatabaseReader { get }
}

extension ForwardingReader {
    /// The configuration of the underlying database.
    public var configuration: Configuration { reader.configuration }
    /// The path of the underlying database file; empty for an in-memory database.
    public var path: String { reader.path }
    /// Closes the underlying database. See ``DatabaseReader/close()``.
    public func close() throws { try reader.close() }
    /// Interrupts the running statements of the underlying database.
    public func interrupt() { reader.interrupt() }

    /// Runs `value` in a read-only transaction of the underlying database, and returns its result.
    @_disfavoredOverload
    public func read<T>(_ value: (Database) throws -> T) throws -> T { try reader.read(value) }

    /// Runs `value` in a read-only transaction, asynchronously, and returns its result.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await reader.read(value)
    }

    /// Schedules a read-only transaction of the underlying database, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        reader.asyncRead(value)
    }

    /// Runs `value` without a transaction, and returns its result.
    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try reader.unsafeRead(value) }

    /// Runs `value` without a transaction, asynchronously, and returns its result.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await reader.unsafeRead(value)
    }

    /// Schedules an access of the underlying database without a transaction, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        reader.asyncUnsafeRead(value)
    }

    /// Runs `value` without a transaction, as part of the current access if the caller is inside one.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try reader.unsafeReentrantRead(value)
    }

    /// Starts an observation of the underlying database. Apps do not call this method.
    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        reader._start(observation, immediately: immediately)
    }
    /// The status of each running value observation of the underlying database.
    public var observations: [ObservationStatus] { reader.observations }

    package var observationRegistry: ObservationRegistry? {
        (reader as? any ObservedDatabase)?.observationRegistry
    }
}
