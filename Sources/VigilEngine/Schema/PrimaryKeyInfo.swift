/// The primary key of a table, returned by ``Database/primaryKey(_:in:)``. If no primary key is declared, it
/// is the row id. In databases without row ids, such as those on a server, it then has no columns; nor if
/// columns have all names of the row id.
public struct PrimaryKeyInfo: Sendable {
    private enum Kind {
        case hiddenRowID(name: String)
        case rowIDColumn(ColumnInfo)
        case columns([ColumnInfo])
    }

    private let kind: Kind
    /// Whether the rows have row ids. Views and `WITHOUT ROWID` tables do not.
    package let tableHasRowID: Bool
    /// The name of the row id in SQL: the first that is not the name of a column, or else the one of
    /// ``rowIDColumn``. `nil` if the rows have no row ids.
    package let rowIDName: String?

    /// Creates the primary key of a table.
    ///
    /// - Parameters:
    ///   - columns: The columns of the declared key; none if no key is declared.
    ///   - isRowID: Whether the only column is an alias of the row id.
    ///   - tableHasRowID: Whether the rows have row ids.
    ///   - rowIDName: The name of the row id in SQL, or `nil`.
    init(_ columns: [ColumnInfo], isRowID: Bool = false, tableHasRowID: Bool, rowIDName: String? = nil) {
        self.tableHasRowID = tableHasRowID
        self.rowIDName = tableHasRowID ? rowIDName : nil
        if isRowID {
            kind = .rowIDColumn(columns[0])
        } else if columns.isEmpty, let name = self.rowIDName {
            kind = .hiddenRowID(name: name)
        } else {
            kind = .columns(columns)
        }
    }

    /// The names of the columns. If no primary key is declared and the rows have row ids, it is the name of
    /// the row id: `rowid`, unless a column has this name.
    public var columns: [String] {
        switch kind {
        case .hiddenRowID(let name): [name]
        case .rowIDColumn(let column): [column.name]
        case .columns(let columns): columns.map(\.name)
        }
    }

    /// The column that is an alias of the row id (`INTEGER PRIMARY KEY`), or `nil`.
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
        case .columns(let columns): columns
        }
    }

    /// The column that identifies a row with the least cost; `nil` if several columns are needed.
    package var fastPrimaryKeyColumn: String? {
        rowIDColumn ?? rowIDName ?? (columns.count == 1 ? columns[0] : nil)
    }
}
