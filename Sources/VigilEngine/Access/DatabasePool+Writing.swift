extension DatabasePool {
    @_disfavoredOverload
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.sync { db in try db.access { try updates(db) } }
    }

    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.execute { db in try db.access { try updates(db) } }
    }

    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        writer.async { db in db.access { updates(db) } }
    }

    /// Runs `updates` in a transaction, and commits it or rolls it back, as `updates` decides.
    ///
    /// - Parameter kind: the kind of the transaction. By default, it is `immediate`, or `deferred` in a
    ///   read-only database.
    /// - Throws: the error of `updates`, or `DatabaseError` if the transaction cannot begin or be committed.
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try writer.sync { db in try db.access { try db.inTransaction(kind) { try updates(db) } } }
    }

    @_disfavoredOverload
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        checkHoldsNoReader()
        try readers.beginBarrier()
        defer { readers.endBarrier() }
        return try insideBarrier { db in try db.access { try updates(db) } }
    }

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
    /// The caller acquires the barrier before this method acquires the writer, so that a read that waits for
    /// the writer can end. A write that waits for a reader receives one in spite of the barrier, and the
    /// barrier then waits again.
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

    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.reentrantSync(updates)
    }
}
