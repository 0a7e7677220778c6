import VigilStorage

extension Database {
    public enum TransactionKind: Sendable {
        /// Takes its locks when it needs them.
        case deferred
        /// Takes the right to write at once.
        case immediate
        /// Keeps other connections out at once.
        case exclusive
    }

    /// How a transaction ends.
    @frozen public enum TransactionCompletion: Sendable {
        case commit
        case rollback
    }

    /// Begins a transaction: `immediate` by default, and `deferred` if nothing can be written.
    ///
    /// - Throws: `DatabaseError`; `SQLITE_BUSY` if another connection holds the locks that it takes.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        try checkCancellation()
        switch kind ?? (configuration.readonly || readOnlyDepth > 0 ? .deferred : .immediate) {
        case .deferred: try perform(.beginDeferred)
        case .immediate: try beginWriting(.beginImmediate)
        case .exclusive: try beginWriting(.beginExclusive)
        }
    }

    /// Begins a transaction that takes the right to write. In a database that was opened read-only, the library decides.
    private func beginWriting(_ command: TransactionCommand) throws {
        guard readOnlyDepth == 0 else {
            try checkTransactionIsAlive(sql: sql(of: command))
            throw DatabaseError.attemptToWrite(sql: sql(of: command))
        }
        try perform(command)
    }

    /// - Throws: `DatabaseError`. The transaction may then still be open.
    public func commit() throws {
        try checkCancellation()
        try perform(.commit)
    }

    /// Does nothing if no transaction is open: the library may have rolled it back by itself.
    public func rollback() throws {
        guard isInsideTransaction else { return }
        try shieldedFromCancellation { try perform(.rollback) }
    }

    /// Runs `operations` inside a transaction, which it then commits or rolls back.
    ///
    /// - Throws: the error of `operations`, after a rollback; or that of the commit, after a rollback too.
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
                // The first error is the one to be told.
                try? rollback()
                throw error
            }
        }
    }

    /// Runs `operations` inside a savepoint; outside of a transaction, inside a transaction.
    ///
    /// - Throws: the error of `operations`, after their effect was undone.
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

    /// Runs `updates` inside a transaction, and commits it unless it throws.
    @inline(__always)  // bench: write-baseline
    func committing<T>(_ updates: (Database) throws -> T) throws -> T {
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

    /// Makes every write fail with `SQLITE_READONLY` while `value` runs.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        checkConfinement()
        readOnlyDepth += 1
        defer { readOnlyDepth -= 1 }
        return try value()
    }

    /// Commits the transaction of a block.
    ///
    /// - Throws: `SQLITE_ABORT`, without SQL, if the transaction ended before the block did.
    private func commitBlock() throws {
        try checkCancellation()
        try checkTransactionIsAlive()
        try performUnchecked(.commit)
    }

    private func perform(_ command: TransactionCommand) throws {
        try checkMayPerform(command)
        try performUnchecked(command)
    }

    /// - Precondition: nothing keeps the command from running, or it ends what is open, which a suspension allows.
    private func performUnchecked(_ command: TransactionCommand) throws {
        do {
            try connection.perform(command)
        } catch {
            try didFail()
            try checkCancellation(after: error)
            throw DatabaseError(error)
        }
        noteTransaction(after: command.effect)
        try didPerform(command.effect)
    }

    /// Turns a backend's error into ours, or into that of a cancellation.
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

extension TransactionCommand {
    /// What it does when it succeeds.
    var effect: TransactionEffect {
        switch self {
        case .beginDeferred, .beginImmediate, .beginExclusive: .begin
        case .commit: .commit
        case .rollback: .rollback
        case .savepoint(let name): .savepoint(name)
        case .release(let name): .release(name)
        case .rollbackTo(let name): .rollbackTo(name)
        }
    }
}
