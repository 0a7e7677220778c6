import CVigilSQLite
package import VigilStorage

extension SQLiteConnection {
    package func schemaNames() throws(StorageError) -> [String] {
        try schemasInSearchOrder()
    }

    package func schemaVersion(of schema: String) throws(StorageError) -> Int64 {
        if schema == "main" { return try mainSchemaVersion() }
        let answer = try query("PRAGMA \(schema.quotedSQLName).schema_version").first?.first
        guard case .integer(let version) = answer else { return 0 }
        let id = schema.foldedName
        if version != ownStatements.knownAttachedVersions[id] {
            try adoptSchema { () throws(StorageError) in
                _ = try query("SELECT rootpage FROM \(schemaTable(of: schema)) LIMIT 1")
                ownStatements.knownAttachedVersions[id] = version
            }
        }
        return version
    }

    /// Returns the versions of attached databases, in their order; `nil` for those that cannot be read.
    func attachedSchemaVersions() -> [Int64?] {
        guard let names = try? schemasInSearchOrder() else { return [nil] }
        return names.filter { !$0.isMainOrTemporary }.map { try? schemaVersion(of: $0) }
    }

    /// Returns the version of `main`. Validating cached metadata reads it often, so the statement is kept.
    private func mainSchemaVersion() throws(StorageError) -> Int64 {
        let version = try withInternalStatements { () throws(StorageError) -> Int64 in
            if ownStatements.schemaVersion == nil {
                ownStatements.schemaVersion = try compileInternally("PRAGMA main.schema_version")
            }
            guard let statement = ownStatements.schemaVersion else { return 0 }
            defer { _ = api.pointee.reset(statement) }
            let code = api.pointee.step(statement)
            guard code == SQLiteCode.row else { throw lastError(code) }
            return api.pointee.column_int64(statement, 0)
        }
        if version != ownStatements.knownSchemaVersion {
            try adoptSchema { () throws(StorageError) in
                try withInternalStatements(recordsApart: true) { () throws(StorageError) in
                    try readFirstPage()
                }
                ownStatements.knownSchemaVersion = version
            }
        }
        return version
    }

    /// Makes the library read the schema again if it has changed, by a read of the schema table. Otherwise,
    /// it compiles statements for the old one, until one of them runs.
    private func adoptSchema(_ readTable: () throws(StorageError) -> Void) throws(StorageError) {
        let outerSchema = reachedSchema
        reachedSchema = nil
        defer { reachedSchema = outerSchema }
        do throws(StorageError) {
            try readTable()
        } catch  where error.code.primary == .interrupt {
            throw error
        } catch {
            // Statements throw it if they need the schema.
        }
    }

    package func schemaObjects(in schema: String) throws(StorageError) -> [StorageSchemaObject] {
        let hasDriverTriggers = schema.isSameName(as: "temp")
        return try storedObjects(in: schema).filter {
            !hasDriverTriggers || !RowImagePlan.isName(ofTrigger: $0.name)
        }
    }

    package func columns(of table: TableName) throws(StorageError) -> [StorageColumn] {
        let pragma = library.versionNumber >= 3_026_000 ? "table_xinfo" : "table_info"
        return try pragmaRows(pragma, table).map { row in
            let hidden = row.count > 6 ? row[6].integer : 0
            return StorageColumn(
                column: storageColumn(row), isHidden: hidden == 1, isGenerated: hidden == 2 || hidden == 3,
                isStored: hidden != 2)
        }
    }

    package func indexes(on table: TableName) throws(StorageError) -> [StorageIndex] {
        var indexes: [StorageIndex] = []
        for row in try pragmaRows("index_list", table) {
            guard let name = row[1].text else { continue }
            let entries = try pragmaRows("index_info", TableName(schema: table.schema, name: name))
                .sorted { ($0[0].integer ?? 0) < ($1[0].integer ?? 0) }
            indexes.append(
                StorageIndex(
                    name: name, columns: entries.map { $0[2].text }, isUnique: row[2].integer == 1,
                    isPartial: row[4].integer == 1, origin: .init(row[3].text)))
        }
        return indexes
    }

    /// Whether an index of a table has a column in descending order.
    func hasDescendingIndexes(on table: TableName) throws(StorageError) -> Bool {
        for index in try pragmaRows("index_list", table) {
            guard let name = index[1].text else { continue }
            let columns = try pragmaRows("index_xinfo", TableName(schema: table.schema, name: name))
            if columns.contains(where: { $0[3].integer == 1 }) { return true }
        }
        return false
    }

    package func foreignKeys(of table: TableName) throws(StorageError) -> [StorageForeignKey] {
        var keys: [StorageForeignKey] = []
        // Ordered by key, then by the position of the column in the key.
        for row in try pragmaRows("foreign_key_list", table) {
            guard let id = row[0].integer, let target = row[2].text, let column = row[3].text else {
                continue
            }
            let referenced = row[4].text
            if keys.last?.id == Int(id) {
                keys[keys.count - 1].columns.append(column)
                if let referenced { keys[keys.count - 1].referencedColumns?.append(referenced) }
            } else {
                keys.append(
                    StorageForeignKey(
                        id: Int(id), referencedTable: target, columns: [column],
                        referencedColumns: referenced.map { [$0] }))
            }
        }
        return keys
    }

    package func foreignKeyCheck(of table: TableName?) throws(StorageError) -> any StorageStatement {
        let sql =
            if let table {
                "PRAGMA \(table.schema.quotedSQLName).foreign_key_check(\(table.name.quotedSQLName))"
            } else {
                "PRAGMA foreign_key_check"
            }
        guard let statement = try prepare(sql, fromUTF8Offset: 0, isCached: false).statement else {
            throw StorageError(.error, "the library does not check foreign keys")
        }
        return statement
    }

    private func pragmaRows(_ pragma: String, _ name: TableName) throws(StorageError) -> [[StorageValue]] {
        try query("PRAGMA \(name.schema.quotedSQLName).\(pragma)(\(name.name.quotedSQLName))")
    }
}

extension SQLiteConnection {
    package func enforcesForeignKeys() throws(StorageError) -> Bool {
        try query("PRAGMA foreign_keys").first?.first == .integer(1)
    }

    package func setEnforcesForeignKeys(_ enforces: Bool) throws(StorageError) {
        // An interruption or a lock of shared memory would prevent a statement, and nothing may prevent that
        // foreign keys are enforced again.
        let code = vigil_sqlite_db_config_flag(
            api, try openHandle(), SQLiteDatabaseConfig.foreignKeys, enforces ? 1 : 0, nil)
        guard code == SQLiteCode.ok else { throw lastError(code) }
    }

    package var hasDeferredForeignKeyViolations: Bool {
        status(SQLiteDatabaseStatus.deferredForeignKeys).map { $0 != 0 } ?? false
    }

    /// Returns a counter of the library; `nil` if it is unknown.
    private func status(_ counter: Int32) -> Int? {
        guard let handle else { return nil }
        var (value, highest): (Int32, Int32) = (0, 0)
        let code = api.pointee.db_status(handle, counter, &value, &highest, 0)
        return code == SQLiteCode.ok ? Int(value) : nil
    }

    /// The number of pages read so far; `nil` if it is unknown.
    var pageCount: Int? {
        guard let hits = status(SQLiteDatabaseStatus.cacheHits),
            let misses = status(SQLiteDatabaseStatus.cacheMisses)
        else { return nil }
        return hits + misses
    }
}

extension SQLiteConnection {
    package var maximumParameterCount: Int { limit(SQLiteLimit.variableNumber) }

    /// Returns a limit of the connection; 0 if it is closed.
    func limit(_ limit: Int32) -> Int {
        handle.map { Int(api.pointee.limit($0, limit, -1)) } ?? 0
    }
}

extension StorageIndex.Origin {
    fileprivate init(_ origin: String?) {
        switch origin {
        case "u": self = .uniqueConstraint
        case "pk": self = .primaryKey
        default: self = .createIndex
        }
    }
}

extension StorageValue {
    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }
}
