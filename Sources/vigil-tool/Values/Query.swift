import Vigil

/// What is read, again and again.
struct Query: Sendable {
    let sql: String
    let values: [DatabaseValue]

    private var arguments: StatementArguments { StatementArguments(values) }

    /// Compiles the query, with its values.
    ///
    /// - Throws: `Failure` for a statement that does something else than to return rows; then it was not run.
    ///   `DatabaseError` for SQL that does not compile, and for a wrong number of values.
    func statement(_ db: Database) throws -> Statement {
        try SQLOutline(sql).check()
        let statement = try db.makeStatement(sql: sql)
        guard statement.isReadonly, statement.columnCount > 0 else { throw SQLOutline.writes }
        do {
            try statement.setArguments(arguments)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            throw Failure("wrong number of values for the parameters of the query: \(values.count)")
        }
        return statement
    }

    /// What the query's text says of the rows that it reads.
    func conditions(_ db: Database) throws -> QueryConditions {
        let preparation = try db.connection.prepare(sql, fromUTF8Offset: 0, isCached: false)
        guard let statement = preparation.statement else { return QueryConditions() }
        defer { statement.finalize() }
        return QueryConditions(statement.rowConditions, values: values.map(\.storageValue))
    }

    func fetch(_ db: Database) throws -> QueryResult {
        let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        var rows: [[DatabaseValue]] = []
        while let row = try cursor.next() { rows.append(Array(row.databaseValues)) }
        // Now, because the first step may find out that somebody altered the table.
        return QueryResult(columns: cursor.columnNames, rows: rows)
    }
}
