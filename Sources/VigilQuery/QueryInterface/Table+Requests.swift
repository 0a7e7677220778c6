public import VigilEngine

// Requests can begin with a table.
extension Table {
    private var query: Query { Query(table: tableName) }

    private var request: QueryInterfaceRequest<RowDecoder> { QueryInterfaceRequest(query) }

    /// Returns a request for all rows.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        request
    }

    /// Returns a request without rows. Its observations never fetch again.
    public func none() -> QueryInterfaceRequest<RowDecoder> {
        request.none()
    }

    /// Returns a request with another selection.
    public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        request.select(selection)
    }

    /// Returns a request with another selection.
    public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        request.select(selection)
    }

    /// Returns a request with a selection in SQL.
    public func select(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<RowDecoder>
    {
        request.select(sql: sql, arguments: arguments)
    }

    /// Returns a request with a selection in SQL.
    public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        request.select(literal: sqlLiteral)
    }

    /// Returns a request with another selection, decoded as another type.
    public func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self)
        -> QueryInterfaceRequest<T>
    {
        request.select(selection, as: type)
    }

    /// Returns a request with another selection, decoded as another type.
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self)
        -> QueryInterfaceRequest<T>
    {
        request.select(selection, as: type)
    }

    /// Returns a request with a selection in SQL, decoded as another type.
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        request.select(sql: sql, arguments: arguments, as: type)
    }

    /// Returns a request with a selection in SQL, decoded as another type.
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        request.select(literal: sqlLiteral, as: type)
    }

    /// Returns a request for primary keys. Decode keys of several columns with a record type or with `Row`.
    public func selectPrimaryKey<PrimaryKey>(as type: PrimaryKey.Type = PrimaryKey.self)
        -> QueryInterfaceRequest<PrimaryKey>
    {
        request.selectPrimaryKey(as: type)
    }

    /// Returns a request with an extended selection.
    public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        request.annotated(with: selection)
    }

    /// Returns a request with an extended selection.
    public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        request.annotated(with: selection)
    }

    /// Returns a request filtered by a condition.
    @_disfavoredOverload
    public func filter(_ predicate: any SQLSpecificExpressible) -> QueryInterfaceRequest<RowDecoder> {
        let condition = predicate.sqlExpression
        return QueryInterfaceRequest(query.with { $0.filters.append(.value(condition)) })
    }

    /// Returns a request for the row with the given primary key, or for no row if the key is NULL.
    @_disfavoredOverload
    public func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<RowDecoder> {
        request.filter(key: key)
    }

    /// Returns a request for the rows with the given primary keys. NULL keys are ignored.
    @_disfavoredOverload
    public func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>)
        -> QueryInterfaceRequest<RowDecoder>
    {
        request.filter(keys: keys)
    }

    /// Returns a request for the row with the given values of a unique key, or for no row if `key` is `nil`.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<RowDecoder> {
        request.filter(key: key)
    }

    /// Returns a request for the rows with the given values of a unique key.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder>
    {
        request.filter(keys: keys)
    }

    /// Returns a request filtered by a condition in SQL.
    public func filter(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<RowDecoder>
    {
        request.filter(sql: sql, arguments: arguments)
    }

    /// Returns a request filtered by a condition in SQL.
    public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        request.filter(literal: sqlLiteral)
    }

    /// Returns an ordered request.
    public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(query.with { $0.order(by: orderings) })
    }

    /// Returns an ordered request.
    public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(query.with { $0.order(by: orderings) })
    }

    /// Returns a request ordered by the primary key.
    public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> {
        request.orderByPrimaryKey()
    }

    /// Returns a request with an order in SQL. It cannot be reversed.
    public func order(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<RowDecoder>
    {
        request.order(sql: sql, arguments: arguments)
    }

    /// Returns a request with an order in SQL. It cannot be reversed.
    public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        request.order(literal: sqlLiteral)
    }

    /// Returns a request for at most `limit` rows, after the first `offset` ones.
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(query.with { $0.limit = Query.Limit(count: limit, offset: offset) })
    }

    /// Returns a request with an alias for its table.
    public func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<RowDecoder> {
        request.aliased(alias)
    }

    /// Returns a request with an alias for its table.
    public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        request.aliased(alias)
    }

    /// Returns a request with access to a common table expression.
    public func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> {
        request.with(cte)
    }

    /// Returns a request for the identifiers of the records: their primary keys.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> where RowDecoder: Identifiable {
        request.selectID()
    }
}

extension Table where RowDecoder: TableRecord {
    /// The type of the argument of closures, for example in `filter` and `order`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a request with another selection.
    public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
        -> QueryInterfaceRequest<RowDecoder>
    {
        try request.select(selection)
    }

    /// Returns a request with another selection.
    public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
        -> QueryInterfaceRequest<RowDecoder>
    {
        try request.select(selection)
    }

    /// Returns a request with another selection, decoded as another type.
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try request.select(selection, as: type)
    }

    /// Returns a request with an extended selection.
    public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
        -> QueryInterfaceRequest<RowDecoder>
    {
        try request.annotated(with: selection)
    }

    /// Returns a request with an extended selection.
    public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
        -> QueryInterfaceRequest<RowDecoder>
    {
        try request.annotated(with: selection)
    }

    /// Returns a request filtered by a condition.
    public func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows
        -> QueryInterfaceRequest<RowDecoder>
    {
        try request.filter(predicate)
    }

    /// Returns an ordered request.
    public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows
        -> QueryInterfaceRequest<RowDecoder>
    {
        try request.order(ordering)
    }

    /// Returns an ordered request.
    public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows
        -> QueryInterfaceRequest<RowDecoder>
    {
        try request.order(orderings)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Returns a request for the row with the given identifier, its primary key.
    public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> { all().filter(id: id) }

    /// Returns a request for the rows with the given identifiers, their primary keys.
    @_disfavoredOverload
    public func filter(ids: any Collection<RowDecoder.ID>) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(ids: ids)
    }

    /// Returns a request for the rows with the given identifiers, their primary keys.
    @_disfavoredOverload
    public func filter<Key: DatabaseValueConvertible>(
        ids: any Collection<Key>
    ) -> QueryInterfaceRequest<RowDecoder> where RowDecoder.ID == Key? { all().filter(keys: ids) }
}

// MARK: - Writing

extension Table {
    /// Deletes all rows of the table, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or the deletion fails.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

    /// Updates all rows of the table, and returns their number.
    ///
    /// ```swift
    /// try Table("player").updateAll(db, [Column("score").set(to: 0)])
    /// ```
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows of the table, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
}

extension Table where RowDecoder: TableRecord {
    /// Updates all rows of the table, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }

    /// Updates all rows of the table, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}
