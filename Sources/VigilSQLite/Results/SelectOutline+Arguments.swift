import VigilStorage

extension SelectOutline {
    /// Returns whether the library may choose another query plan for other values of the parameters.
    func planDependsOnArguments(
        of text: NumberedText, in occurrences: [TableOccurrence], connection: SQLiteConnection
    ) throws -> Bool {
        let conditions = [condition].compactMap { $0 } + occurrences.compactMap(\.source.condition)
        let compared = conditions.filter { text.hasParameters($0) }
        guard !compared.isEmpty else { return false }
        if compared.joined().contains(where: { $0.isWord(in: ["like", "glob"]) }) { return true }
        if occurrences.contains(where: { $0.metadata.indexes.contains(where: \.isPartial) }) { return true }
        for schema in Set(occurrences.map(\.table.schema)) {
            let sql = "SELECT 1 FROM \(schema.quotedSQLName).sqlite_master WHERE name = 'sqlite_stat4'"
            if try !connection.query(sql).isEmpty { return true }
        }
        return false
    }
}
