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

    mutating func add(_ found: [TableRead], of tables: [TableName]) {
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

extension SQLiteConnection {
    /// Returns the tables known or presumed to be virtual.
    func virtualTables(among tables: [TableName]) -> [TableName] {
        Set(tables).filter { table in
            guard !table.isOfLibrary else { return false }
            // Eponymous virtual tables, which exist without a CREATE statement, are not listed.
            guard let entry = try? tableOrView(named: table.name, in: table.schema) else { return true }
            return entry.isVirtualTable
        }
    }
}
