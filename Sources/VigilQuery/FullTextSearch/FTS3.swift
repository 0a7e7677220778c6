public import VigilEngine

/// The module of FTS3, superseded by FTS4.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///     t.tokenizer = .unicode61()
///     t.column("title")
///     t.column("body")
/// }
/// ```
public struct FTS3: Sendable {
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

extension FTS3: VirtualTableModule {
    /// The name of the module in SQL.
    public var moduleName: String { "fts3" }

    /// Returns a definition without columns.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS3TableDefinition {
        FTS3TableDefinition()
    }

    /// Returns the arguments of the module, as SQL.
    public func moduleArguments(for definition: FTS3TableDefinition, in db: Database) -> [String] {
        definition.columns.map(\.moduleName) + (definition.tokenizer.map { [$0.moduleArgument] } ?? [])
    }

    /// Does nothing.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition) {
    }
}

/// The definition of an FTS3 table.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///     t.column("title")
/// }
/// ```
public final class FTS3TableDefinition {
    fileprivate var columns: [String] = []

    /// The tokenizer; `nil` for ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    /// Adds a column.
    public func column(_ name: String) {
        columns.append(name)
    }
}

@available(*, unavailable)
extension FTS3TableDefinition: Sendable {}
