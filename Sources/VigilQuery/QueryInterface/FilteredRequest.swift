public import VigilEngine

/// A request that can be filtered.
///
/// ```swift
/// let players = try Player.filter(Column("score") > 1000).filter(Column("team") == "red").fetchAll(db)
/// ```
public protocol FilteredRequest {
    /// Returns a request filtered by another condition, computed when the SQL is generated.
    func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self
}

extension FilteredRequest {
    /// Returns a request filtered by another condition.
    @_disfavoredOverload
    public func filter(_ predicate: any SQLSpecificExpressible) -> Self {
        let expression = predicate.sqlExpression
        return filterWhenConnected { _ in expression }
    }

    /// Returns a request filtered by another condition in SQL.
    public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        filter(SQL(sql: sql, arguments: arguments))
    }

    /// Returns a request filtered by another condition in SQL.
    ///
    /// ```swift
    /// Player.all().filter(literal: "name = \(name)")
    /// ```
    public func filter(literal sqlLiteral: SQL) -> Self { filter(sqlLiteral) }

    /// Returns a request without rows. Its observations never fetch again.
    public func none() -> Self { filter(false.sqlExpression) }

    /// Returns the request itself.
    public func all() -> Self { self }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type of the argument of closures, for example in `filter` and `order`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a request filtered by another condition.
    ///
    /// ```swift
    /// Player.all().filter { $0.score > 1000 && $0.team == "red" }
    /// ```
    public func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows
        -> Self
    {
        let expression = try predicate(RowDecoder.databaseComponents).sqlExpression
        return filterWhenConnected { _ in expression }
    }
}
