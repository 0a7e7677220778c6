/// A type-erased ``DatabaseWriter``. It forwards all calls to another writer.
///
/// ```swift
/// let writer = AnyDatabaseWriter(dbQueue)
/// ```
public final class AnyDatabaseWriter: DatabaseWriter, ForwardingReader {
    private let base: any DatabaseWriter
    var reader: any DatabaseReader { base }

    /// Creates a writer that forwards to `base`.
    public init(_ base: any DatabaseWriter) {
        self.base = base
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
}
