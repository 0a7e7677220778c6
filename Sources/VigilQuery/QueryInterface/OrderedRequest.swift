public import VigilEngine

/// A request that can be ordered.
///
/// ```swift
/// let players = try Player.order(Column("score").desc, Column("name")).fetchAll(db)
/// ```
public protocol OrderedRequest {
    /// Returns a request with another order, computed when the SQL is generated.
    func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self

    /// Returns a request with the opposite order. Without an order, it has no effect.
    func reversed() -> Self

    /// Returns a request without order.
    func unordered() -> Self

    /// Returns a request with a deterministic order, by appending the primary key.
    func withStableOrder() -> Self
}

extension OrderedRequest {
    /// Returns a request with another order.
    public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

    /// Returns a request with another order.
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        let orderings = orderings.map(\.sqlOrdering)
        return orderWhenConnected { _ in orderings }
    }

    /// Returns a request with an order in SQL. It cannot be reversed.
    public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        order(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Returns a request with an order in SQL. It cannot be reversed.
    public func order(literal sqlLiteral: SQL) -> Self { order(sqlLiteral) }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type of the argument of closures, for example in `filter` and `order`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a request with another order.
    ///
    /// ```swift
    /// Player.all().order(\.score.desc)
    /// ```
    public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
        try order([ordering(RowDecoder.databaseComponents)])
    }

    /// Returns a request with another order.
    public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
        try order(orderings(RowDecoder.databaseComponents))
    }
}
