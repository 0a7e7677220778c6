import VigilEngine
import VigilStorage

/// The primary key referred to by a foreign key.
struct ReferencedKey {
    struct Column {
        var name: String
        var type: Database.ColumnType?
    }

    var table: String
    /// The columns; `nil` for a hidden row id, or if the key of a table being created is unknown.
    var columns: [Column]?

    /// Looks up the primary key of a table in the schema.
    init(_ db: Database, table: String) throws {
        self.table = table
        columns = try db.primaryKey(table).columnInfos?.map { column in
            Column(
                name: column.name,
                type: column.type.isEmpty ? nil : Database.ColumnType(rawValue: column.type))
        }
    }

    init(table: String, columns: [Column]?) {
        self.table = table
        self.columns = columns
    }
}

extension ForeignKeyDefinition {
    /// Returns the key referred to by the columns.
    ///
    /// - Parameter own: the key of the table being created, or `nil` while it is unknown.
    func referencedKey(_ db: Database, own: ReferencedKey?) throws -> ReferencedKey {
        let candidates = table.map { [$0] } ?? [name, name.pluralized, name + "s", name + "es"]
        if let own, candidates.contains(where: own.table.isSameName) { return own }
        for candidate in candidates where try db.tableExists(candidate) {
            return try ReferencedKey(db, table: candidate)
        }
        // The table may also be a view with a primary key.
        return try ReferencedKey(db, table: table ?? name)
    }

    /// Returns the columns, with the constraints for all of them.
    func columns(for key: ReferencedKey) -> [ColumnDefinition] {
        let keyColumns = key.columns ?? [ReferencedKey.Column(name: "id", type: .integer)]
        return keyColumns.map { keyColumn in
            let suffix = keyColumn.name.prefix(1).uppercased() + keyColumn.name.dropFirst()
            let column = ColumnDefinition(name: name + suffix, type: keyColumn.type)
            if let notNullConflictResolution { column.notNull(onConflict: notNullConflictResolution) }
            return column
        }
    }

    func reference(to key: ReferencedKey) -> ForeignKeyReference {
        ForeignKeyReference(
            table: key.table, columns: nil, deleteAction: deleteAction, updateAction: updateAction,
            isDeferred: isDeferred)
    }
}
