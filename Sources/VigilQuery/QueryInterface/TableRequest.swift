public import VigilEngine

/// A request for the rows of a table.
public protocol TableRequest {
    /// The name of the table.
    var databaseTableName: String { get }

    /// Returns a request with an alias for its table.
    func _aliased(_ alias: TableAliasBase) -> Self
}

extension TableRequest where Self: TypedRequest {
    /// Returns a request with an alias for its table.
    ///
    /// ```swift
    /// let team = TableAlias()
    /// let request = Team.all().aliased(team)
    ///     .filter(Player.filter(Column("teamId") == team[Column("id")]).exists())
    /// ```
    public func aliased(_ alias: TableAlias<Void>) -> Self { _aliased(alias) }

    /// Returns a request with an alias for its table.
    public func aliased(_ alias: TableAlias<RowDecoder>) -> Self { _aliased(alias) }
}

// The compiler also tries to interpret the closure of `filter { … }` as a key. This takes long for a
// condition of many terms, so the methods `filter` with keys of any type are disfavored. They accept
// existential values, because a generic parameter would also accept the closure, and hide the error in it.
extension TableRequest where Self: FilteredRequest & TypedRequest {
    /// Returns a request for the row with the given primary key, or for no row if the key is NULL.
    ///
    /// The primary key must have one column. Fetching throws a `DatabaseError` otherwise. If the key is the
    /// row id, an observation is notified of changes of this row only.
    @_disfavoredOverload
    public func filter(key: any DatabaseValueConvertible) -> Self { filter(onlyKey: key) }

    private func filter(onlyKey key: some DatabaseValueConvertible) -> Self { filter(allKeys: [key]) }

    /// Returns a request for the rows with the given primary keys. NULL keys are ignored.
    ///
    /// The primary key must have one column. Fetching throws a `DatabaseError` otherwise. If the keys are row
    /// ids, an observation is notified of changes of these rows only.
    ///
    /// If the rows are decoded as an ``EncodableRecord``, keys of type `Data`, `Date` and `UUID` are encoded
    /// by its strategies.
    @_disfavoredOverload
    public func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>) -> Self {
        filter(allKeys: keys)
    }

    private func filter<Keys>(allKeys keys: Keys) -> Self
    where Keys: Collection, Keys.Element: DatabaseValueConvertible {
        // A cast, instead of an overload, applies in generic code too.
        if StrategyEncodedKey.isEncodedByStrategy(Keys.Element.self),
            let type = RowDecoder.self as? any EncodableRecord.Type
        {
            let keys = keys.compactMap { StrategyEncodedKey($0) }
            return filter(keyCount: keys.count) { column in
                try keys.map { try $0.databaseValue(type, column: column) }
            }
        }
        let values = keys.map(\.databaseValue).filter { !$0.isNull }
        return filter(keyCount: values.count) { _ in values }
    }

    /// Returns a request for the rows with one of several values of the primary key. It must have one column.
    private func filter(keyCount: Int, _ values: @escaping @Sendable (String) throws -> [DatabaseValue])
        -> Self
    {
        guard keyCount > 0 else { return none() }
        let table = databaseTableName
        return filterWhenConnected { db in
            db.didNotCallApp()
            let column = try QueryTable.named(table, db).primaryKeyColumn()
            return SQLExpression(.column(column))
                .isContained(in: .expressions(try values(column).map { SQLExpression(.value($0)) }))
        }
    }

    /// Returns a request for the row with the given values of a primary key or unique index, or for no row if
    /// `key` is `nil`.
    ///
    /// ```swift
    /// Citizenship.all().filter(key: ["citizenId": 1, "countryCode": "FR"])
    /// ```
    ///
    /// The columns must include a unique key. Fetching throws a `DatabaseError` otherwise.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
        key.map { filter(keys: [$0]) } ?? none()
    }

    /// Returns a request for the rows with the given values of a primary key or unique index.
    ///
    /// The columns must include a unique key. Fetching throws a `DatabaseError` otherwise.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
        guard !keys.isEmpty else { return none() }
        let keys = keys.map { $0.mapValues { $0?.databaseValue ?? .null } }
        let name = databaseTableName
        return filterWhenConnected { db in
            db.didNotCallApp()
            let table = try QueryTable.named(name, db)
            return SQLExpression.chain(.or, try keys.map { try table.condition(forKey: $0) })
        }
    }
}

extension TableRequest
where Self: FilteredRequest & TypedRequest, RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible
{
    /// Returns a request for the row with the given identifier, its primary key.
    public func filter(id: RowDecoder.ID) -> Self { filter(key: id) }

    /// Returns a request for the rows with the given identifiers, their primary keys.
    @_disfavoredOverload
    public func filter(ids: any Collection<RowDecoder.ID>) -> Self { filter(keys: ids) }

    /// Returns a request for the rows with the given identifiers, their primary keys.
    @_disfavoredOverload
    public func filter<Key: DatabaseValueConvertible>(ids: any Collection<Key>) -> Self
    where RowDecoder.ID == Key? { filter(keys: ids) }
}

extension TableRequest where Self: OrderedRequest {
    /// Returns a request ordered by the primary key.
    public func orderByPrimaryKey() -> Self {
        let table = databaseTableName
        return orderWhenConnected { db in
            db.didNotCallApp()
            return try QueryTable.named(table, db).primaryKeyColumns().map { Column($0) }
        }
    }
}

extension TableRequest where Self: AggregatingRequest {
    /// Returns a request with a row for each primary key. This is useful with joins.
    public func groupByPrimaryKey() -> Self {
        let name = databaseTableName
        return groupWhenConnected { db in
            db.didNotCallApp()
            let table = try QueryTable.named(name, db)
            // Grouping by the row id is simpler than by several columns.
            if let column = table.primaryKey?.fastPrimaryKeyColumn { return [Column(column)] }
            return try table.primaryKeyColumns().map { Column($0) }
        }
    }
}

/// A request that other requests can be derived from.
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest,
    JoinableRequest, OrderedRequest, SelectionRequest, TableRequest
{
    /// Returns a request without duplicate rows.
    func distinct() -> Self

    /// Returns a request with access to a common table expression.
    func with<T>(_ cte: CommonTableExpression<T>) -> Self
}
