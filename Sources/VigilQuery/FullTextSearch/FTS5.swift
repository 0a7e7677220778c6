public import VigilEngine

/// The module of FTS5, the most recent full-text search of SQLite.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = .porter(wrapping: .unicode61())
///     t.column("title")
///     t.column("body")
/// }
/// ```
///
/// Some libraries, such as the SQLCipher of Debian, are built without FTS5. Creating a table then throws an
/// error.
///
/// See <https://www.sqlite.org/fts5.html>.
public struct FTS5: Sendable {
    /// How the tokenizer `unicode61` treats diacritics, such as accents.
    public enum Diacritics: Sendable {
        /// Diacritics distinguish tokens.
        case keep
        /// Diacritics are removed from Latin letters, except from those with several diacritics.
        case removeLegacy
        /// Diacritics are removed from all Latin letters. Requires SQLite 3.27.
        case remove
    }

    /// Creates the module.
    public init() {}
}

extension FTS5: VirtualTableModule {
    /// The name of the module in SQL.
    public var moduleName: String { "fts5" }

    /// Returns a definition without columns.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS5TableDefinition {
        FTS5TableDefinition(options: configuration.options)
    }

    /// Returns the arguments of the module, as SQL.
    ///
    /// - Throws: `SQLITE_MISUSE` if the table has no columns.
    public func moduleArguments(for definition: FTS5TableDefinition, in db: Database) throws -> [String] {
        guard !definition.columns.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "an FTS5 table needs at least one column: add one with column(_:)")
        }
        try definition.contentSource.checkTemporary(definition.options, "FTS5")
        var arguments = definition.columns.map { column in
            column.name.moduleName + (column.isIndexed ? "" : " UNINDEXED")
        }
        if let tokenizer = definition.tokenizer {
            arguments.append("tokenize=\(tokenizer.moduleText.databaseValue.sqlLiteral)")
        }
        if let content = definition.content {
            arguments.append("content=\(content.databaseValue.sqlLiteral)")
        }
        if let rowID = try definition.contentRowIDName(db) {
            arguments.append("content_rowid=\(rowID.databaseValue.sqlLiteral)")
        }
        if let prefixes = definition.prefixes {
            let text = prefixes.sorted().map(String.init).joined(separator: " ")
            arguments.append("prefix=\(text.databaseValue.sqlLiteral)")
        }
        if let columnSize = definition.columnSize { arguments.append("columnSize=\(columnSize)") }
        if let detail = definition.detail { arguments.append("detail=\(detail.moduleValue)") }
        return arguments
    }

    /// Creates the triggers of a synchronized table, and builds its index.
    ///
    /// - Throws: `DatabaseError` if the tables cannot be synchronized.
    public func database(
        _ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition
    ) throws {
        guard case .synchronized(let content) = definition.contentSource else { return }
        let synchronization = try FullTextSynchronization(
            db, index: tableName, content: content, columns: definition.columns.map(\.name),
            options: definition.options)
        try db.execute(sql: synchronization.triggersOfFTS5)
        try db.execute(sql: synchronization.rebuild)
    }
}

extension Database {
    /// Drops the triggers for synchronizing an FTS5 table with another one.
    ///
    /// Dropping a synchronized table does not drop its triggers, and without the table, they would make all
    /// writes of the other table fail:
    ///
    /// ```swift
    /// try db.drop(table: "documentIndex")
    /// try db.dropFTS5SynchronizationTriggers(forTable: "documentIndex")
    /// ```
    ///
    /// - Throws: `DatabaseError` if a trigger cannot be dropped. Missing triggers are ignored.
    public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
        try dropSynchronizationTriggers(of: tableName, ["ai", "ad", "au"])
    }
}
