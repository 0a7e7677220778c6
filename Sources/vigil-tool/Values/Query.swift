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
        do {
            try statement.setArguments(arguments)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            throw Failure("wrong number of values for the parameters of the query: \(values.count)")
        }
        return statement
    }

    /// Returns the conditions on rows that the text of the query contains.
    func conditions(_ db: Database) throws -> QueryConditions {
        let preparation = try db.connection.prepare(sql, fromUTF8Offset: 0, isCached: false)
        guard let statement = preparation.statement else { return QueryConditions() }
        defer { statement.finalize() }
        return QueryConditions(statement.rowConditions, values: values.map(\.storageValue))
    }

    /// Fetches all rows of the query.
    func fetch(_ db: Database) throws -> QueryResult {
        let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        var rows: [[DatabaseValue]] = []
        while let row = try cursor.next() { rows.append(Array(row.databaseValues)) }
        // Read the names last: the first step recompiles the statement if the schema has changed.
        return QueryResult(columns: cursor.columnNames, rows: rows)
    }
}
