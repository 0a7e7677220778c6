import VigilRegions
import VigilStorage

// Reads and changes of a schema are represented by its schema table. Backends do not report the rows of this
// table, so every schema change counts as a change of all its rows.
extension Database {
    /// Records a dependency of the current fetch on the schemas of databases.
    func recordSchemas(_ names: [String]) {
        guard !recordings.isEmpty else { return }
        fetchContext?.fetch.readsMore = true
        let tables = schemaNaming.unreportedTable.map { [$0] } ?? names.map(schemaNaming.schemaTable)
        for table in tables { record(DatabaseRegion(table: table)) }
    }

    /// Clears the cached schema, and notifies observers of its change by a statement.
    func schemaDidChange(by access: StatementAccess) {
        let known = schema.cache.schemaNames ?? []
        schemaDidChange()
        var schemas = Set(access.alteredTables.map(\.schema.foldedName))
        let changesAttachedDatabases = schemas.isEmpty
        if changesAttachedDatabases { foreignChanges.databasesDidChange?(self) }
        guard let coordinator else {
            if changesAttachedDatabases { didChangeDatabases() }
            return
        }
        if changesAttachedDatabases {
            // Databases were attached or detached, so names may now resolve to other databases.
            schemas.formUnion(known.map(\.foldedName))
            schemas.formUnion(((try? schemaReading?.schemaNames()) ?? []).map(\.foldedName))
            schemas.insert(SchemaNaming.main)
        }
        // Temporary triggers are dropped along with tables of other databases.
        schemas.insert(SchemaNaming.temporary)
        coordinator.didChangeSchemas(
            schemas.sorted().map { schemaNaming.schemaTable(of: $0) }, isCommitted: changesAttachedDatabases,
            self)
    }
}
