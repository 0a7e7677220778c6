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
    /// - Throws: as ``makeStatement(sql:)``.
    public func cachedStatement(sql: String) throws -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try makeStatement(sql: sql, isCached: true)
        statements[sql] = statement
        return statement
    }

    /// Runs one or several statements, and drops the rows that they return.
    ///
    /// - Parameter arguments: consumed by the statements one after the other.
    /// - Throws: `DatabaseError`. Statements that ran before the one that failed keep their effect.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        var arguments = arguments
        var offset = 0
        while let statement = try nextStatement(sql, &offset) {
            defer { statement.storage.finalize() }
            try statement.bind(from: &arguments, allowsRemainder: true)
            try statement.run()
        }
        guard arguments.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "too many statement arguments", sql: sql)
        }
    }

    private func makeStatement(sql: String, isCached: Bool) throws -> Statement {
        var offset = 0
        guard let statement = try nextStatement(sql, &offset, isCached: isCached) else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql)
        }
        guard try nextStatement(sql, &offset) == nil else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "more than one statement: use execute(sql:)", sql: sql)
        }
        return statement
    }

    /// The next statement of a text with several, or `nil` after the last.
    private func nextStatement(_ sql: String, _ offset: inout Int, isCached: Bool = false) throws
        -> Statement?
    {
        let count = sql.utf8.count
        while offset < count {
            let preparation: StoragePreparation
            do {
                preparation = try connection.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
            } catch {
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
        let access = statement.access
        if !recordings.isEmpty { record(DatabaseRegion(reading: access)) }
        guard !access.isReadOnly else { return }
        guard readOnlyDepth == 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database",
                sql: statement.sql)
        }
        announce(statement)
    }

    private func announce(_ statement: Statement) {
        announcedStatement = ObjectIdentifier(statement)
        changes?.statementWillRun(statement.observed)
    }

    /// Steps a statement. Others may have run since its last step, and may run in the middle of this one: what it
    /// changes is told as its own all the same.
    func stepping(_ statement: Statement, _ step: () throws(StorageError) -> Bool) throws(StorageError)
        -> Bool
    {
        let interrupted = steppedStatement
        steppedStatement = statement
        if announcedStatement != ObjectIdentifier(statement) { announce(statement) }
        defer {
            steppedStatement = interrupted
            if let interrupted { announce(interrupted) }
        }
        return try step()
    }

    /// What every statement passes after its last step.
    func didRun(_ access: StatementAccess) throws {
        if access.changesSchema { schemaDidChange() }
        guard let changes = observingChanges,
            !access.isReadOnly || access.transactionEffect != nil || changes.isPending
        else { return }
        try shieldedFromCancellation {
            try changes.statementDidEnd(effect: access.transactionEffect, failed: false, self)
        }
    }

    /// The same for a statement that failed: it may have ended the transaction all the same.
    ///
    /// - Throws: the error with which a transaction observer made it fail.
    func didFail() throws {
        guard let changes = observingChanges else { return }
        try shieldedFromCancellation {
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
        guard let changes = observingChanges else { return }
        try shieldedFromCancellation {
            try changes.statementDidEnd(effect: effect, failed: false, self)
        }
    }

    func schemaDidChange() {
        schema = SchemaCache()
        statements.removeAll()
    }

    /// A rollback undoes changes of the schema too.
    func schemaMayHaveChangedBack() {
        schema = SchemaCache()
    }
}
