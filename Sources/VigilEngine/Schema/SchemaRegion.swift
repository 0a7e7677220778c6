import VigilRegions
import VigilStorage

// What is read of a schema, and what changes it, is the table in which SQLite keeps it. No hook tells of its rows, so
// whatever changes a schema is taken to change all of them.
extension TableName {
    /// The table that describes the tables of a database.
    static func schemaTable(of schema: String) -> TableName {
        schema.isSameName(as: "temp")
            ? TableName(schema: "temp", name: "sqlite_temp_master")
            : TableName(schema: schema, name: "sqlite_master")
    }

    /// The same table under the name that is used here; `nil` if this one does not describe tables.
    var asSchemaTable: TableName? {
        switch name.foldedName {
        case "sqlite_master", "sqlite_schema": Self.schemaTable(of: schema)
        case "sqlite_temp_master", "sqlite_temp_schema": Self.schemaTable(of: "temp")
        default: nil
        }
    }
}

extension Database {
    /// Notes that what is recorded depends on the tables, views, indexes and triggers of databases.
    func recordSchemas(_ names: [String]) {
        guard !recordings.isEmpty else { return }
        for name in names { record(DatabaseRegion(table: .schemaTable(of: name))) }
    }

    /// Forgets what was known of the schema, and tells observers that a statement changed it.
    func schemaDidChange(by access: StatementAccess) {
        let known = schema.schemaNames ?? []
        schemaDidChange()
        var schemas = Set(access.alteredTables.map(\.schema.foldedName))
        let isOfConnection = schemas.isEmpty
        guard let changes else {
            if isOfConnection { didChangeDatabases() }
            return
        }
        if isOfConnection {
            // Databases were attached or detached: names may be looked up in others.
            schemas.formUnion(known.map(\.foldedName))
            let reader = connection as? any SchemaReading
            schemas.formUnion(((try? reader?.schemaNames()) ?? []).map(\.foldedName))
            schemas.insert("main")
        }
        // Temporary triggers go with the tables of other databases.
        schemas.insert("temp")
        changes.didChangeSchemas(
            schemas.sorted().map { .schemaTable(of: $0) }, isCommitted: isOfConnection, self)
    }
}
