package import VigilStorage

extension SQLiteConnection {
    package var rebuildingSQL: String { "VACUUM" }

    package func compactCopy(to path: String) -> (sql: String, argument: String) {
        // Some builds of SQLite interpret the prefix `file:` as a URI.
        ("VACUUM INTO ?", path.utf8.starts(with: "file:".utf8) ? "./" + path : path)
    }

    package func nextErasingSQL() throws(StorageError) -> String? {
        let objects = try schemaObjects(in: "main").filter { object in
            object.kind != .index && !SchemaNaming.sqlite.isInternal(object.name)
        }
        // Dropping a virtual table also drops its storage tables.
        let next =
            objects.first { $0.kind == .trigger } ?? objects.first { $0.kind == .view }
            ?? objects.first(where: \.isVirtualTable) ?? objects.first
        return next.map { "DROP \($0.kind.keyword) main.\($0.name.quotedSQLName)" }
    }

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
