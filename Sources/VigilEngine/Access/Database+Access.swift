import Dispatch
import VigilStorage

extension Database {
    /// Around everything that an access does.
    @inline(__always)  // bench: write-baseline
    func access<T>(_ body: () throws -> T) rethrows -> T {
        defer {
            precondition(
                configuration.allowsUnsafeTransactions || isClosed || !uncheckedConnection.isInTransaction,
                "an access of a database ended with an open transaction: commit it or roll it back")
        }
        return try body()
    }

    /// Runs `value` in a read-only transaction that sees the database as it is when it begins.
    ///
    /// - Throws: `SQLITE_ABORT` if `value` ended the transaction, unless it throws.
    func reading<T>(_ value: (Database) throws -> T) throws -> T {
        try access {
            // A transaction that is already open does not belong to this access.
            guard !isInsideTransaction else { return try readOnly(value) }
            return try inReadOnlySnapshot {
                try insideTransactionBlock {
                    let result = try value(self)
                    try checkTransactionIsAlive()
                    return result
                }
            }
        }
    }

    /// The same for what cannot throw: it is called once, with the error if the transaction cannot begin.
    func readingResult(_ value: (Result<Database, any Error>) -> Void) {
        var wasCalled = false
        do {
            try reading { db in
                wasCalled = true
                value(.success(db))
            }
        } catch  where !wasCalled {
            value(.failure(error))
        } catch {
            // `value` ended the transaction, and its own statements failed.
        }
    }

    func readOnly<T>(_ value: (Database) throws -> T) rethrows -> T {
        readOnlyDepth += 1
        defer { readOnlyDepth -= 1 }
        return try value(self)
    }

    /// Ends what an access of a reader left open, so that the next one does not read from its moment.
    func endLeftovers() {
        guard !isClosed, uncheckedConnection.isInTransaction else { return }
        try? rollback()
    }

    /// Begins a transaction that sees the database as it is now.
    func beginSnapshot() throws {
        guard !isClosed else { throw DatabaseError.connectionIsClosed }
        try checkCancellation()
        try checkSuspension(.beginDeferred)
        try storage { () throws(StorageError) in try connection.beginSnapshot() }
        readOnlyDepth += 1
        noteTransaction(after: .begin)
    }

    /// Nobody can keep a read-only transaction from ending.
    func endSnapshot() {
        guard !isClosed, readOnlyDepth > 0 else { return }
        readOnlyDepth -= 1
        defer { noteTransaction(after: .commit) }
        guard uncheckedConnection.isInTransaction else { return }
        shieldedFromCancellation {
            do {
                try connection.perform(.commit)
            } catch {
                try? connection.perform(.rollback)
            }
        }
    }

    /// Runs `value` where nothing can be written and where nobody else's commits are seen in the middle.
    func inReadOnlySnapshot<T>(_ value: () throws -> T) throws -> T {
        guard !isInsideTransaction else { return try readOnly { _ in try value() } }
        try beginSnapshot()
        defer { endSnapshot() }
        return try value()
    }
}

extension ConnectionAccess {
    /// Opens a connection, prepares it as the configuration asks, and makes it accessible.
    static func open(
        _ backend: any StorageBackend, _ location: StorageLocation, options: StorageOptions,
        configuration: Configuration, label: String, changes: ChangeHub?, target: DispatchQueue?,
        connectionDidChange: (@Sendable (ConnectionChange) -> Void)? = nil
    ) throws -> ConnectionAccess {
        let connection: any StorageConnection
        do {
            connection = try backend.open(location, options: options)
        } catch {
            throw DatabaseError(error)
        }
        let interrupter = connection.interrupter
        let db = Database(
            connection: connection, configuration: configuration, label: label, changes: changes,
            connectionDidChange: connectionDidChange)
        // The opening thread holds it until it is set up.
        defer { db.accessThread.release() }
        do {
            try db.setUp()
        } catch {
            // They keep the database alive.
            db.statements.removeAll()
            throw error
        }
        return ConnectionAccess(
            database: db, queue: configuration.makeQueue(label: label, target: target),
            interrupter: interrupter)
    }
}

extension Configuration {
    /// The queue that the queue of the writing connection targets. Nothing is written in a read-only database.
    var writerTargetQueue: DispatchQueue? {
        readonly ? targetQueue : writeTargetQueue ?? targetQueue
    }

    /// For connections that only read.
    var forReaders: Configuration {
        var configuration = self
        configuration.readonly = true
        configuration.foreignChanges = .ignored
        configuration.allowsUnsafeTransactions = true
        // Readers of a write-ahead log meet a lock only when the log is recovered or removed.
        if case .immediateError = configuration.busyMode { configuration.busyMode = .timeout(10) }
        return configuration
    }
}
