public import VigilEngine
public import VigilQuery

extension FTS5Pattern {
    /// Creates a pattern from text in the syntax of FTS5, checked by the library.
    ///
    /// ```swift
    /// let pattern = try FTS5Pattern(rawPattern: "title: observ* NOT swift", allowedColumns: ["title"])
    /// ```
    ///
    /// - Throws: `DatabaseError` if the pattern is invalid, or if the library is built without FTS5.
    public init(rawPattern: String, allowedColumns: [String] = []) throws {
        let names = allowedColumns.isEmpty ? ["_"] : allowedColumns
        let columns = names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        try checkPattern(rawPattern, table: "USING fts5(\(columns))")
        self.init(valid: rawPattern)
    }
}

extension FTS5Pattern: DatabaseValueConvertible {
    /// The raw pattern.
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// Returns the pattern of a text; `nil` if it is invalid, or if it names a column.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
        String.fromDatabaseValue(dbValue).flatMap { try? FTS5Pattern(rawPattern: $0) }
    }
}

extension Database {
    /// Returns a pattern from text in the syntax of FTS5, possibly with columns of a table.
    ///
    /// ```swift
    /// let pattern = try db.makeFTS5Pattern(rawPattern: "title: observ*", forTable: "document")
    /// ```
    ///
    /// - Throws: `DatabaseError` if the pattern is invalid or has a column missing in the table, or if the
    ///   table does not exist.
    public func makeFTS5Pattern(rawPattern: String, forTable table: String) throws -> FTS5Pattern {
        try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns(in: table).map(\.name))
    }
}
