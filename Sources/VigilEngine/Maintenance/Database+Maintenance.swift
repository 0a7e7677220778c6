import VigilStorage

extension Database {
    /// Rebuilds the database in as little space as it needs.
    ///
    /// - Throws: `DatabaseError`, for example inside a transaction.
    func vacuum() throws {
        try execute(sql: "VACUUM")
    }

    /// Writes a compact copy of the database to a file, which must not exist or be empty.
    ///
    /// - Throws: `SQLITE_MISUSE` if the library is too old for that: SQLite can do it from 3.27 on.
    func vacuum(into filePath: String) throws {
        guard connection.capabilities.vacuumsIntoFiles else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "VACUUM INTO needs SQLite 3.27, and the library is \(connection.capabilities.libraryVersion): use backup(to:)"
            )
        }
        try execute(sql: "VACUUM INTO ?", arguments: [filePath])
    }

    /// Removes everything from the database: tables, views, triggers, `user_version` and `application_id`. The file keeps its
    /// size until ``vacuum()``. Temporary and attached databases are left alone.
    ///
    /// All or nothing. Foreign keys are not checked meanwhile, and nothing is done for them.
    ///
    /// - Throws: `SQLITE_MISUSE` inside a transaction.
    package func erase() throws {
        guard !isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a database cannot be erased inside a transaction")
        }
        try withoutForeignKeys {
            try inTransaction(.immediate) {
                // Virtual tables take the tables that hold their content with them.
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

    private func withoutForeignKeys(_ body: () throws -> Void) throws {
        guard try Bool.fetchOne(self, sql: "PRAGMA foreign_keys") == true else { return try body() }
        try execute(sql: "PRAGMA foreign_keys = OFF")
        do {
            try body()
        } catch {
            try? execute(sql: "PRAGMA foreign_keys = ON")
            throw error
        }
        try execute(sql: "PRAGMA foreign_keys = ON")
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
