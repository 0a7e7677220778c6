import Synchronization
import VigilStorage

/// Whether a connection is to take no lock: the system kills an app that is suspended while it holds one.
final class Suspension: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSuspended: Bool { flag.load(ordering: .acquiring) }

    func set(_ isSuspended: Bool) { flag.store(isSuspended, ordering: .releasing) }
}

extension Database {
    /// Called before what may take a lock.
    ///
    /// Reading a database with a write-ahead log takes none that matters.
    ///
    /// - Throws: `SQLITE_ABORT` while the connection is suspended. An open transaction is then rolled back.
    func checkSuspension(isReadOnly: Bool, sql: String? = nil) throws {
        guard suspension.isSuspended else { return }
        if isReadOnly, readsWithoutLock { return }
        releaseLocks()
        throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
    }

    /// - Throws: `SQLITE_ABORT` if the statement may not run, because the connection is suspended or the transaction
    ///   that it was meant for is gone.
    func checkMayRun(_ statement: Statement) throws {
        guard isTransactionAborted || suspension.isSuspended else { return }
        let access = statement.access
        switch access.transactionEffect {
        case .rollback, .rollbackTo: return
        case nil: try checkSuspension(isReadOnly: access.isReadOnly, sql: statement.sql)
        default: try checkSuspension(isReadOnly: false, sql: statement.sql)
        }
        try checkTransactionIsAlive(sql: statement.sql)
    }

    /// Whether reading takes no lock that keeps others from writing.
    private var readsWithoutLock: Bool {
        if configuration.readonly { return connection.capabilities.allowsConcurrentReaders }
        if journalModeCache == nil {
            // Asked as late as this, because an app may choose the mode by itself.
            journalModeCache = try? (connection as? any JournalReporting)?.journalMode()
        }
        return journalModeCache.map { $0 == "wal" } ?? connection.capabilities.allowsConcurrentReaders
    }

    /// Rolls an open transaction back, whoever opened it.
    private func releaseLocks() {
        guard isInsideTransaction else { return }
        try? rollback()
        noteAbortedTransaction()
    }

    // MARK: - Aborted transactions

    /// Runs what is meant to be inside a transaction.
    @inline(__always)  // bench: write-baseline
    func insideTransactionBlock<T>(_ body: () throws -> T) rethrows -> T {
        transactionBlocks += 1
        defer {
            transactionBlocks -= 1
            if transactionBlocks == 0 { isTransactionAborted = false }
        }
        return try body()
    }

    /// The open transaction was rolled back by an interruption. What follows in its block must not run outside of it.
    func noteAbortedTransaction() {
        isTransactionAborted = transactionBlocks > 0 && !isInsideTransaction
    }

    func checkTransactionIsAlive(sql: String? = nil) throws {
        guard isTransactionAborted, !isInsideTransaction else { return }
        throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql)
    }
}

extension ConnectionAccess {
    /// From now on nothing takes a lock, and what holds one gives it back.
    func suspend() {
        suspension.set(true)
        interrupt()
        // A transaction may be open between two accesses.
        async { db in
            if db.isInsideTransaction { try? db.checkSuspension(isReadOnly: false) }
        }
    }

    func resume() {
        suspension.set(false)
    }
}
