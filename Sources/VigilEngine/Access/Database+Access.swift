import Dispatch
import VigilStorage

extension Database {
    /// Runs an access, and traps if it leaves a transaction open without permission by the configuration.
    @inline(__always)  // bench: write-baseline
    func access<T>(_ body: () throws -> T) rethrows -> T {
        defer {
            trap(
                unless: configuration.allowsUnsafeTransactions || isClosed
                    || !uncheckedConnection.isInTransaction,
                "an access of a database ended with an open transaction: commit it or roll it back")
        }
        return try body()
    }

    /// Runs `value` in a read-only transaction, on a snapshot taken before, and returns its result.
    ///
    /// - Throws: the error of `value`; `SQLITE_ABORT` if `value` ended the transaction without throwing.
    func reading<T>(_ value: (Database) throws -> T) throws -> T {
        try access {
            // An open transaction does not belong to this access.
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

    /// Calls `value` once: in a read-only transaction, or with an error if the transaction cannot begin.
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
            // `value` has ended the transaction itself. Its later statements have thrown this error.
        }
    }

    /// Runs `value`, and makes its writes fail with `SQLITE_READONLY`.
    func readOnly<T>(_ value: (Database) throws -> T) rethrows -> T {
        activity.readOnlyBlockDidBegin()
        defer { activity.readOnlyBlockDidEnd() }
        return try value(self)
    }

    /// Rolls back a transaction left open by a reader's access: the next access must not read its snapshot.
    func rollBackOpenTransaction() {
        guard !isClosed, uncheckedConnection.isInTransaction else { return }
        try? rollback()
    }

    /// - Parameter isObserved: whether a feed must report all later commits.
    func beginSnapshot(isObserved: Bool = false) throws {
        guard !isClosed else { throw DatabaseError.connectionIsClosed }
        try checkCancellation()
        try checkSuspension(.beginDeferred)
        try storage { () throws(StorageError) -> Void in
            if isObserved, let server {
                try server.beginObservedSnapshot()
            } else {
                try connection.beginSnapshot()
            }
        }
        activity.snapshotDidBegin()
        updateTransaction(after: .begin)
    }

    /// Begins a snapshot whose state was promised to the caller. If its session on a server is lost, it
    /// fails, and no later state takes its place.
    func beginKeptSnapshot() throws {
        try beginSnapshot()
        server?.keepSnapshot()
    }

    /// Ends the transaction of ``beginSnapshot()``. It cannot fail: a failing commit is rolled back.
    func endSnapshot() {
        guard !isClosed, activity.isInSnapshot else { return }
        activity.snapshotDidEnd()
        defer { updateTransaction(after: .commit) }
        guard uncheckedConnection.isInTransaction else { return }
        shieldedFromCancellation {
            do {
                try connection.perform(.commit)
            } catch {
                try? connection.perform(.rollback)
            }
        }
    }

    /// Undoes the settings made by a fetch in the snapshot of a round on a server, because other fetches
    /// follow.
    func undoSettings() {
        guard fetchContext?.isRepeatable == true, let server = roles.server, server.undoSettings() else {
            return
        }
        // Names may be looked up in other schemas again.
        schema.isCurrent = false
    }

    /// Runs `value` in a read-only transaction, or, if a transaction is open, in a read-only block.
    func inReadOnlySnapshot<T>(isObserved: Bool = false, _ value: () throws -> T) throws -> T {
        guard !isInsideTransaction else { return try readOnly { _ in try value() } }
        try beginSnapshot(isObserved: isObserved)
        defer { endSnapshot() }
        return try value()
    }
}

extension Configuration {
    /// The target of the writer's dispatch queue; ``targetQueue`` in a read-only database without writes.
    var writerTargetQueue: DispatchQueue? {
        readonly ? targetQueue : writeTargetQueue ?? targetQueue
    }

    /// The configuration of a pool's readers and snapshots.
    var forReaders: Configuration {
        var configuration = self
        configuration.readonly = true
        configuration.foreignChanges = .ignored
        configuration.allowsUnsafeTransactions = true
        configuration.isForReaders = true
        return configuration
    }
}
