import CVigilSQLite
import VigilStorage

/// The reads of virtual tables by their own statements.
///
/// A virtual table keeps its compiled statements, so the authorizer is called for them only once, during the
/// first statement that needs them. All other statements with the virtual table read the same tables.
///
/// The reads of a virtual table are only forgotten when it is dropped, together with its statements: until
/// then, no schema change makes the library recompile all of them.
struct VirtualTableReads {
    private var reads: [TableName: [TableRead]] = [:]
    /// A number incremented by each change of the known reads.
    private(set) var revision = 0

    /// Adds the reads during a run of a statement with virtual tables. Some are reads by the statement itself
    /// if it was recompiled.
    mutating func add(_ found: [TableRead], of tables: [VirtualTable]) {
        for table in tables {
            var known = StatementAccess()
            known.reads = reads[table.name] ?? []
            var together = known
            together.formUnion(reads: found.filter { table.mayRead($0.table) })
            guard together.reads != known.reads else { continue }
            reads[table.name] = together.reads
            revision += 1
        }
    }

    mutating func forget(_ tables: [TableName]) {
        guard !reads.isEmpty else { return }
        for table in tables { reads[table] = nil }
    }

    /// Forgets the tables of all other schemas.
    mutating func keep(schemas: [String]) {
        reads = reads.filter { entry in schemas.contains { $0.isSameName(as: entry.key.schema) } }
    }

    /// Adds the reads of a statement's virtual tables.
    func widen(_ access: inout StatementAccess) {
        guard !reads.isEmpty else { return }
        var pending = access.tables
        var seen: Set<TableName> = []
        while let table = pending.popLast() {
            guard seen.insert(table).inserted, let found = reads[table] else { continue }
            access.formUnion(reads: found)
            pending += found.map(\.table)
        }
    }
}

extension StatementAccess {
    /// The read and written tables.
    var tables: [TableName] { reads.map(\.table) + writes.map(\.table) }
}

/// A virtual table, and the tables of its own statements.
struct VirtualTable {
    var name: TableName
    /// The tables besides the shadow tables; `nil` if they are not known.
    var contents: [TableName]?

    func mayRead(_ table: TableName) -> Bool {
        guard table != name else { return false }
        guard let contents, !contents.contains(table) else { return true }
        return table.schema.isSameName(as: name.schema)
            && table.name.foldedName.hasPrefix(name.name.foldedName + "_")
    }
}

extension SQLiteConnection {
    /// Returns the tables known or presumed to be virtual.
    func virtualTables(among tables: [TableName]) -> [VirtualTable] {
        Set(tables).compactMap { table -> VirtualTable? in
            guard !table.isOfLibrary else { return nil }
            // Eponymous virtual tables, which exist without a CREATE statement, are not listed.
            guard let entry = try? tableOrView(named: table.name, in: table.schema) else {
                let compilesNothing = ["json_each", "json_tree"].contains(table.name.foldedName)
                return VirtualTable(name: table, contents: compilesNothing ? [] : nil)
            }
            guard entry.isVirtualTable else { return nil }
            return VirtualTable(name: table, contents: contents(of: entry.sql ?? "", in: table.schema))
        }
    }

    private static let modulesWithContents: Set<String> = [
        "fts3", "fts4", "fts5", "geopoly", "rtree", "rtree_i32",
    ]

    /// Returns the external content of a virtual table; `nil` if it is not an ordinary table, or if the
    /// module is unknown.
    private func contents(of definition: String, in schema: String) -> [TableName]? {
        let tokens = SQLTokens(definition).tokens
        guard let using = tokens.firstIndex(where: { $0.isWord("USING") }), using + 1 < tokens.count,
            Self.modulesWithContents.contains(tokens[using + 1].content.foldedName)
        else { return nil }
        var contents: [TableName] = []
        for index in (using + 1)..<tokens.count where tokens[index].isSymbol("=") {
            // FTS5 accepts abbreviations of its options.
            guard "content".hasPrefix(tokens[index - 1].content.foldedName) else { continue }
            guard index + 2 < tokens.count, tokens[index + 2].isSymbol(",") || tokens[index + 2].isSymbol(")")
            else { return nil }
            let name = tokens[index + 1].content
            if name.isEmpty { continue }
            guard let entry = try? tableOrView(named: name, in: schema), entry.kind == .table,
                !entry.isVirtualTable
            else { return nil }
            contents.append(TableName(schema: schema, name: entry.name))
        }
        return contents
    }
}
