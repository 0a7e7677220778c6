// From a statement
extension Row {
    /// The rows of a statement, one after the other. They are valid until the cursor moves on.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes the columns of the rows.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// All rows of a statement.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes the columns of the rows.
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        var rows: [Row] = []
        let cursor = try fetchCursor(statement, arguments: arguments, adapter: adapter)
        while let row = try cursor.next() { rows.append(row.copy()) }
        return rows
    }

    /// All different rows of a statement.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes the columns of the rows.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter).map { $0.copy() })
    }

    /// The first row of a statement, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes the columns of the row.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        let cursor = try fetchCursor(statement, arguments: arguments, adapter: adapter)
        // The row is the cursor's until it is copied.
        return try withExtendedLifetime(cursor) { try cursor.next()?.copy() }
    }
}

// From SQL
extension Row {
    /// The rows of a query, one after the other. They are valid until the cursor moves on.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// All rows of a query.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try fetchAll(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// All different rows of a query.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try fetchSet(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// The first row of a query, or `nil` if there is none.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try fetchOne(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}
