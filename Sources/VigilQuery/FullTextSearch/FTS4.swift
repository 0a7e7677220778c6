public import VigilEngine

/// The module of FTS4, the full-text search of all libraries.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///     t.tokenizer = .unicode61()
///     t.column("title")
///     t.column("body")
/// }
/// ```
///
/// See <https://www.sqlite.org/fts3.html>.
public struct FTS4: Sendable {
    /// Creates the module.
    public init() {}
}

extension FTS4: VirtualTableModule {
    /// The name of the module in SQL.
    public var moduleName: String { "fts4" }

    /// Returns a definition without columns.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS4TableDefinition {
        FTS4TableDefinition(options: configuration.options)
    }

    /// Returns the arguments of the module, as SQL.
    ///
    /// - Throws: `SQLITE_MISUSE` if the name of a column contains `=`, because it would be an option.
    public func moduleArguments(for definition: FTS4TableDefinition, in db: Database) throws -> [String] {
        try definition.contentSource.checkTemporary(definition.options, "FTS4")
        var arguments: [String] = []
        for column in definition.columns {
            guard !column.name.utf8.contains(UInt8(ascii: "=")) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "an FTS4 table cannot have the column \(column.name): choose a name without =")
            }
            if column.isLanguageID {
                arguments.append("languageid=\(column.name.quotedDatabaseIdentifier)")
                continue
            }
            arguments.append(column.name.moduleName)
            if !column.isIndexed { arguments.append("notindexed=\(column.name.moduleName)") }
        }
        if let tokenizer = definition.tokenizer { arguments.append(tokenizer.moduleArgument) }
        let options = [
            ("content", definition.content), ("compress", definition.compress),
            ("uncompress", definition.uncompress), ("matchinfo", definition.matchinfo),
            ("prefix", definition.prefixes.map { $0.sorted().map(String.init).joined(separator: ",") }),
        ]
        for case (let name, let value?) in options {
            arguments.append("\(name)=\(value.quotedDatabaseIdentifier)")
        }
        return arguments
    }

    /// Creates the triggers of a synchronized table, and builds its index.
    ///
    /// - Throws: `DatabaseError` if the tables cannot be synchronized.
    public func database(
        _ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition
    ) throws {
        guard case .synchronized(let content) = definition.contentSource else { return }
        try db.checkContentOfFTS4(content)
        let synchronization = try FullTextSynchronization(
            db, index: tableName, content: content, columns: definition.columns.map(\.name),
            options: definition.options)
        try db.execute(sql: synchronization.triggersOfFTS4)
        try db.execute(sql: synchronization.rebuild)
    }
}

extension Database {
    /// Drops the triggers for synchronizing an FTS4 table with another one.
    ///
    /// Dropping a synchronized table does not drop its triggers, and without the table, they would make all
    /// writes of the other table fail:
    ///
    /// ```swift
    /// try db.drop(table: "documentIndex")
    /// try db.dropFTS4SynchronizationTriggers(forTable: "documentIndex")
    /// ```
    ///
    /// - Throws: `DatabaseError` if a trigger cannot be dropped. Missing triggers are ignored.
    public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
        try dropSynchronizationTriggers(of: tableName, ["bu", "bd", "au", "ai"])
    }
}
