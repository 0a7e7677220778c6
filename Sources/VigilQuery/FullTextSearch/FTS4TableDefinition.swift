/// The definition of an FTS4 table.
///
/// ```swift
/// try db.create(virtualTable: "documentIndex", using: FTS4()) { t in
///     t.synchronize(withTable: "document")
///     t.column("title")
///     t.column("body")
/// }
/// ```
public final class FTS4TableDefinition {
    let options: VirtualTableOptions
    private(set) var columns: [FTS4ColumnDefinition] = []
    private(set) var contentSource = FullTextContent.raw(nil)

    /// The tokenizer; `nil` for ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    /// The name of the table with the indexed text; empty for an index without text; `nil` if the table
    /// contains the text.
    ///
    /// Your program keeps the index up to date. Use ``synchronize(withTable:)`` to do this with triggers.
    public var content: String? {
        get { contentSource.table }
        set { contentSource = .raw(newValue) }
    }

    /// The name of the function to compress stored text.
    public var compress: String?

    /// The name of the function to decompress stored text.
    public var uncompress: String?

    /// `fts3` to save space by not storing the sizes of documents.
    public var matchinfo: String?

    /// The lengths of separately indexed prefixes, for faster prefix searches.
    public var prefixes: Set<Int>?

    init(options: VirtualTableOptions) {
        self.options = options
    }

    /// Adds a column.
    @discardableResult
    public func column(_ name: String) -> FTS4ColumnDefinition {
        let column = FTS4ColumnDefinition(name: name)
        columns.append(column)
        return column
    }

    /// Makes the table an index of the columns of the same names in another table. Triggers update the index
    /// whenever the other table changes.
    public func synchronize(withTable tableName: String) {
        contentSource = .synchronized(tableName)
    }
}

@available(*, unavailable)
extension FTS4TableDefinition: Sendable {}

/// The definition of a column of an FTS4 table.
///
/// ```swift
/// t.column("author").notIndexed()
/// ```
public final class FTS4ColumnDefinition {
    let name: String
    private(set) var isIndexed = true
    private(set) var isLanguageID = false

    init(name: String) {
        self.name = name
    }

    /// Stores the column without indexing it. Patterns never match it.
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }

    /// Makes the column the hidden column with the language id of each row.
    @discardableResult
    public func asLanguageId() -> Self {
        isLanguageID = true
        return self
    }
}

@available(*, unavailable)
extension FTS4ColumnDefinition: Sendable {}
