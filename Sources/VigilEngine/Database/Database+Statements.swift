import VigilRegions
import VigilStorage

extension Database {
    /// Compiles a statement.
    ///
    /// - Throws: `DatabaseError` if the SQL does not compile, is empty, or holds more than one statement.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, isCached: false)
    }

    /// A statement that the connection keeps for the next time. Its arguments are those that it was run with last.
    ///
    /// While a cursor reads the rows of the kept statement, another one is returned, which is not kept.
    ///
    /// - Throws: as ``makeStatement(sql:)``.
    public func cachedStatement(sql: String) throws -> Statement {
        checkConfinement()
        if let statement = statements.find(sql) {
            return statement.isRunning ? try makeStatement(sql: sql) : statement
        }
        let statement = try makeStatement(sql: sql, isCached: true)
        statements.insert(statement, for: sql)
        return statement
    }

    /// The statements of a text with several, one after the other. Each is compiled when it is asked for, so that it
    /// can use the tables that those before it made.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: "INSERT INTO player (name) VALUES (?); DELETE FROM team")
    /// while let statement = try statements.next() {
    ///     print(statement.sql)
    /// }
    /// ```
    ///
    /// - Parameter arguments: consumed by the statements one after the other; `nil` leaves it to the caller to set
    ///   them.
    public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor
    {
        SQLStatementCursor(database: self, sql: sql, arguments: arguments)
    }

    /// Runs one or several statements, and drops the rows that they return.
    ///
    /// - Parameter arguments: consumed by the statements one after the other.
    /// - Throws: `DatabaseError`. Statements that ran before the one that failed keep their effect.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        let statements = SQLStatementCursor(database: self, sql: sql, arguments: arguments)
        while let statement = try statements.next() {
            defer { statement.storage.finalize() }
            try statement.execute()
        }
    }

    private func makeStatement(sql: String, isCached: Bool) throws -> Statement {
        var offset = 0
        guard let statement = try nextStatement(sql, &offset, isCached: isCached) else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql)
        }
        guard isBlank(sql, from: &offset) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "more than one statement: use execute(sql:) or allStatements(sql:)", sql: sql)
        }
        return statement
    }

    /// Whether no statement follows. One that does not compile is one.
    private func isBlank(_ sql: String, from offset: inout Int) -> Bool {
        do {
            return try nextStatement(sql, &offset) == nil
        } catch {
            return false
        }
    }

    /// The next statement of a text with several, or `nil` after the last.
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
                // It may compile once the schema is another one. What it will read then is not known.
                record(.fullDatabase)
                throw DatabaseError(error)
            }
            let isStuck = preparation.endUTF8Offset <= offset
            offset = isStuck ? count : preparation.endUTF8Offset
            if let storage = preparation.statement { return Statement(database: self, storage: storage) }
        }
        return nil
    }

    // MARK: - Around a run

    /// What every statement passes before its first step.
    func willRun(_ statement: Statement) throws {
        let observed = statement.observed
        if !recordings.isEmpty { record(statement.boundRegion) }
        guard !observed.isReadOnly else { return }
        guard readOnlyDepth == 0 else {
            throw DatabaseError.attemptToWrite(sql: statement.sql)
        }
        hasRunWrites = true
        announce(statement)
    }

    private func announce(_ statement: Statement) {
        guard isHeard else {
            announcedStatement = nil
            return
        }
        announcedStatement = ObjectIdentifier(statement)
        changes?.statementWillRun(statement.observed)
    }

    /// Answers the statement in the middle of whose step this one is stepped.
    func willStep(_ statement: Statement) -> Statement? {
        let interrupted = steppedStatement
        steppedStatement = statement
        if announcedStatement != ObjectIdentifier(statement) { announce(statement) }
        return interrupted
    }

    func didStep(_ interrupted: Statement?) {
        steppedStatement = interrupted
        if let interrupted { announce(interrupted) }
    }

    /// What every statement passes after its last step.
    func didRun(_ statement: ObservedStatement) throws {
        if statement.access.changesSchema { schemaDidChange(by: statement.access) }
        let effect = statement.access.transactionEffect
        if statement.mayEndTransaction { noteTransaction(after: effect) }
        guard isHeard, let changes = observingChanges, statement.mayEndTransaction || changes.isPending,
            effect != nil || !isInsideWritingStatement
        else { return }
        try outsideTransactionBlocks {
            try changes.statementDidEnd(effect: effect, failed: false, self)
        }
    }

    /// The same for a statement that failed: it may have ended the transaction all the same.
    ///
    /// - Throws: the error with which a transaction observer made it fail.
    func didFail() throws {
        noteTransaction()
        guard isHeard, let changes = observingChanges, !isInsideWritingStatement else { return }
        try outsideTransactionBlocks {
            // After an objection to a RELEASE, SQLite has undone everything but leaves the transaction open.
            if changes.isCommitPrevented, isInsideTransaction { try? connection.perform(.rollback) }
            try changes.statementDidEnd(effect: nil, failed: true, self)
        }
    }

    /// Who hears how transactions end. Nobody hears of those that can only read; but inside of a read-only block, a
    /// transaction that was begun outside can end.
    private var observingChanges: ChangeHub? {
        guard let changes else { return nil }
        return (readOnlyDepth == 0 && !configuration.readonly) || changes.isInTransaction ? changes : nil
    }

    /// What every statement passes that begins, marks or ends a transaction.
    func didPerform(_ effect: TransactionEffect) throws {
        guard isHeard, let changes = observingChanges else { return }
        try outsideTransactionBlocks {
            try changes.statementDidEnd(effect: effect, failed: false, self)
        }
    }

    func schemaDidChange() {
        schemaMayHaveChangedBack()
        statements.removeAll()
    }

    /// A rollback undoes changes of the schema too.
    func schemaMayHaveChangedBack() {
        schema = SchemaCache()
        schemaCheck.isCurrent = false
    }
}
