import CVigilSQLite
package import VigilStorage

extension SQLiteConnection {
    package func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool)
        throws(StorageError) -> StoragePreparation
    {
        let handle = try openHandle()
        // Of a text with many statements, only once.
        if offset == 0 { try sql.checkForNullCharacterInSQL() }
        // A statement compiled before the triggers are created would have to be recompiled.
        if !runsInternalStatement { reporter.willBegin() }
        let outer = recorder
        // The outer recorder holds unprocessed accesses of a running statement.
        if !outer.isEmpty { recorder = AccessRecorder(like: outer) }
        let outerSchema = reachedSchema
        if !options.trustsFile { reachedSchema = ReachedSchema() }
        defer {
            recorder = outer
            reachedSchema = outerSchema
        }
        // Unless every row must be reported, compile without the hook: a deletion of all rows of a table then
        // stays fast, and is reported as a change of the table.
        reporter.suspendRowHook()
        var compilation = compile(sql, fromUTF8Offset: offset, isCached: isCached, handle: handle)
        reporter.resumeRowHook()
        if compilation.code != SQLiteCode.ok {
            let refusedPragma = recorder.finish().refusedPragma
            let text = sql.firstStatement(fromUTF8Offset: offset)
            if let refusedPragma { throw SQLitePragma(refusedPragma).refusal(sql: text) }
            let error = lastError(compilation.code, sql: text)
            guard dropStaleTriggers(after: compilation.code) else { throw explainedSyntaxError(error) }
            compilation = compile(sql, fromUTF8Offset: offset, isCached: isCached, handle: handle)
            guard compilation.code == SQLiteCode.ok else { throw lastError(compilation.code, sql: text) }
        }
        guard let statement = compilation.statement else {
            _ = recorder.finish()
            return StoragePreparation(statement: nil, endUTF8Offset: compilation.end)
        }
        let text = api.pointee.sql(statement).map { String(cString: $0) } ?? ""
        if encryption.attachesUnencrypted, !runsInternalStatement, isUnencryptedAttachment(text) {
            _ = api.pointee.finalize(statement)
            _ = recorder.finish()
            throw Self.unencryptedAttachment(text)
        }
        var (access, effects) = finishRecording(of: text)
        access.isReadOnly =
            api.pointee.stmt_readonly(statement) != 0 || asksForJournalMode(text)
            || SQLTokens.isExplanation(text)
        if !library.reportsReadsWithoutColumn, !runsInternalStatement {
            addReadsWithoutColumn(of: text, to: &access)
        }
        reporter.widen(&access)
        virtualTableReads.widen(&access)
        reachedSchema?.isCompiled = true
        return StoragePreparation(
            statement: SQLiteStatement(
                connection: self, handle: statement, sql: text, access: access, effects: effects,
                precautions: precautions(for: text, effects), reachedSchema: reachedSchema),
            endUTF8Offset: compilation.end)
    }

    /// Returns whether this is `PRAGMA journal_mode` without a value: a read, but reported as a write.
    private func asksForJournalMode(_ sql: String) -> Bool {
        guard !sql.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "(") }) else {
            return false
        }
        let words = SQLTokens(sql)
        return words.startsWith(["PRAGMA"]) && words.words.last?.isSameName(as: "journal_mode") == true
    }

    private struct Compilation {
        var code: Int32
        var statement: OpaquePointer?
        var end: Int
    }

    private func compile(
        _ sql: String, fromUTF8Offset offset: Int, isCached: Bool, handle: OpaquePointer
    ) -> Compilation {
        sql.withCString { start in
            var statement: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            let outerSQL = vigil_exchange_compiled_sql(start + offset)
            defer { _ = vigil_exchange_compiled_sql(outerSQL) }
            let code: Int32
            if isCached, let prepare = api.pointee.prepare_v3 {
                let persistent: UInt32 = 1
                code = prepare(handle, start + offset, -1, persistent, &statement, &tail)
            } else {
                code = api.pointee.prepare_v2(handle, start + offset, -1, &statement, &tail)
            }
            return Compilation(code: code, statement: statement, end: tail.map { $0 - start } ?? offset)
        }
    }

    /// Compiles an internal statement of the driver, without recording its accesses.
    func compileInternally(_ sql: String) throws(StorageError) -> OpaquePointer {
        let handle = try openHandle()
        try sql.checkForNullCharacterInSQL()
        let outer = recorder
        recorder = AccessRecorder()
        defer { recorder = outer }
        var statement: OpaquePointer?
        let code = api.pointee.prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLiteCode.ok, let statement else { throw lastError(code, sql: sql) }
        return statement
    }

    /// Runs an internal statement of the driver, and returns its rows.
    package func query(_ sql: String, _ values: [StorageValue] = []) throws(StorageError) -> [[StorageValue]]
    {
        try withInternalStatements(recordsApart: true) { () throws(StorageError) -> [[StorageValue]] in
            guard let statement = try prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
                return []
            }
            defer { statement.finalize() }
            for (index, value) in values.enumerated() {
                try statement.bind(value, at: index + 1)
            }
            var rows: [[StorageValue]] = []
            while try statement.step() {
                rows.append((0..<statement.row.count).map { statement.row[$0].value })
            }
            return rows
        }
    }

    package func run(_ sql: String) throws(StorageError) {
        _ = try query(sql)
    }

    package var isInTransaction: Bool {
        handle.map { api.pointee.get_autocommit($0) == 0 } ?? false
    }

    package func perform(_ command: TransactionCommand) throws(StorageError) {
        // Another connection may commit a schema with the version of one that was rolled back.
        defer { if command.undoesChanges { ownStatements.forgetSchemaVersions() } }
        do throws(StorageError) {
            try run(command)
        } catch  where command.undoesChanges && error.code.primary == .interrupt {
            // An interrupt lasts while any statement runs, and nothing may prevent a rollback. A function
            // must not end its calling statement.
            guard forcedRollbacks.functionDepth == 0 else {
                forcedRollbacks.isPending = true
                throw error
            }
            endRunningStatements()
            try run(command)
        }
    }

    /// Rolls back if a function could not, once its calling statement has ended.
    func rollBackAfterFunctions() {
        guard forcedRollbacks.isPending, forcedRollbacks.functionDepth == 0 else { return }
        forcedRollbacks.isPending = false
        if isInTransaction { try? perform(.rollback) }
    }

    private func run(_ command: TransactionCommand) throws(StorageError) {
        _ = try openHandle()
        if command.begins {
            reporter.transactionMayBegin()
            reporter.willBegin()
            // Nothing compiles while another connection changes the schema in a shared cache.
            if sharesCache { _ = try commandStatement(.rollback) }
        }
        let statement = try commandStatement(command)
        let outer = recorder
        if !outer.isEmpty { recorder = AccessRecorder(like: outer) }
        let code = api.pointee.step(statement.handle)
        // A commit makes full-text tables compile internal statements. The next statement does not run them.
        if !recorder.isEmpty { _ = recorder.finish() }
        recorder = outer
        let end = statement.isCached ? api.pointee.reset : api.pointee.finalize
        guard code == SQLiteCode.done else {
            let error = lastError(code, sql: command.sql)
            _ = end(statement.handle)
            throw error
        }
        _ = end(statement.handle)
        switch command {
        case .beginDeferred, .beginImmediate, .beginExclusive:
            reporter.hasWritten = false
            forcedRollbacks.isPending = false
        case .rollbackTo: reporter.didRollBackToSavepoint()
        case .commit, .rollback: forcedRollbacks.isPending = false
        case .savepoint, .release: break
        }
    }

    private func endRunningStatements() {
        forcedRollbacks.count += 1
        for statement in statementHandles { _ = api.pointee.reset(statement) }
    }

    /// The library's handles of all statements of the connection.
    var statementHandles: UnfoldSequence<OpaquePointer, OpaquePointer?> {
        sequence(state: nil) { [api, handle] last in
            last = handle.flatMap { api.pointee.next_stmt($0, last) }
            return last
        }
    }

    package func beginSnapshot() throws(StorageError) {
        try perform(.beginDeferred)
        do throws(StorageError) {
            // A new transaction has no snapshot yet: its first read takes it. Nothing else changes a private
            // database.
            if !isPrivate { try readFirstPage() }
        } catch {
            try? perform(.rollback)
            throw error
        }
    }

    /// Runs a statement on the schema table. The library then notices a schema changed by another connection.
    func readFirstPage() throws(StorageError) {
        if ownStatements.snapshot == nil {
            ownStatements.snapshot = try compileInternally("SELECT rootpage FROM sqlite_master LIMIT 1")
        }
        guard let statement = ownStatements.snapshot else { return }
        try withInternalStatements { () throws(StorageError) in
            let code = api.pointee.step(statement)
            let error = code == SQLiteCode.row || code == SQLiteCode.done ? nil : lastError(code)
            _ = api.pointee.reset(statement)
            recorder.begin()
            if let error { throw error }
        }
    }

    private func commandStatement(_ command: TransactionCommand) throws(StorageError)
        -> (handle: OpaquePointer, isCached: Bool)
    {
        if let statement = ownStatements.commands[command] { return (statement, true) }
        let statement = try compileInternally(command.sql)
        ownStatements.commands[command] = statement
        return (statement, CommandStatements.keeps(command))
    }

    func installAuthorizer() {
        guard let handle else { return }
        _ = api.pointee.set_authorizer(
            handle,
            { context, action, first, second, schema, source in
                guard let context else { return SQLiteCode.ok }
                let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
                connection.reachedSchema?.record(
                    action, first: first, second: second, source: source)
                // Reads of the driver's own triggers are not recorded.
                if let source, isNameOfRowImageTrigger(source) { return SQLiteCode.ok }
                if connection.encryption.attachment != nil { connection.endAttachment(before: action) }
                connection.schemas.record(action, in: schema)
                connection.recordFunction(action, first: first, second: second)
                return connection.recorder.record(
                    action, first: first, second: second, schema: schema, source: source,
                    isDuringRun: connection.reporter.runs.depth > 0)
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}

extension SQLiteConnection {
    package func sql(of command: TransactionCommand) -> String { command.sql }

    package func setsReadOnlyMode(_ sql: String) -> Bool {
        let tokens = SQLTokens(sql).tokens
        guard let first = tokens.first, first.isWord("pragma") else { return false }
        let hasSchema = tokens.count > 3 && tokens[2].isSymbol(".")
        return tokens.dropFirst(hasSchema ? 3 : 1).first?.isWord("query_only") ?? false
    }
}

/// Rollbacks of interrupted transactions, which require the end of running statements.
struct ForcedRollbacks {
    /// The number of times that running statements were ended to make a rollback possible.
    var count = 0
    /// The number of running functions of the program.
    var functionDepth = 0
    /// Whether a function could not roll back: the statement that called it fails first.
    var isPending = false
}

extension TransactionCommand {
    /// Whether the command undoes changes, of a transaction or since a savepoint.
    fileprivate var undoesChanges: Bool {
        switch self {
        case .rollback, .rollbackTo: true
        case .beginDeferred, .beginImmediate, .beginExclusive, .commit, .savepoint, .release: false
        }
    }

    /// Whether a transaction is open after the command, if none was before.
    var begins: Bool {
        switch self {
        case .beginDeferred, .beginImmediate, .beginExclusive, .savepoint: true
        case .commit, .rollback, .release, .rollbackTo: false
        }
    }

    var sql: String {
        switch self {
        case .beginDeferred: "BEGIN DEFERRED TRANSACTION"
        case .beginImmediate: "BEGIN IMMEDIATE TRANSACTION"
        case .beginExclusive: "BEGIN EXCLUSIVE TRANSACTION"
        case .commit: "COMMIT TRANSACTION"
        case .rollback: "ROLLBACK TRANSACTION"
        case .savepoint(let name): "SAVEPOINT \(name.quotedSQLName)"
        case .release(let name): "RELEASE SAVEPOINT \(name.quotedSQLName)"
        case .rollbackTo(let name): "ROLLBACK TRANSACTION TO SAVEPOINT \(name.quotedSQLName)"
        }
    }
}
