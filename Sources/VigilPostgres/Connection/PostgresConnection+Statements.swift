import CVigilPostgres
package import VigilStorage

extension PostgresConnection {
    package func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool)
        throws(StorageError) -> StoragePreparation
    {
        guard channel != nil else { throw Self.closedError }
        // Of a text with many statements, only once.
        if offset == 0 { try sql.checkForNullCharacterInSQL() }
        guard let text = try PostgresSQL.first(in: sql, fromUTF8Offset: offset) else {
            return StoragePreparation(statement: nil, endUTF8Offset: sql.utf8.count)
        }
        if let feature = text.unsupportedFeature {
            throw StorageError(.error, "\(feature) is not supported on PostgreSQL", sql: text.text)
        }
        try deallocateReleased()
        let name = isCached && text.isReusable ? statements.newName() : ""
        let preparation = try repeatingAfterLoss(isRepeatable: true) { () throws(StorageError) in
            try prepareOnServer(text, name: name)
        }
        return StoragePreparation(
            statement: PostgresStatement(connection: self, text: text, name: name, preparation: preparation),
            endUTF8Offset: text.endUTF8Offset)
    }

    /// Returns whether a failed statement can be run again as if for the first time: outside of a
    /// transaction, or as the first statement of a transaction, which is then begun again.
    func isBeforeFirstStatement() throws(StorageError) -> Bool {
        guard let beginning = transaction.unusedBeginning else { return !isInTransaction }
        if machine.isConnected || machine.hasLostTransaction { try rollBackOnServer() }
        isBeginningAgain = beginning != .statement
        defer { isBeginningAgain = false }
        do throws(StorageError) {
            try begin(beginning)
        } catch {
            guard beginning != .statement else { throw error }
            // The caller still is inside the transaction: its next statement must not run outside of one.
            machine.didLoseTransaction()
            transaction = OpenTransaction(beginning, interruptCount: canceller.count)
            throw error
        }
        return true
    }

    /// Prepares a text on the server. An empty name replaces the last statement prepared without a name.
    func prepareOnServer(_ text: PostgresSQL, name: String) throws(StorageError) -> PostgresPreparation {
        // The end of a lost transaction runs without the server.
        if machine.hasLostTransaction, text.access.transactionEffect != nil {
            return PostgresPreparation(parameterTypes: [], columnNames: [], generation: -1)
        }
        guard try makeReady(for: .statement) else { throw Self.closedError }
        try checkSession()
        try checkEncoding(for: text)
        try keepSettings()
        let sql = text.serverText
        if name.isEmpty { statements.unnamed = nil }
        let catalogVersion = catalogVersionOfFeed
        let answer = try send(sql: text.text) { channel in [channel.prepare(name, sql)].compactMap { $0 } }
        guard let description = answer.last else { throw Self.closedError }
        return PostgresPreparation(
            parameterTypes: description.parameterTypes, columnNames: description.columnNames,
            generation: machine.generation, catalogVersion: catalogVersion)
    }

    /// The version of the reported tables, replaced after each change of the catalog; `nil` without a feed.
    var catalogVersionOfFeed: Int? { tableReporting?.reportedTables.state.version }

    /// Returns the type below a domain, directly or through other domains; other types themselves.
    func baseType(of type: UInt32) throws(StorageError) -> UInt32 {
        guard type >= PostgresType.firstCreated, !isInFailedTransaction else { return type }
        if let known = statements.baseTypes[type] { return known }
        let rows = try query(
            """
            WITH RECURSIVE types (id, base) AS (
                SELECT oid, typbasetype FROM pg_type WHERE oid = $1::oid
                UNION ALL SELECT oid, typbasetype FROM pg_type JOIN types ON oid = base
            ) SELECT id FROM types WHERE base = 0
            """, [String(type)])
        // A snapshot may lack a new type.
        guard let base = rows.first?.first.flatMap({ UInt32($0) }) else { return type }
        statements.baseTypes[type] = base
        return base
    }

    /// Deallocates unused prepared statements, once there are many of them.
    ///
    /// A savepoint protects a transaction from an error: the program may have deallocated them. A snapshot
    /// has one already, and would return to it, beyond another one.
    func deallocateReleased() throws(StorageError) {
        guard machine.isConnected, !isInFailedTransaction,
            let sql = statements.takeDeallocation(inTransaction: isInTransaction)
        else { return }
        guard isInTransaction, !canRecoverSnapshot else {
            // The next command reports a loss.
            if (try? keepSettings()) != nil { _ = try? run(sql) }
            return
        }
        try run("SAVEPOINT vigil_deallocation")
        do throws(StorageError) {
            try run(sql)
        } catch {
            guard error.code != .connectionLost else { throw error }
            try run("ROLLBACK TO SAVEPOINT vigil_deallocation")
        }
        try run("RELEASE SAVEPOINT vigil_deallocation")
    }

    /// Runs a statement, with its effect on the transaction. Returns `nil` if it ran without the server.
    func run(_ statement: PostgresStatement, effect: TransactionEffect?, isReadOnly isReading: Bool)
        throws(StorageError) -> ResultStream?
    {
        guard channel != nil else { throw Self.closedError }
        if !isReading, refusesWrites { throw Self.readOnlyError(sql: statement.sql) }
        try checkEffect(effect, sql: statement.sql)
        try checkEncoding(for: statement.text)
        switch effect {
        case .commit:
            try commit(statement.sql)
            return nil
        case .rollback:
            try rollBack()
            return nil
        case .begin, .savepoint, .release, .rollbackTo, nil: break
        }
        if effect == .begin { try prepareToBegin() }
        if statement.mayChangeSession { transaction.identity = nil }
        let rows = isReading ? try runReading(statement, effect) : try runWriting(statement)
        if effect == .begin { transaction = OpenTransaction() }
        transaction.didRunStatement()
        if statement.deallocatesStatements { statements.didDeallocateAll() }
        if statement.changesSettings { session.hasChangedSettings = true }
        if statement.changesTransactionSettings { transaction.hasNewSettings = true }
        recordSavepoint(effect)
        if rows.isComplete { count(rows.current) }
        return rows
    }

    var refusesWrites: Bool { isReadOnly || options.access == .readOnly }

    private func runReading(_ statement: PostgresStatement, _ effect: TransactionEffect?)
        throws(StorageError) -> ResultStream
    {
        guard try makeReady(for: effect == .begin ? .begin : .statement) else { throw Self.closedError }
        // A function in the statement must not write either.
        if effect == nil, refusesWrites, !isInTransaction, statement.runsQuery { try begin(.statement) }
        try keepSettings()
        do throws(StorageError) {
            let rows = try statement.execute()
            stream = rows
            streamDidAdvance()
            return rows
        } catch {
            endImplicitTransaction()
            throw error
        }
    }

    /// Sends a statement, and returns its rows: they are received later, if it only reads.
    func execute(_ statement: PostgresStatement, name: String, _ parameters: EncodedParameters)
        throws(StorageError) -> ResultStream
    {
        guard try makeReady(for: .statement), let channel else { throw Self.closedError }
        let api = api
        let isReading = statement.textAccess.isReadOnly
        let (wasInTransaction, interruptCount) = (isInTransaction, canceller.count)
        let send = { (handle: OpaquePointer) in
            parameters.withPointers { count, values, lengths, formats in
                api.pointee.sendQueryPrepared(handle, name, count, values, lengths, formats, 0)
            }
        }
        var first: PostgresResult?
        if isReading {
            first = channel.beginRows(send)
            if first?.status != PostgresResultStatus.singleTuple {
                while first != nil, channel.nextResult() != nil {}
                channel.end()
            }
        } else {
            first = channel.run(send).last
        }
        try check(
            first, during: .statement, wasInTransaction: wasInTransaction, sql: statement.sql,
            isInterrupted: interruptCount != canceller.count)
        guard let first else { throw Self.closedError }
        return ResultStream(
            channel, first: first, isComplete: first.status != PostgresResultStatus.singleTuple,
            wasInTransaction: wasInTransaction)
    }

    /// Handles the end of the running statement, if it has ended.
    func streamDidAdvance() {
        guard let stream, stream.isComplete else { return }
        self.stream = nil
        if stream.isLost {
            machine.didLose(during: .statement, wasInTransaction: stream.wasInTransaction)
        } else if stream.failure != nil {
            recoverSnapshot()
        }
        endImplicitTransaction()
    }

    /// Ends the run of a statement before its last row.
    func end(_ rows: ResultStream) {
        guard stream === rows else { return }
        // If many rows are left, the server stops sending them. The resulting error ends a transaction, but
        // not a snapshot, and undoes the writes of a function in the statement.
        if !rows.skip(Self.skippedRowCount), canRecoverSnapshot || transaction.isImplicit {
            canceller.cancelCommand()
        }
        _ = rows.skip(.max)
        streamDidAdvance()
    }

    /// The number of rows to read at the end of a run, before the server is asked to stop: asking takes a
    /// connection.
    private static let skippedRowCount = 1_000

    private func runWriting(_ statement: PostgresStatement) throws(StorageError) -> ResultStream {
        let isAlone = !isInTransaction
        var attempts = 0
        while true {
            guard try makeReady(for: .statement) else { throw Self.closedError }
            reporter.willWrite()
            do throws(StorageError) {
                let result = try statement.execute()
                // The server has committed already.
                if isAlone, !isInTransaction {
                    _ = reporter.willCommit()
                    reporter.didEndTransaction(committed: true)
                }
                return result
            } catch {
                guard isAlone else { throw error }
                let state = error.sqlState.map { SQLState($0) }
                // The server has waited for a lock as long as it may.
                let hasWaited = state == .lockNotAvailable && options.busyTimeout != nil
                if state?.isBusy == true, !hasWaited, options.busyHandler?(attempts) == true {
                    attempts += 1
                    continue
                }
                reporter.didEndTransaction(committed: false)
                throw error
            }
        }
    }

    private func recordSavepoint(_ effect: TransactionEffect?) {
        switch effect {
        case .savepoint(let name): transaction.savepoints.didOpen(name, beganTransaction: false)
        case .release(let name): transaction.savepoints.didRelease(name)
        case .rollbackTo(let name): transaction.savepoints.didRollBack(to: name)
        case .begin, .commit, .rollback, nil: break
        }
    }

    func count(_ result: PostgresResult) {
        let tag = result.commandTag
        guard ["INSERT", "UPDATE", "DELETE", "MERGE"].contains(where: { tag.hasPrefix($0) }) else { return }
        changeCounts.add(result.affectedRowCount ?? 0)
    }
}
