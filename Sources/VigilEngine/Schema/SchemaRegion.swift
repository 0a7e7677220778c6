import VigilRegions
import VigilStorage

// Reads and changes of a schema are represented by its schema table. SQLite's hooks do not report the rows of
// that table, so every schema change counts as a change of all its rows.
extension TableName {
    /// Returns the schema table of a database.
    static func schemaTable(of schema: String) -> TableName {
        schema.isSameName(as: "temp")
            ? TableName(schema: "temp", name: "sqlite_temp_master")
            : TableName(schema: schema, name: "sqlite_master")
    }

    /// The schema table under its canonical name; `nil` if this table is not a schema table.
    var asSchemaTable: TableName? {
        switch name.foldedName {
        case "sqlite_master", "sqlite_schema": Self.schemaTable(of: schema)
        case "sqlite_temp_master", "sqlite_temp_schema": Self.schemaTable(of: "temp")
        default: nil
        }
    }
}

extension Database {
    /// Records that the current fetch depends on the schemas of databases.
    func recordSchemas(_ names: [String]) {
        guard !recordings.isEmpty else { return }
        for name in names { record(DatabaseRegion(table: .schemaTable(of: name))) }
    }

    /// Clears the cached schema, and notifies observers that a statement changed it.
    func schemaDidChange(by access: StatementAccess) {
        let known = schema.schemaNames ?? []
        schemaDidChange()
        var schemas = Set(access.alteredTables.map(\.schema.foldedName))
        let changesAttachedDatabases = schemas.isEmpty
        guard let coordinator else {
            if changesAttachedDatabases { didChangeDatabases() }
            return
        }
        if changesAttachedDatabases {
            // Databases were attached or detached, so names may now resolve to other databases.
            schemas.formUnion(known.map(\.foldedName))
            let reader = connection as? any SchemaReading
            schemas.formUnion(((try? reader?.schemaNames()) ?? []).map(\.foldedName))
            schemas.insert("main")
        }
        // Temporary triggers are dropped along with tables of other databases.
        schemas.insert("temp")
        coordinator.didChangeSchemas(
            schemas.sorted().map { .schemaTable(of: $0) }, isCommitted: changesAttachedDatabases, self)
    }
}
