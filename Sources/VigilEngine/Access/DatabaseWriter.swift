/// A database that can be read and written: a `DatabaseQueue`, a `DatabasePool`.
///
/// Writes happen one after the other.
public protocol DatabaseWriter: DatabaseReader {
    /// Writes without a transaction around: each statement is a transaction, unless the closure opens one.
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// The same, asynchronously.
    ///
    /// - Throws: `CancellationError` too, see ``DatabaseReader/read(_:)-async``.
    func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// The same, later.
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

    /// The same while nobody reads: waits for all readers, and keeps new ones waiting.
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// The same, asynchronously.
    func barrierWriteWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws
        -> T

    /// The same, later.
    func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// As ``writeWithoutTransaction(_:)``; but from within a write of the same database, it takes part in that one.
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Reads what was committed last, without keeping others from writing. To be called from a write, outside of a transaction.
    ///
    /// The writes that follow the call are not seen.
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

extension DatabaseWriter {
    /// Writes inside a transaction, which is committed unless `updates` throws.
    ///
    /// - Throws: what `updates` throws, after a rollback; `DatabaseError` if the commit fails, after a rollback too.
    @_disfavoredOverload
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction { db in try db.committing(updates) }
    }

    /// The same, asynchronously.
    ///
    /// - Throws: `CancellationError` too, after a rollback.
    public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await writeWithoutTransaction { db in try db.committing(updates) }
    }

    /// The same, later.
    ///
    /// - Parameter completion: called with the result, after the commit or rollback, before any other write.
    public func asyncWrite<T>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, Result { try db.committing(updates) })
        }
    }

    /// Begins to tell an observer of transactions. See `Database.add(transactionObserver:extent:)`.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        unsafeReentrantWrite { $0.add(transactionObserver: transactionObserver, extent: extent) }
    }

    /// Tells an observer nothing any more.
    public func remove(transactionObserver: some TransactionObserver) {
        unsafeReentrantWrite { $0.remove(transactionObserver: transactionObserver) }
    }
}
