package import VigilStorage

extension SQLiteConnection {
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
        let shadows = Set(
            try virtualNames(in: schema).flatMap { owner in
                Self.shadowTableSuffixes.map { "\(owner)_\($0)".foldedName }
            })
        return try objectNames([.table], in: schema).filter { shadows.contains($0.foldedName) }
    }

    /// The suffixes of the tables of full-text and R-tree tables.
    private static let shadowTableSuffixes = [
        "content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node", "rowid",
        "parent",
    ]
}
