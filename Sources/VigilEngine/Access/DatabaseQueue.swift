import Dispatch
import VigilRegions
public import VigilStorage

/// A database with one connection and serialized accesses.
///
/// ```swift
/// let dbQueue = try DatabaseQueue(path: path)
/// try dbQueue.write { db in
///     try db.execute(sql: "UPDATE player SET score = 50 WHERE id = 2")
/// }
/// ```
///
/// Accesses run one at a time, in the order of the requests. All methods can be called from any thread. An
/// access inside another access of the same queue is a programming error, because it would wait for itself.
public final class DatabaseQueue: DatabaseWriter {
    /// The configuration that the queue was opened with.
    public let configuration: Configuration
    /// The path of the database file; empty for an in-memory database.
    public let path: String
    private let writer: ConnectionAccess
    private let observationHost: QueueObservationHost
    private let foreignChanges: ForeignChangeWatcher?
    private let suspensionNotifications: SuspensionNotifications?

    /// Opens a database with a backend.
    ///
    /// - Throws: `DatabaseError` if the file cannot be opened, is not a database, or is encrypted with
    ///   another key, or if the database is on a server.
    public init(backend: any StorageBackend, location: StorageLocation, configuration: Configuration) throws {
        try configuration.validate()
        guard !location.isServer else { throw DatabaseError.queuesHaveOneConnection }
        let configuration = configuration.using(backend)
        self.configuration = configuration
        path = location.path
        let label = configuration.label ?? "Vigil.DatabaseQueue"
        let observesForeign = configuration.foreignChanges == .observed
        let coordinator =
            configuration.readonly && !observesForeign
            ? nil
            : CommitCoordinator(ignoresNoOpUpdates: configuration.ignoresNoOpUpdates, countsAllCommits: false)
        writer = try ConnectionAccess.open(
            backend, location, options: configuration.storageOptions(readOnly: configuration.readonly),
            configuration: configuration, label: label, coordinator: coordinator,
            target: configuration.writerTargetQueue)
        observationHost = QueueObservationHost(
            writer, configuration: configuration, observesChanges: coordinator != nil,
            ledger: coordinator?.ledger, observesForeign: observesForeign)
        writer.sync { [observationHost] in $0.writerNotifier?.host = observationHost }
        suspensionNotifications =
            configuration.observesSuspensionNotifications ? SuspensionNotifications(writer) : nil
        foreignChanges =
            observesForeign ? ForeignChangeWatcher(backend: backend, location: location, access: writer) : nil
        if let foreignChanges {
            let file = try writer.identifyFile()
            writer.sync { [observationHost] db in
                db.foreignChanges.file = file
                db.foreignChanges.precision = observationHost.precision
            }
            writer.announceObservations(to: foreignChanges)
        }
    }

    deinit {
        foreignChanges?.stop()
    }

    /// Closes the database, after all previously requested accesses.
    ///
    /// Observations end without an error, and later accesses fail with `SQLITE_MISUSE`. Closing a closed
    /// queue does nothing.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement is still alive. The queue then remains usable.
    public func close() throws {
        let ended = try writer.sync { db -> EndedObservers? in
            try db.close()
            return db.coordinator?.removeAll()
        }
        ended?.cancel()
        observationHost.databaseDidClose()
        foreignChanges?.stop()
    }

    /// Interrupts the running statement. It fails with `SQLITE_INTERRUPT`.
    public func interrupt() {
        writer.interrupt()
    }

    /// Suspends the database: until ``resume()`` is called, statements that may acquire a lock fail with
    /// `SQLITE_ABORT`.
    ///
    /// Call this method when the app is about to be suspended, because the system terminates a suspended app
    /// that holds a lock on a file. The running statement is interrupted. `COMMIT`, `ROLLBACK` and `RELEASE`
    /// still run. Reads also run if the database and the attached ones that they read have a write-ahead log,
    /// and fail otherwise. An open transaction is rolled back when a statement is refused, or when the
    /// current access ends. Running observations continue: their interrupted and refused fetches are
    /// repeated.
    public func suspend() {
        writer.suspend()
    }

    /// Resumes a database after ``suspend()``.
    public func resume() {
        writer.resume()
    }

    /// Releases cached statements, the schema cache and other memory that the connection can rebuild.
    public func releaseMemory() {
        writer.sync { $0.releaseMemory() }
    }

    // MARK: - Reading

    /// Runs `value` in a read-only transaction, after all earlier accesses, and returns its result.
    ///
    /// - Throws: the error of `value`; `DatabaseError` if it writes, or if the queue is closed.
    @_disfavoredOverload
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try writer.sync { db in try db.reading(value) }
    }

    /// Runs `value` in a read-only transaction, asynchronously, and returns its result.
    ///
    /// If the task is cancelled before the access begins, `value` does not run. If it is cancelled later,
    /// the running statement is interrupted, or the next one fails.
    ///
    /// - Throws: the error of `value`; `CancellationError`; `DatabaseError` if it writes, or after closing.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.execute { db in try db.reading(value) }
    }

    /// Schedules a read-only transaction, and returns immediately.
    ///
    /// - Parameter value: called once on the dispatch queue, with the database, or with an error.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.async { db in db.readingResult(value) }
    }

    /// Runs `value` without a transaction, and returns its result.
    ///
    /// This is unsafe: commits by other processes may become visible between two statements, and nothing
    /// prevents writes.
    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try writer.sync { db in try db.access { try value(db) } }
    }

    /// Runs `value` without a transaction, asynchronously, and returns its result.
    ///
    /// This is unsafe for the same reasons as the synchronous ``unsafeRead(_:)``.
    ///
    /// - Throws: the error of `value`; `CancellationError`; `DatabaseError` if the queue is closed.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.execute { db in try db.access { try value(db) } }
    }

    /// Schedules an access without a transaction, and returns immediately.
    ///
    /// - Parameter value: called once on the dispatch queue, with the database, or an error after closing.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.async { db in
            db.access { value(db.isClosed ? .failure(DatabaseError.connectionIsClosed) : .success(db)) }
        }
    }

    /// Runs `value` without a transaction, as part of the current access if the caller is inside one.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try writer.reentrantSync(value)
    }

    // MARK: - Writing

    /// Runs `updates` in a transaction, and returns its result.
    ///
    /// The transaction is committed when `updates` returns, and rolled back when it throws.
    ///
    /// - Throws: the error of `updates`, or `DatabaseError` if the transaction cannot begin or be committed,
    ///   or if the database is closed. If the transaction has begun, it is rolled back.
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        // Equivalent to the implementation of `DatabaseWriter`, with fewer calls (Decisions/016).
        try writer.sync { db in try db.access { try db.committing(updates) } }
    }

    /// Runs `updates` without a transaction, and returns its result.
    ///
    /// Each statement is committed when it ends, unless `updates` begins a transaction.
    @_disfavoredOverload
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.sync { db in try db.access { try updates(db) } }
    }

    /// Runs `updates` without a transaction, asynchronously, and returns its result.
    ///
    /// If the task is cancelled before the access begins, `updates` does not run.
    ///
    /// - Throws: the error of `updates`; `CancellationError`; `DatabaseError` if the queue is closed.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.execute { db in try db.access { try updates(db) } }
    }

    /// Schedules a write on the dispatch queue without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        writer.async { db in db.access { updates(db) } }
    }

    /// Runs `updates` as `writeWithoutTransaction(_:)` does, because the accesses of a queue never overlap.
    @_disfavoredOverload
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writeWithoutTransaction(updates)
    }

    /// Runs `updates` as `writeWithoutTransaction(_:)` does, because the accesses of a queue never overlap.
    ///
    /// - Throws: the error of `updates`; `CancellationError`; `DatabaseError` if the queue is closed.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction(updates)
    }

    /// Schedules a write without a transaction, and returns immediately.
    ///
    /// - Parameter updates: called once on the dispatch queue, with the database, or an error after closing.
    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncUnsafeRead(updates)
    }

    /// Runs `updates` without a transaction, as part of the current access if the caller is inside one.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.reentrantSync(updates)
    }

    /// Reads the last committed state of the database before the call returns, because the queue has no
    /// second connection.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.reentrantSync { db in
            trap(
                unless: !db.isInsideTransaction,
                "a concurrent read cannot be spawned from inside a transaction")
            db.readingResult(value)
        }
    }

    /// Runs `updates` without a transaction, and returns its result.
    public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.sync { db in try db.access { try updates(db) } }
    }

    /// Runs `updates` in a transaction, and commits it or rolls it back, as `updates` decides.
    ///
    /// - Parameters:
    ///   - kind: the kind of the transaction. By default, it is `immediate`, or `deferred` in a read-only
    ///     database.
    ///   - updates: a closure that runs statements, and decides whether to commit or to roll back.
    /// - Throws: the error of `updates`, or `DatabaseError` if the transaction cannot begin or be committed.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try inDatabase { db in try db.inTransaction(kind) { try updates(db) } }
    }

    // MARK: - Observing

    /// Starts an observation. It fetches on the connection of the queue. Apps do not call this method.
    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        observationHost.start(observation, in: self, immediately: immediately)
    }

    /// The status of each running value observation, in the order of their starts.
    public var observations: [ObservationStatus] { observationHost.registry.statuses }
}

extension DatabaseQueue: ObservedDatabase {
    package var observationRegistry: ObservationRegistry? { observationHost.registry }
}

extension StorageLocation {
    var path: String {
        if case .file(let path) = self { path } else { "" }
    }
}

extension DatabaseError {
    fileprivate static var queuesHaveOneConnection: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a server has several connections: open its database with DatabasePool")
    }
}
