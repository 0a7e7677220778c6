import CVigilPostgres
package import VigilStorage

extension PostgresConnection {
    package var isInTransaction: Bool {
        guard let channel else { return false }
        if preparation.isRunning, isBeginningAgain { return true }
        if !machine.isConnected { return machine.hasLostTransaction }
        if let stream { return stream.wasInTransaction }
        if isEnding || transaction.isImplicit { return false }
        if channel.pendingBegin != nil { return true }
        let status = channel.transactionStatus
        return status == PostgresTransactionStatus.inTransaction
            || status == PostgresTransactionStatus.inError
    }

    package func perform(_ command: TransactionCommand) throws(StorageError) {
        guard channel != nil else { throw Self.closedError }
        switch command {
        case .beginDeferred: try begin(.repeatableRead)
        case .beginImmediate, .beginExclusive: try begin(options.isolationLevel, mustWrite: true)
        case .commit: try commit("COMMIT")
        case .rollback: try rollBack()
        // Names of savepoints ignore case, like names of tables.
        case .savepoint(let name): try open(name.foldedName)
        case .release(let name): try release(name.foldedName)
        case .rollbackTo(let spelling):
            let name = spelling.foldedName
            try require(isInTransaction: true, "ROLLBACK TO SAVEPOINT")
            try run("ROLLBACK TO SAVEPOINT \(SavepointStack.quoted(name))")
            transaction.savepoints.didRollBack(to: name)
            transaction.identity = nil
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

    private func begin(_ level: StorageOptions.IsolationLevel, mustWrite: Bool = false) throws(StorageError) {
        let begin = "BEGIN ISOLATION LEVEL \(level.sql)"
        try require(isInTransaction: false, begin)
        try prepareToBegin()
        // A standby can become a primary while a connection is open.
        if session.isStandby {
            session.isStandby = try query("SELECT pg_is_in_recovery()").first?[0] == "t"
        }
        let isReading = refusesWrites || session.isStandby
        guard !isReading || !mustWrite else { throw Self.readOnlyError(sql: begin) }
        try self.begin(.command(begin + (isReading ? " READ ONLY" : " READ WRITE")))
    }

    package func beginSnapshot() throws(StorageError) {
        try require(isInTransaction: false, Self.snapshotBegin)
        try prepareToBegin()
        try begin(.snapshot(isObserved: false))
    }

    package func beginObservedSnapshot() throws(StorageError) {
        try require(isInTransaction: false, Self.snapshotBegin)
        // An address can lead to several servers: another session may lead to the right one.
        try repeatingAfterLoss(isRepeatable: true) { () throws(StorageError) -> Void in
            try prepareToBegin()
            try begin(.snapshot(isObserved: true))
        }
    }

    // The snapshot counts as used, so it is not begun again.
    package func keepSnapshot() { transaction.didRunStatement() }

    func prepareToBegin() throws(StorageError) {
        guard try makeReady(for: .begin) else { throw Self.closedError }
        try restoreSettings()
        try deallocateReleased()
    }

    private static let snapshotBegin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    /// Begins a transaction, in one message. A command without a snapshot is sent together with the first
    /// statement, which has no effect if it fails.
    func begin(_ beginning: OpenTransaction.Beginning) throws(StorageError) {
        guard try makeReady(for: .begin) else { throw Self.closedError }
        let begin =
            switch beginning {
            case .snapshot: Self.snapshotBegin
            case .command(let command): command
            case .statement: "BEGIN READ ONLY"
            }
        guard beginning.isSnapshot || session.isPooled else {
            channel?.pendingBegin = begin
            // The command will take its place.
            statements.unnamed = nil
            return didBegin(beginning)
        }
        // BEGIN alone takes no snapshot: the first statement does. The savepoint costs nothing, and is rolled
        // back to when a statement fails.
        let savepoint = beginning.isSnapshot ? "; SAVEPOINT \(Self.snapshotSavepoint)" : ""
        let columns = "pg_catalog.pg_is_in_recovery(), \(SessionIdentity.columns)"
        let sql = "\(begin); \(PostgresSession.processQuestion), \(columns)\(savepoint)"
        let answer: PostgresResult?
        do throws(StorageError) {
            answer = try run(sql, .begin, isRepeatable: true).first { $0.columnCount > 0 }
            try checkSession(answer)
        } catch {
            if isInTransaction { try? rollBackOnServer() }
            throw error
        }
        didBegin(beginning)
        session.isStandby = answer?.text(row: 0, column: 1) == "t"
        guard beginning.isSnapshot else { return }
        transaction.identity = SessionIdentity(answer, fromColumn: 2)
        if beginning == .snapshot(isObserved: true) { try checkServer() }
    }

    /// Checks whether the open snapshot and the feed have the same server. A reported commit may be missing
    /// on another one.
    private func checkServer() throws(StorageError) {
        guard let reported = tableReporting?.reportedTables.state.server,
            let server = transaction.identity?.server, server != reported
        else { return }
        try? rollBackOnServer()
        // The next command opens another session.
        machine.didLose(during: .begin, wasInTransaction: false)
        throw StorageError(
            .connectionLost,
            """
            the session leads to another server than the detection of commits: use the name of one host, or \
            target_session_attrs
            """)
    }

    private func didBegin(_ beginning: OpenTransaction.Beginning) {
        transaction = OpenTransaction(beginning, interruptCount: canceller.count)
    }

    private static let snapshotSavepoint = "vigil_snapshot"

    package func exportSnapshot() throws(StorageError) -> String {
        guard canRecoverSnapshot else {
            throw StorageError(.misuse, "only a snapshot without open savepoints can be exported")
        }
        // The server exports no snapshot of a subtransaction.
        let savepoint = Self.snapshotSavepoint
        let release = transaction.hasSettingsSavepoint ? "RELEASE SAVEPOINT \(savepoint); " : ""
        let answers = try run(
            "\(release)RELEASE SAVEPOINT \(savepoint); SELECT pg_export_snapshot(); SAVEPOINT \(savepoint)")
        transaction.hasSettingsSavepoint = false
        guard let answer = answers.first(where: { $0.columnCount > 0 }),
            let identifier = answer.text(row: 0, column: 0)
        else { throw StorageError(.error, "the server did not export the snapshot") }
        return identifier
    }

    /// Whether the open transaction is a snapshot, and remains usable after a failed statement.
    var canRecoverSnapshot: Bool { transaction.isSnapshot && transaction.savepoints.isEmpty }

    /// Makes a savepoint of a snapshot behind the settings made in it by the program. The first one
    /// remains, to undo them.
    func keepSettings() throws(StorageError) {
        guard transaction.hasNewSettings, canRecoverSnapshot else { return }
        let savepoint = Self.snapshotSavepoint
        let release = transaction.hasSettingsSavepoint ? "RELEASE SAVEPOINT \(savepoint); " : ""
        _ = try run("\(release)SAVEPOINT \(savepoint)")
        transaction.hasSettingsSavepoint = true
        transaction.hasNewSettings = false
    }

    package func undoSettings() -> Bool {
        guard transaction.isSnapshot, transaction.hasNewSettings || transaction.hasSettingsSavepoint else {
            return false
        }
        let savepoint = Self.snapshotSavepoint
        // A failed transaction accepts nothing but the return to a savepoint.
        let release =
            transaction.hasSettingsSavepoint
            ? "ROLLBACK TO SAVEPOINT \(savepoint); RELEASE SAVEPOINT \(savepoint); " : ""
        do throws(StorageError) {
            _ = try run("\(release)ROLLBACK TO SAVEPOINT \(savepoint)")
            transaction.hasNewSettings = false
            transaction.hasSettingsSavepoint = false
        } catch {
            // Nothing else may run with these settings.
            if machine.isConnected { machine.didLoseTransaction() }
        }
        transaction.savepoints = SavepointStack()
        transaction.identity = nil
        return true
    }

    /// Makes a snapshot usable again after a statement in it has failed. Nothing is lost, because a snapshot
    /// does not write.
    func recoverSnapshot() {
        guard canRecoverSnapshot, isInFailedTransaction, let channel else { return }
        // A function may have changed the session before.
        transaction.identity = nil
        // A failure is reported by the next statement.
        _ = channel.run("ROLLBACK TO SAVEPOINT \(Self.snapshotSavepoint)", timeout: timeouts.transaction)
        if !channel.isConnected { machine.didLose(during: .statement, wasInTransaction: true) }
    }

    /// Whether a statement of the open transaction has failed, so that it can only be rolled back.
    var isInFailedTransaction: Bool {
        stream == nil && !isEnding && channel?.transactionStatus == PostgresTransactionStatus.inError
    }

    /// Commits with COMMIT, or with another statement to the same effect.
    func commit(_ sql: String) throws(StorageError) {
        try require(isInTransaction: true, sql)
        // PREPARE TRANSACTION also ends a transaction, and has an effect even in an unused one.
        let isPlain = !sql.uppercased().hasPrefix("PREPARE")
        guard reporter.willCommit() else {
            try? rollBack()
            throw StorageError(.constraint, "the commit was prevented by an observer", sql: sql)
        }
        do throws(StorageError) {
            if isPlain, dropPendingBegin() || transaction.isSnapshot && endTransactionLater() {
                return reporter.didEndTransaction(committed: true)
            }
            let result = try run(sql, .commit).last
            transaction = OpenTransaction()
            // The server answers a COMMIT of a failed transaction with a success.
            guard result?.commandTag != "ROLLBACK" else {
                var error = StorageError(
                    .abort, "the transaction was rolled back, because one of its statements had failed",
                    sql: sql)
                error.sqlState = SQLState.failedTransaction.text
                throw error
            }
        } catch {
            if !isInTransaction {
                transaction = OpenTransaction()
                reporter.didEndTransaction(committed: false)
            }
            throw error
        }
        reporter.didEndTransaction(committed: true)
    }

    /// Ends a transaction without writes, and without waiting for the answer. Returns whether it was sent.
    private func endTransactionLater() -> Bool {
        guard machine.isConnected, !isInFailedTransaction, (try? makeReady(for: .commit)) == true,
            machine.isConnected, let channel
        else { return false }
        // Settings of the session would apply to later reads and fetches with this connection.
        guard channel.send(session.hasChangedSettings ? "ROLLBACK" : "COMMIT") else { return false }
        isEnding = true
        transaction = OpenTransaction()
        return true
    }

    /// Ends an unused transaction. Returns `false` if the transaction is not open, or not unused.
    private func dropPendingBegin() -> Bool {
        guard machine.isConnected, let channel, channel.pendingBegin != nil else { return false }
        channel.pendingBegin = nil
        transaction = OpenTransaction()
        return true
    }

    /// Ends the transaction that the driver has begun for one statement.
    func endImplicitTransaction() {
        guard transaction.isImplicit else { return }
        transaction = OpenTransaction()
        if dropPendingBegin() { return }
        guard machine.isConnected, let channel else { return }
        isEnding = channel.send("COMMIT")
    }

    func rollBack() throws(StorageError) {
        try require(isInTransaction: true, "ROLLBACK")
        try rollBackOnServer()
        reporter.didEndTransaction(committed: false)
    }

    func rollBackOnServer() throws(StorageError) {
        let isInterrupted = transaction.interruptCount.map { $0 != canceller.count } ?? false
        transaction = OpenTransaction()
        if dropPendingBegin() { return }
        guard try makeReady(for: .rollback) else { return }
        do throws(StorageError) {
            // After an interrupt, wait as long as for the answer to a cancelled command.
            let timeout = isInterrupted ? PostgresInterrupter.timeout : timeouts.transaction
            _ = try send(.rollback) { $0.rollBack(timeout: timeout) }
        } catch {
            // The server rolls back when the connection is lost.
            guard !isInTransaction else { throw error }
        }
    }

    private func open(_ name: String) throws(StorageError) {
        let begins = !isInTransaction
        if begins { try begin(.repeatableRead) }
        do throws(StorageError) {
            try run("SAVEPOINT \(SavepointStack.quoted(name))")
        } catch {
            if begins { try? rollBack() }
            throw error
        }
        transaction.savepoints.didOpen(name, beganTransaction: begins)
        transaction.didRunStatement()
    }

    private func release(_ name: String) throws(StorageError) {
        try require(isInTransaction: true, "RELEASE SAVEPOINT")
        guard !transaction.savepoints.releaseCommits(name) else { return try commit("COMMIT") }
        try run("RELEASE SAVEPOINT \(SavepointStack.quoted(name))")
        transaction.savepoints.didRelease(name)
    }

    /// Checks whether a statement may begin or end a transaction: the server only warns if it has no effect.
    func checkEffect(_ effect: TransactionEffect?, sql: String) throws(StorageError) {
        switch effect {
        case .begin: try require(isInTransaction: false, sql)
        case .commit, .rollback, .release, .rollbackTo: try require(isInTransaction: true, sql)
        case .savepoint, nil: break
        }
    }
}

extension StorageOptions.IsolationLevel {
    fileprivate var sql: String {
        switch self {
        case .readCommitted: "READ COMMITTED"
        case .repeatableRead: "REPEATABLE READ"
        case .serializable: "SERIALIZABLE"
        }
    }
}
