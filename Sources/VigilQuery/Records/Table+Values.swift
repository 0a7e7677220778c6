public import VigilEngine

extension Table where RowDecoder: DatabaseValueConvertible {
    /// Returns a cursor over the values of the first column.
    ///
    /// ```swift
    /// let ids = try Table<UUID>("player").fetchCursor(db)
    /// ```
    ///
    /// - Throws: `DatabaseError` if the table does not exist.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try all().fetchCursor(db)
    }

    /// Fetches the values of the first column.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, fetching fails, or a value cannot be converted.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// Fetches the first column of one row. Returns `nil` if the table is empty, or if the value is NULL.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, fetching fails, or the value is inconvertible.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & Hashable {
    /// Fetches the distinct values of the first column.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, fetching fails, or a value cannot be converted.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
    /// Returns a cursor over the values of the first column.
    ///
    /// - Throws: `DatabaseError` if the table does not exist.
    public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
        try all().fetchCursor(db)
    }

    /// Fetches the values of the first column.
    ///
    /// ```swift
    /// let names = try Table<String>("name").fetchAll(db)
    /// ```
    ///
    /// - Throws: `DatabaseError` if the table does not exist, fetching fails, or a value cannot be converted.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// Fetches the first column of one row. Returns `nil` if the table is empty, or if the value is NULL.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, fetching fails, or the value is inconvertible.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
    /// Fetches the distinct values of the first column.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, fetching fails, or a value cannot be converted.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}
