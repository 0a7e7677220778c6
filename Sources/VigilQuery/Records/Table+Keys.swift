public import VigilEngine

// Existence and deletion of rows by primary key. Keys of several columns need a dictionary.
extension Table {
    /// Returns whether there is a row with the given primary key.
    ///
    /// ```swift
    /// if try Table("player").exists(db, key: 42) { … }
    /// ```
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        try !key.databaseValue.isNull && !filter(key: key).isEmpty(db)
    }

    /// Returns whether there is a row with the given values of a primary key or unique index.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if the columns do not identify a row.
    public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !filter(key: key).isEmpty(db)
    }

    /// Deletes the row with the given primary key, and returns whether there was one.
    ///
    /// ```swift
    /// try Table("player").deleteOne(db, key: 42)
    /// ```
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the primary key has several columns.
    @discardableResult
    public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        try !key.databaseValue.isNull && filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the row with the given values of a unique key, and returns whether there was one.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the columns do not identify a row.
    @discardableResult
    public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the rows with the given primary keys, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the primary key has several columns.
    @discardableResult
    public func deleteAll(_ db: Database, keys: some Collection<some DatabaseValueConvertible>) throws -> Int
    {
        guard !keys.isEmpty else { return 0 }
        return try filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with the given values of a primary key or unique index, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the columns do not identify a row.
    @discardableResult
    public func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        guard !keys.isEmpty else { return 0 }
        return try filter(keys: keys).deleteAll(db)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Returns whether there is a row with the given identifier.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool { try exists(db, key: id) }

    /// Deletes the row with the given identifier, and returns whether there was one.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the primary key has several columns.
    @discardableResult
    public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool { try deleteOne(db, key: id) }

    /// Deletes the rows with the given identifiers, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the primary key has several columns.
    @discardableResult
    public func deleteAll(_ db: Database, ids: some Collection<RowDecoder.ID>) throws -> Int {
        try deleteAll(db, keys: ids)
    }
}
