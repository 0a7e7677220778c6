extension String {
    /// The name in double quotes, as it can stand in SQL whatever it contains.
    ///
    /// ```swift
    /// try db.execute(sql: "DROP TABLE \(tableName.quotedDatabaseIdentifier)")
    /// ```
    public var quotedDatabaseIdentifier: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// As many question marks, separated by commas: `?,?,?`.
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
