import Synchronization
import VigilStorage

/// Whether a connection is suspended, and must not acquire locks: the system terminates a suspended app that
/// holds one.
final class Suspension: Sendable {
    private static let suspended: UInt8 = 1
    private static let faulty: UInt8 = 2

    private let flags: Atomic<UInt8>
    private let interruptions = Atomic<Int>(0)

    /// - Parameter hasFaults: whether statements may fail because a test wants it.
    init(hasFaults: Bool) { flags = Atomic(hasFaults ? Self.faulty : 0) }

    var isSuspended: Bool { flags.load(ordering: .acquiring) & Self.suspended != 0 }

    /// Whether statements must be checked.
    var isChecking: Bool { flags.load(ordering: .acquiring) != 0 }

    func set(_ isSuspended: Bool) {
        if isSuspended {
            flags.bitwiseOr(Self.suspended, ordering: .releasing)
        } else {
            flags.bitwiseAnd(~Self.suspended, ordering: .releasing)
        }
    }

    /// The number of suspensions that have interrupted the running statement.
    var interruptionCount: Int { interruptions.load(ordering: .acquiring) }

    func didInterrupt() { interruptions.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

/// The locks that a statement may acquire.
private enum LockUse {
    /// The statement acquires no lock: it ends a transaction or savepoint, or sets a mode of the connection.
    case none
    /// The statement reads.
    ///
    /// - Parameter attached: the attached databases among the ones that it reads.
    case reading(attached: Set<DatabaseSchemaID>)
    case writing
}

extension Database {
    /// Throws `SQLITE_ABORT` if the connection is suspended and the statement may acquire a lock, or if the
    /// transaction of the running block has ended.
    @inline(__always)  // bench: write-baseline
    func checkMayRun(_ statement: Statement) throws {
        if isTransactionLost { throw transactionWasAborted(statement) }
        if suspension.isChecking { try check(statement) }
    }

    private func check(_ statement: Statement) throws {
        if let error = configuration.statementFault?(statement.sql) {
            throw DatabaseError(
                resultCode: error.extendedResultCode, message: error.message, sql: statement.sql,
                arguments: statement.arguments,
                publicStatementArguments: configuration.publicStatementArguments)
        }
        if suspension.isSuspended { try checkSuspension(lockUse(of: statement), sql: statement.sql) }
    }

    /// Throws `SQLITE_ABORT` if the connection is suspended and the command may acquire a lock, or if the
    /// transaction of the running block has ended.
    @inline(__always)  // bench: write-baseline
    func checkMayPerform(_ command: TransactionCommand) throws {
        if isTransactionLost { throw transactionWasAborted(sql: sql(of: command)) }
        try checkSuspension(command)
    }

    /// Throws `SQLITE_ABORT` if the connection is suspended and the command may acquire a lock.
    @inline(__always)  // bench: write-baseline
    func checkSuspension(_ command: TransactionCommand) throws {
        if suspension.isSuspended { try checkSuspension(command.lockUse, sql: sql(of: command)) }
    }

    /// Checks an operation that is not a statement but acquires the locks of a write: a checkpoint, or a
    /// backup to this database.
    ///
    /// - Throws: `SQLITE_ABORT` if the connection is suspended, or if the transaction of the running block
    ///   has ended.
    func checkMayWriteFile() throws {
        try checkTransactionIsAlive()
        if suspension.isSuspended { try checkSuspension(.writing, sql: nil) }
    }

    /// Checks whether a suspended connection may acquire the given locks. If it may not, rolls back an open
    /// transaction and throws.
    ///
    /// Reading a database with a write-ahead log is permitted, because its lock does not block writers.
    ///
    /// - Throws: `SQLITE_ABORT` if `use` may acquire a lock.
    private func checkSuspension(_ use: LockUse, sql: String?) throws {
        switch use {
        case .none: return
        case .reading(let attached):
            if readsWithoutLock, attached.allSatisfy({ readsWithoutLock(attached: $0) }) { return }
        case .writing: break
        }
        releaseLocks()
        throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
            .advising("it can write again after resume() or Database.resumeNotification")
    }

    private func lockUse(of statement: Statement) -> LockUse {
        let access = statement.access
        if access.transactionEffect?.endsTransactionOrSavepoint == true { return .none }
        if embedded?.setsReadOnlyMode(statement.sql) == true { return .none }
        return access.isReadOnly ? .reading(attached: statement.attachedSchemas) : .writing
    }

    /// Whether reading acquires no lock that blocks writers.
    private var readsWithoutLock: Bool {
        // Read the mode each time: an app may change it after the connection was opened.
        if let mode = try? embedded?.journalMode() { journalModeCache = mode }
        return journalModeCache.map { $0 == "wal" } ?? connection.capabilities.allowsConcurrentReaders
    }

    private func readsWithoutLock(attached schema: DatabaseSchemaID) -> Bool {
        (try? embedded?.readsBlockWriters(ofAttached: schema.name)) == false
    }

    /// Rolls back an open transaction, also if an SQL statement has begun it.
    func releaseLocks() {
        guard isInsideTransaction else { return }
        try? rollback()
    }

    /// Returns the SQL of a transaction command, or `nil` if the backend has none.
    func sql(of command: TransactionCommand) -> String? {
        embedded?.sql(of: command)
    }

    /// Returns whether a statement failed because the database was suspended.
    ///
    /// - Parameter count: the number of interruptions before the statement.
    func isInterruptedBySuspension(_ error: any Error, since count: Int) -> Bool {
        guard (error as? DatabaseError)?.isInterruptionError == true else { return false }
        return suspension.isSuspended || suspension.interruptionCount != count
    }

    // MARK: - Transaction blocks

    /// Runs a closure in a transaction of its own. If the transaction ends before `body` returns, further
    /// statements fail.
    @inline(__always)  // bench: write-baseline
    func insideTransactionBlock<T>(_ body: () throws -> T) rethrows -> T {
        activity.transactionBlockDidBegin()
        defer { activity.transactionBlockDidEnd() }
        return try body()
    }

    /// Runs the work after the end of a statement: observers are notified and fetch. Their statements do not
    /// belong to the block of the transaction, which may just have ended, and the cancellation of the task
    /// does not affect them.
    @inline(__always)  // bench: write-baseline
    func outsideTransactionBlocks<T>(_ body: () throws -> T) rethrows -> T {
        let blocks = activity.leaveTransactionBlocks()
        defer { activity.returnToTransactionBlocks(blocks) }
        return try shieldedFromCancellation(body)
    }

    /// Whether the transaction of the running block has ended. Further statements of the block would be
    /// committed one by one.
    @inline(__always)  // bench: write-baseline
    private var isTransactionLost: Bool {
        activity.isTransactionLost(isInTransaction: uncheckedConnection.isInTransaction)
    }

    /// Throws `SQLITE_ABORT` if the transaction of the running block has ended.
    @inline(__always)  // bench: write-baseline
    func checkTransactionIsAlive(sql: @autoclosure () -> String? = nil) throws {
        if isTransactionLost { throw transactionWasAborted(sql: sql()) }
    }

    private func transactionWasAborted(_ statement: Statement) -> DatabaseError {
        transactionWasAborted(sql: statement.sql, arguments: statement.arguments)
    }

    private func transactionWasAborted(sql: String?, arguments: StatementArguments? = nil) -> DatabaseError {
        let error = DatabaseError(
            resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql, arguments: arguments,
            publicStatementArguments: configuration.publicStatementArguments)
        guard activity.hasCommitted else { return error }
        return error.advising("the block has committed it: use writeWithoutTransaction to commit in between")
    }

    /// Returns the error for a write inside a read-only block.
    func attemptToWrite(sql: String?, arguments: StatementArguments? = nil) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database", sql: sql,
            arguments: arguments, publicStatementArguments: configuration.publicStatementArguments
        ).advising("use write instead of read, or requiresWriteAccess in an observation")
    }
}

extension TransactionCommand {
    fileprivate var lockUse: LockUse {
        switch self {
        case .commit, .rollback, .release, .rollbackTo: .none
        case .beginDeferred, .savepoint: .reading(attached: [])
        case .beginImmediate, .beginExclusive: .writing
        }
    }
}

extension TransactionEffect {
    fileprivate var endsTransactionOrSavepoint: Bool {
        switch self {
        case .commit, .rollback, .release, .rollbackTo: true
        case .begin, .savepoint: false
        }
    }
}

extension ConnectionAccess {
    /// Interrupts the running statement. Until ``resume()`` is called, statements that may acquire a lock
    /// fail.
    func suspend() {
        suspension.set(true)
        interrupt()
        suspension.didInterrupt()
        // A transaction may be open between two accesses.
        async { [suspension] db in
            if suspension.isSuspended { db.releaseLocks() }
        }
    }

    func resume() {
        suspension.set(false)
    }
}
