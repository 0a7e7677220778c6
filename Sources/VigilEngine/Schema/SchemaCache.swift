import VigilStorage

/// What is remembered about the schema. Thrown away as a whole when the schema changes.
struct SchemaCache {
    var tables: [TableName: StorageTable] = [:]
    /// The databases in the order in which an unqualified name is looked up.
    var schemaNames: [String]?
    var objects: [DatabaseSchemaID: [StorageSchemaObject]] = [:]
    /// The following remember too that there is no such table, as an inner `nil`.
    var columns: [TableName: [ColumnInfo]?] = [:]
    var primaryKeys: [TableName: PrimaryKeyInfo?] = [:]
    var indexes: [TableName: [IndexInfo]?] = [:]
    var foreignKeys: [TableName: [ForeignKeyInfo]?] = [:]
}

/// For which state of the schema the cache was filled.
struct SchemaCheck {
    /// The versions of the databases' schemas; the temporary one is nobody else's.
    var versions: [Int64] = []
    /// Whether the schema cannot have changed since ``versions`` were looked up, but by the connection's own
    /// statements, which say so.
    var isCurrent = false
}

extension Database {
    /// The number that changes with the schema of the main database, whoever changes it.
    public func schemaVersion() throws -> Int32 {
        let reader = try schemaReader()
        recordSchemas(["main"])
        return try storage { () throws(StorageError) in
            Int32(truncatingIfNeeded: try reader.schemaVersion(of: "main"))
        }
    }

    /// Forgets what is remembered about the schema.
    ///
    /// There is no need to call it after changes of the schema, by whomever.
    public func clearSchemaCache() {
        schemaDidChange()
    }

    /// Throws the cache away if somebody else changed the schema. To be called before the cache is used.
    ///
    /// In a transaction this costs something only once: what is read stays as it is until its end.
    func checkSchema() throws {
        guard !schemaCheck.isCurrent, let reader = connection as? any SchemaReading else { return }
        let versions = try storage { () throws(StorageError) in
            var versions: [Int64] = []
            for name in try knownSchemaNames(reader) where name != "temp" {
                versions.append(try reader.schemaVersion(of: name))
            }
            return versions
        }
        if versions != schemaCheck.versions {
            let names = schema.schemaNames
            schema = SchemaCache()
            schema.schemaNames = names
            schemaCheck.versions = versions
        }
        schemaCheck.isCurrent = isInsideTransaction
    }

    func schemaReader() throws -> any SchemaReading {
        guard let reader = connection as? any SchemaReading else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "this backend does not describe its schema")
        }
        return reader
    }

    /// Databases are attached and detached by the connection itself, which clears the cache.
    func knownSchemaNames(_ reader: any SchemaReading) throws(StorageError) -> [String] {
        if let names = schema.schemaNames { return names }
        let names = try reader.schemaNames()
        schema.schemaNames = names
        return names
    }
}
