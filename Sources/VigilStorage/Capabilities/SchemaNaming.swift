/// The names of a backend's own tables: tables of the schema, and internal ones.
///
/// The names of schemas are the same for all backends: ``main`` and ``temporary``. A backend whose SQL names
/// these schemas differently translates between both in its driver. Names are compared without regard to the
/// case of ASCII letters.
package final class SchemaNaming: Sendable {
    /// The schema of tables created without a schema.
    package static let main = "main"
    /// The schema of the connection's temporary tables.
    package static let temporary = "temp"

    /// The names of the schema table of any schema but the temporary one. Observations use the first one.
    private let schemaTables: Names
    /// The names of the schema table of the temporary schema. Observations use the first one.
    private let temporarySchemaTables: Names
    private let internalPrefixes: [String]
    /// The table that stands for everything that the backend does not report as changes of tables: the
    /// schema, and the tables of regions that were not derived from a statement; `nil` if there is nothing.
    package let unreportedTable: TableName?

    package init(
        schemaTable: (name: String, aliases: [String]),
        temporarySchemaTable: (name: String, aliases: [String]),
        internalPrefixes: [String], unreportedTable: TableName? = nil
    ) {
        self.unreportedTable = unreportedTable
        schemaTables = Names(schemaTable)
        temporarySchemaTables = Names(temporarySchemaTable)
        self.internalPrefixes = internalPrefixes.map(\.foldedName)
    }

    package static let sqlite = SchemaNaming(
        schemaTable: ("sqlite_master", ["sqlite_schema"]),
        temporarySchemaTable: ("sqlite_temp_master", ["sqlite_temp_schema"]),
        internalPrefixes: ["sqlite_", "pragma_"])

    package func schemaTable(of schema: String) -> TableName {
        schema.isSameName(as: Self.temporary)
            ? TableName(schema: Self.temporary, name: temporarySchemaTables.canonical)
            : TableName(schema: schema, name: schemaTables.canonical)
    }

    /// Returns a schema table under its canonical name; `nil` if `table` is another table.
    package func schemaTable(denotedBy table: TableName) -> TableName? {
        if schemaTables.contains(table.name) { return schemaTable(of: table.schema) }
        return temporarySchemaTables.contains(table.name) ? schemaTable(of: Self.temporary) : nil
    }

    /// Returns whether a table is internal: the app cannot create a table of that name.
    package func isInternal(_ tableName: String) -> Bool {
        let folded = tableName.foldedName
        return internalPrefixes.contains { folded.utf8.starts(with: $0.utf8) }
    }
}

extension String {
    /// Whether this is the name of a schema that each connection has.
    package var isMainOrTemporary: Bool {
        isSameName(as: SchemaNaming.main) || isSameName(as: SchemaNaming.temporary)
    }
}

private struct Names: Sendable {
    let canonical: String
    let aliases: [String]

    init(_ names: (name: String, aliases: [String])) {
        canonical = names.name
        aliases = names.aliases
    }

    func contains(_ name: String) -> Bool {
        name.isSameName(as: canonical) || aliases.contains { $0.isSameName(as: name) }
    }
}
