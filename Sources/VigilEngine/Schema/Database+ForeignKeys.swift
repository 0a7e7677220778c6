import VigilStorage

extension Database {
    /// Returns a cursor over the rows of all tables that violate a foreign key.
    ///
    /// ```swift
    /// let violations = try db.foreignKeyViolations()
    /// while let violation = try violations.next() {
    ///     print(try violation.failureDescription(db))
    /// }
    /// ```
    ///
    /// - Throws: `DatabaseError` if the check cannot be prepared.
    public func foreignKeyViolations() throws -> ForeignKeyViolationCursor {
        try foreignKeyViolations(of: nil)
    }

    /// Returns a cursor over the rows of one table that violate a foreign key.
    ///
    /// - Parameters:
    ///   - tableName: the name of the table.
    ///   - schemaName: the name of the database. If `nil`, the table is looked up in all of them.
    /// - Throws: `DatabaseError` if the table does not exist.
    public func foreignKeyViolations(in tableName: String, in schemaName: String? = nil) throws
        -> ForeignKeyViolationCursor
    {
        let table = try find(tableName, in: schemaName) { try exists(.table, $0) ? $0 : nil }
        return try foreignKeyViolations(of: table)
    }

    /// Throws `SQLITE_CONSTRAINT_FOREIGNKEY` for the first row of any table that violates a foreign key.
    public func checkForeignKeys() throws {
        if let violation = try foreignKeyViolations().next() { throw violation.databaseError(self) }
    }

    /// Throws an error if a row of the table violates a foreign key.
    ///
    /// - Parameters:
    ///   - tableName: the name of the table.
    ///   - schemaName: the name of the database. If `nil`, the table is looked up in all of them.
    /// - Throws: `DatabaseError` with `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation, and if the
    ///   table does not exist.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        if let violation = try foreignKeyViolations(in: tableName, in: schemaName).next() {
            throw violation.databaseError(self)
        }
    }

    private func foreignKeyViolations(of table: TableName?) throws -> ForeignKeyViolationCursor {
        let reader = try schemaReader()
        let statement = try storage { () throws(StorageError) in try reader.foreignKeyCheck(of: table) }
        // Without a table, the library checks the tables of the main database.
        return try ForeignKeyViolationCursor(
            Statement(database: self, storage: statement), schema: table?.schema ?? SchemaNaming.main)
    }
}

/// A foreign key of a table, returned by ``Database/foreignKeys(on:in:)``.
public struct ForeignKeyInfo: Sendable {
    /// The identity of the foreign key within its table.
    public var id: Int

    /// The referenced table.
    public let destinationTable: String

    /// The pairs of columns: a column of this table, and the column that it refers to.
    public let mapping: [(origin: String, destination: String)]

    /// The columns of the table that has the foreign key.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The columns of the referenced table.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}
