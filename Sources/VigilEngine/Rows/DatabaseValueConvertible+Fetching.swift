// Values that go through a `DatabaseValue`. Those of `StatementColumnConvertible+Fetching.swift` do not.

// From a statement
extension DatabaseValueConvertible {
    /// The values of a statement's first column, one after the other.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes which column is the first.
    public static func fetchCursor(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try DatabaseValueCursor(statement, arguments: arguments, adapter: adapter)
    }

    /// The values of a statement's first column.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes which column is the first.
    /// - Throws: ``RowDecodingError`` if a value cannot be converted, NULL among them unless the type is an optional;
    ///   `DatabaseError` if reading fails.
    public static func fetchAll(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// The first value of a statement; `nil` if there is no row, or if the value is NULL.
    ///
    /// For an optional type the two differ: `nil` is no row, and `.some(nil)` is NULL.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes which column is the first.
    public static func fetchOne(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try DatabaseValueCursor<Self?>(statement, arguments: arguments, adapter: adapter).next() ?? nil
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// The different values of a statement's first column.
    ///
    /// - Parameters:
    ///   - arguments: the values of the statement's parameters; `nil` leaves those that were set.
    ///   - adapter: what changes which column is the first.
    /// - Throws: ``RowDecodingError`` if a value cannot be converted, NULL among them unless the type is an optional;
    ///   `DatabaseError` if reading fails.
    public static func fetchSet(
        _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }
}

// From SQL
extension DatabaseValueConvertible {
    /// The values of a query's first column, one after the other.
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// The values of a query's first column.
    ///
    /// - Throws: ``RowDecodingError`` if a value cannot be converted, NULL among them unless the type is an optional;
    ///   `DatabaseError` if reading fails.
    public static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// The first value of a query; `nil` if there is no row, or if the value is NULL.
    ///
    /// For an optional type the two differ: `nil` is no row, and `.some(nil)` is NULL.
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// The different values of a query's first column.
    ///
    /// - Throws: ``RowDecodingError`` if a value cannot be converted, NULL among them unless the type is an optional;
    ///   `DatabaseError` if reading fails.
    public static func fetchSet(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }
}
