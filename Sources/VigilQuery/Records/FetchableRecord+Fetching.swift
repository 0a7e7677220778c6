public import VigilEngine

// From a statement
extension FetchableRecord {
    /// Returns a cursor over the records of a statement.
    ///
    /// - Parameters:
    ///   - statement: The statement to run.
    ///   - arguments: The values of the statement's parameters. If `nil`, the previously set values are used.
    ///   - adapter: An adapter for the columns of the rows.
    /// - Throws: `DatabaseError` if the arguments do not match the statement's parameters.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordCursor(Row.fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Fetches all records of a statement.
    ///
    /// - Parameters:
    ///   - statement: The statement to run.
    ///   - arguments: The values of the statement's parameters. If `nil`, the previously set values are used.
    ///   - adapter: An adapter for the columns of the rows.
    /// - Throws: `DatabaseError` if the statement fails, and any error thrown by `init(row:)`.
    @inlinable  // bench: decode-rows
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Fetches the first record of a statement, or returns `nil` if the statement returns no rows.
    ///
    /// - Parameters:
    ///   - statement: The statement to run.
    ///   - arguments: The values of the statement's parameters. If `nil`, the previously set values are used.
    ///   - adapter: An adapter for the columns of the row.
    /// - Throws: `DatabaseError` if the statement fails, and any error thrown by `init(row:)`.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).next()
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the distinct records of a statement.
    ///
    /// - Parameters:
    ///   - statement: The statement to run.
    ///   - arguments: The values of the statement's parameters. If `nil`, the previously set values are used.
    ///   - adapter: An adapter for the columns of the rows.
    /// - Throws: `DatabaseError` if the statement fails, and any error thrown by `init(row:)`.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }
}

// From SQL
extension FetchableRecord {
    /// Returns a cursor over the records of a query.
    ///
    /// - Throws: `DatabaseError` if the query does not compile, or if its arguments do not match.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all records of a query.
    ///
    /// - Throws: `DatabaseError` if the query fails, and any error thrown by `init(row:)`.
    @inlinable  // bench: decode-rows
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first record of a query, or returns `nil` if the query returns no rows.
    ///
    /// - Throws: `DatabaseError` if the query fails, and any error thrown by `init(row:)`.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the distinct records of a query.
    ///
    /// - Throws: `DatabaseError` if the query fails, and any error thrown by `init(row:)`.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}
