public import VigilEngine

/// A table of a query's rows that exists only in one statement.
///
/// ```swift
/// // WITH best AS (SELECT * FROM player ORDER BY score DESC LIMIT 10) SELECT * FROM best
/// let best = CommonTableExpression<Player>(
///     named: "best", request: Player.order(Column("score").desc).limit(10))
/// let players = try best.all().with(best).order(Column("name")).fetchAll(db)
/// ```
///
/// A recursive expression can refer to itself:
///
/// ```swift
/// let counter = CommonTableExpression<Int>(
///     recursive: true, named: "counter", columns: ["x"],
///     sql: "VALUES (1) UNION ALL SELECT x + 1 FROM counter WHERE x < ?", arguments: [10])
/// let numbers = try counter.all().with(counter).fetchAll(db)
/// ```
public struct CommonTableExpression<RowDecoder>: Sendable {
    /// The name of the table.
    public var tableName: String { content.name }

    let content: TableExpression

    private init(_ name: String, _ isRecursive: Bool, _ columns: [String]?, _ subquery: SQLSubquery) {
        content = TableExpression(
            name: name, isRecursive: isRecursive, columns: columns, subquery: subquery)
    }

    /// Creates a table of the rows of a request.
    ///
    /// - Parameters:
    ///   - recursive: Whether the request refers to the table.
    ///   - tableName: The name of the table.
    ///   - columns: The names of its columns; by default the names in the request.
    ///   - request: The query.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        request: some SQLSubqueryable
    ) {
        self.init(tableName, recursive, columns, request.sqlSubquery)
    }

    /// Creates a table of the rows of an SQL query.
    ///
    /// - Parameters:
    ///   - recursive: Whether the query refers to the table.
    ///   - tableName: The name of the table.
    ///   - columns: The names of its columns; by default the names in the query.
    ///   - sql: The query.
    ///   - arguments: The values of its parameters.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(tableName, recursive, columns, SQLSubquery(SQL(sql: sql, arguments: arguments)))
    }

    /// Creates a table of the rows of an SQL query.
    ///
    /// - Parameters:
    ///   - recursive: Whether the query refers to the table.
    ///   - tableName: The name of the table.
    ///   - columns: The names of its columns; by default the names in the query.
    ///   - sqlLiteral: The query, along with its values.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL
    ) {
        self.init(tableName, recursive, columns, SQLSubquery(sqlLiteral))
    }

    /// Returns a request for the rows of the table. It must include the definition: `all().with(expression)`.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        var query = Query(table: tableName)
        query.isTableExpression = true
        return QueryInterfaceRequest(query)
    }

    /// Whether an expression is in the only column of the table.
    ///
    /// ```swift
    /// // WITH best AS (…) SELECT * FROM player WHERE id IN best
    /// Player.with(best).filter(best.contains(Column("id")))
    /// ```
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        element.sqlExpression.isContained(in: .table(tableName))
    }
}

// Without a type, common table expressions fetch rows.
extension CommonTableExpression<Row> {
    /// Creates a table of the rows of a request.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil,
        request: some SQLSubqueryable
    ) {
        self.init(tableName, recursive, columns, request.sqlSubquery)
    }

    /// Creates a table of the rows of an SQL query.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(tableName, recursive, columns, SQLSubquery(SQL(sql: sql, arguments: arguments)))
    }

    /// Creates a table of the rows of an SQL query.
    public init(
        recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL
    ) {
        self.init(tableName, recursive, columns, SQLSubquery(sqlLiteral))
    }
}

/// A common table expression of any type.
package struct TableExpression: Sendable {
    let name: String
    let isRecursive: Bool
    let columns: [String]?
    let subquery: SQLSubquery

    /// Writes `"name"("column") AS (SELECT …)`.
    func writeDefinition(to writer: inout SQLWriter) throws {
        writer.write(identifier: name)
        if let columns, !columns.isEmpty {
            writer.write("(\(columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))")
        }
        writer.write(" AS ")
        try subquery.write(to: &writer)
    }
}

extension TableExpression: SQLFragment {
    package func write(to writer: inout SQLWriter) throws { try writeDefinition(to: &writer) }
}
