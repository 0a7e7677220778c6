/// A type-erased ``DatabaseReader``. It forwards all calls to another reader.
///
/// ```swift
/// let reader = AnyDatabaseReader(dbPool)
/// ```
public final class AnyDatabaseReader: DatabaseReader {
    private let base: any DatabaseReader

    /// Creates a reader that forwards to `base`.
    public init(_ base: any DatabaseReader) {
        self.base = base
    }

    /// The configuration of the underlying database.
    public var configuration: Configuration { base.configuration }
    /// The path of the underlying database file; empty for an in-memory database.
    public var path: String { base.path }
    /// Closes the underlying database. See ``DatabaseReader/close()``.
    public func close() throws { try base.close() }
    /// Interrupts the running statements of the underlying database.
    public func interrupt() { base.interrupt() }

    /// Runs `value` in a read-only transaction of the underlying database, and returns its result.
    @_disfavoredOverload
    public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

    /// Runs `value` in a read-only transaction, asynchronously, and returns its result.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await base.read(value)
    }

    /// Schedules a read-only transaction of the underlying database, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncRead(value)
    }

    /// Runs `value` without a transaction, and returns its result.
    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeRead(value) }

    /// Runs `value` without a transaction, asynchronously, and returns its result.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await base.unsafeRead(value)
    }

    /// Schedules an access of the underlying database without a transaction, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncUnsafeRead(value)
    }

    /// Runs `value` without a transaction, as part of the current access if the caller is inside one.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try base.unsafeReentrantRead(value)
    }

    /// Starts an observation of the underlying database. Apps do not call this method.
    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        base._start(observation, immediately: immediately)
    }
    /// The status of each running value observation of the underlying database.
    public var observations: [ObservationStatus] { base.observations }
}

extension AnyDatabaseReader: ObservedDatabase {
    package var observationRegistry: ObservationRegistry? {
        (base as? any ObservedDatabase)?.observationRegistry
    }
}
