import VigilEngine
import VigilStorage

/// The definition of an FTS5 table.
///
/// ```swift
/// try db.create(virtualTable: "documentIndex", using: FTS5()) { t in
///     t.synchronize(withTable: "document")
///     t.column("title")
///     t.column("body")
/// }
/// ```
public final class FTS5TableDefinition {
    let options: VirtualTableOptions
    private(set) var columns: [FTS5ColumnDefinition] = []
    private(set) var contentSource = FullTextContent.raw(nil)
    private var givenContentRowID: String?

    /// The tokenizer; `nil` for
    /// ``FTS5TokenizerDescriptor/unicode61(diacritics:categories:separators:tokenCharacters:)``.
    public var tokenizer: FTS5TokenizerDescriptor?

    /// The name of the table with the indexed text; empty for an index without text; `nil` if the table
    /// contains the text.
    ///
    /// Your program keeps the index up to date. Use ``synchronize(withTable:)`` to do this with triggers.
    public var content: String? {
        get { contentSource.table }
        set {
            if case .synchronized = contentSource { givenContentRowID = nil }
            contentSource = .raw(newValue)
        }
    }

    /// The name of the integer column that identifies the rows of the ``content``; `nil` for its row id.
    public var contentRowID: String? {
        get { givenContentRowID }
        set {
            if case .synchronized = contentSource { contentSource = .raw(nil) }
            givenContentRowID = newValue
        }
    }

    /// The lengths of separately indexed prefixes, for faster prefix searches.
    public var prefixes: Set<Int>?

    /// 0 to save space by not storing the sizes of documents. Ranking is then slower.
    public var columnSize: Int?

    /// The detail of the index: `full`, `column` or `none`. With less detail, the index is smaller, and
    /// phrases cannot be searched for.
    public var detail: String?

    init(options: VirtualTableOptions) {
        self.options = options
    }

    /// Adds a column.
    @discardableResult
    public func column(_ name: String) -> FTS5ColumnDefinition {
        let column = FTS5ColumnDefinition(name: name)
        columns.append(column)
        return column
    }

    /// Makes the table an index of the columns of the same names in another table. Triggers update the index
    /// whenever the other table changes.
    public func synchronize(withTable tableName: String) {
        contentSource = .synchronized(tableName)
        givenContentRowID = nil
    }

    /// Returns the column that identifies the rows of the content; `nil` if the module finds it.
    func contentRowIDName(_ db: Database) throws -> String? {
        guard case .synchronized(let table) = contentSource else { return givenContentRowID }
        let name = try db.rowIDName(ofContent: table)
        return name.isSameName(as: "rowid") ? nil : name
    }
}

@available(*, unavailable)
extension FTS5TableDefinition: Sendable {}

/// The definition of a column of an FTS5 table.
///
/// ```swift
/// t.column("author").notIndexed()
/// ```
public final class FTS5ColumnDefinition {
    let name: String
    private(set) var isIndexed = true

    init(name: String) {
        self.name = name
    }

    /// Stores the column without indexing it. Patterns never match it.
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }
}

@available(*, unavailable)
extension FTS5ColumnDefinition: Sendable {}
