// Directly decoded values. The loops are inlinable, so that the caller can specialize them.

// From a statement
extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Returns a cursor over the values in the first column of a statement.
    ///
    /// - Parameters:
    ///   - statement: the statement to run.
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement cannot be prepared. Iterating the cursor throws
    ///   ``RowDecodingError`` if a value cannot be converted.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> FastDatabaseValueCursor<Self> {
        try FastDatabaseValueCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// Fetches all values in the first column of a statement.
    ///
    /// - Parameters:
    ///   - statement: the statement to run.
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if a value cannot be converted.
    ///   NULL can be converted only to optional types.
    @inlinable  // bench: decode-rows
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Fetches the first value in the first column of a statement. Returns `nil` if there are no rows, or if
    /// the value is NULL.
    ///
    /// If the type is optional, `nil` means that there are no rows, and `.some(nil)` means that the value is
    /// NULL.
    ///
    /// - Parameters:
    ///   - statement: the statement to run.
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if the value cannot be
    ///   converted.
    @inlinable  // bench: decode-rows
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        let value: Self?? = try statement.firstValue(arguments: arguments, adapter: adapter)
        return value ?? nil
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
    /// Fetches the distinct values in the first column of a statement.
    ///
    /// - Parameters:
    ///   - statement: the statement to run.
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if a value cannot be converted.
    ///   NULL can be converted only to optional types.
    @inlinable  // bench: decode-rows
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }
}

// From SQL
extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Returns a cursor over the values in the first column of a query.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
    /// while let name = try names.next() {
    ///     print(name)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - sql: an SQL query.
    ///   - arguments: the values of the query's parameters.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement cannot be prepared. Iterating the cursor throws
    ///   ``RowDecodingError`` if a value cannot be converted.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> FastDatabaseValueCursor<Self> {
        try fetchCursor(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all values in the first column of a query.
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - sql: an SQL query.
    ///   - arguments: the values of the query's parameters.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if a value cannot be converted.
    ///   NULL can be converted only to optional types.
    @inlinable  // bench: decode-rows
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first value in the first column of a query. Returns `nil` if there are no rows, or if the
    /// value is NULL.
    ///
    /// If the type is optional, `nil` means that there are no rows, and `.some(nil)` means that the value is
    /// NULL.
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - sql: an SQL query.
    ///   - arguments: the values of the query's parameters.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if the value cannot be
    ///   converted.
    @inlinable  // bench: decode-rows
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
    /// Fetches the distinct values in the first column of a query.
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - sql: an SQL query.
    ///   - arguments: the values of the query's parameters.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if a value cannot be converted.
    ///   NULL can be converted only to optional types.
    @inlinable  // bench: decode-rows
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}
