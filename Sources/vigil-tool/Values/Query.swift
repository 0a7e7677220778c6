import Vigil

/// A query with the values of its parameters.
struct Query: Sendable {
    let sql: String
    let values: [DatabaseValue]

    private var arguments: StatementArguments { StatementArguments(values) }

    /// Compiles the query, and binds its values. The statement is not run.
    ///
    /// - Throws: `Failure` if the statement does anything but return rows, or for a wrong number of values;
    ///   `DatabaseError` if the SQL does not compile.
    func statement(_ db: Database) throws -> Statement {
        try SQLOutline(sql).check()
        let statement = try db.makeStatement(sql: sql)
        guard statement.isReadonly, statement.columnCount > 0 else { throw SQLOutline.notAQuery }
        let expected = statement.parameterCount
        guard values.count == expected else {
            throw Failure(
                "wrong number of values: the query has \(expected) \(expected == 1 ? "parameter" : "parameters"), "
                    + "and there \(values.count == 1 ? "is 1 value" : "are \(values.count) values")")
        }
        try statement.setArguments(arguments)
        return statement
    }

    /// Returns the conditions on rows in the text of the query.
    func conditions(_ db: Database) throws -> QueryConditions {
        let preparation = try db.connection.prepare(sql, fromUTF8Offset: 0, isCached: false)
        guard let statement = preparation.statement else { return QueryConditions() }
        defer { statement.finalize() }
        var conditions = QueryConditions(statement.rowConditions, values: values.map(\.storageValue))
        conditions.leaveOut(try NestedConditions(sql: sql, views: Self.views(db)).omissions)
        return conditions
    }

    /// Returns the definitions of all views. A temporary view hides another one of the same name.
    private static func views(_ db: Database) throws -> [(name: String, sql: String)] {
        try ["sqlite_temp_master", "sqlite_master"].flatMap { schema in
            try Row.fetchAll(db, sql: "SELECT name, sql FROM \(schema) WHERE type = 'view'")
                .map { (name: $0["name"], sql: $0["sql"]) }
        }
    }

    var request: SQLRequest<Row> { SQLRequest(sql: sql, arguments: arguments) }

    func fetch(_ db: Database) throws -> QueryResult {
        let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        var rows: [[DatabaseValue]] = []
        while let row = try cursor.next() { rows.append(Array(row.databaseValues)) }
        // Read the names last: the first step recompiles the statement if the schema has changed.
        return QueryResult(columns: cursor.columnNames, rows: rows)
    }
}
