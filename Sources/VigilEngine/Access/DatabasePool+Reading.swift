import Dispatch
import VigilStorage

extension DatabasePool {
    /// Runs `value` in a read-only transaction on a reader, and returns its result.
    ///
    /// It waits until a reader is idle, and never waits for a write. All statements read the state of the
    /// last commit before the read began.
    ///
    /// - Throws: the error of `value`; `DatabaseError` if it writes, or if the pool is closed.
    @_disfavoredOverload
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try withReader { db in try db.reading(value) }
    }

    /// Runs `value` in a read-only transaction on a reader, asynchronously, and returns its result.
    ///
    /// All statements read the state of the last commit before the read began. If the task is cancelled
    /// before the access begins, `value` does not run. If it is cancelled later, the running statement is
    /// interrupted, or the next one fails.
    ///
    /// - Throws: the error of `value`; `CancellationError`; `DatabaseError` if it writes or on a closed pool.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await withReader { db in try db.reading(value) }
    }

    /// Schedules a read-only transaction on a reader, and returns immediately.
    ///
    /// - Parameter value: a closure to call once: on the reader's dispatch queue with the database, or on any
    ///   thread with an error if no reader can be opened or the pool is closed.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        withReader { result in
            switch result {
            case .success(let db): db.readingResult(value)
            case .failure: value(result)
            }
        }
    }

    /// Runs `value` on a reader without a transaction, and returns its result.
    ///
    /// This is unsafe: commits may become visible between two statements.
    ///
    /// - Throws: the error of `value`; `DatabaseError` if the pool is closed.
    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try withReader { db in try db.access { try value(db) } }
    }

    /// Runs `value` on a reader without a transaction, asynchronously, and returns its result.
    ///
    /// This is unsafe: commits may become visible between two statements.
    ///
    /// - Throws: the error of `value`; `CancellationError`; `DatabaseError` if the pool is closed.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await withReader { db in try db.access { try value(db) } }
    }

    /// Schedules an access of a reader without a transaction, and returns immediately.
    ///
    /// - Parameter value: a closure to call once: on the reader's dispatch queue with the database, or on any
    ///   thread with an error if no reader can be opened or the pool is closed.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        withReader { value($0) }
    }

    /// Runs `value` without a transaction, and returns its result.
    ///
    /// Inside an access of the pool, `value` runs on the connection of the access, possibly the writer.
    /// Elsewhere, it runs on a reader.
    ///
    /// - Throws: the error of `value`; `DatabaseError` if the pool is closed.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        if writer.isHeldByCaller { return try writer.reentrantSync(value) }
        if let reader = readers.readers.first(where: \.isHeldByCaller) {
            return try reader.reentrantSync(value)
        }
        return try unsafeRead(value)
    }

    /// Reads the last committed state of the database. See ``spawnConcurrentRead(_:)``.
    public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        spawnConcurrentRead(value)
    }

    /// Reads the last committed state of the database on a reader, concurrently with later writes.
    ///
    /// Call this method inside a write access, outside of a transaction; inside a transaction it traps. It
    /// returns as soon as the reader has begun its snapshot, so `value` does not see later writes.
    ///
    /// - Parameter value: a closure to call once: on the reader's dispatch queue with the database, or with
    ///   an error if no reader can begin a snapshot.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.reentrantSync { db in
            trap(
                unless: !db.isInsideTransaction,
                "a concurrent read cannot be spawned from inside a transaction")
        }
        let lease: ReaderPool.Lease
        do {
            lease = try readers.acquireInsideRead(asWriter: writer.isHeldByCaller)
        } catch {
            return value(.failure(error))
        }
        // The writer continues as soon as the reader has begun its snapshot; it does not wait for `value`.
        let isIsolated = DispatchSemaphore(value: 0)
        lease.access.async { [readers] db in
            defer { readers.release(lease) }
            do {
                try db.beginKeptSnapshot()
                isIsolated.signal()
            } catch {
                isIsolated.signal()
                return value(.failure(error))
            }
            defer { db.endSnapshot() }
            db.access { value(.success(db)) }
        }
        isIsolated.wait()
    }

    // MARK: - Readers

    /// Traps if the caller holds a reader: waiting for another reader, or for all of them, could deadlock.
    func checkHoldsNoReader() {
        guard ConnectionAccess.isAnyHeldByCaller else { return }
        trap(
            unless: !readers.readers.contains(where: \.isHeldByCaller), ConnectionAccess.reentrancyMessage)
    }

    private func withReader<T>(_ body: (Database) throws -> T) throws -> T {
        checkHoldsNoReader()
        let lease = try readers.acquire(asWriter: writer.isHeldByCaller)
        defer { readers.release(lease) }
        return try lease.access.sync { db in
            defer { db.rollBackOpenTransaction() }
            return try body(db)
        }
    }

    private func withReader<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try Task.checkCancellation()
        let lease = try await readers.acquireAsync()
        defer { readers.release(lease) }
        return try await lease.access.execute { db in
            defer { db.rollBackOpenTransaction() }
            return try body(db)
        }
    }

    private func withReader(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.acquire { [readers] result in
            switch result {
            case .success(let lease):
                lease.access.async { db in
                    defer {
                        db.rollBackOpenTransaction()
                        readers.release(lease)
                    }
                    db.access { body(.success(db)) }
                }
            case .failure(let error): body(.failure(error))
            }
        }
    }
}
