// From a statement
extension Row {
    /// Returns a cursor over the rows of a statement. Each row is valid until the cursor advances.
    ///
    /// - Parameters:
    ///   - statement: the statement to run.
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows.
    /// - Throws: `DatabaseError` if the statement cannot be prepared. The cursor throws if running it fails.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches all rows of a statement.
    ///
    /// - Parameters:
    ///   - statement: the statement to run.
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows.
    /// - Throws: `DatabaseError` if the statement fails.
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try statement.rows(arguments: arguments, adapter: adapter)
    }

    /// Fetches the distinct rows of a statement.
    ///
    /// - Parameters:
    ///   - statement: the statement to run.
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows.
    /// - Throws: `DatabaseError` if the statement fails.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter).map { $0.copy() })
    }

    /// Fetches the first row of a statement. Returns `nil` if there are no rows.
    ///
    /// - Parameters:
    ///   - statement: the statement to run.
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows.
    /// - Throws: `DatabaseError` if the statement fails.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try statement.rows(arguments: arguments, adapter: adapter, limit: 1).first
    }
}

// From SQL
extension Row {
    /// Returns a cursor over the rows of a query. Each row is valid until the cursor advances.
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - sql: an SQL query.
    ///   - arguments: the values of the query's parameters.
    ///   - adapter: adapts the columns of the rows.
    /// - Throws: `DatabaseError` if the statement cannot be prepared. The cursor throws if running it fails.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try fetchCursor(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all rows of a query.
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - sql: an SQL query.
    ///   - arguments: the values of the query's parameters.
    ///   - adapter: adapts the columns of the rows.
    /// - Throws: `DatabaseError` if the statement fails.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try fetchAll(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the distinct rows of a query.
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - sql: an SQL query.
    ///   - arguments: the values of the query's parameters.
    ///   - adapter: adapts the columns of the rows.
    /// - Throws: `DatabaseError` if the statement fails.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try fetchSet(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first row of a query. Returns `nil` if there are no rows.
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - sql: an SQL query.
    ///   - arguments: the values of the query's parameters.
    ///   - adapter: adapts the columns of the rows.
    /// - Throws: `DatabaseError` if the statement fails.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try fetchOne(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}
