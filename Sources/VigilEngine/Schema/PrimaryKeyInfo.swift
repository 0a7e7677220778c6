/// The primary key of a table, returned by ``Database/primaryKey(_:in:)``. If no primary key is declared, it
/// is the row id. In databases without row ids, such as those on a server, it then has no columns.
public struct PrimaryKeyInfo: Sendable {
    private enum Kind {
        case hiddenRowID
        case rowIDColumn(ColumnInfo)
        case columns([ColumnInfo], tableHasRowID: Bool)
    }

    private let kind: Kind

    static let hiddenRowID = PrimaryKeyInfo(kind: .hiddenRowID)

    /// The primary key of a table that has neither a declared one nor row ids.
    static let undeclared = PrimaryKeyInfo(kind: .columns([], tableHasRowID: false))

    static func rowID(_ column: ColumnInfo) -> PrimaryKeyInfo { PrimaryKeyInfo(kind: .rowIDColumn(column)) }

    /// Creates a primary key that is not the row id.
    static func columns(_ columns: [ColumnInfo], tableHasRowID: Bool) -> PrimaryKeyInfo {
        PrimaryKeyInfo(kind: .columns(columns, tableHasRowID: tableHasRowID))
    }

    private init(kind: Kind) {
        self.kind = kind
    }

    /// The names of the columns; `rowid` if no primary key is declared and the rows have row ids.
    public var columns: [String] {
        switch kind {
        case .hiddenRowID: ["rowid"]
        case .rowIDColumn(let column): [column.name]
        case .columns(let columns, _): columns.map(\.name)
        }
    }

    /// The column that is an alias of the row id (`INTEGER PRIMARY KEY`); `nil` if there is none.
    public var rowIDColumn: String? {
        if case .rowIDColumn(let column) = kind { column.name } else { nil }
    }

    /// Whether the primary key is the row id, with or without a column as alias.
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

    /// Whether the rows have row ids. Views and `WITHOUT ROWID` tables do not.
    package var tableHasRowID: Bool {
        if case .columns(_, let tableHasRowID) = kind { tableHasRowID } else { true }
    }

    /// The column that identifies a row with the least cost; `nil` if several columns are needed.
    package var fastPrimaryKeyColumn: String? {
        if let rowIDColumn { return rowIDColumn }
        if tableHasRowID { return "rowid" }
        return columns.count == 1 ? columns[0] : nil
    }
}
