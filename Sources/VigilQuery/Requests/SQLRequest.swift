public import VigilEngine
import VigilStorage

/// A request for an SQL query.
///
/// ```swift
/// let request: SQLRequest<Int> = "SELECT MAX(score) FROM player WHERE team = \(team)"
/// let best = try request.fetchOne(db)
///
/// extension Player {
///     static func named(_ name: String) -> SQLRequest<Player> {
///         "SELECT * FROM player WHERE name = \(name)"
///     }
/// }
/// ```
///
/// Without a type, `SQLRequest(sql: …)` fetches rows.
public struct SQLRequest<RowDecoder>: Sendable {
    /// The adapter of the rows; `nil` if they are not adapted.
    public var adapter: (any RowAdapter)?

    package let sqlLiteral: SQL
    let isCached: Bool

    private init(_ sqlLiteral: SQL, _ adapter: (any RowAdapter)?, isCached: Bool) {
        self.sqlLiteral = sqlLiteral
        self.adapter = adapter
        self.isCached = isCached
    }

    /// Creates a request from SQL text.
    ///
    /// ```swift
    /// let request = SQLRequest<String>(sql: "SELECT name FROM player WHERE score > ?", arguments: [1000])
    /// ```
    ///
    /// - Parameters:
    ///   - sql: the query.
    ///   - arguments: the values of its parameters.
    ///   - adapter: adapts the columns of the rows.
    ///   - cached: whether the connection caches the compiled statement.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(SQL(sql: sql, arguments: arguments), adapter, isCached: cached)
    }

    /// Creates a request from a piece of SQL.
    ///
    /// - Parameters:
    ///   - sqlLiteral: the query, along with its values.
    ///   - adapter: adapts the columns of the rows.
    ///   - cached: whether the connection caches the compiled statement.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }
}

// Lets `SQLRequest(sql: …)` fetch rows if no type is given.
extension SQLRequest where RowDecoder == Row {
    /// Creates a request for rows from SQL text.
    ///
    /// - Parameters:
    ///   - sql: the query.
    ///   - arguments: the values of its parameters.
    ///   - adapter: adapts the columns of the rows.
    ///   - cached: whether the connection caches the compiled statement.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(SQL(sql: sql, arguments: arguments), adapter, isCached: cached)
    }

    /// Creates a request for rows from a piece of SQL.
    ///
    /// - Parameters:
    ///   - sqlLiteral: the query, along with its values.
    ///   - adapter: adapts the columns of the rows.
    ///   - cached: whether the connection caches the compiled statement.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }
}

extension SQLRequest: FetchRequest, StatementRegionConvertible {
    /// The query as a subquery, without a semicolon or a comment at its end.
    public var sqlSubquery: SQLSubquery { SQLSubquery(EmbeddedStatement(sqlLiteral: sqlLiteral)) }

    /// Compiles the query, or takes the statement from the cache, and sets its arguments.
    ///
    /// - Throws: `DatabaseError` if the SQL does not compile, or if arguments are missing.
    public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool = false) throws
        -> PreparedRequest
    {
        let (sql, arguments) = try sqlLiteral.build(db)
        let statement = isCached ? try db.cachedStatement(sql: sql) : try db.leaseStatement(sql: sql)
        try statement.setArguments(arguments)
        return PreparedRequest(statement: statement, adapter: adapter)
    }
}

/// A statement's SQL within another statement. Comments and semicolons around it are omitted, because they
/// would hide or end the text after it.
struct EmbeddedStatement: SQLFragment {
    let sqlLiteral: SQL

    func write(to writer: inout SQLWriter) throws {
        let (sql, arguments) = try sqlLiteral.build(writer.db, withLiterals: writer.writesLiterals)
        try writer.write(sql.trimmedSQL, binding: arguments)
    }
}

extension SQLRequest: ExpressibleByStringInterpolation {
    /// Creates a request from a literal.
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }
    /// Creates a request from a literal.
    public init(extendedGraphemeClusterLiteral: String) { self.init(sql: extendedGraphemeClusterLiteral) }
    /// Creates a request from a literal.
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }

    /// Creates a request from a literal with interpolations.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(literal: SQL(stringInterpolation: sqlInterpolation))
    }
}
