public import VigilEngine

extension DatabaseReader {
    /// Runs statements, and writes their rows. See ``Database/dumpSQL(_:format:to:)``.
    ///
    /// ```swift
    /// try dbQueue.dumpSQL("SELECT * FROM player")
    /// ```
    ///
    /// - Throws: `DatabaseError` if a statement fails, or the error of the format.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { try $0.dumpSQL(sql, format: format, to: stream) }
    }

    /// Writes the rows of a request. See ``Database/dumpRequest(_:format:to:)``.
    ///
    /// - Throws: `DatabaseError` if the request fails, or the error of the format.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(),
        to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { try $0.dumpRequest(request, format: format, to: stream) }
    }

    /// Writes rows of tables and views. See ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)``.
    ///
    /// - Throws: `DatabaseError` if a table does not exist or cannot be read, or the error of the format.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(),
        tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false,
        to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { db in
            try db.dumpTables(
                tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream)
        }
    }

    /// Writes the schema, and the rows of all tables. See ``Database/dumpContent(format:to:)``.
    ///
    /// - Throws: `DatabaseError` if the database cannot be read, or the error of the format.
    public func dumpContent(
        format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { try $0.dumpContent(format: format, to: stream) }
    }

    /// Writes the statements creating the schema. See ``Database/dumpSchema(to:)``.
    ///
    /// - Throws: `DatabaseError` if the schema cannot be read.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        try unsafeReentrantRead { try $0.dumpSchema(to: stream) }
    }
}
