/// A database that can be read and written: a ``DatabaseQueue`` or a ``DatabasePool``.
///
/// ```swift
/// try writer.write { db in
///     try db.execute(sql: "DELETE FROM player WHERE score < ?", arguments: [10])
/// }
/// ```
///
/// Writes are serialized: each one begins after the previous one has ended.
public protocol DatabaseWriter: DatabaseReader {
    /// Runs `updates` without a transaction, and returns its result.
    ///
    /// Each statement is committed when it ends, unless `updates` begins a transaction.
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Runs `updates` without a transaction, asynchronously, and returns its result.
    ///
    /// - Throws: the error of `updates`; `CancellationError` if the task is cancelled; `DatabaseError` if the
    ///   database is closed. If the task is cancelled before the access begins, `updates` does not run.
    func writeWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a write on the writer's dispatch queue without a transaction, and returns immediately.
    func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

    /// Runs `updates` without a transaction while no read is running, and returns its result.
    ///
    /// It waits until all readers of the database are idle. Later reads wait until `updates` has returned.
    ///
    /// - Throws: the error of `updates`; `DatabaseError` if the database is closed.
    func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

    /// Runs `updates` without a transaction while no read is running, asynchronously, and returns its result.
    ///
    /// - Throws: the error of `updates`; `CancellationError`; `DatabaseError` if the database is closed.
    func barrierWriteWithoutTransaction<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws
        -> T

    /// Schedules a write without a transaction that runs while no read is running, and returns immediately.
    ///
    /// - Parameter updates: a closure to call once: on the writer's dispatch queue with the database, or on
    ///   any thread with an error if the database is closed.
    func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Runs `updates` without a transaction, as part of the current write access if the caller is inside one.
    func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T

    /// Reads the last committed state of the database, concurrently with later writes where the database
    /// supports it.
    ///
    /// Call this method inside a write access, outside of a transaction. `value` does not see later writes.
    ///
    /// - Parameter value: a closure to call once, with the database, or with an error if the database cannot
    ///   be accessed.
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

extension DatabaseWriter {
    /// Runs `updates` in a transaction, and returns its result.
    ///
    /// The transaction is committed when `updates` returns, and rolled back when it throws.
    ///
    /// - Throws: the error of `updates`, or `DatabaseError` if the transaction cannot begin or be committed,
    ///   or if the database is closed. If the transaction has begun, it is rolled back.
    @_disfavoredOverload
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction { db in try db.committing(updates) }
    }

    /// Runs `updates` in a transaction, asynchronously, and returns its result.
    ///
    /// The transaction is committed when `updates` returns, and rolled back when it throws or when the task
    /// is cancelled before the commit. On a server, `updates` runs again after a conflict, see
    /// ``Configuration/maximumWriteRetryCount``.
    ///
    /// In the top-level code of a program, the compiler selects the synchronous methods of databases even
    /// after `await`, and warns that "no 'async' operations occur within 'await' expression". Omit `await`
    /// there, or make the access in an `async` function.
    ///
    /// - Throws: the error of `updates`; `CancellationError` if the task is cancelled; `DatabaseError` if the
    ///   transaction cannot begin or be committed, or if the database is closed. If the transaction has
    ///   begun, it is rolled back.
    public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await writeWithoutTransaction { db in try db.committing(isRepeatable: true, updates) }
    }

    /// Schedules `updates` in a transaction, and returns immediately.
    ///
    /// - Parameters:
    ///   - updates: a closure to call on the writer's dispatch queue: once, and on a server again after a
    ///     conflict, see ``Configuration/maximumWriteRetryCount``.
    ///   - completion: a closure to call once with the result, on the same queue, after the commit or
    ///     rollback and before any other write.
    public func asyncWrite<T>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, Result { try db.committing(isRepeatable: true, updates) })
        }
    }

    /// Registers a transaction observer. See ``Database/add(transactionObserver:extent:)``.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        unsafeReentrantWrite { $0.add(transactionObserver: transactionObserver, extent: extent) }
    }

    /// Unregisters a transaction observer. It is not notified again.
    public func remove(transactionObserver: some TransactionObserver) {
        unsafeReentrantWrite { $0.remove(transactionObserver: transactionObserver) }
    }
}
