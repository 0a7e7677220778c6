import CVigilSQLite
import VigilStorage

/// What virtual tables read by statements of their own.
///
/// A virtual table keeps such statements compiled, so the authorizer is asked about them once, in the middle of
/// whichever statement needs them first. All others that use the virtual table read the same tables.
///
/// What is known of a virtual table is forgotten only when it is dropped, since its statements are dropped with it: until
/// then no change of a schema makes the library compile all of them again.
struct VirtualTableReads {
    private var reads: [TableName: [TableRead]] = [:]
    /// Differs after a change of what is known.
    private(set) var revision = 0

    mutating func note(_ found: [TableRead], of tables: [TableName]) {
        for table in tables {
            var known = StatementAccess()
            known.reads = reads[table] ?? []
            var together = known
            together.formUnion(reads: found.filter { $0.table != table })
            guard together.reads != known.reads else { continue }
            reads[table] = together.reads
            revision += 1
        }
    }

    mutating func forget(_ tables: [TableName]) {
        guard !reads.isEmpty else { return }
        for table in tables { reads[table] = nil }
    }

    /// Forgets the tables of all schemas but these.
    mutating func keep(schemas: [String]) {
        reads = reads.filter { entry in schemas.contains { $0.isSameName(as: entry.key.schema) } }
    }

    /// Adds what the virtual tables read that a statement uses.
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
    /// The tables that are read or written.
    var tables: [TableName] { reads.map(\.table) + writes.map(\.table) }
}

extension SQLiteConnection {
    /// Those of the tables that are, or may be, virtual ones.
    func virtualTables(among tables: [TableName]) -> [TableName] {
        Set(tables).filter { table in
            guard !table.isOfLibrary else { return false }
            let rows = try? query(
                """
                SELECT sql LIKE 'create virtual%' FROM \(schemaTable(of: table.schema))
                WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE
                """, [.text(table.name)])
            // Those that exist without being created are not listed.
            guard let listed = rows?.first?.first else { return true }
            return listed == .integer(1)
        }
    }
}
