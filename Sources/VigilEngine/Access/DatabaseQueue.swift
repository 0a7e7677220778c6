import Dispatch
import Synchronization
public import VigilStorage

/// A database behind one connection: one access at a time, in the order in which they came.
///
/// All functions can be called from any thread. An access from within an access of the same queue is a
/// programming error, since it would wait for itself.
public final class DatabaseQueue: DatabaseWriter {
    public let configuration: Configuration

    /// The path of the file; empty for a database in memory.
    public let path: String

    private let access: ConnectionAccess
    private let foreignChanges: ForeignChangeWatcher?

    /// Opens a database with a backend.
    ///
    /// - Throws: `DatabaseError` if it cannot be opened, is no database, or is encrypted with another key.
    public init(backend: any StorageBackend, location: StorageLocation, configuration: Configuration) throws {
        self.configuration = configuration
        path = if case .file(let path) = location { path } else { "" }
        let label = configuration.label ?? "Vigil.DatabaseQueue"
        let observesForeign = configuration.foreignChanges == .observed
        let connection: any StorageConnection
        do {
            connection = try backend.open(
                location, options: configuration.storageOptions(readOnly: configuration.readonly))
        } catch {
            throw DatabaseError(error)
        }
        let hub =
            configuration.readonly && !observesForeign
            ? nil : ChangeHub(ignoresNoOpUpdates: configuration.ignoresNoOpUpdates)
        let db = Database(connection: connection, configuration: configuration, label: label, changes: hub)
        try db.setUp()
        access = ConnectionAccess(
            database: db,
            queue: configuration.makeQueue(
                label: label, target: configuration.writeTargetQueue ?? configuration.targetQueue))
        foreignChanges =
            observesForeign
            ? ForeignChangeWatcher(backend: backend, location: location, access: access) : nil
    }

    deinit {
        foreignChanges?.stop()
    }

    public func close() throws {
        try access.sync { db in
            try db.close()
            db.changes?.removeAll()
        }
        foreignChanges?.stop()
    }

    // MARK: - Reading

    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try access.sync { db in try db.access { try db.inReadOnlySnapshot { try value(db) } } }
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await access.execute { db in try db.access { try db.inReadOnlySnapshot { try value(db) } } }
    }

    // MARK: - Writing

    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try access.sync { db in try db.access { try db.committing(updates) } }
    }

    public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await access.execute { db in try db.access { try db.committing(updates) } }
    }

    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try access.sync { db in try db.access { try updates(db) } }
    }

    /// Accesses the database without a transaction around.
    public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
        try writeWithoutTransaction(updates)
    }

    /// Writes inside a transaction of a given kind.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion
    ) throws {
        try writeWithoutTransaction { db in try db.inTransaction(kind) { try updates(db) } }
    }

    // MARK: - Observing

    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        let leave: @Sendable (_ObserverHandle) -> Void = { [weak access] handle in
            access?.async { $0.changes?.remove(handle.id) }
        }
        let begin: @Sendable (Database) -> Void = { [foreignChanges] db in
            foreignChanges?.observationWillBegin(db)
            observation._begin(db, leave: leave)
        }
        if immediately {
            access.reentrantSync(begin)
            observation._deliverImmediately()
        } else {
            access.async(begin)
        }
    }
}

extension Database {
    /// Around everything that an access does.
    func access<T>(_ body: () throws -> T) rethrows -> T {
        defer {
            precondition(
                configuration.allowsUnsafeTransactions || isClosed || !isInsideTransaction,
                "an access of a database ended with an open transaction: commit it or roll it back")
        }
        return try body()
    }
}
