public import VigilEngine

// Parts of requests in SQL literals.
extension SQLInterpolation {
    /// Appends the quoted table name of a record type.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ table: any TableRecord.Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// Appends the quoted name of a table.
    public mutating func appendInterpolation<T>(_ table: Table<T>) {
        appendInterpolation(identifier: table.tableName)
    }

    /// Appends the quoted table name of a record.
    public mutating func appendInterpolation(tableOf record: some TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// Appends the quoted table name of a record.
    @_disfavoredOverload
    public mutating func appendInterpolation(tableOf record: any TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// Appends the selection of a record type, qualified by its table or by an alias of the table.
    ///
    /// ```swift
    /// // SELECT p.*, team.* FROM player p JOIN team ON team.id = p.teamId
    /// let query: SQL = """
    ///     SELECT \(columnsOf: Player.self, tableAlias: "p"), \(columnsOf: Team.self)
    ///     FROM player p JOIN team ON team.id = p.teamId
    ///     """
    /// ```
    public mutating func appendInterpolation(
        columnsOf recordType: (some TableRecord).Type, tableAlias: String? = nil
    ) {
        elements.append(
            .fragment(
                ColumnsFragment(
                    tableName: recordType.databaseTableName, alias: tableAlias,
                    selection: recordType.databaseSelection.map(\.sqlSelection))))
    }

    /// Appends a selection.
    public mutating func appendInterpolation(_ selection: some SQLSelectable) {
        elements.append(.fragment(SelectionFragment(selection: selection.sqlSelection)))
    }

    /// Appends a selection of a dynamic type, or NULL.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ selection: (any SQLSelectable)?) {
        guard let selection else { return appendLiteral("NULL") }
        elements.append(.fragment(SelectionFragment(selection: selection.sqlSelection)))
    }

    /// Appends an ordering term.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ orderingTerm: some SQLOrderingTerm) {
        elements.append(.fragment(OrderingFragment(ordering: orderingTerm.sqlOrdering)))
    }

    /// Appends an expression.
    public mutating func appendInterpolation(
        _ expressible: some SQLExpressible & SQLSelectable & SQLOrderingTerm
    ) {
        elements.append(.expression(expressible.sqlExpression))
    }

    /// Appends a coding key as a quoted column name.
    public mutating func appendInterpolation(
        _ key: some CodingKey & SQLExpressible & SQLSelectable & SQLOrderingTerm
    ) {
        appendInterpolation(identifier: key.stringValue)
    }

    /// Appends the quoted name of a common table expression.
    public mutating func appendInterpolation(_ cte: CommonTableExpression<some Any>) {
        appendInterpolation(identifier: cte.tableName)
    }

    /// Appends the definition of a common table expression, for the clause `WITH`.
    ///
    /// ```swift
    /// let query: SQL = "WITH \(definitionFor: best) SELECT * FROM \(best)"
    /// ```
    public mutating func appendInterpolation(definitionFor cte: CommonTableExpression<some Any>) {
        elements.append(.fragment(cte.content))
    }

    /// Appends the name of a collation.
    public mutating func appendInterpolation(_ collation: DatabaseCollation) {
        elements.append(.fragment(CollationFragment(name: collation.name)))
    }

    /// Appends the name of a collation.
    public mutating func appendInterpolation(_ collation: Database.CollationName) {
        elements.append(.fragment(CollationFragment(name: collation.rawValue)))
    }
}

/// The selection of a record type.
private struct ColumnsFragment: SQLFragment {
    let tableName: String
    let alias: String?
    let selection: [SQLSelection]

    func write(to writer: inout SQLWriter) throws {
        let table = TableReference(tableName: tableName, name: alias ?? tableName, isQualified: true)
        let known = try QueryTable.named(tableName, writer.db)
        try writer.with(table: table) { try $0.write(selection, of: known) }
    }
}

private struct SelectionFragment: SQLFragment {
    let selection: SQLSelection

    func write(to writer: inout SQLWriter) throws { try writer.write(selection) }
}

private struct CollationFragment: SQLFragment {
    let name: String

    func write(to writer: inout SQLWriter) throws { writer.write(name.collationNameSQL(writer.db.dialect)) }
}

private struct OrderingFragment: SQLFragment {
    let ordering: SQLOrdering

    func write(to writer: inout SQLWriter) throws { try writer.write(ordering) }
}
