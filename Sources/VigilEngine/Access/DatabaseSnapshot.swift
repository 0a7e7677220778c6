import VigilStorage

/// A reader of an unchanging state of a database: a ``DatabaseSnapshot``.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Runs `value` on the snapshot, as part of the current access if the caller is inside one.
    ///
    /// - Throws: the error of `value`; `DatabaseError` if it writes.
    public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try unsafeReentrantRead(value)
    }
}

/// An unchanging view of a database, as it was when the snapshot was created.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshot()
/// let count = try snapshot.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
///
/// A snapshot holds a connection, and prevents the write-ahead log from shrinking. Release it when you no
/// longer need it. Its connection is closed soon afterwards; `close()` closes it before a checkpoint.
///
/// If the connection to a server is lost, the snapshot is lost too: all later reads fail.
public final class DatabaseSnapshot: DatabaseSnapshotReader {
    /// The configuration of the snapshot, the same as for the pool's readers.
    public let configuration: Configuration
    /// The path of the database file.
    public let path: String
    private let access: ConnectionAccess
    private let observationHost: QueueObservationHost

    init(access: ConnectionAccess, path: String, configuration: Configuration) {
        self.access = access
        self.path = path
        self.configuration = configuration
        observationHost = QueueObservationHost(access, configuration: configuration, observesChanges: false)
    }

    deinit {
        // Accesses may still be scheduled on the connection: close it after them.
        access.async { db in
            db.endSnapshot()
            try? db.close()
        }
    }

    /// Closes the connection of the snapshot, after all previously requested accesses.
    ///
    /// Observations end without an error, and later accesses fail with `SQLITE_MISUSE`. Closing a closed
    /// snapshot does nothing. A snapshot is closed automatically when it is released.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement is still alive. The snapshot then remains usable.
    public func close() throws {
        try access.sync { db in
            guard !db.isClosed else { return }
            try db.close()
        }
        observationHost.databaseDidClose()
    }

    /// Exports the snapshot of a server: while it lives, other sessions can read the same state of the
    /// database.
    ///
    /// They begin with `BEGIN ISOLATION LEVEL REPEATABLE READ` and `SET TRANSACTION SNAPSHOT '…'`.
    ///
    /// If it fails, the snapshot can no longer be used.
    ///
    /// - Returns: the identifier of the snapshot.
    /// - Throws: `DatabaseError`, with `SQLITE_MISUSE` for a database that is a file.
    public func exportIdentifier() throws -> String {
        try access.sync { db in
            guard !db.isClosed else { throw DatabaseError.connectionIsClosed }
            guard let server = db.server else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "only snapshots of a server can be exported")
            }
            return try db.storage { () throws(StorageError) in try server.exportSnapshot() }
        }
    }

    /// Interrupts the running statement. It fails with `SQLITE_INTERRUPT`.
    public func interrupt() {
        access.interrupt()
    }

    /// Runs `block` on the connection of the snapshot, and returns its result.
    @_disfavoredOverload
    public func read<T>(_ block: (Database) throws -> T) rethrows -> T {
        try access.sync { db in try db.readOnly(block) }
    }

    /// Runs `value` on the connection of the snapshot, asynchronously, and returns its result.
    ///
    /// - Throws: the error of `value`; `CancellationError`; `DatabaseError` if it writes, or after closing.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await access.execute { db in try db.readOnly(value) }
    }

    /// Schedules a read, and returns immediately.
    ///
    /// - Parameter value: called once on the snapshot's dispatch queue, with an error if it is closed.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        access.async { db in
            guard !db.isClosed else { return value(.failure(DatabaseError.connectionIsClosed)) }
            db.readOnly { value(.success($0)) }
        }
    }

    /// Runs `value` as `read(_:)` does, because a snapshot never changes.
    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try read(value)
    }

    /// Runs `value` as the asynchronous `read(_:)` does, because a snapshot never changes.
    ///
    /// - Throws: the error of `value`; `CancellationError`; `DatabaseError` if it writes, or after closing.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await read(value)
    }

    /// Schedules a read, and returns immediately.
    ///
    /// - Parameter value: called once on the snapshot's dispatch queue, with an error if it is closed.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncRead(value)
    }

    /// Runs `value` on the snapshot, as part of the current access if the caller is inside one.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try access.reentrantSync { db in try db.readOnly(value) }
    }

    /// Starts an observation. It delivers a single value. Apps do not call this method.
    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        observationHost.start(observation, in: self, immediately: immediately)
    }

    /// The status of each running value observation, in the order of their starts.
    public var observations: [ObservationStatus] { observationHost.registry.statuses }
}

extension DatabaseSnapshot: ObservedDatabase {
    package var observationRegistry: ObservationRegistry? { observationHost.registry }
}
