import VigilStorage

extension Database {
    /// Rebuilds the database file, so that it contains no free pages.
    ///
    /// - Throws: `DatabaseError`, for example inside a transaction.
    func vacuum() throws {
        try execute(sql: "VACUUM")
    }

    /// Writes a compact copy of the database to a file. The file must not exist, or it must be empty.
    ///
    /// - Throws: `DatabaseError`, with `SQLITE_MISUSE` for libraries before SQLite 3.27.
    func vacuum(into filePath: String) throws {
        try require(.vacuumInto)
        // Some builds of SQLite interpret a path that begins with `file:` as a URI.
        let literalPath = filePath.utf8.starts(with: "file:".utf8) ? "./" + filePath : filePath
        try execute(sql: "VACUUM INTO ?", arguments: [literalPath])
    }

    /// Removes the entire content of the database: tables, views and triggers. Resets `user_version` and
    /// `application_id`. Temporary and attached databases are not affected, and the file keeps its size until
    /// ``vacuum()``.
    ///
    /// If it fails, the database is unchanged. Foreign keys are not checked, and their actions do not run.
    ///
    /// - Throws: `DatabaseError`, with `SQLITE_MISUSE` inside a transaction.
    package func erase() throws {
        guard !isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a database cannot be erased inside a transaction")
        }
        try withoutForeignKeys {
            try inTransaction(.immediate) {
                // Dropping a virtual table also drops the tables that store its content.
                for object in try eraseOrder() where try schemaContains(object) {
                    try execute(sql: "DROP \(object.kind.keyword) main.\(object.name.quotedName)")
                }
                try execute(sql: "PRAGMA user_version = 0; PRAGMA application_id = 0")
                return .commit
            }
        }
    }

    private func schemaContains(_ object: StorageSchemaObject) throws -> Bool {
        try schemaObjects(in: "main").contains {
            $0.kind == object.kind && $0.name.isSameName(as: object.name)
        }
    }

    private func eraseOrder() throws -> [StorageSchemaObject] {
        let objects = try schemaObjects(in: "main").filter { !$0.isInternal }
        let tables = objects.filter { $0.kind == .table }
        return objects.filter { $0.kind == .trigger } + objects.filter { $0.kind == .view }
            + tables.filter(\.isVirtualTable) + tables.filter { !$0.isVirtualTable }
    }
}

extension StorageSchemaObject {
    fileprivate var isInternal: Bool { Database.isSQLiteInternalTable(name) }

    fileprivate var isVirtualTable: Bool {
        guard kind == .table, let sql else { return false }
        let words = sql.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        return words.count > 1 && String(words[1]).isSameName(as: "VIRTUAL")
    }
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
