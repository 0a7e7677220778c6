import VigilStorage

/// A table in the place after FROM where a statement names it.
struct TableOccurrence {
    var source: FromClause.Source
    var facts: TableFacts
    var conditions: [RowConditionTemplate] = []

    var table: TableName { facts.table.name }

    func column(named name: String) -> StorageTable.Column? {
        facts.table.columns.first { $0.name.isSameName(as: name) }
    }

    /// Whether the name is one of those that a row id has without being declared.
    func hasRowID(named name: String) -> Bool {
        let names = ["rowid", "oid", "_rowid_"]
        return facts.table.hasRowID && names.contains(name.foldedName) && column(named: name) == nil
    }

    /// Whether `qualifier.column` may mean this one. An alias hides the table's name.
    func isMeant(by qualifier: String) -> Bool {
        (source.alias ?? source.name).isSameName(as: qualifier)
    }
}
