import VigilStorage

extension Database {
    /// A kind of transaction. It determines when the transaction acquires its locks. The raw value is SQL.
    public enum TransactionKind: String, Sendable {
        /// The transaction acquires each lock when a statement needs it.
        case deferred = "DEFERRED"
        /// The transaction acquires the lock for writing when it begins.
        case immediate = "IMMEDIATE"
        /// The transaction locks out others when it begins. With a write-ahead log, they can still read.
        case exclusive = "EXCLUSIVE"
    }

    /// The outcome of a transaction.
    @frozen public enum TransactionCompletion: Sendable {
        /// Commit the transaction.
        case commit
        /// Roll the transaction back.
        case rollback
    }

    /// Begins a transaction.
    ///
    /// - Parameter kind: by default, `immediate`, or `deferred` in a read-only database or block.
    /// - Throws: `DatabaseError`, with `SQLITE_BUSY` if another connection holds a required lock.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        try checkCancellation()
        switch kind ?? (configuration.readonly || activity.isReadOnly ? .deferred : .immediate) {
        case .deferred: try perform(.beginDeferred)
        case .immediate: try beginWriting(.beginImmediate)
        case .exclusive: try beginWriting(.beginExclusive)
        }
    }

    /// Begins a transaction that acquires the lock for writing, and throws inside read-only blocks. If the
    /// database was opened read-only, the library decides whether it can begin.
    private func beginWriting(_ command: TransactionCommand) throws {
        guard !activity.isReadOnly else {
            try checkTransactionIsAlive(sql: sql(of: command))
            throw attemptToWrite(sql: sql(of: command))
        }
        try perform(command)
    }

    /// Commits the open transaction.
    ///
    /// - Throws: `DatabaseError` if the commit fails. The transaction may then still be open.
    public func commit() throws {
        try checkCancellation()
        try perform(.commit)
    }

    /// Rolls the transaction back. Does nothing without one, because some errors make the library roll back.
    ///
    /// - Throws: `DatabaseError` if the rollback fails.
    public func rollback() throws {
        guard isInsideTransaction else { return }
        try shieldedFromCancellation { try perform(.rollback) }
    }

    /// Runs `operations` in a transaction, and commits it or rolls it back, as `operations` decides.
    ///
    /// ```swift
    /// try db.inTransaction {
    ///     try db.execute(sql: "DELETE FROM player")
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: the kind of the transaction. By default, it is `immediate`, or `deferred` in a read-only
    ///     database or block.
    ///   - operations: a closure that runs statements, and decides whether to commit or to roll back.
    /// - Throws: the error of `operations`, or `DatabaseError` if the transaction cannot begin or be
    ///   committed. If it has begun, it is rolled back.
    public func inTransaction(
        _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
    ) throws {
        try beginTransaction(kind)
        try insideTransactionBlock {
            do {
                switch try operations() {
                case .commit: try commitBlock()
                case .rollback: try rollback()
                }
            } catch {
                // Throw the first error, not the rollback's.
                try? rollback()
                throw error
            }
        }
    }

    /// Runs `operations` in a savepoint, and releases it or rolls it back, as `operations` decides. Outside
    /// of a transaction, it runs them in a transaction.
    ///
    /// - Throws: the error of `operations`, or `DatabaseError` if the savepoint cannot begin or be released.
    ///   The changes of `operations` are then rolled back.
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        guard isInsideTransaction else { return try inTransaction(nil, operations) }
        let name = "vigil"
        try checkCancellation()
        try perform(.savepoint(name))
        do {
            try insideTransactionBlock {
                if case .rollback = try operations() {
                    try shieldedFromCancellation { try perform(.rollbackTo(name)) }
                }
                try checkCancellation()
                try checkTransactionIsAlive()
                try perform(.release(name))
            }
        } catch {
            shieldedFromCancellation {
                guard isInsideTransaction else { return }
                try? perform(.rollbackTo(name))
                try? perform(.release(name))
            }
            throw error
        }
    }

    /// Runs `updates` in a transaction. Commits it when `updates` returns, and rolls it back when it throws.
    ///
    /// It runs `updates` again after a conflict with other writers, up to
    /// ``Configuration/maximumWriteRetryCount`` times.
    ///
    /// - Parameter isRepeatable: whether `updates` cannot change variables of its caller.
    @inline(__always)  // bench: write-baseline
    func committing<T>(isRepeatable: Bool = false, _ updates: (Database) throws -> T) throws -> T {
        guard hasOtherWriters else { return try committingOnce(updates) }
        let defaultCount = isRepeatable ? Self.defaultWriteRetryCount : 0
        return try committing(updates, repeating: configuration.maximumWriteRetryCount ?? defaultCount)
    }

    private static let defaultWriteRetryCount = 3

    private func committing<T>(_ updates: (Database) throws -> T, repeating count: Int) throws -> T {
        for index in 0..<count {
            do {
                return try committingOnce(updates)
            } catch let error as DatabaseError where error.isConflict {
                try checkCancellation()
            } catch let error as DatabaseError
                where error.mayBeOutdatedStatement && index < Self.defaultWriteRetryCount
            {
                // The same code stands for features that the server does not have, however often they are
                // requested.
                try checkCancellation()
            }
        }
        return try committingOnce(updates)
    }

    @inline(__always)  // bench: write-baseline
    private func committingOnce<T>(_ updates: (Database) throws -> T) throws -> T {
        guard !isClosed else { throw DatabaseError.connectionIsClosed }
        try beginTransaction()
        return try insideTransactionBlock {
            do {
                let result = try updates(self)
                try commitBlock()
                return result
            } catch {
                try? rollback()
                throw error
            }
        }
    }

    /// Runs `value`, makes its writes fail with `SQLITE_READONLY`, and returns its result.
    ///
    /// On the writer of a server, functions of the server can still write.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        checkConfinement()
        activity.readOnlyBlockDidBegin()
        defer { activity.readOnlyBlockDidEnd() }
        return try value()
    }

    /// Commits the transaction of a block. Throws `SQLITE_ABORT`, without SQL, if it ended before the block.
    private func commitBlock() throws {
        try checkCancellation()
        try checkTransactionIsAlive()
        try performUnchecked(.commit)
    }

    private func perform(_ command: TransactionCommand) throws {
        try checkMayPerform(command)
        try performUnchecked(command)
    }

    /// Performs a command without a check: it was checked, or it ends a transaction or savepoint, as a
    /// suspended connection permits.
    private func performUnchecked(_ command: TransactionCommand) throws {
        do {
            try connection.perform(command)
        } catch {
            try didFail()
            try checkCancellation(after: error)
            throw DatabaseError(error)
        }
        updateTransaction(after: command.effect)
        try didPerform(command.effect)
    }

    /// Runs `work`, and converts the error of the backend to a `DatabaseError`, or to a `CancellationError`
    /// if the task was cancelled.
    @inline(__always)  // bench: write-baseline
    func storage<T>(_ work: () throws(StorageError) -> T) throws -> T {
        do {
            return try work()
        } catch {
            try checkCancellation(after: error)
            throw DatabaseError(error)
        }
    }
}
