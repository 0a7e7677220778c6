public import VigilEngine

// From a statement
extension FetchableRecord {
    /// The records of a statement, one after the other.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes the columns of the rows.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordCursor(Row.fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// All records of a statement.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes the columns of the rows.
    @inlinable  // bench: decode-rows
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The first record of a statement, or `nil` if there is no row.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes the columns of the row.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchCursor(statement, arguments: arguments, adapter: adapter).next()
    }
}

extension FetchableRecord where Self: Hashable {
    /// All different records of a statement.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes the columns of the rows.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }
}

// From SQL
extension FetchableRecord {
    /// The records of a query, one after the other.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// All records of a query.
    @inlinable  // bench: decode-rows
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// The first record of a query, or `nil` if there is no row.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}

extension FetchableRecord where Self: Hashable {
    /// All different records of a query.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}
