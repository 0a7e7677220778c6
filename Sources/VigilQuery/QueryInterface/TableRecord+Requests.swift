public import VigilEngine

// Requests begin with a record type.
extension TableRecord {
    /// The request for all rows, with the selection of the type.
    private static var request: QueryInterfaceRequest<Self> {
        QueryInterfaceRequest(
            Query(
                table: databaseTableName,
                selection: .computed { databaseSelection.map(\.sqlSelection) }))
    }

    /// Returns a request for all rows.
    public static func all() -> QueryInterfaceRequest<Self> {
        request
    }

    /// Returns a request without rows. Its observations never fetch again.
    public static func none() -> QueryInterfaceRequest<Self> {
        request.none()
    }

    /// Returns a request with another selection.
    public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        request.select(selection)
    }

    /// Returns a request with another selection.
    public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        request.select(selection)
    }

    /// Returns a request with a selection in SQL.
    public static func select(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        request.select(sql: sql, arguments: arguments)
    }

    /// Returns a request with a selection in SQL.
    public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        request.select(literal: sqlLiteral)
    }

    /// Returns a request with another selection, decoded as another type.
    public static func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self)
        -> QueryInterfaceRequest<T>
    {
        request.select(selection, as: type)
    }

    /// Returns a request with another selection, decoded as another type.
    public static func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self)
        -> QueryInterfaceRequest<T>
    {
        request.select(selection, as: type)
    }

    /// Returns a request with a selection in SQL, decoded as another type.
    public static func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        request.select(sql: sql, arguments: arguments, as: type)
    }

    /// Returns a request with a selection in SQL, decoded as another type.
    public static func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<
        T
    > {
        request.select(literal: sqlLiteral, as: type)
    }

    /// Returns a request for primary keys. Decode keys of several columns with a record type or with `Row`.
    ///
    /// ```swift
    /// let ids = try Player.selectPrimaryKey(as: Int64.self).fetchSet(db)
    /// ```
    public static func selectPrimaryKey<PrimaryKey>(as type: PrimaryKey.Type = PrimaryKey.self)
        -> QueryInterfaceRequest<PrimaryKey>
    {
        request.selectPrimaryKey(as: type)
    }

    /// Returns a request with an extended selection.
    public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        request.annotated(with: selection)
    }

    /// Returns a request with an extended selection.
    public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        request.annotated(with: selection)
    }

    /// Returns a request filtered by a condition.
    ///
    /// ```swift
    /// Player.filter(Column("score") > 1000)
    /// ```
    @_disfavoredOverload
    public static func filter(_ predicate: any SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
        request.filter(predicate)
    }

    /// Returns a request for the row with the given primary key, or for no row if the key is NULL.
    @_disfavoredOverload
    public static func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<Self> {
        request.filter(key: key)
    }

    /// Returns a request for the rows with the given primary keys. NULL keys are ignored.
    @_disfavoredOverload
    public static func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>)
        -> QueryInterfaceRequest<Self>
    {
        request.filter(keys: keys)
    }

    /// Returns a request for the row with the given values of a unique key, or for no row if `key` is `nil`.
    public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self>
    {
        request.filter(key: key)
    }

    /// Returns a request for the rows with the given values of a unique key.
    public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<
        Self
    > {
        request.filter(keys: keys)
    }

    /// Returns a request filtered by a condition in SQL.
    public static func filter(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        request.filter(sql: sql, arguments: arguments)
    }

    /// Returns a request filtered by a condition in SQL.
    public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        request.filter(literal: sqlLiteral)
    }

    /// Returns an ordered request.
    public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        request.order(orderings)
    }

    /// Returns an ordered request.
    public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
        request.order(orderings)
    }

    /// Returns a request ordered by the primary key.
    public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> {
        request.orderByPrimaryKey()
    }

    /// Returns a request with an order in SQL. It cannot be reversed.
    public static func order(sql: String, arguments: StatementArguments = StatementArguments())
        -> QueryInterfaceRequest<Self>
    {
        request.order(sql: sql, arguments: arguments)
    }

    /// Returns a request with an order in SQL. It cannot be reversed.
    public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        request.order(literal: sqlLiteral)
    }

    /// Returns a request for at most `limit` rows, after the first `offset` ones.
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        request.limit(limit, offset: offset)
    }

    /// Returns a request with an alias for its table.
    public static func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<Self> {
        request.aliased(alias)
    }

    /// Returns a request with an alias for its table.
    public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> {
        request.aliased(alias)
    }

    /// Returns a request with access to a common table expression.
    public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> {
        request.with(cte)
    }

    /// Returns a request for the identifiers of the records: their primary keys.
    public static func selectID() -> QueryInterfaceRequest<Self.ID> where Self: Identifiable {
        request.selectID()
    }
}

// Closures receive the columns of the type.
extension TableRecord {
    /// Returns a request with another selection.
    public static func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
        -> QueryInterfaceRequest<Self>
    {
        try request.select(selection)
    }

    /// Returns a request with another selection.
    public static func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
        -> QueryInterfaceRequest<Self>
    {
        try request.select(selection)
    }

    /// Returns a request with another selection, decoded as another type.
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try request.select(selection, as: type)
    }

    /// Returns a request with an extended selection.
    public static func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
        -> QueryInterfaceRequest<Self>
    {
        try request.annotated(with: selection)
    }

    /// Returns a request with an extended selection.
    public static func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
        -> QueryInterfaceRequest<Self>
    {
        try request.annotated(with: selection)
    }

    /// Returns a request filtered by a condition.
    ///
    /// ```swift
    /// Player.filter { $0.score > 1000 }
    /// ```
    public static func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows
        -> QueryInterfaceRequest<Self>
    {
        try request.filter(predicate)
    }

    /// Returns an ordered request.
    public static func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows
        -> QueryInterfaceRequest<Self>
    {
        try request.order(ordering)
    }

    /// Returns an ordered request.
    public static func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows
        -> QueryInterfaceRequest<Self>
    {
        try request.order(orderings)
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Returns a request for the row with the given identifier, its primary key.
    public static func filter(id: ID) -> QueryInterfaceRequest<Self> { all().filter(id: id) }

    /// Returns a request for the rows with the given identifiers, their primary keys.
    @_disfavoredOverload
    public static func filter(ids: any Collection<ID>) -> QueryInterfaceRequest<Self> {
        all().filter(ids: ids)
    }

    /// Returns a request for the rows with the given identifiers, their primary keys.
    @_disfavoredOverload
    public static func filter<Key: DatabaseValueConvertible>(
        ids: any Collection<Key>
    ) -> QueryInterfaceRequest<Self> where ID == Key? { all().filter(keys: ids) }
}

// MARK: - Writing

extension TableRecord {
    /// Deletes all rows of the table, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or the deletion fails.
    @discardableResult
    public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

    /// Updates all rows of the table, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows of the table, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Updates all rows of the table, and returns their number.
    ///
    /// ```swift
    /// try Player.updateAll(db) { $0.score += 1 }
    /// ```
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }

    /// Updates all rows of the table, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the update fails.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}
