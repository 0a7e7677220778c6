import VigilStorage

/// A PRAGMA statement, as far as observations depend on it.
struct SQLitePragma {
    /// The name in lower case.
    let name: String

    init(_ name: String) { self.name = name.foldedName }

    /// The PRAGMA run by a table-valued function of the library; `nil` for other tables.
    init?(function name: String) {
        let prefix = "pragma_"
        let name = name.foldedName
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        self.name = String(name.dropFirst(prefix.utf8.count))
    }

    /// Whether the result depends on more than the schema and the header of the file.
    var readsContent: Bool { Self.readingContent.contains(name) }

    private static let readingContent: Set<String> = [
        "data_version", "foreign_key_check", "freelist_count", "incremental_vacuum", "integrity_check",
        "optimize",
        "page_count", "quick_check", "wal_checkpoint",
    ]

    /// Whether the statement, unless it is read-only, may change the file's header, such as `user_version`.
    var changesHeader: Bool { name != "wal_checkpoint" }

    /// Whether the statement, with a value, would change the names of result columns.
    func renamesColumns(_ value: String) -> Bool {
        switch name {
        case "full_column_names": isTrue(value)
        case "short_column_names": !isTrue(value)
        default: false
        }
    }

    /// Returns the error for a statement refused because of ``renamesColumns(_:)``.
    func refusal(sql: String) -> StorageError {
        StorageError(
            .authorization,
            "PRAGMA \(name) would hide columns from records, which find them by their names: rename columns with AS instead",
            sql: sql)
    }

    private func isTrue(_ value: String) -> Bool {
        ["on", "true", "yes"].contains(value.foldedName) || (Int(value).map { $0 != 0 } ?? false)
    }
}
