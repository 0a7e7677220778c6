public import VigilEngine
import VigilStorage

/// A request that generates SQL, composed of methods instead of clauses.
///
/// ```swift
/// let best = try Player                       // SELECT name FROM player
///     .filter(Column("team") == "red")        // WHERE team = 'red'
///     .order(Column("score").desc)            // ORDER BY score DESC
///     .limit(10)                              // LIMIT 10
///     .select(Column("name"), as: String.self)
///     .fetchAll(db)
/// let observation = ValueObservation.tracking(Player.filter(id: 42).fetchOne)
/// ```
///
/// Begin with a record type or a ``Table``. A request is a value: each method returns another request. It
/// needs the database only when it is fetched.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
    package var query: Query

    package init(_ query: Query) {
        self.query = query
    }

    consuming func with(_ change: (inout Query) -> Void) -> Self {
        change(&query)
        return self
    }

    /// Returns a request with rows decoded as another type.
    ///
    /// ```swift
    /// let names = try Player.select(Column("name")).asRequest(of: String.self).fetchSet(db)
    /// ```
    public func asRequest<T>(of type: T.Type) -> QueryInterfaceRequest<T> { QueryInterfaceRequest<T>(query) }

    /// Returns whether the request has no rows.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public func isEmpty(_ db: Database) throws -> Bool { try !query.hasRows(db) }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// The type of the argument of closures, for example in `filter` and `order`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents
}

extension QueryInterfaceRequest: FetchRequest, StatementRegionConvertible {
    /// The request as a subquery.
    public var sqlSubquery: SQLSubquery { SQLSubquery(query) }

    /// Generates the SQL, and takes a compiled statement from the cache.
    ///
    /// - Throws: `DatabaseError` if the request refers to missing tables or columns.
    public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool = false) throws
        -> PreparedRequest
    {
        guard query.children.isEmpty else {
            return try makeAssociatedRequest(db, forSingleResult: singleResult)
        }
        return PreparedRequest(statement: try query.makeStatement(db, forSingleResult: singleResult))
    }

    /// Fetches the number of rows.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public func fetchCount(_ db: Database) throws -> Int { try query.fetchCount(db) }
}

extension QueryInterfaceRequest: SelectionRequest {
    /// Returns a request with another selection, computed when the SQL is generated.
    public func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.select(selection) }
    }

    /// Returns a request with an extended selection, computed when the SQL is generated.
    public func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.annotate(with: selection) }
    }

    /// Returns a request with another selection, decoded as another type.
    ///
    /// ```swift
    /// let names = try Player.all().select([Column("name")], as: String.self).fetchAll(db)
    /// ```
    public func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self)
        -> QueryInterfaceRequest<T>
    {
        let selections = selection.map(\.sqlSelection)
        return with { $0.selection = [.value(selections)] }.asRequest(of: type)
    }

    /// Returns a request with another selection, decoded as another type.
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self)
        -> QueryInterfaceRequest<T>
    {
        select(selection, as: type)
    }

    /// Returns a request with another selection, decoded as another type.
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> where RowDecoder: TableRecord {
        try select([selection(RowDecoder.databaseComponents)], as: type)
    }

    /// Returns a request with a selection in SQL, decoded as another type.
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        select(literal: SQL(sql: sql, arguments: arguments), as: type)
    }

    /// Returns a request with a selection in SQL, decoded as another type.
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        select([sqlLiteral], as: type)
    }

    /// Returns a request for primary keys.
    ///
    /// ```swift
    /// let ids = try Player.all().selectPrimaryKey(as: Int64.self).fetchSet(db)
    /// ```
    ///
    /// If the primary key has several columns, decode them with a record type or with `Row`.
    public func selectPrimaryKey<PrimaryKey>(as type: PrimaryKey.Type = PrimaryKey.self)
        -> QueryInterfaceRequest<PrimaryKey>
    {
        let table = query.table
        return selectWhenConnected { db in
            db.didNotCallApp()
            return try QueryTable.named(table, db).primaryKeyColumns().map { Column($0) }
        }.asRequest(of: type)
    }

    /// Returns a request for the identifiers of the records: their primary keys.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> where RowDecoder: Identifiable {
        selectPrimaryKey()
    }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Fetches the identifiers of the records, their primary keys, in the order of the request.
    ///
    /// ```swift
    /// let ids = try Player.filter(Column("score") > 1000).fetchIdentifiers(db)
    /// ```
    ///
    /// - Throws: `DatabaseError` if the request fails, or if the primary key has several columns.
    public func fetchIdentifiers(_ db: Database) throws -> [RowDecoder.ID] { try selectID().fetchAll(db) }
}

extension QueryInterfaceRequest: FilteredRequest {
    /// Returns a request filtered by another condition, computed when the SQL is generated.
    public func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.filter(predicate) }
    }

    /// Returns a request filtered by another condition.
    ///
    /// ```swift
    /// Player.all().filter(Column("score") > 1000)
    /// ```
    @_disfavoredOverload
    public consuming func filter(_ predicate: any SQLSpecificExpressible) -> Self {
        let condition = predicate.sqlExpression
        return with { $0.filters.append(.value(condition)) }
    }
}

extension QueryInterfaceRequest: OrderedRequest {
    /// Returns a request with another order, computed when the SQL is generated.
    public func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self {
        with { $0.order(orderings) }
    }

    /// Returns a request with another order.
    public consuming func order(_ orderings: any SQLOrderingTerm...) -> Self {
        with { $0.order(by: orderings) }
    }

    /// Returns a request with another order.
    public consuming func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        with { $0.order(by: orderings) }
    }

    /// Returns a request with the opposite order. Without an order, it has no effect.
    public func reversed() -> Self { with { $0.isReversed.toggle() } }

    /// Returns a request without order.
    public func unordered() -> Self { Self(query.unordered()) }

    /// Returns a request with a deterministic order, by appending the primary key.
    public func withStableOrder() -> QueryInterfaceRequest<RowDecoder> {
        Self(query.withStableOrder())
    }
}

extension QueryInterfaceRequest: AggregatingRequest {
    /// Returns a request with other groups, computed when the SQL is generated.
    public func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self {
        with { $0.group(expressions) }
    }

    /// Returns a request with groups filtered by another condition, computed when the SQL is generated.
    public func havingWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.having(predicate) }
    }
}

extension QueryInterfaceRequest: TableRequest, TypedRequest {
    /// The name of the table.
    public var databaseTableName: String { query.table }

    /// Returns a request with an alias for its table.
    public func _aliased(_ alias: TableAliasBase) -> Self { with { $0.aliases.append(alias) } }
}

extension QueryInterfaceRequest: DerivableRequest {
    /// Returns a request without duplicate rows.
    public func distinct() -> Self { with { $0.isDistinct = true } }

    /// Returns a request for at most `limit` rows, after the first `offset` ones. Replaces another limit. A
    /// negative limit means all rows.
    public consuming func limit(_ limit: Int, offset: Int? = nil) -> Self {
        with { $0.limit = Query.Limit(count: limit, offset: offset) }
    }

    /// Returns a request with access to a common table expression.
    public func with<T>(_ cte: CommonTableExpression<T>) -> Self {
        with { $0.define(cte.content) }
    }
}
