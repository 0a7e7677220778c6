public import VigilEngine

// Existence and deletion of rows by primary key. Keys of several columns need a dictionary.
extension TableRecord {
    /// Returns whether there is a row with the given primary key.
    ///
    /// ```swift
    /// if try Player.exists(db, key: 42) { … }
    /// ```
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        let value = key.databaseValue
        guard !value.isNull else { return false }
        let statements = try PrimaryKeyStatements.of(self, db)
        return try Bool.fetchOne(statements.existence(of: statements.stored(key, value), db)) ?? false
    }

    /// Returns whether there is a row with the given values of a primary key or unique index.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if the columns do not identify a row.
    public static func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !filter(key: key).isEmpty(db)
    }

    /// Deletes the row with the given primary key, and returns whether there was one.
    ///
    /// ```swift
    /// try Player.deleteOne(db, key: 42)
    /// ```
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the primary key has several columns.
    @discardableResult
    public static func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        let value = key.databaseValue
        guard !value.isNull else { return false }
        let statements = try PrimaryKeyStatements.of(self, db)
        let table = try QueryTable.named(statements.tableName, db)
        let statement = try statements.deletion(of: statements.stored(key, value), db)
        return try table.countChanges(db) { try statement.execute() } > 0
    }

    /// Deletes the row with the given values of a unique key, and returns whether there was one.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the columns do not identify a row.
    @discardableResult
    public static func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws
        -> Bool
    {
        try filter(key: key).deleteAll(db) > 0
    }

    /// Deletes the rows with the given primary keys, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the primary key has several columns.
    @discardableResult
    public static func deleteAll(_ db: Database, keys: some Collection<some DatabaseValueConvertible>) throws
        -> Int
    {
        guard !keys.isEmpty else { return 0 }
        return try filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with the given values of a primary key or unique index, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the columns do not identify a row.
    @discardableResult
    public static func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws
        -> Int
    {
        guard !keys.isEmpty else { return 0 }
        return try filter(keys: keys).deleteAll(db)
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Returns whether there is a row with the given identifier.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    public static func exists(_ db: Database, id: ID) throws -> Bool { try exists(db, key: id) }

    /// Deletes the row with the given identifier, and returns whether there was one.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the primary key has several columns.
    @discardableResult
    public static func deleteOne(_ db: Database, id: ID) throws -> Bool { try deleteOne(db, key: id) }

    /// Deletes the rows with the given identifiers, and returns their number.
    ///
    /// - Throws: `DatabaseError` if the deletion fails, or if the primary key has several columns.
    @discardableResult
    public static func deleteAll(_ db: Database, ids: some Collection<ID>) throws -> Int {
        try deleteAll(db, keys: ids)
    }
}

// MARK: - Errors

extension TableRecord {
    /// Returns the error for a missing row.
    ///
    /// ```swift
    /// throw Player.recordNotFound(db, key: 42)
    /// ```
    ///
    /// If the primary key cannot be read from the schema, it returns the error of reading it.
    public static func recordNotFound(_ db: Database, key: some DatabaseValueConvertible) -> any Error {
        do {
            let column = try QueryTable.named(databaseTableName, db).primaryKeyColumn()
            return recordNotFound(key: [column: key])
        } catch {
            return error
        }
    }

    /// Returns the error for a missing row.
    public static func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> RecordError {
        .recordNotFound(
            databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Returns the error for a missing row.
    public static func recordNotFound(_ db: Database, id: ID) -> any Error { recordNotFound(db, key: id) }
}
