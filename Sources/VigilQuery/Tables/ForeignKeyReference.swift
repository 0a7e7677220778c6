public import VigilEngine

/// The `REFERENCES` clause of a foreign key.
struct ForeignKeyReference {
    var table: String
    /// The referenced columns; `nil` for the primary key.
    var columns: [String]?
    var deleteAction: Database.ForeignKeyAction?
    var updateAction: Database.ForeignKeyAction?
    var isDeferred: Bool

    /// Returns the clause. `primaryKey` returns the key of a table, or `nil` if SQLite should look it up.
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
    var quotedList: String { "(" + map(\.quotedDatabaseIdentifier).joined(separator: ", ") + ")" }
}

extension Database {
    /// The effect on a row when the row it refers to is deleted, or when its key changes.
    ///
    /// See <https://www.sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// The row is deleted as well, or its foreign key receives the new key.
        case cascade = "CASCADE"
        /// The change fails immediately, even if the foreign key is deferred.
        case restrict = "RESTRICT"
        /// The foreign key of the row becomes `NULL`.
        case setNull = "SET NULL"
        /// The foreign key of the row becomes the default value of its columns.
        case setDefault = "SET DEFAULT"
    }
}
