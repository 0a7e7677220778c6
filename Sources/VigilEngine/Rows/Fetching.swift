extension Row {
    /// All rows of a query.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [Row] {
        let cursor = try fetchCursor(db, sql: sql, arguments: arguments)
        var rows: [Row] = []
        while let row = try cursor.next() { rows.append(row.copy()) }
        return rows
    }

    /// The first row of a query, or `nil` if there is none.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Row? {
        let cursor = try fetchCursor(db, sql: sql, arguments: arguments)
        // The row is the cursor's until it is copied.
        return try withExtendedLifetime(cursor) { try cursor.next()?.copy() }
    }

    /// The rows of a query, one after the other.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> RowCursor {
        try RowCursor(statement(db, sql, arguments))
    }
}

extension DatabaseValueConvertible {
    /// The values of the first column of a query.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        let cursor = try DatabaseValueCursor<Self>(statement(db, sql, arguments)) {
            fromDatabaseValue(DatabaseValue(copying: $0))
        }
        var values: [Self] = []
        while let value = try cursor.next() { values.append(value) }
        return values
    }

    /// The first value of a query; `nil` if there is no row, or if the value is NULL.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        let cursor = try DatabaseValueCursor<Self?>(statement(db, sql, arguments)) {
            Self?.fromDatabaseValue(DatabaseValue(copying: $0))
        }
        return try cursor.next() ?? nil
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// The values of the first column of a query.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        let cursor = try DatabaseValueCursor<Self>(statement(db, sql, arguments), decode: { fromCell($0) })
        var values: [Self] = []
        while let value = try cursor.next() { values.append(value) }
        return values
    }

    /// The first value of a query; `nil` if there is no row, or if the value is NULL.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        let cursor = try DatabaseValueCursor<Self?>(
            statement(db, sql, arguments), decode: { Self?.fromCell($0) })
        return try cursor.next() ?? nil
    }
}

private func statement(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws -> Statement {
    let statement = try db.makeStatement(sql: sql)
    try statement.setArguments(arguments)
    return statement
}
