package import VigilStorage

/// The metadata of a table for the change reporter. It cannot be read during a report of the library, so it
/// is read before a statement runs, and cached until the schema changes.
struct TableMetadata {
    var table: StorageTable
    /// The columns in the order of the pre-update hook; `nil` if virtual columns precede others.
    var imageColumns: [String]?
    /// The number of columns with stored values.
    var storedColumnCount = 0
    /// For each of ``imageColumns``, whether it has a default other than NULL. Rows written before the column
    /// was added do not contain it, and the hook of most libraries reports NULL for it.
    var imageDefaults: [Bool] = []
    /// Columns computed from others: no statement assigns to them, and any update may change them.
    var generatedColumns: Set<ExactString> = []
    /// The generated columns without stored values: computed for each read.
    var virtualColumns: Set<String> = []
    /// The expressions of all generated columns, if there are ``virtualColumns``.
    var generatingExpressions: [ArraySlice<SQLToken>] = []
    /// The positions of the primary key's columns, for tables without row id.
    var keyColumns: [Int] = []
    var indexes: [StorageIndex] = []
    /// Whether writing the table may delete other rows of it or, through a trigger, of other tables.
    var mayReplace = false
    /// Whether inserting a row changes `sqlite_sequence`.
    var hasAutoincrement = false
    /// The virtual table with its content stored here.
    var owner: TableName?
}

extension TableName {
    /// Whether the name is reserved for the library's own tables. No hook reports their rows.
    package var isOfLibrary: Bool { name.foldedName.utf8.starts(with: "sqlite_".utf8) }
}

extension SQLiteConnection {
    package func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        let candidates: [String] = if let schema { [schema] } else { try schemasInSearchOrder() }
        for candidate in candidates {
            if let metadata = try metadata(of: name, in: candidate) { return metadata.table }
            if let table = try schemaTableMetadata(name, in: candidate) { return table }
        }
        return nil
    }

    package func tables() throws(StorageError) -> [TableName] {
        var tables: [TableName] = []
        for schema in try schemasInSearchOrder() where hasTables(schema) {
            let names = try objectNames([.table], in: schema)
            for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                tables.append(TableName(schema: schema, name: name))
            }
        }
        return tables
    }

    /// Returns all schemas in the search order of the library: an unqualified name first refers to `temp`.
    func schemasInSearchOrder() throws(StorageError) -> [String] {
        let names = try query("PRAGMA database_list").compactMap { row -> String? in
            if row.count > 1, case .text(let name) = row[1] { name } else { nil }
        }
        return (["temp", "main"] + names).reduce(into: []) { result, name in
            if !result.contains(where: { $0.isSameName(as: name) }) { result.append(name) }
        }
    }

    private func hasSchema(_ name: String) throws(StorageError) -> Bool {
        try schemasInSearchOrder().contains { $0.isSameName(as: name) }
    }

    /// Returns the metadata of the unlisted schema table; for `temp`, only if there are temporary objects.
    private func schemaTableMetadata(_ name: String, in schema: String) throws(StorageError) -> StorageTable?
    {
        let isTemporary = schema.isSameName(as: "temp")
        let spelling = isTemporary ? "sqlite_temp_master" : "sqlite_master"
        guard name.isSameName(as: spelling) else { return nil }
        if isTemporary {
            let entries = try storedObjects(in: schema)
            if entries.allSatisfy({ RowImagePlan.isName(ofTrigger: $0.name) }) { return nil }
        }
        return try columnMetadata(TableName(schema: schema, name: spelling), kind: .table).table
    }

    func metadata(of name: String, in schema: String) throws(StorageError) -> TableMetadata? {
        guard hasTables(schema) else { return nil }
        let entry: StorageSchemaObject
        do {
            guard let found = try tableOrView(named: name, in: schema) else { return nil }
            entry = found
        } catch  where (try? hasSchema(schema)) == false {
            return nil
        }
        let name = TableName(schema: schema, name: entry.name)
        if entry.kind == .view { return try viewMetadata(name) }
        if entry.isVirtualTable { return try columnMetadata(name, kind: .virtual) }
        var metadata = try columnMetadata(name, kind: .table)
        let tokens = SQLTokens(entry.sql ?? "")
        metadata.mayReplace = tokens.contains("REPLACE")
        metadata.hasAutoincrement = tokens.contains("AUTOINCREMENT")
        if !metadata.virtualColumns.isEmpty { metadata.generatingExpressions = tokens.generatingExpressions }
        if !metadata.mayReplace { metadata.mayReplace = try triggersMayReplace(metadata.table.name) }
        metadata.owner = try virtualTableOwning(metadata.table.name)
        return metadata
    }

    private func viewMetadata(_ name: TableName) throws(StorageError) -> TableMetadata {
        var metadata: TableMetadata
        do {
            metadata = try columnMetadata(name, kind: .view)
        } catch  where error.code.primary == .error {
            // The view reads something missing. It is a view nevertheless, without columns.
            metadata = TableMetadata(
                table: StorageTable(name: name, kind: .view, columns: [], hasRowID: false))
        }
        // Writing a view means running its triggers.
        metadata.mayReplace = try triggersMayReplace(name)
        return metadata
    }

    /// Returns whether the schema may have tables or views, without reading it: a read of the temporary
    /// database makes the library open it, and include it in every later transaction.
    private func hasTables(_ schema: String) -> Bool {
        schemas.hasTemporary || !schema.isSameName(as: "temp")
    }

    func schemaTable(of schema: String) -> String {
        schema.isSameName(as: "temp") ? "sqlite_temp_master" : "\(schema.quotedSQLName).sqlite_master"
    }

    private func columnMetadata(_ name: TableName, kind: StorageTable.Kind) throws(StorageError)
        -> TableMetadata
    {
        let described = try columns(of: name)
        let columns = described.map(\.column)
        let storedCount = described.filter(\.isStored).count
        let isOrdered = described.prefix(storedCount).allSatisfy(\.isStored)
        let indexes = kind == .table ? try indexes(on: name) : []
        let key = kind == .table ? try primaryKeyStorage(name, indexes) : .tableItself
        var metadata = TableMetadata(
            table: StorageTable(
                name: name, kind: kind, columns: columns, hasRowID: key != .tableItself,
                hasPrimaryKeyIndex: key == .index))
        metadata.generatedColumns = Set(described.filter(\.isGenerated).map { ExactString($0.column.name) })
        metadata.virtualColumns = Set(described.filter { $0.isGenerated && !$0.isStored }.map(\.column.name))
        metadata.indexes = indexes
        metadata.storedColumnCount = storedCount
        if storedCount == columns.count || isOrdered && key != .tableItself {
            metadata.imageColumns = columns.map(\.name)
        }
        metadata.imageDefaults = columns.map { $0.defaultSQL.map { !$0.isSameName(as: "NULL") } ?? false }
        metadata.keyColumns = columns.indices.filter { columns[$0].primaryKeyIndex > 0 }
            .sorted { columns[$0].primaryKeyIndex < columns[$1].primaryKeyIndex }
        return metadata
    }

    func storageColumn(_ row: [StorageValue]) -> StorageTable.Column {
        func text(_ index: Int) -> String? {
            if case .text(let text) = row[index] { text } else { nil }
        }
        let keyIndex = if case .integer(let index) = row[5] { Int(index) } else { 0 }
        return StorageTable.Column(
            name: text(1) ?? "", type: text(2) ?? "", isNotNull: row[3] == .integer(1), defaultSQL: text(4),
            primaryKeyIndex: keyIndex)
    }

    private enum PrimaryKeyStorage {
        /// The table has no key, or its key is the row id.
        case rowID
        case index
        /// The table is `WITHOUT ROWID`.
        case tableItself
    }

    /// Returns where the primary key is stored. If the primary key *is* the table, the schema lists no index
    /// of that name (https://www.sqlite.org/withoutrowid.html). `INTEGER PRIMARY KEY DESC` has an index,
    /// because of a historical bug in SQLite (https://www.sqlite.org/lang_createtable.html#rowid).
    private func primaryKeyStorage(
        _ table: TableName, _ indexes: [StorageIndex]
    ) throws(StorageError) -> PrimaryKeyStorage {
        guard let key = indexes.first(where: { $0.origin == .primaryKey }) else { return .rowID }
        let entries = try storedObjects(named: key.name, in: table.schema)
        return entries.contains { $0.kind == .index } ? .index : .tableItself
    }

    private func triggersMayReplace(_ table: TableName) throws(StorageError) -> Bool {
        for schema in schemasWithTriggers(of: table) {
            let triggers = try triggers(on: table.name, in: schema)
            if triggers.contains(where: { $0.sql?.utf8.containsFolded("replace") ?? true }) { return true }
        }
        return false
    }

    func schemasWithTriggers(of table: TableName) -> [String] {
        schemas.hasTemporaryTriggers && !table.schema.isSameName(as: "temp")
            ? [table.schema, "temp"] : [table.schema]
    }

    /// Returns the owner of a storage table `x_…`: the full-text or R-tree table `x`.
    private func virtualTableOwning(_ table: TableName) throws(StorageError) -> TableName? {
        guard table.name.utf8.contains(UInt8(ascii: "_")) else { return nil }
        let owners = try virtualNames(in: table.schema).filter { table.name.beginsLikeShadowTable(of: $0) }
        return owners.max { $0.utf8.count < $1.utf8.count }.map { TableName(schema: table.schema, name: $0) }
    }

    /// Returns the tables in which a virtual table may store its content.
    func shadowTables(of table: TableName) throws(StorageError) -> [TableName] {
        try objectNames([.table], in: table.schema).filter { $0.beginsLikeShadowTable(of: table.name) }
            .map { TableName(schema: table.schema, name: $0) }
    }
}

extension String {
    fileprivate func beginsLikeShadowTable(of virtualTable: String) -> Bool {
        foldedName.utf8.starts(with: (virtualTable.foldedName + "_").utf8)
    }
}
