import VigilRegions
import VigilStorage

/// The schema of one table. All methods return `nil` if the table does not exist, and cache their result.
extension Database {
    func columns(of table: TableName) throws -> [ColumnInfo]? {
        try checkSchema(of: table.schema)
        if let known = schema.cache.columns[table] { return known }
        try willCache(table)
        let columns = try visibleColumns(of: table)
        schema.cache.columns[table] = .some(columns)
        return columns
    }

    private func visibleColumns(of table: TableName) throws -> [ColumnInfo]? {
        let reader = try schemaReader()
        let columns = try storage { () throws(StorageError) in try reader.columns(of: table) }
        return columns.isEmpty ? nil : columns.filter { !$0.isHidden }.map { ColumnInfo($0) }
    }

    func primaryKey(of table: TableName) throws -> PrimaryKeyInfo? {
        try checkSchema(of: table.schema)
        if let known = schema.cache.primaryKeys[table] { return known }
        try willCache(table)
        let key =
            if try exists(.view, table) {
                try viewPrimaryKey(table)
            } else {
                try tablePrimaryKey(table)
            }
        if mayCache(table) { schema.cache.primaryKeys[table] = .some(key) }
        return key
    }

    private func tablePrimaryKey(_ name: TableName) throws -> PrimaryKeyInfo? {
        guard try isTable(name), let columns = try columns(of: name), let table = try self.table(name)
        else { return nil }
        let key = columns.filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
        let names = Set(table.columns.map { ColumnName($0.name) } + columns.map { ColumnName($0.name) })
        let rowIDNames = dialect.rowIDColumns
        // Virtual tables have row ids.
        let hasRowID = table.hasRowID || (key.isEmpty && !rowIDNames.isEmpty)
        return PrimaryKeyInfo(
            key, isRowID: table.rowIDColumn != nil, tableHasRowID: hasRowID,
            rowIDName: rowIDNames.isEmpty
                ? nil : rowIDNames.first { !names.contains(ColumnName($0)) } ?? table.rowIDColumn)
    }

    /// Returns whether a name is that of a table, possibly of the schema table itself.
    private func isTable(_ name: TableName) throws -> Bool {
        if let schemaTable = schemaNaming.schemaTable(denotedBy: name),
            schemaTable.schema.isSameName(as: name.schema)
        {
            return true
        }
        return try exists(.table, name)
    }

    private func viewPrimaryKey(_ view: TableName) throws -> PrimaryKeyInfo? {
        let id = DatabaseObjectID(name: view.name, schemaID: DatabaseSchemaID(name: view.schema))
        guard let names = try schemaSource?.columnsForPrimaryKey(self, inView: id), !names.isEmpty,
            let columns = try columns(of: view)
        else { return nil }
        let key = try names.enumerated().map { index, name in
            guard var column = columns.first(where: { $0.name.isSameName(as: name) }) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "no such column in view \(view): \(name)")
            }
            column.primaryKeyIndex = index + 1
            return column
        }
        return PrimaryKeyInfo(key, tableHasRowID: false)
    }

    func indexes(on table: TableName) throws -> [IndexInfo]? {
        try checkSchema(of: table.schema)
        if let known = schema.cache.indexes[table] { return known }
        try willCache(table)
        let reader = try schemaReader()
        let indexes: [IndexInfo]? =
            if try isTable(table) {
                try storage { () throws(StorageError) in try reader.indexes(on: table) }
                    .compactMap { IndexInfo($0) }
            } else {
                nil
            }
        schema.cache.indexes[table] = .some(indexes)
        return indexes
    }

    func foreignKeys(of table: TableName) throws -> [ForeignKeyInfo]? {
        try checkSchema(of: table.schema)
        if let known = schema.cache.foreignKeys[table] { return known }
        try willCache(table)
        let reader = try schemaReader()
        let keys: [ForeignKeyInfo]? =
            if try isTable(table) {
                try storage { () throws(StorageError) in try reader.foreignKeys(of: table) }
                    .map { try foreignKey($0, in: table.schema) }
            } else {
                nil
            }
        if mayCache(table) { schema.cache.foreignKeys[table] = .some(keys) }
        return keys
    }

    /// Resolves a foreign key: it refers to a table of the same database, and to its primary key if it names
    /// no columns.
    private func foreignKey(_ key: StorageForeignKey, in schema: String) throws -> ForeignKeyInfo {
        let destination =
            try key.referencedColumns ?? primaryKey(key.referencedTable, in: schema).columns
        return ForeignKeyInfo(
            id: key.id, destinationTable: key.referencedTable,
            mapping: zip(key.columns, destination).map { (origin: $0, destination: $1) })
    }
}
