/// The primary key of a table. Each table has one: without a declared one, it is the row id.
public struct PrimaryKeyInfo: Sendable {
    private enum Kind {
        case hiddenRowID
        case rowIDColumn(ColumnInfo)
        case columns([ColumnInfo], tableHasRowID: Bool)
    }

    private let kind: Kind

    static let hiddenRowID = PrimaryKeyInfo(kind: .hiddenRowID)

    static func rowID(_ column: ColumnInfo) -> PrimaryKeyInfo { PrimaryKeyInfo(kind: .rowIDColumn(column)) }

    /// - Parameter columns: at least one.
    static func columns(_ columns: [ColumnInfo], tableHasRowID: Bool) -> PrimaryKeyInfo {
        PrimaryKeyInfo(kind: .columns(columns, tableHasRowID: tableHasRowID))
    }

    private init(kind: Kind) {
        self.kind = kind
    }

    /// The names of the columns, at least one; `rowid` if no primary key is declared.
    public var columns: [String] {
        switch kind {
        case .hiddenRowID: ["rowid"]
        case .rowIDColumn(let column): [column.name]
        case .columns(let columns, _): columns.map(\.name)
        }
    }

    /// The column that is the row id under another name (`INTEGER PRIMARY KEY`), if there is one.
    public var rowIDColumn: String? {
        if case .rowIDColumn(let column) = kind { column.name } else { nil }
    }

    /// Whether the primary key is the row id, under a name of its own or not.
    public var isRowID: Bool {
        if case .columns = kind { false } else { true }
    }

    /// The columns; `nil` if no primary key is declared.
    package var columnInfos: [ColumnInfo]? {
        switch kind {
        case .hiddenRowID: nil
        case .rowIDColumn(let column): [column]
        case .columns(let columns, _): columns
        }
    }

    /// Whether the rows have a row id; not so for views, and for tables `WITHOUT ROWID`.
    package var tableHasRowID: Bool {
        if case .columns(_, let tableHasRowID) = kind { tableHasRowID } else { true }
    }

    /// The one column by which a row is found fastest; `nil` if that takes several.
    package var fastPrimaryKeyColumn: String? {
        if let rowIDColumn { return rowIDColumn }
        if tableHasRowID { return "rowid" }
        return columns.count == 1 ? columns[0] : nil
    }
}
