import VigilEngine

/// What a foreign key says after `REFERENCES`.
struct ForeignKeyReference {
    var table: String
    /// `nil` for the primary key.
    var columns: [String]?
    var deleteAction: Database.ForeignKeyAction?
    var updateAction: Database.ForeignKeyAction?
    var isDeferred: Bool

    /// - Parameter primaryKey: the primary key of a table, `nil` if SQLite is to find it.
    func sql(primaryKey: (String) throws -> [String]?) throws -> String {
        var sql = "REFERENCES \(table.quotedDatabaseIdentifier)"
        if let columns = try columns ?? primaryKey(table) { sql += columns.quotedList }
        if let deleteAction { sql += " ON DELETE \(deleteAction.rawValue)" }
        if let updateAction { sql += " ON UPDATE \(updateAction.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}

extension [String] {
    /// The names, quoted, in parentheses.
    var quotedList: String { "(" + map(\.quotedDatabaseIdentifier).joined(separator: ", ") + ")" }
}

extension Database.ConflictResolution? {
    /// ` ON CONFLICT …`, empty if nothing is said.
    var clause: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }

    /// The same, empty for what SQLite does anyway.
    var shortClause: String { self == .abort ? "" : clause }
}
