import Vigil

/// A query with the values of its parameters.
struct Query: Sendable {
    let sql: String
    let values: [DatabaseValue]

    private var arguments: StatementArguments { StatementArguments(values) }

    /// Explains an observation of the query, without running it.
    ///
    /// - Throws: `DatabaseError` if the statement does anything but return rows, if it does not compile, or
    ///   for a wrong number of values.
    func explanation(_ db: Database) throws -> ObservationExplanation {
        try db.explainObservation(sql: sql, arguments: arguments)
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
