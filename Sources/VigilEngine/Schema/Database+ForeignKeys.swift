import VigilStorage

extension Database {
    /// The rows that refer to rows that are not there, in all tables.
    public func foreignKeyViolations() throws -> ForeignKeyViolationCursor {
        try foreignKeyViolations(of: nil)
    }

    /// The same in one table.
    ///
    /// - Throws: `DatabaseError` if there is no such table.
    public func foreignKeyViolations(in tableName: String, in schemaName: String? = nil) throws
        -> ForeignKeyViolationCursor
    {
        let table = try find(tableName, in: schemaName) { try exists(.table, $0) ? $0 : nil }
        return try foreignKeyViolations(of: table)
    }

    /// Makes sure that no row refers to one that is not there, in any table.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_CONSTRAINT_FOREIGNKEY` for the first one that does.
    public func checkForeignKeys() throws {
        if let violation = try foreignKeyViolations().next() { throw violation.databaseError(self) }
    }

    /// The same for one table.
    ///
    /// - Throws: as ``checkForeignKeys()``; `DatabaseError` if there is no such table.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        if let violation = try foreignKeyViolations(in: tableName, in: schemaName).next() {
            throw violation.databaseError(self)
        }
    }

    private func foreignKeyViolations(of table: TableName?) throws -> ForeignKeyViolationCursor {
        let reader = try schemaReader()
        let statement = try storage { () throws(StorageError) in try reader.foreignKeyCheck(of: table) }
        return try ForeignKeyViolationCursor(Statement(database: self, storage: statement))
    }
}
