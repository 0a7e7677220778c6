public import VigilEngine
public import VigilQuery

extension FTS3Pattern {
    /// Creates a pattern from text in the syntax of FTS3 and FTS4, checked by the library.
    ///
    /// ```swift
    /// let pattern = try FTS3Pattern(rawPattern: "observ* AND (sqlite OR database)")
    /// ```
    ///
    /// - Throws: `DatabaseError` if the pattern is invalid, or if the library is built without FTS3.
    public init(rawPattern: String) throws {
        try checkPattern(rawPattern, table: "USING fts3(content)")
        self.init(valid: rawPattern)
    }
}

extension FTS3Pattern: DatabaseValueConvertible {
    /// The raw pattern.
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// Returns the pattern of a text; `nil` if it is invalid.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
        String.fromDatabaseValue(dbValue).flatMap { try? FTS3Pattern(rawPattern: $0) }
    }
}

/// Searches for a pattern in a full-text table of its own, without rows.
///
/// - Throws: The error of the library, without the SQL of the search.
func checkPattern(_ rawPattern: String, table definition: String) throws {
    do {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE vigil_pattern \(definition)")
            let statement = try db.makeStatement(
                sql: "SELECT * FROM vigil_pattern WHERE vigil_pattern MATCH ?")
            _ = try Row.fetchOne(statement, arguments: [rawPattern])
        }
    } catch let error as DatabaseError {
        throw DatabaseError(resultCode: error.extendedResultCode, message: error.message)
    }
}
