public import VigilEngine

extension Database {
    /// Runs one or several statements, and drops the rows that they return.
    ///
    /// ```swift
    /// try db.execute(literal: "UPDATE player SET score = \(score) WHERE id = \(id)")
    /// ```
    ///
    /// - Throws: `DatabaseError`. Statements that ran before the one that failed keep their effect.
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// Compiles a statement, and sets its arguments.
    ///
    /// - Throws: `DatabaseError` if the SQL does not compile, is empty, or holds more than one statement, and if
    ///   arguments are missing.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// A statement that the connection keeps for the next time, with its arguments set.
    ///
    /// - Throws: as ``makeStatement(literal:)``.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// The statements of a text with several, one after the other, with their arguments. If there are no arguments
    /// at all, it is left to the caller to set them.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
