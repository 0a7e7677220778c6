extension String {
    /// The string as an SQL identifier: in double quotes, whatever characters it contains.
    ///
    /// ```swift
    /// try db.execute(sql: "DROP TABLE \(tableName.quotedDatabaseIdentifier)")
    /// ```
    public var quotedDatabaseIdentifier: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// Returns question marks that are separated by commas: `?,?,?`.
///
/// ```swift
/// let sql = "SELECT * FROM player WHERE id IN (\(databaseQuestionMarks(count: ids.count)))"
/// let rows = try Row.fetchAll(db, sql: sql, arguments: StatementArguments(ids))
/// ```
///
/// - Precondition: `count` is not negative.
public func databaseQuestionMarks(count: Int) -> String {
    repeatElement("?", count: count).joined(separator: ",")
}
