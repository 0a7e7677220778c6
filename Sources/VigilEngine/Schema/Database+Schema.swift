import VigilRegions
package import VigilStorage

// What is looked up here is recorded as read, so that an observation that does so is told when the schema changes.
//
// Names compare as SQLite compares them, ignoring the case of ASCII letters. Without a schema they are looked up where a
// statement would look: in the temporary schema, in the database, then in attached ones.
extension Database {
    /// Whether there is a table, or virtual table, of that name.
    ///
    /// - Throws: `DatabaseError` if there is no such schema.
    public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists(.table, name, in: schemaName)
    }

    /// Whether there is a view of that name.
    ///
    /// - Throws: `DatabaseError` if there is no such schema.
    public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists(.view, name, in: schemaName)
    }

    /// Whether there is a trigger of that name.
    ///
    /// - Throws: `DatabaseError` if there is no such schema.
    public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists(.trigger, name, in: schemaName)
    }

    /// The columns of a table or view, as `SELECT *` gives them.
    ///
    /// - Throws: `DatabaseError` if there is no such table.
    public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
        try find(tableName, in: schemaName) { try columns(of: $0) }
    }

    /// The primary key of a table; the row id if none is declared. That of a view is what the ``schemaSource`` says.
    ///
    /// - Throws: `DatabaseError` if there is no such table, or if it is a view that nobody knows a primary key of.
    public func primaryKey(_ tableName: String, in schemaName: String? = nil) throws -> PrimaryKeyInfo {
        for schema in try schemas(schemaName) {
            if let key = try primaryKey(of: TableName(schema: schema, name: tableName)) { return key }
        }
        guard try viewExists(tableName, in: schemaName) else { throw DatabaseError.noSuchTable(tableName) }
        throw DatabaseError(message: "database view \(tableName) has no primary key")
    }

    /// The indexes of a table, but for those of expressions.
    ///
    /// - Throws: `DatabaseError` if there is no such table.
    public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
        try find(tableName, in: schemaName) { try indexes(on: $0) }
    }

    /// The foreign keys of a table.
    ///
    /// - Throws: `DatabaseError` if there is no such table, or if one refers to a primary key of a table that is not there.
    public func foreignKeys(on tableName: String, in schemaName: String? = nil) throws -> [ForeignKeyInfo] {
        try find(tableName, in: schemaName) { try foreignKeys(of: $0) }
    }

    /// Whether some of `columns` identify a row: as its primary key, or by a unique index.
    public func table(_ tableName: String, hasUniqueKey columns: some Collection<String>) throws -> Bool {
        try columnsForUniqueKey(columns, in: tableName) != nil
    }

    /// Whether the table belongs to SQLite itself: its name begins with `sqlite_` or `pragma_`.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        let name = tableName.foldedName
        return name.hasPrefix("sqlite_") || name.hasPrefix("pragma_")
    }

    /// The greatest number of arguments that a statement can have.
    public var maximumStatementArgumentCount: Int {
        (connection as? any ConnectionLimits)?.maximumParameterCount ?? .max
    }

    // MARK: - For requests and records

    /// The columns among `columns` that identify a row, `nil` if they do not.
    package func columnsForUniqueKey(_ columns: some Collection<String>, in tableName: String) throws
        -> [String]?
    {
        let names = Set(columns.map { ColumnName($0) })
        guard !names.isEmpty else { return nil }
        // A view may have none.
        if let key = try? primaryKey(tableName) {
            if key.tableHasRowID, names == [.rowID] { return ["rowid"] }
            if names.isSuperset(of: key.columns.map { ColumnName($0) }) { return key.columns }
        }
        guard try tableExists(tableName) else { return nil }
        let index = try indexes(on: tableName).first {
            $0.isUnique && !$0.isPartial && names.isSuperset(of: $0.columns.map { ColumnName($0) })
        }
        return index?.columns
    }

    /// The name of a table in the schema's spelling, that of the schema table included; `nil` if there is none.
    package func canonicalTableName(_ tableName: String) throws -> String? {
        for schema in try schemas(nil) {
            let table = try schemaObjects(in: schema).first {
                $0.kind == .table && $0.name.isSameName(as: tableName)
            }
            if let table { return table.name }
            let master = schema.isSameName(as: "temp") ? "sqlite_temp_master" : "sqlite_master"
            if tableName.isSameName(as: master) { return master }
        }
        return nil
    }

    /// The tables, views, indexes and triggers of a database.
    package func schemaObjects(in schemaName: String) throws -> [StorageSchemaObject] {
        try checkSchema()
        let id = DatabaseSchemaID(name: schemaName)
        if let known = schema.objects[id] { return known }
        let reader = try schemaReader()
        let objects = try storage { () throws(StorageError) in try reader.schemaObjects(in: schemaName) }
        schema.objects[id] = objects
        return objects
    }

    // MARK: - Looking up

    private func exists(_ kind: StorageSchemaObject.Kind, _ name: String, in schemaName: String?) throws
        -> Bool
    {
        try schemas(schemaName).contains { try exists(kind, TableName(schema: $0, name: name)) }
    }

    func exists(_ kind: StorageSchemaObject.Kind, _ name: TableName) throws -> Bool {
        try schemaObjects(in: name.schema).contains { $0.kind == kind && $0.name.isSameName(as: name.name) }
    }

    /// The databases where a name is looked up.
    func schemas(_ name: String?) throws -> [String] {
        try checkSchema()
        let reader = try schemaReader()
        let names = try storage { () throws(StorageError) in try knownSchemaNames(reader) }
        let found = name.map { name in names.filter { $0.isSameName(as: name) } } ?? names
        recordSchemas(found.isEmpty ? names : found)
        guard let name else { return names }
        guard !found.isEmpty else { throw DatabaseError(message: "no such schema: \(name)") }
        return found
    }

    /// What `look` finds first.
    func find<T>(_ name: String, in schemaName: String?, _ look: (TableName) throws -> T?) throws -> T {
        for schema in try schemas(schemaName) {
            if let found = try look(TableName(schema: schema, name: name)) { return found }
        }
        throw DatabaseError.noSuchTable(name)
    }
}

extension DatabaseError {
    package static func noSuchTable(_ name: String) -> DatabaseError {
        DatabaseError(message: "no such table: \(name)")
    }
}

extension String {
    /// The name in double quotes, for SQL.
    var quotedName: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
