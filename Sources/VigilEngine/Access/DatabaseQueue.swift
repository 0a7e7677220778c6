import Dispatch
import VigilRegions
public import VigilStorage

/// A database behind one connection: one access at a time, in the order in which they came.
///
/// All functions can be called from any thread. An access from within an access of the same queue is a
/// programming error, since it would wait for itself.
public final class DatabaseQueue: DatabaseWriter {
    public let configuration: Configuration
    public let path: String
    private let writer: ConnectionAccess
    private let observationHost: QueueObservations
    private let foreignChanges: ForeignChangeWatcher?
    private let suspensionNotifications: SuspensionNotifications?

    /// Opens a database with a backend.
    ///
    /// - Throws: `DatabaseError` if it cannot be opened, is no database, or is encrypted with another key.
    public init(backend: any StorageBackend, location: StorageLocation, configuration: Configuration) throws {
        self.configuration = configuration
        path = location.path
        let label = configuration.label ?? "Vigil.DatabaseQueue"
        let observesForeign = configuration.foreignChanges == .observed
        let hub =
            configuration.readonly && !observesForeign
            ? nil : ChangeHub(ignoresNoOpUpdates: configuration.ignoresNoOpUpdates, countsAllCommits: false)
        writer = try ConnectionAccess.open(
            backend, location, options: configuration.storageOptions(readOnly: configuration.readonly),
            configuration: configuration, label: label, changes: hub,
            target: configuration.writerTargetQueue)
        observationHost = QueueObservations(
            writer, configuration: configuration, observesChanges: hub != nil)
        suspensionNotifications =
            configuration.observesSuspensionNotifications ? SuspensionNotifications(writer) : nil
        foreignChanges =
            observesForeign ? ForeignChangeWatcher(backend: backend, location: location, access: writer) : nil
        if let foreignChanges {
            _ = try writer.identifyFile()
            writer.announceObservations(to: foreignChanges)
        }
    }

    deinit {
        foreignChanges?.stop()
    }

    public func close() throws {
        try writer.sync { db in
            try db.close()
            db.changes?.removeAll()
        }
        foreignChanges?.stop()
    }

    public func interrupt() {
        writer.interrupt()
    }

    /// Refuses statements that may acquire a lock with `SQLITE_ABORT` until ``resume()``.
    ///
    /// For an app that is about to be suspended: the system kills one that holds a lock on a file then. The running
    /// statement is interrupted. `COMMIT`, `ROLLBACK` and `RELEASE` of what is open can still run. A database with a
    /// write-ahead log can be read too; any other refuses reads. A refused statement, and the end of an access, roll back
    /// an open transaction.
    public func suspend() {
        writer.suspend()
    }

    /// Ends what ``suspend()`` began.
    public func resume() {
        writer.resume()
    }

    /// Gives back memory that is only held to be faster.
    public func releaseMemory() {
        writer.sync { $0.releaseMemory() }
    }

    // MARK: - Reading

    @_disfavoredOverload
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try writer.sync { db in try db.reading(value) }
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.execute { db in try db.reading(value) }
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.async { db in db.readingResult(value) }
    }

    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try writer.sync { db in try db.access { try value(db) } }
    }

    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.execute { db in try db.access { try value(db) } }
    }

    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.async { db in
            db.access { value(db.isClosed ? .failure(DatabaseError.connectionIsClosed) : .success(db)) }
        }
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try writer.reentrantSync(value)
    }

    // MARK: - Writing

    /// Writes inside a transaction, which is committed unless `updates` throws.
    ///
    /// - Throws: what `updates` throws, after a rollback; `DatabaseError` if the commit fails, after a rollback too.
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        // As for any writer, but in fewer calls (Decisions/016).
        try writer.sync { db in try db.access { try db.committing(updates) } }
    }

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

    @_disfavoredOverload
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writeWithoutTransaction(updates)
    }

    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction(updates)
    }

    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncUnsafeRead(updates)
    }

    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.reentrantSync(updates)
    }

    /// Reads at once: there is no other connection that could read meanwhile.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.reentrantSync { db in
            precondition(
                !db.isInsideTransaction, "a concurrent read cannot be spawned from inside a transaction")
            db.readingResult(value)
        }
    }

    /// Accesses the database without a transaction around.
    public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writer.sync { db in try db.access { try updates(db) } }
    }

    /// Writes inside a transaction of a given kind.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try inDatabase { db in try db.inTransaction(kind) { try updates(db) } }
    }

    // MARK: - Observing

    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        observationHost.start(observation, in: self, immediately: immediately)
    }

    public var observations: [ObservationStatus] { observationHost.registry.statuses }
}

extension StorageLocation {
    /// The path of a file; empty for a database in memory.
    var path: String {
        if case .file(let path) = self { path } else { "" }
    }
}
