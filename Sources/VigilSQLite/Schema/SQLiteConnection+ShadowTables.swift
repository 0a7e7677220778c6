package import VigilStorage

extension SQLiteConnection: ShadowTableReading {
    package func shadowTableNames(in schema: String) throws(StorageError) -> [String] {
        if library.versionNumber >= 3_037_000 {
            // The columns: schema, name, type and others.
            return try query("PRAGMA \(schema.quotedSQLName).table_list").compactMap { row in
                guard row[0].text?.isSameName(as: schema) == true, row[2] == .text("shadow") else {
                    return nil
                }
                return row[1].text
            }
        }
        return try query(
            """
            SELECT shadow.name FROM \(schemaTable(of: schema)) shadow, \(schemaTable(of: schema)) owner
            WHERE shadow.type = 'table' AND owner.type = 'table' AND owner.sql LIKE 'create virtual%'
            AND lower(shadow.name) IN (\(Self.shadowTableSuffixes.map { "lower(owner.name) || '_\($0)'" }
                .joined(separator: ", ")))
            """
        ).compactMap { $0.first?.text }
    }

    /// The suffixes of the tables of full-text and R-tree tables.
    private static let shadowTableSuffixes = [
        "content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node", "rowid",
        "parent",
    ]
}
