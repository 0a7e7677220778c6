import VigilRegions
import VigilStorage

// Statements kept for later runs of the same text. They are never shared with the program's own statements:
// only the cache and the code of the current run refer to a kept statement.
extension Database {
    /// Returns a compiled statement for exclusive use, and compiles it if necessary.
    ///
    /// The caller sets all arguments, and can run the statement until it releases it. Then it can be used
    /// again by others, with the same text.
    @usableFromInline  // bench: decode-rows
    package func leaseStatement(sql: String) throws -> Statement {
        if let statement = keptStatement(sql: sql) { return statement }
        let statement = try makeStatement(sql: sql, isCached: statementCaches.kept.keeps(sql))
        keep(statement, for: sql)
        return statement
    }

    /// Returns the kept statement for a text, unless it is in use.
    func keptStatement(sql: String) -> Statement? {
        checkConfinement()
        guard statementCaches.kept.keeps(sql) else { return nil }
        // SQLite compiles a statement again when it runs and its tables have changed. But the statement may
        // be asked for its columns and tables before it runs, and it does not notice a new table that hides
        // one of its own.
        if !schema.isCurrent, roles.server == nil {
            do { try checkSchema() } catch { return nil }
        }
        // A statement may still be running after its user released it on another thread.
        guard let statement = statementCaches.kept.findUnused(sql), !statement.run.isRunning,
            (try? haveChanged(statement.attachedSchemas)) == false
        else { return nil }
        return statement
    }

    /// Returns the attached databases whose tables a statement reads or writes.
    func attachedSchemas(of access: StatementAccess) -> Set<DatabaseSchemaID> {
        guard roles.server == nil else { return [] }
        let tables = access.reads.map(\.table) + access.writes.map(\.table)
        return Set(tables.map { DatabaseSchemaID(name: $0.schema) }).subtracting([.main, .temp])
    }

    /// Keeps a compiled statement, and returns whether it did: not if the text may get another meaning, nor
    /// if another statement is already kept for it.
    @discardableResult
    func keep(_ statement: Statement, for sql: String) -> Bool {
        guard statement.isReusable, statementCaches.kept.keeps(sql), !statementCaches.kept.contains(sql)
        else {
            return false
        }
        statementCaches.kept.insert(statement, for: sql)
        statement.didKeep()
        return true
    }

    /// Runs a kept statement to its end, with its current arguments if `nil`, and then releases large ones.
    func executeKept(_ statement: Statement, _ arguments: StatementArguments? = nil) throws {
        defer { statement.releaseLargeArguments() }
        try statement.execute(arguments: arguments)
    }

    /// Releases the large arguments of idle kept statements. Called when an access ends.
    func releaseLargeArguments() {
        statementCaches.hasLargeArguments = statementCaches.kept.releaseLargeArguments()
    }

    /// Releases all cached statements. Statements in use are finalized when their users release them.
    func removeCachedStatements() {
        statementCaches.program.removeAll()
        statementCaches.kept.removeAll()
    }
}
