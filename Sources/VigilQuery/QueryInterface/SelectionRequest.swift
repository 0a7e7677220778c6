public import VigilEngine

/// A request, and the type its rows are decoded as.
public protocol TypedRequest<RowDecoder> {
    /// The type rows are decoded as.
    associatedtype RowDecoder
}

/// A request that can change its selection.
///
/// ```swift
/// let names = try Player.select(Column("name")).asRequest(of: String.self).fetchAll(db)
/// ```
public protocol SelectionRequest {
    /// Returns a request with another selection, computed when the SQL is generated.
    func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self

    /// Returns a request with an extended selection, computed when the SQL is generated.
    func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self
}

extension SelectionRequest {
    /// Returns a request with another selection.
    ///
    /// ```swift
    /// // SELECT id, score + bonus FROM player
    /// let request = Player.all().select([Column("id"), Column("score") + Column("bonus")])
    /// ```
    public func select(_ selection: [any SQLSelectable]) -> Self {
        let selections = selection.map(\.sqlSelection)
        return selectWhenConnected { _ in selections }
    }

    /// Returns a request with another selection.
    public func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

    /// Returns a request with a selection in SQL.
    public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        select(literal: SQL(sql: sql, arguments: arguments))
    }

    /// Returns a request with a selection in SQL.
    public func select(literal sqlLiteral: SQL) -> Self { select(sqlLiteral) }

    /// Returns a request with an extended selection.
    ///
    /// ```swift
    /// // SELECT *, score + bonus AS total FROM player
    /// let request = Player.all().annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
    /// ```
    public func annotated(with selection: [any SQLSelectable]) -> Self {
        let selections = selection.map(\.sqlSelection)
        return annotatedWhenConnected { _ in selections }
    }

    /// Returns a request with an extended selection.
    public func annotated(with selection: any SQLSelectable...) -> Self { annotated(with: selection) }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The type of the argument of closures, for example in `filter` and `order`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a request with another selection.
    ///
    /// ```swift
    /// Player.all().select { $0.score }
    /// ```
    public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        try select([selection(RowDecoder.databaseComponents)])
    }

    /// Returns a request with another selection.
    public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        try select(selection(RowDecoder.databaseComponents))
    }

    /// Returns a request with an extended selection.
    public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        try annotated(with: [selection(RowDecoder.databaseComponents)])
    }

    /// Returns a request with an extended selection.
    public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self
    {
        try annotated(with: selection(RowDecoder.databaseComponents))
    }
}
