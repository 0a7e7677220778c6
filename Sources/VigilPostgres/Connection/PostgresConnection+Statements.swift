import CVigilPostgres
package import VigilStorage

extension PostgresConnection {
    package func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool)
        throws(StorageError) -> StoragePreparation
    {
        guard handle != nil else { throw Self.closedError }
        // Of a text with many statements, only once.
        if offset == 0 { try sql.checkForNullCharacterInSQL() }
        guard let text = try PostgresSQL.first(in: sql, fromUTF8Offset: offset) else {
            return StoragePreparation(statement: nil, endUTF8Offset: sql.utf8.count)
        }
        if let feature = text.unsupportedFeature {
            throw StorageError(.error, "\(feature) is not supported on PostgreSQL", sql: text.text)
        }
        deallocateReleased()
        let name = isCached && text.isReusable ? newStatementName() : ""
        let preparation = try repeatingAfterLoss(isRepeatable: true) { () throws(StorageError) in
            try prepareOnServer(text, name: name)
        }
        return StoragePreparation(
            statement: PostgresStatement(connection: self, text: text, name: name, preparation: preparation),
            endUTF8Offset: text.endUTF8Offset)
    }

    func newStatementName() -> String {
        nextStatementNumber += 1
        return "vigil_\(nextStatementNumber)"
    }

    /// Returns whether a statement that failed can be run again as if it were run for the first time: outside of a
    /// transaction, or as the first statement of a snapshot, which is then taken again.
    func isBeforeFirstStatement() throws(StorageError) -> Bool {
        guard isInTransaction else { return true }
        guard isUnusedSnapshot else { return false }
        try rollBack()
        do throws(StorageError) {
            try beginSnapshot()
        } catch {
            // The caller still is inside the snapshot: its next statement must not run outside of one.
            machine.didLoseTransaction()
            isSnapshot = true
            isUnusedSnapshot = true
            throw error
        }
        return true
    }

    /// Prepares a text on the server. An empty name replaces the statement that was prepared without a name.
    func prepareOnServer(_ text: PostgresSQL, name: String) throws(StorageError) -> PostgresPreparation {
        // Statements that end a transaction whose connection was lost run without the server.
        if machine.hasLostTransaction, text.access.transactionEffect != nil {
            return PostgresPreparation(parameterTypes: [], columnNames: [], generation: -1)
        }
        guard try makeReady(for: .statement) else { throw Self.closedError }
        let api = api
        let sql = text.serverText
        _ = try send(sql: text.text) { api.pointee.prepare($0, name, sql, 0, nil) }
        unnamedStatement = name.isEmpty ? nil : unnamedStatement
        let generation = machine.generation
        let description = try send(sql: text.text) { api.pointee.describePrepared($0, name) }
        return PostgresPreparation(
            parameterTypes: description.parameterTypes, columnNames: description.columnNames,
            generation: generation)
    }

    /// Deallocates prepared statements that are no longer used. Not in a transaction, which an error would end: the
    /// program may have deallocated them.
    private func deallocateReleased() {
        guard !releasedNames.isEmpty, machine.isConnected, !isInTransaction else { return }
        let sql = releasedNames.map { "DEALLOCATE \($0)" }.joined(separator: ";")
        releasedNames = []
        _ = try? run(sql)
    }

    /// Runs a statement, with its effect on the transaction.
    ///
    /// - Returns: the answer of the server; `nil` if the statement ran without it.
    func run(_ statement: PostgresStatement, effect: TransactionEffect?, isReadOnly isReading: Bool)
        throws(StorageError) -> PostgresResult?
    {
        guard handle != nil else { throw Self.closedError }
        if !isReading, isReadOnly || options.access == .readOnly {
            throw Self.readOnlyError(sql: statement.sql)
        }
        try checkEffect(effect, sql: statement.sql)
        switch effect {
        case .commit:
            try commit(statement.sql)
            return nil
        case .rollback:
            try rollBack()
            return nil
        case .begin, .savepoint, .release, .rollbackTo, nil: break
        }
        if effect == .begin { try noteTokenOnStandby() }
        try updateServerReadOnlyMode()
        let result =
            isReading
            ? try execute(statement, effect) : try executeWriting(statement)
        isUnusedSnapshot = false
        if statement.deallocatesStatements { queryNames = [:] }
        note(effect)
        count(result)
        return result
    }

    private func execute(_ statement: PostgresStatement, _ effect: TransactionEffect?) throws(StorageError)
        -> PostgresResult
    {
        guard try makeReady(for: effect == .begin ? .begin : .statement) else { throw Self.closedError }
        return try statement.execute()
    }

    private func executeWriting(_ statement: PostgresStatement) throws(StorageError) -> PostgresResult {
        let isAlone = !isInTransaction
        var attempts = 0
        while true {
            guard try makeReady(for: .statement) else { throw Self.closedError }
            reports.willWrite()
            do throws(StorageError) {
                let result = try statement.execute()
                // The server has committed already.
                if isAlone, !isInTransaction {
                    _ = reports.willCommit()
                    reports.didEndTransaction(committed: true)
                }
                return result
            } catch {
                guard isAlone else { throw error }
                let state = error.sqlState.map { SQLState($0) }
                // The server has waited for a lock as long as it may.
                let hasWaited = state == .lockNotAvailable && options.busyTimeout != nil
                if state?.isTransient == true, !hasWaited, options.busyHandler?(attempts) == true {
                    attempts += 1
                    continue
                }
                reports.didEndTransaction(committed: false)
                throw error
            }
        }
    }

    private func note(_ effect: TransactionEffect?) {
        switch effect {
        case .begin: savepoints.didBegin()
        case .savepoint(let name): savepoints.didOpen(name, beganTransaction: false)
        case .release(let name): savepoints.didRelease(name)
        case .rollbackTo(let name): savepoints.didRollBack(to: name)
        case .commit, .rollback, nil: break
        }
    }

    private func count(_ result: PostgresResult) {
        let tag = result.commandTag
        guard ["INSERT", "UPDATE", "DELETE", "MERGE"].contains(where: { tag.hasPrefix($0) }) else { return }
        changesCount = result.affectedRowCount ?? 0
        totalChangesCount += changesCount
    }
}
