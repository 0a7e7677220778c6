import CVigilPostgres
package import VigilStorage

extension PostgresConnection {
    package var isInTransaction: Bool {
        guard let handle else { return false }
        if !machine.isConnected { return machine.hasLostTransaction }
        let status = api.pointee.transactionStatus(handle)
        return status == PostgresTransactionStatus.inTransaction
            || status == PostgresTransactionStatus.inError
    }

    package func perform(_ command: TransactionCommand) throws(StorageError) {
        guard handle != nil else { throw Self.closedError }
        switch command {
        case .beginDeferred: try begin(isolation: "REPEATABLE READ")
        case .beginImmediate, .beginExclusive:
            try begin(isolation: "SERIALIZABLE")
        case .commit: try commit("COMMIT")
        case .rollback: try rollBack()
        // Like the names of tables, those of savepoints ignore case.
        case .savepoint(let name): try open(name.foldedName)
        case .release(let name): try release(name.foldedName)
        case .rollbackTo(let spelling):
            let name = spelling.foldedName
            try require(isInTransaction: true, "ROLLBACK TO SAVEPOINT")
            try run("ROLLBACK TO SAVEPOINT \(SavepointStack.quoted(name))")
            savepoints.didRollBack(to: name)
        }
    }

    static func readOnlyError(sql: String?) -> StorageError {
        StorageError(.readOnly, "attempt to write a readonly database", sql: sql)
    }

    private func require(isInTransaction isRequired: Bool, _ sql: String) throws(StorageError) {
        guard isInTransaction != isRequired else { return }
        throw StorageError(
            .error,
            isRequired
                ? "cannot \(sql) - no transaction is active"
                : "cannot start a transaction within a transaction", sql: sql)
    }

    private func begin(isolation: String) throws(StorageError) {
        let begin = "BEGIN ISOLATION LEVEL \(isolation)"
        try require(isInTransaction: false, begin)
        try noteTokenOnStandby()
        let isReading = isReadOnly || options.access == .readOnly || session.isStandby
        guard !isReading || isolation == "REPEATABLE READ" else { throw Self.readOnlyError(sql: begin) }
        let sql = begin + (isReading ? " READ ONLY" : " READ WRITE")
        try run(sql, .begin, isRepeatable: true)
        savepoints.didBegin()
        isSnapshot = false
        isUnusedSnapshot = false
    }

    package func beginSnapshot() throws(StorageError) {
        let sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        try require(isInTransaction: false, sql)
        try noteTokenOnStandby()
        // BEGIN alone takes no snapshot: the first statement does. The savepoint costs nothing, and is rolled back to when
        // a statement fails.
        do throws(StorageError) {
            try run("\(sql); SELECT 1; SAVEPOINT \(Self.snapshotSavepoint)", .begin, isRepeatable: true)
        } catch {
            if isInTransaction { try? rollBack() }
            throw error
        }
        savepoints.didBegin()
        isSnapshot = true
        isUnusedSnapshot = true
    }

    private static let snapshotSavepoint = "vigil_snapshot"

    /// Makes a snapshot usable again after a statement in it has failed. Nothing is lost, because a snapshot does not
    /// write.
    func recoverSnapshot() {
        guard isSnapshot, isInFailedTransaction, savepoints.isEmpty, let handle else { return }
        let answer = api.pointee.exec(handle, "ROLLBACK TO SAVEPOINT \(Self.snapshotSavepoint)")
        // A failure is reported by the next statement.
        _ = answer.map { PostgresResult($0, api: api) }
        if api.pointee.status(handle) != PostgresConnectionStatus.ok {
            machine.didLose(during: .statement, wasInTransaction: true)
        }
    }

    /// Whether a statement of the open transaction has failed, so that it can only be rolled back.
    var isInFailedTransaction: Bool {
        handle.map { api.pointee.transactionStatus($0) == PostgresTransactionStatus.inError } ?? false
    }

    /// Reads the replay position before the transaction takes its snapshot, so that no later position counts as its.
    func noteTokenOnStandby() throws(StorageError) {
        token.transactionNumber = nil
        guard session.isStandby else { return }
        token.transactionNumber = try foreignChangeToken()
    }

    /// Commits with COMMIT, or with another statement that commits.
    func commit(_ sql: String) throws(StorageError) {
        try require(isInTransaction: true, sql)
        isSnapshot = false
        isUnusedSnapshot = false
        guard reports.willCommit() else {
            try? rollBack()
            throw StorageError(.constraint, "the commit was prevented by an observer", sql: sql)
        }
        do throws(StorageError) {
            let result = try run(sql, .commit)
            // The server answers a COMMIT of a failed transaction with a success.
            guard result.commandTag != "ROLLBACK" else {
                var error = StorageError(
                    .abort, "the transaction was rolled back, because one of its statements had failed",
                    sql: sql)
                error.sqlState = SQLState.failedTransaction.text
                throw error
            }
        } catch {
            if !isInTransaction { reports.didEndTransaction(committed: false) }
            throw error
        }
        reports.didEndTransaction(committed: true)
    }

    func rollBack() throws(StorageError) {
        try require(isInTransaction: true, "ROLLBACK")
        isSnapshot = false
        isUnusedSnapshot = false
        if try makeReady(for: .rollback) {
            let api = api
            do throws(StorageError) {
                _ = try send(.rollback) { api.pointee.exec($0, "ROLLBACK") }
            } catch {
                // The server rolls back when the connection is lost.
                guard !isInTransaction else { throw error }
            }
        }
        reports.didEndTransaction(committed: false)
    }

    private func open(_ name: String) throws(StorageError) {
        let begins = !isInTransaction
        if begins { try begin(isolation: "REPEATABLE READ") }
        do throws(StorageError) {
            try run("SAVEPOINT \(SavepointStack.quoted(name))")
        } catch {
            if begins { try? rollBack() }
            throw error
        }
        savepoints.didOpen(name, beganTransaction: begins)
    }

    private func release(_ name: String) throws(StorageError) {
        try require(isInTransaction: true, "RELEASE SAVEPOINT")
        guard !savepoints.releaseCommits(name) else { return try commit("COMMIT") }
        try run("RELEASE SAVEPOINT \(SavepointStack.quoted(name))")
        savepoints.didRelease(name)
    }

    /// Checks whether a statement that begins or ends a transaction can run: the server only warns if it has no effect.
    func checkEffect(_ effect: TransactionEffect?, sql: String) throws(StorageError) {
        switch effect {
        case .begin: try require(isInTransaction: false, sql)
        case .commit, .rollback, .release, .rollbackTo: try require(isInTransaction: true, sql)
        case .savepoint, nil: break
        }
    }

    /// Makes the server refuse writes outside of transactions, or accept them again.
    func updateServerReadOnlyMode() throws(StorageError) {
        let wanted = isReadOnly || options.access == .readOnly
        guard wanted != serverIsReadOnly, !isInTransaction else { return }
        try run("SET default_transaction_read_only = \(wanted ? "on" : "off")", isRepeatable: true)
        serverIsReadOnly = wanted
    }
}
