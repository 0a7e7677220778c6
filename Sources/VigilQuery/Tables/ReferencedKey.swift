import VigilEngine
import VigilStorage

/// The primary key that a foreign key refers to.
struct ReferencedKey {
    struct Column {
        var name: String
        var type: Database.ColumnType?
    }

    var table: String
    /// `nil` for a row id without a name, and for what is only known to SQLite.
    var columns: [Column]?

    /// The key of a table in the schema.
    init(_ db: Database, table: String) throws {
        self.table = table
        columns = try db.primaryKey(table).columnInfos?.map { column in
            Column(
                name: column.name,
                type: column.type.isEmpty ? nil : Database.ColumnType(rawValue: column.type))
        }
    }

    /// The key of a table that is being created.
    init(table: String, columns: [Column]?) {
        self.table = table
        self.columns = columns
    }
}

extension ForeignKeyDefinition {
    /// The key that the columns refer to.
    ///
    /// - Parameter own: the key of the table that is being created, `nil` while it is not known.
    func referencedKey(_ db: Database, own: ReferencedKey?) throws -> ReferencedKey {
        let candidates = table.map { [$0] } ?? [name] + pluralNames(of: name)
        if let own, candidates.contains(where: own.table.isSameName) { return own }
        for candidate in candidates where try db.tableExists(candidate) {
            return try ReferencedKey(db, table: candidate)
        }
        // A view may have a primary key too.
        return try ReferencedKey(db, table: table ?? name)
    }

    /// The columns, with what is said about all of them.
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
