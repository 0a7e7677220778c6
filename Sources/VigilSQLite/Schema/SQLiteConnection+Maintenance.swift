package import VigilStorage

extension SQLiteConnection {
    package var rebuildingSQL: String { "VACUUM" }

    package func compactCopy(to path: String) -> (sql: String, argument: String) {
        // Some builds of SQLite interpret the prefix `file:` as a URI.
        ("VACUUM INTO ?", path.utf8.starts(with: "file:".utf8) ? "./" + path : path)
    }

    package func nextErasingSQL() throws(StorageError) -> (sql: String, fallback: String?)? {
        let objects = try schemaObjects(in: "main").filter { object in
            object.kind != .index && !TableName(name: object.name).isOfLibrary
        }
        // Dropping a virtual table also drops its storage tables.
        let next =
            objects.first { $0.kind == .trigger } ?? objects.first { $0.kind == .view }
            ?? objects.first(where: \.isVirtualTable) ?? objects.first
        guard let next else { return nil }
        let sql = "DROP \(next.kind.keyword) main.\(next.name.quotedSQLName)"
        guard next.isVirtualTable else { return (sql, nil) }
        return (sql, try removal(ofVirtualTable: next.name))
    }

    /// Returns the statements to remove a virtual table from the schema. Its storage tables remain, as
    /// ordinary tables.
    ///
    /// All connections notice the new version of the schema, this one when it rolls back.
    private func removal(ofVirtualTable name: String) throws(StorageError) -> String {
        let version = Int32(truncatingIfNeeded: try schemaVersion(of: "main")) &+ 1
        return """
            PRAGMA writable_schema = ON;
            DELETE FROM main.sqlite_master WHERE CAST(name AS BLOB) = CAST(\(name.quotedSQLText) AS BLOB);
            PRAGMA writable_schema = OFF;
            PRAGMA main.schema_version = \(version);
            SAVEPOINT vigil_erasing; ROLLBACK TO vigil_erasing; RELEASE vigil_erasing
            """
    }

    package var schemaProtectingSQL: String { "PRAGMA writable_schema = OFF" }

    package var headerResettingSQL: String { "PRAGMA user_version = 0; PRAGMA application_id = 0" }
}

extension StorageSchemaObject.Kind {
    fileprivate var keyword: String {
        switch self {
        case .table: "TABLE"
        case .view: "VIEW"
        case .index: "INDEX"
        case .trigger: "TRIGGER"
        }
    }
}
