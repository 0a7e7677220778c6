import Synchronization
import VigilStorage

/// Whether a connection is to take no lock: the system kills an app that is suspended while it holds one.
final class Suspension: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSuspended: Bool { flag.load(ordering: .acquiring) }

    func set(_ isSuspended: Bool) { flag.store(isSuspended, ordering: .releasing) }
}

/// The locks that a statement may acquire.
private enum LockUse {
    /// None: it ends what is open, or sets a mode of the connection.
    case none
    case reading
    case writing
}

extension Database {
    /// Checks a statement before it runs.
    ///
    /// - Throws: `SQLITE_ABORT` if the connection is suspended, or if the transaction of the running block has ended.
    @inline(__always)  // bench: write-baseline
    func checkMayRun(_ statement: Statement) throws {
        if isTransactionLost { throw transactionWasAborted(statement) }
        if suspension.isSuspended { try checkSuspension(lockUse(of: statement), sql: statement.sql) }
    }

    /// Checks a transaction command before it runs.
    ///
    /// - Throws: `SQLITE_ABORT` if the connection is suspended, or if the transaction of the running block has ended.
    @inline(__always)  // bench: write-baseline
    func checkMayPerform(_ command: TransactionCommand) throws {
        if isTransactionLost { throw DatabaseError.transactionWasAborted(sql: sql(of: command)) }
        try checkSuspension(command)
    }

    /// - Throws: `SQLITE_ABORT` if the connection is suspended and the command may acquire a lock.
    @inline(__always)  // bench: write-baseline
    func checkSuspension(_ command: TransactionCommand) throws {
        if suspension.isSuspended { try checkSuspension(command.lockUse, sql: sql(of: command)) }
    }

    /// Checks what is no statement, but acquires locks as one that writes does: a checkpoint, or a backup to this database.
    ///
    /// - Throws: `SQLITE_ABORT` if the connection is suspended, or if the transaction of the running block has ended.
    func checkMayWriteFile() throws {
        try checkTransactionIsAlive()
        if suspension.isSuspended { try checkSuspension(.writing, sql: nil) }
    }

    /// Refuses what may acquire a lock while the connection is suspended, and then rolls back an open transaction.
    ///
    /// Reading a database with a write-ahead log acquires no lock that keeps others from writing.
    private func checkSuspension(_ use: LockUse, sql: String?) throws {
        switch use {
        case .none: return
        case .reading: if readsWithoutLock { return }
        case .writing: break
        }
        releaseLocks()
        throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
    }

    private func lockUse(of statement: Statement) -> LockUse {
        let access = statement.access
        if access.transactionEffect?.endsWhatIsOpen == true { return .none }
        if (connection as? any CommandSpelling)?.setsReadOnlyMode(statement.sql) == true { return .none }
        return access.isReadOnly ? .reading : .writing
    }

    /// Whether reading takes no lock that keeps others from writing.
    private var readsWithoutLock: Bool {
        // Asked each time: an app may change the mode after the connection was opened.
        if let mode = try? (connection as? any JournalReporting)?.journalMode() { journalModeCache = mode }
        return journalModeCache.map { $0 == "wal" } ?? connection.capabilities.allowsConcurrentReaders
    }

    /// Rolls an open transaction back, whoever opened it.
    func releaseLocks() {
        guard isInsideTransaction else { return }
        try? rollback()
    }

    /// The statement that performs a transaction command, if the backend has one.
    func sql(of command: TransactionCommand) -> String? {
        (connection as? any CommandSpelling)?.sql(of: command)
    }

    // MARK: - Transaction blocks

    /// Runs the statements of a transaction that was begun for them: if it ends before `body` does, the rest of them is
    /// refused.
    @inline(__always)  // bench: write-baseline
    func insideTransactionBlock<T>(_ body: () throws -> T) rethrows -> T {
        transactionBlocks += 1
        defer { transactionBlocks -= 1 }
        return try body()
    }

    /// Runs what follows from the end of a statement: observers are notified and fetch. Their statements do not belong to
    /// the block whose transaction may just have ended, and a cancellation does not prevent them.
    @inline(__always)  // bench: write-baseline
    func outsideTransactionBlocks<T>(_ body: () throws -> T) rethrows -> T {
        let blocks = transactionBlocks
        transactionBlocks = 0
        defer { transactionBlocks = blocks }
        return try shieldedFromCancellation(body)
    }

    /// Whether the transaction of the running block has ended: its statements would be committed one by one.
    @inline(__always)  // bench: write-baseline
    private var isTransactionLost: Bool { transactionBlocks > 0 && !uncheckedConnection.isInTransaction }

    /// - Throws: `SQLITE_ABORT` if the transaction of the running block has ended.
    @inline(__always)  // bench: write-baseline
    func checkTransactionIsAlive(sql: @autoclosure () -> String? = nil) throws {
        if isTransactionLost { throw DatabaseError.transactionWasAborted(sql: sql()) }
    }

    private func transactionWasAborted(_ statement: Statement) -> DatabaseError {
        .transactionWasAborted(
            sql: statement.sql, arguments: statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments)
    }
}

extension TransactionCommand {
    fileprivate var lockUse: LockUse {
        switch self {
        case .commit, .rollback, .release, .rollbackTo: .none
        case .beginDeferred, .savepoint: .reading
        case .beginImmediate, .beginExclusive: .writing
        }
    }
}

extension TransactionEffect {
    fileprivate var endsWhatIsOpen: Bool {
        switch self {
        case .commit, .rollback, .release, .rollbackTo: true
        case .begin, .savepoint: false
        }
    }
}

extension DatabaseError {
    static func transactionWasAborted(
        sql: String?, arguments: StatementArguments? = nil, publicStatementArguments: Bool = false
    ) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments)
    }

    static func attemptToWrite(sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: sql)
    }
}

extension ConnectionAccess {
    /// Interrupts the running statement, and refuses from now on what may acquire a lock.
    func suspend() {
        suspension.set(true)
        interrupt()
        // A transaction may be open between two accesses.
        async { [suspension] db in
            if suspension.isSuspended { db.releaseLocks() }
        }
    }

    func resume() {
        suspension.set(false)
    }
}
