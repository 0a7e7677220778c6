public import VigilEngine

extension Database {
    /// Executes one or several statements, and discards their rows.
    ///
    /// ```swift
    /// try db.execute(literal: "UPDATE player SET score = \(score) WHERE id = \(id)")
    /// ```
    ///
    /// - Throws: `DatabaseError`. The changes of the statements before the failed one remain.
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// Compiles a statement, and sets its arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(literal: "DELETE FROM player WHERE id = \(id)")
    /// ```
    ///
    /// - Throws: `DatabaseError` if the SQL does not compile, is empty, or contains more than one statement,
    ///   and if arguments are missing.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a statement from the connection's cache of compiled statements, with its arguments set.
    ///
    /// - Throws: The errors of ``makeStatement(literal:)``.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a cursor over the statements in an SQL text, with their arguments set.
    ///
    /// If the SQL has no arguments at all, the caller sets the arguments of each statement.
    ///
    /// - Throws: `DatabaseError` if the SQL cannot be built. The cursor throws if a statement does not
    ///   compile.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
