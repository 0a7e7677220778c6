import VigilRegions
import VigilStorage

extension Database {
    /// Compiles a statement.
    ///
    /// To run an SQL text repeatedly, you do not need a statement of your own: the connection keeps the
    /// statements of ``execute(sql:arguments:)`` and of fetches. See
    /// ``Configuration/maximumKeptStatementCount``.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "UPDATE player SET score = ? WHERE id = ?")
    /// try statement.execute(arguments: [50, 2])
    /// ```
    ///
    /// - Throws: `DatabaseError` if the SQL does not compile, is empty, or contains more than one statement.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, isCached: false)
    }

    /// Returns a compiled statement from the connection's cache, and compiles it if necessary.
    ///
    /// A cached statement still has the arguments of its previous run. While a cursor iterates its rows, this
    /// method returns another statement, without caching it.
    ///
    /// - Throws: `DatabaseError` if the SQL does not compile, is empty, or contains more than one statement.
    public func cachedStatement(sql: String) throws -> Statement {
        checkConfinement()
        // After a change of the schema by another connection, a statement has outdated columns until it runs.
        if !schema.isCurrent, roles.server == nil { try? checkSchema() }
        if let statement = statementCaches.program.find(sql),
            (try? haveChanged(statement.attachedSchemas)) != true
        {
            return statement.run.isRunning ? try makeStatement(sql: sql) : statement
        }
        let statement = try makeStatement(sql: sql, isCached: true)
        statementCaches.program.insert(statement, for: sql)
        return statement
    }

    /// Returns a cursor over the statements of an SQL text. Each statement is compiled when the cursor
    /// reaches it, and can use the tables created by the previous ones.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: "INSERT INTO player (name) VALUES (?); DELETE FROM team")
    /// while let statement = try statements.next() {
    ///     print(statement.sql)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - sql: one or several statements.
    ///   - arguments: the arguments of all statements, consumed in order. If `nil`, the caller sets the
    ///     arguments of each statement.
    /// - Throws: `DatabaseError`, from the cursor's `next()`, if a statement does not compile.
    public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor
    {
        SQLStatementCursor(database: self, sql: sql, arguments: arguments)
    }

    /// Runs one or several statements, and discards their rows.
    ///
    /// - Parameters:
    ///   - sql: one or several statements.
    ///   - arguments: the arguments of all statements, consumed in order.
    /// - Throws: `DatabaseError` if a statement fails. The effects of the statements before it remain.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        if let statement = keptStatement(sql: sql) { return try executeKept(statement, arguments) }
        let statements = SQLStatementCursor(
            database: self, sql: sql, arguments: arguments, isCached: statementCaches.kept.keeps(sql))
        while let statement = try statements.next() {
            if statements.hasReturnedWholeText {
                try statements.checkThatNoArgumentsRemain()
                if keep(statement, for: sql) { return try executeKept(statement) }
            }
            defer { statement.storage.finalize() }
            try statement.execute()
        }
    }

    func makeStatement(sql: String, isCached: Bool) throws -> Statement {
        var offset = 0
        guard let statement = try nextStatement(sql, &offset, isCached: isCached) else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql)
        }
        guard isBlank(sql, from: &offset) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Multiple statements found. To execute multiple statements, use \
                    Database.execute(sql:) or Database.allStatements(sql:) instead.
                    """, sql: sql)
        }
        return statement
    }

    /// Returns whether no statement follows. Invalid text counts as a statement.
    private func isBlank(_ sql: String, from offset: inout Int) -> Bool {
        do {
            return try nextStatement(sql, &offset) == nil
        } catch {
            return false
        }
    }

    /// Compiles and returns the next statement of an SQL text, or `nil` after the last one.
    func nextStatement(_ sql: String, _ offset: inout Int, isCached: Bool = false) throws
        -> Statement?
    {
        try throwDeferredError()
        let count = sql.utf8.count
        while offset < count {
            let preparation: StoragePreparation
            do {
                preparation = try connection.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
            } catch {
                try checkCancellation(after: error)
                // It may compile after a change of the schema, and what it reads then is unknown.
                recordUnknownReads()
                throw DatabaseError(error)
            }
            let isStuck = preparation.endUTF8Offset <= offset
            offset = isStuck ? count : preparation.endUTF8Offset
            if let storage = preparation.statement {
                // It may set where names are looked up.
                if roles.server != nil, !storage.isReusable { schema.isCurrent = false }
                return Statement(database: self, storage: storage)
            }
        }
        return nil
    }

    // MARK: - Around a run

    /// Prepares for the first step of a run: records the region of the statement, and announces the
    /// statement to the ``coordinator`` if it may write.
    ///
    /// - Throws: `SQLITE_READONLY` if the statement may write inside a read-only block.
    func willRun(_ statement: Statement) throws {
        let observed = statement.observed
        if !recordings.isEmpty { statement.recordReads() }
        guard !observed.isReadOnly else { return }
        guard !activity.isReadOnly else {
            throw attemptToWrite(sql: statement.sql, arguments: statement.arguments)
        }
        activity.willRunWrite()
        announce(statement)
    }

    private func announce(_ statement: Statement) {
        guard reportsStatements else {
            activity.didAnnounce(nil)
            return
        }
        activity.didAnnounce(statement)
        coordinator?.statementWillRun(statement.observed)
    }

    /// Prepares for a step of a writing statement. Returns the statement interrupted in its own step, or
    /// `nil`.
    func willStep(_ statement: Statement) -> Statement? {
        let (interrupted, needsAnnouncement) = activity.willStep(statement)
        if needsAnnouncement { announce(statement) }
        return interrupted
    }

    func didStep(_ interrupted: Statement?) {
        activity.didStep(interrupted)
        if let interrupted { announce(interrupted) }
    }

    /// Handles the end of a successful run: updates the cached schema and the state of the transaction, and
    /// notifies the ``coordinator``.
    func didRun(_ statement: ObservedStatement) throws {
        if statement.access.changesSchema { schemaDidChange(by: statement.access) }
        let effect = statement.access.transactionEffect
        if statement.mayEndTransaction { updateTransaction(after: effect) }
        guard reportsStatements, let coordinator = observingCoordinator,
            statement.mayEndTransaction || coordinator.isPending,
            effect != nil || !isInsideWritingStatement
        else { return }
        try outsideTransactionBlocks {
            try coordinator.statementDidEnd(effect: effect, failed: false, self)
        }
    }

    /// Handles the end of a failed run. Even a failed statement may have ended the transaction.
    ///
    /// - Throws: the error of a transaction observer that made the statement fail.
    func didFail() throws {
        updateTransaction()
        guard reportsStatements, let coordinator = observingCoordinator, !isInsideWritingStatement else {
            return
        }
        try outsideTransactionBlocks {
            // If an observer prevents the commit of a RELEASE, SQLite undoes all changes but leaves the
            // transaction open.
            if coordinator.isCommitPrevented, isInsideTransaction {
                try? connection.perform(.rollback)
                updateTransaction(after: .rollback)
            }
            try coordinator.statementDidEnd(effect: nil, failed: true, self)
        }
    }

    /// The coordinator to notify of the end of a statement or transaction. It is not notified of read-only
    /// transactions. But a transaction begun outside a read-only block can end inside it.
    private var observingCoordinator: CommitCoordinator? {
        guard let coordinator else { return nil }
        return (!activity.isReadOnly && !configuration.readonly) || coordinator.isInTransaction
            ? coordinator : nil
    }

    /// Notifies the ``coordinator`` of the beginning or end of a transaction or savepoint.
    func didPerform(_ effect: TransactionEffect) throws {
        guard reportsStatements, let coordinator = observingCoordinator else { return }
        try outsideTransactionBlocks {
            try coordinator.statementDidEnd(effect: effect, failed: false, self)
        }
    }

    /// Discards cached statements and schema information after a change of the schema.
    func schemaDidChange() {
        schema.hasChanged = true
        schemaMayHaveChangedBack()
        removeCachedStatements()
    }

    /// Discards schema information and statements after a rollback: it also undoes changes of the schema.
    func schemaMayHaveChangedBack() {
        // Tables changed by the transaction without a notice have other versions.
        if roles.server == nil || schema.hasChanged { schema.cache = SchemaCache() }
        if schema.hasChanged {
            schema.changeCount += 1
            statementCaches.kept.removeAll()
        }
        schema.isCurrent = false
    }
}
