public import VigilEngine

/// A request that is written in SQL.
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
public struct SQLRequest<RowDecoder>: Sendable {
    /// What changes the columns of the rows.
    public var adapter: (any RowAdapter)?

    package let sqlLiteral: SQL
    private let isCached: Bool

    private init(_ sqlLiteral: SQL, _ adapter: (any RowAdapter)?, isCached: Bool) {
        self.sqlLiteral = sqlLiteral
        self.adapter = adapter
        self.isCached = isCached
    }

    /// A request for SQL with parameters.
    ///
    /// - Parameters:
    ///   - arguments: the values of the parameters.
    ///   - cached: whether the connection keeps the compiled statement for the next time.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(SQL(sql: sql, arguments: arguments), adapter, isCached: cached)
    }

    /// A request for a piece of SQL with its values.
    ///
    /// - Parameter cached: whether the connection keeps the compiled statement for the next time.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }
}

// `SQLRequest(sql: …)` without a type fetches rows.
extension SQLRequest where RowDecoder == Row {
    /// A request of rows for SQL with parameters.
    ///
    /// - Parameters:
    ///   - arguments: the values of the parameters.
    ///   - cached: whether the connection keeps the compiled statement for the next time.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(SQL(sql: sql, arguments: arguments), adapter, isCached: cached)
    }

    /// A request of rows for a piece of SQL with its values.
    ///
    /// - Parameter cached: whether the connection keeps the compiled statement for the next time.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }
}

extension SQLRequest: FetchRequest {
    public var sqlSubquery: SQLSubquery { SQLSubquery(sqlLiteral) }

    public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool = false) throws
        -> PreparedRequest
    {
        let (sql, arguments) = try sqlLiteral.build(db)
        let statement = isCached ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
        try statement.setArguments(arguments)
        return PreparedRequest(statement: statement, adapter: adapter)
    }
}

extension SQLRequest: ExpressibleByStringInterpolation {
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }
    public init(extendedGraphemeClusterLiteral: String) { self.init(sql: extendedGraphemeClusterLiteral) }
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }

    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(literal: SQL(stringInterpolation: sqlInterpolation))
    }
}
