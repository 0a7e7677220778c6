public import VigilEngine

/// A request that can group its rows.
///
/// ```swift
/// // SELECT team, MAX(score) FROM player GROUP BY team HAVING MIN(score) > 100
/// let request = Player
///     .select(Column("team"), max(Column("score")))
///     .group(Column("team"))
///     .having(min(Column("score")) > 100)
/// ```
public protocol AggregatingRequest {
    /// Returns a request with other groups, computed when the SQL is generated.
    func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self

    /// Returns a request with groups filtered by another condition, computed when the SQL is generated.
    func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self
}

extension AggregatingRequest {
    /// Returns a request with a row for each group of rows with equal values of the expressions.
    public func group(_ expressions: [any SQLExpressible]) -> Self {
        let expressions = expressions.map(\.sqlExpression)
        return groupWhenConnected { _ in expressions }
    }

    /// Returns a request with a row for each group of rows with equal values of the expressions.
    public func group(_ expressions: any SQLExpressible...) -> Self { group(expressions) }

    /// Returns a request with a row for each group of rows with equal values of expressions in SQL.
    public func group(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        group(SQL(sql: sql, arguments: arguments))
    }

    /// Returns a request with a row for each group of rows with equal values of expressions in SQL.
    public func group(literal sqlLiteral: SQL) -> Self { group(sqlLiteral) }

    /// Returns a request with groups filtered by another condition.
    @_disfavoredOverload
    public func having(_ predicate: any SQLExpressible) -> Self {
        let expression = predicate.sqlExpression
        return havingWhenConnected { _ in expression }
    }

    /// Returns a request with groups filtered by another condition in SQL.
    public func having(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        having(SQL(sql: sql, arguments: arguments))
    }

    /// Returns a request with groups filtered by another condition in SQL.
    public func having(literal sqlLiteral: SQL) -> Self { having(sqlLiteral) }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type of the argument of closures, for example in `filter` and `order`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a request with a row for each group of rows with equal values of the expression.
    public func group(_ expression: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        try group([expression(RowDecoder.databaseComponents)])
    }

    /// Returns a request with a row for each group of rows with equal values of the expressions.
    public func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> Self {
        try group(expressions(RowDecoder.databaseComponents))
    }

    /// Returns a request with groups filtered by another condition.
    public func having(_ predicate: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> Self {
        let expression = try predicate(RowDecoder.databaseComponents).sqlExpression
        return havingWhenConnected { _ in expression }
    }
}
