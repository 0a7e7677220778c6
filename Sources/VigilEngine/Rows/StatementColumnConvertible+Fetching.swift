// Directly decoded values. The loops are inlinable, so that the caller can specialize them.

// From a statement
extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Returns a cursor over the values in the first column of a statement.
    ///
    /// - Parameters:
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

    /// Fetches the first value in the first column of a statement; `nil` without rows, and for NULL.
    ///
    /// An optional type returns `.some(nil)` for NULL.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters. If `nil`, the current arguments are used.
    ///   - adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if the conversion fails.
    @inlinable  // bench: decode-rows
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try FastDatabaseValueCursor<Self?>(statement, arguments: arguments, adapter: adapter).next() ?? nil
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
    /// Fetches the distinct values in the first column of a statement.
    ///
    /// - Parameters:
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
    /// - Parameter adapter: adapts the columns of the rows, before the first one is selected.
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
    /// - Parameter adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if a value cannot be converted.
    ///   NULL can be converted only to optional types.
    @inlinable  // bench: decode-rows
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.leaseStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first value in the first column of a query; `nil` without rows, and for NULL.
    ///
    /// An optional type returns `.some(nil)` for NULL.
    ///
    /// - Parameter adapter: adapts the columns of the rows, before the first one is selected.
    /// - Throws: `DatabaseError` if the statement fails; ``RowDecodingError`` if the conversion fails.
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
    /// - Parameter adapter: adapts the columns of the rows, before the first one is selected.
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
