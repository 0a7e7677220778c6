import VigilRegions
package import VigilStorage

// Schema reads are recorded in the region, in order to notify observations of the schema when it changes.
//
// Names are compared as SQLite compares them, ignoring the case of ASCII letters. Names without a schema are
// looked up in the order of SQL statements: the temporary schema, the main database, attached databases. On a
// server, a schema in an argument need not be in the search path.
extension Database {
    /// Returns whether a table or virtual table exists. Throws `DatabaseError` if the schema does not exist.
    public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists(.table, name, in: schemaName)
    }

    /// Returns whether a view exists. Throws `DatabaseError` if the schema does not exist.
    public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists(.view, name, in: schemaName)
    }

    /// Returns whether a trigger exists. Throws `DatabaseError` if the schema does not exist.
    public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists(.trigger, name, in: schemaName)
    }

    /// Returns the columns of a table or view, in the order of `SELECT *`.
    ///
    /// ```swift
    /// let names = try db.columns(in: "player").map(\.name)
    /// ```
    ///
    /// - Throws: `DatabaseError` if the table does not exist.
    public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
        try find(tableName, in: schemaName) { try columns(of: $0) }
    }

    /// Returns the primary key of a table: the row id if none is declared. The primary key of a view is
    /// defined by the ``schemaSource``.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if it is a view without a primary key.
    public func primaryKey(_ tableName: String, in schemaName: String? = nil) throws -> PrimaryKeyInfo {
        for schema in try schemas(schemaName) {
            if let key = try primaryKey(of: TableName(schema: schema, name: tableName)) { return key }
        }
        guard try viewExists(tableName, in: schemaName) else { throw DatabaseError.noSuchTable(tableName) }
        throw DatabaseError.viewWithoutPrimaryKey(tableName)
    }

    /// Returns the indexes of a table, except on expressions. Throws `DatabaseError` if it does not exist.
    public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
        try find(tableName, in: schemaName) { try indexes(on: $0) }
    }

    /// Returns the foreign keys of a table.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if a foreign key refers to the primary key
    ///   of a missing table.
    public func foreignKeys(on tableName: String, in schemaName: String? = nil) throws -> [ForeignKeyInfo] {
        try find(tableName, in: schemaName) { try foreignKeys(of: $0) }
    }

    /// Returns whether the columns, or some of them, identify a row: they are the primary key, or they have a
    /// unique index.
    ///
    /// - Throws: `DatabaseError` if the schema cannot be read.
    public func table(_ tableName: String, hasUniqueKey columns: some Collection<String>) throws -> Bool {
        try columnsForUniqueKey(columns, in: tableName) != nil
    }

    /// Returns whether a table is internal to SQLite: its name begins with `sqlite_` or `pragma_`.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        SchemaNaming.sqlite.isInternal(tableName)
    }

    /// Returns whether a table is internal to Vigil or to GRDB, such as the tables that list the applied
    /// migrations: its name begins with `vigil_` or `grdb_`.
    ///
    /// ```swift
    /// let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
    ///     .filter { !Database.isSQLiteInternalTable($0) && !Database.isGRDBInternalTable($0) }
    /// ```
    public static func isGRDBInternalTable(_ tableName: String) -> Bool {
        let name = tableName.foldedName
        return name.hasPrefix("vigil_") || name.hasPrefix("grdb_")
    }

    /// The maximum number of arguments of a statement.
    public var maximumStatementArgumentCount: Int {
        connection.maximumParameterCount
    }

    // MARK: - For requests and records

    /// Returns the columns among `columns` that identify a row, or `nil` if they do not.
    package func columnsForUniqueKey(_ columns: some Collection<String>, in tableName: String) throws
        -> [String]?
    {
        let names = Set(columns.map { ColumnName($0) })
        guard !names.isEmpty else { return nil }
        // A view may not have a primary key.
        if let key = try? primaryKey(tableName) {
            if let column = key.rowIDName, names == [ColumnName(column)] { return [column] }
            if !key.columns.isEmpty, names.isSuperset(of: key.columns.map { ColumnName($0) }) {
                return key.columns
            }
        }
        guard try tableExists(tableName) else { return nil }
        let index = try indexes(on: tableName).first {
            $0.isUnique && !$0.isPartial && names.isSuperset(of: $0.columns.map { ColumnName($0) })
        }
        return index?.columns
    }

    /// Returns the tables, views, indexes and triggers of a database.
    package func schemaObjects(in schemaName: String) throws -> [StorageSchemaObject] {
        recordSchemas([schemaName])
        return try objects(in: schemaName)
    }

    private func objects(in schemaName: String) throws -> [StorageSchemaObject] {
        try checkSchema(of: schemaName)
        let id = DatabaseSchemaID(name: schemaName)
        if let known = schema.cache.objects[id] { return known }
        let reader = try schemaReader()
        let objects = try storage { () throws(StorageError) in try reader.schemaObjects(in: schemaName) }
        // The versions of tables do not reveal new ones.
        if roles.server == nil { schema.cache.objects[id] = objects }
        return objects
    }

    /// Returns the statements for creating the tables of a database, by table, if its schema does not contain
    /// their texts.
    package func tableDefinitions(in schemaName: String) throws -> [String: String] {
        guard let server else { return [:] }
        return try storage { () throws(StorageError) in try server.tableDefinitions(in: schemaName) }
    }

    // MARK: - Looking up

    private func exists(_ kind: StorageSchemaObject.Kind, _ name: String, in schemaName: String?) throws
        -> Bool
    {
        try schemas(schemaName).contains { try exists(kind, TableName(schema: $0, name: name)) }
    }

    func exists(_ kind: StorageSchemaObject.Kind, _ name: TableName) throws -> Bool {
        if roles.server != nil, kind == .table || kind == .view {
            let table = try table(name)
            return table.map { ($0.kind == .view) == (kind == .view) } ?? false
        }
        return try objects(in: name.schema).contains {
            $0.kind == kind && $0.name.isSameName(as: name.name)
        }
    }

    /// Returns the databases of a name, and records reads of their schemas.
    func schemas(_ name: String?) throws -> [String] {
        try checkSchema()
        let reader = try schemaReader()
        let names = try storage { () throws(StorageError) in try knownSchemaNames(reader) }
        let found = name.map { name in names.filter { $0.isSameName(as: name) } } ?? names
        recordSchemas(found.isEmpty ? names : found)
        guard let name else { return names }
        if !found.isEmpty { return found }
        if let server {
            let other = try storage { () throws(StorageError) in try server.schema(named: name) }
            if let other { return [other] }
        }
        throw DatabaseError(message: "no such schema: \(name)")
    }

    /// Returns the first result of `look` that is not `nil`.
    func find<T>(_ name: String, in schemaName: String?, _ look: (TableName) throws -> T?) throws -> T {
        for schema in try schemas(schemaName) {
            if let found = try look(TableName(schema: schema, name: name)) { return found }
        }
        throw DatabaseError.noSuchTable(name)
    }
}

extension DatabaseError {
    package static func noSuchTable(_ name: String) -> DatabaseError {
        let hint = name.contains(".") ? " (the name of a table does not include its schema)" : ""
        return DatabaseError(message: "no such table: \(name)\(hint)")
    }

    package static func viewWithoutPrimaryKey(_ name: String) -> DatabaseError {
        DatabaseError(message: "database view \(name) has no primary key")
            .advising("define one in Configuration.schemaSource")
    }
}
