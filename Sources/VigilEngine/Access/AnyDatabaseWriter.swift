/// A type-erased ``DatabaseWriter``. It forwards all calls to another writer.
///
/// ```swift
/// let writer = AnyDatabaseWriter(dbQueue)
/// ```
public final class AnyDatabaseWriter: DatabaseWriter {
    private let base: any DatabaseWriter

    /// Creates a writer that forwards to `base`.
    public init(_ base: any DatabaseWriter) {
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

    /// Runs `updates` without a transaction, and returns its result.
    @_disfavoredOverload
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try base.writeWithoutTransaction(updates)
    }

    /// Runs `updates` without a transaction, asynchronously, and returns its result.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await base.writeWithoutTransaction(updates)
    }

    /// Schedules a write without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        base.asyncWriteWithoutTransaction(updates)
    }

    /// Runs `updates` without a transaction while no read is running, and returns its result.
    @_disfavoredOverload
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try base.barrierWriteWithoutTransaction(updates)
    }

    /// Runs `updates` without a transaction while no read is running, asynchronously.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await base.barrierWriteWithoutTransaction(updates)
    }

    /// Schedules a write without a transaction that runs while no read is running, and returns immediately.
    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        base.asyncBarrierWriteWithoutTransaction(updates)
    }

    /// Runs `updates` without a transaction, as part of the current write access if the caller is inside one.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try base.unsafeReentrantWrite(updates)
    }

    /// Reads the last committed state. See ``DatabaseWriter/spawnConcurrentRead(_:)``.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.spawnConcurrentRead(value)
    }

    /// Starts an observation of the underlying database. Apps do not call this method.
    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        base._start(observation, immediately: immediately)
    }
    /// The status of each running value observation of the underlying database.
    public var observations: [ObservationStatus] { base.observations }
}

extension AnyDatabaseWriter: ObservedDatabase {
    package var observationRegistry: ObservationRegistry? {
        (base as? any ObservedDatabase)?.observationRegistry
    }
}
