extension DatabasePool {
    /// Runs `updates` on the writer without a transaction, and returns its result.
    ///
    /// Each statement is committed when it ends, unless `updates` begins a transaction. Readers see each
    /// commit.
    @_disfavoredOverload
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.sync { db in try db.access { try updates(db) } }
    }

    /// Runs `updates` on the writer without a transaction, asynchronously, and returns its result.
    ///
    /// If the task is cancelled before the access begins, `updates` does not run.
    ///
    /// - Throws: the error of `updates`; `CancellationError`; `DatabaseError` if the pool is closed.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.execute { db in try db.access { try updates(db) } }
    }

    /// Schedules a write on the writer's dispatch queue without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        writer.async { db in db.access { updates(db) } }
    }

    /// Runs `updates` in a transaction, and commits it or rolls it back, as `updates` decides.
    ///
    /// - Parameters:
    ///   - kind: the kind of the transaction. By default, it is `immediate`, or `deferred` in a read-only
    ///     database.
    ///   - updates: a closure that runs statements, and decides whether to commit or to roll back.
    /// - Throws: the error of `updates`, or `DatabaseError` if the transaction cannot begin or be committed.
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try writer.sync { db in try db.access { try db.inTransaction(kind) { try updates(db) } } }
    }

    /// Runs `updates` on the writer without a transaction while no reader is in use, and returns its result.
    ///
    /// It waits until all readers are idle. Later reads wait until `updates` has returned.
    ///
    /// - Throws: the error of `updates`; `DatabaseError` if the pool is closed.
    @_disfavoredOverload
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        checkHoldsNoReader()
        try readers.beginBarrier()
        defer { readers.endBarrier() }
        return try insideBarrier { db in try db.access { try updates(db) } }
    }

    /// Runs `updates` on the writer without a transaction while no reader is in use, asynchronously.
    ///
    /// Later reads wait until `updates` has returned.
    ///
    /// - Throws: the error of `updates`; `CancellationError`; `DatabaseError` if the pool is closed.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try Task.checkCancellation()
        try await readers.beginBarrierAsync()
        defer { readers.endBarrier() }
        while true {
            let result: T? = try await writer.execute { [readers] db in
                guard readers.isUnused else { return nil }
                return .some(try db.access { try updates(db) })
            }
            if let result { return result }
            try await readers.waitInsideBarrierAsync()
        }
    }

    /// Schedules a write without a transaction that runs while no reader is in use, and returns immediately.
    ///
    /// - Parameter updates: a closure to call once, with the database on the writer's dispatch queue, or on
    ///   any thread with an error if the pool is closed.
    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.beginBarrier { [self] result in
            switch result {
            case .success:
                defer { readers.endBarrier() }
                insideBarrier { db in db.access { updates(.success(db)) } }
            case .failure(let error): updates(.failure(error))
            }
        }
    }

    /// Runs `body` on the writer while no reader is leased.
    ///
    /// The caller acquires the barrier before this method acquires the writer, so that a read waiting for the
    /// writer can end. A write waiting for a reader receives one in spite of the barrier, and the barrier
    /// then waits again.
    func insideBarrier<T>(_ body: (Database) throws -> T) rethrows -> T {
        while true {
            let result: T? = try writer.sync { db in
                guard readers.isUnused else { return nil }
                return .some(try body(db))
            }
            if let result { return result }
            readers.waitInsideBarrier()
        }
    }

    /// Runs `updates` on the writer without a transaction, and returns its result.
    ///
    /// Inside a write access of the pool, `updates` is part of the access. Elsewhere, it begins an access.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.reentrantSync(updates)
    }
}
