import VigilStorage

/// A table at its position after FROM.
struct TableOccurrence {
    var source: FromClause.Source
    var metadata: TableMetadata
    var conditions = ConditionAlternatives.anyRow

    var table: TableName { metadata.table.name }

    func column(named name: String) -> StorageTable.Column? {
        metadata.table.columns.first { $0.name.isSameName(as: name) }
    }

    /// Returns whether a name is one of the implicit names of the row id.
    func hasRowID(named name: String) -> Bool {
        let names = ["rowid", "oid", "_rowid_"]
        return metadata.table.hasRowID && names.contains(name.foldedName) && column(named: name) == nil
    }

    /// Returns whether `qualifier.column` may refer to this table. An alias hides the table's name.
    func isNamed(_ qualifier: String) -> Bool {
        (source.alias ?? source.name).isSameName(as: qualifier)
    }
}
