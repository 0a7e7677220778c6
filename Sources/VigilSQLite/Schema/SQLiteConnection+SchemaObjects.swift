import VigilStorage

// Reads of the schema tables. The statements compare blobs and integers only: programs can replace the
// collations of text, and the functions behind `LIKE`, `length` and others. Names are compared here.
extension SQLiteConnection {
    /// Returns the objects of a schema, of all kinds with `nil`, including the driver's own.
    func storedObjects(_ kinds: [StorageSchemaObject.Kind]? = nil, in schema: String) throws(StorageError)
        -> [StorageSchemaObject]
    {
        try storedObjects(in: schema, where: kinds.map { Self.condition($0) } ?? "1")
    }

    /// Returns the objects with exactly this name, of any kind.
    func storedObjects(named name: String, in schema: String) throws(StorageError) -> [StorageSchemaObject] {
        try storedObjects(in: schema, where: "CAST(name AS BLOB) = CAST(? AS BLOB)", [.text(name)])
    }

    private func storedObjects(
        in schema: String, where condition: String, _ values: [StorageValue] = []
    ) throws(StorageError) -> [StorageSchemaObject] {
        try query(
            "SELECT type, name, tbl_name, sql FROM \(schemaTable(of: schema)) WHERE \(condition)", values
        ).compactMap { row in
            guard let kind = StorageSchemaObject.Kind(row[0].text), let name = row[1].text else { return nil }
            return StorageSchemaObject(
                kind: kind, name: name, tableName: row[2].text ?? name, sql: row[3].text)
        }
    }

    /// Returns the table or view with a name, in any case.
    func tableOrView(named name: String, in schema: String) throws(StorageError) -> StorageSchemaObject? {
        func find(_ spelling: String) throws(StorageError) -> StorageSchemaObject? {
            try storedObjects(named: spelling, in: schema).first { $0.kind == .table || $0.kind == .view }
        }
        // The schema's own spelling is the most frequent one.
        if let found = try find(name) { return found }
        let names = try objectNames([.table, .view], in: schema)
        guard let spelling = names.first(where: { $0.isSameName(as: name) }) else { return nil }
        return try find(spelling)
    }

    func objectNames(_ kinds: [StorageSchemaObject.Kind], in schema: String) throws(StorageError) -> [String]
    {
        try objectNames(in: schema, where: Self.condition(kinds))
    }

    /// Returns the names of the virtual tables, optionally with the views. Neither have pages of their own.
    func virtualNames(in schema: String, includesViews: Bool = false) throws(StorageError) -> [String] {
        let kinds: [StorageSchemaObject.Kind] = includesViews ? [.table, .view] : [.table]
        return try objectNames(
            in: schema, where: "\(Self.condition(kinds)) AND (rootpage = 0 OR rootpage IS NULL)")
    }

    private func objectNames(in schema: String, where condition: String) throws(StorageError) -> [String] {
        try query("SELECT name FROM \(schemaTable(of: schema)) WHERE \(condition)").compactMap {
            $0.first?.text
        }
    }

    /// Returns the triggers of a table, except the driver's own.
    func triggers(on table: String, in schema: String) throws(StorageError) -> [StorageSchemaObject] {
        try storedObjects([.trigger], in: schema).filter {
            $0.tableName.isSameName(as: table) && !RowImagePlan.isName(ofTrigger: $0.name)
        }
    }

    private static func condition(_ kinds: [StorageSchemaObject.Kind]) -> String {
        "CAST(type AS BLOB) IN (\(kinds.map { "CAST('\($0.name)' AS BLOB)" }.joined(separator: ", ")))"
    }
}

extension StorageSchemaObject {
    var isVirtualTable: Bool {
        guard kind == .table, let sql else { return false }
        return SQLTokens(sql).startsWith(["CREATE", "VIRTUAL"])
    }
}

extension StorageSchemaObject.Kind {
    fileprivate var name: String {
        switch self {
        case .table: "table"
        case .view: "view"
        case .index: "index"
        case .trigger: "trigger"
        }
    }

    fileprivate init?(_ name: String?) {
        switch name {
        case "table": self = .table
        case "view": self = .view
        case "index": self = .index
        case "trigger": self = .trigger
        default: return nil
        }
    }
}
