/// The columns of a part of a table.
///
/// A statement such as `SELECT COUNT(*)` depends on the existence of rows, and on no column. It counts as a
/// read of all columns, but is unaffected by updates without a change of the row's key.
enum ColumnSelection: Sendable, Hashable {
    case all
    case some(ColumnSet)
    /// The existence of rows, and the values of these columns.
    case rows(and: ColumnSet)

    static let rowsOnly = ColumnSelection.rows(and: ColumnSet())

    /// - Parameter columns: the columns; `nil` for all.
    init(_ columns: ColumnSet?) {
        self = columns.map { .some($0) } ?? .all
    }

    /// The columns in descriptions and in the algebra; `nil` for all.
    var named: ColumnSet? {
        if case .some(let columns) = self { columns } else { nil }
    }

    /// The columns with significant values; `nil` for all.
    var significant: ColumnSet? {
        switch self {
        case .all: nil
        case .some(let columns), .rows(and: let columns): columns
        }
    }

    /// Whether the part depends on the existence of rows, and on fewer columns than ``named``.
    var countsRows: Bool {
        if case .rows = self { true } else { false }
    }

    var isEmpty: Bool { named?.isEmpty ?? false }

    func union(_ other: ColumnSelection) -> ColumnSelection {
        guard let significant, let others = other.significant else { return .all }
        let together = significant.union(others)
        return countsRows || other.countsRows ? .rows(and: together) : .some(together)
    }

    func intersection(_ other: ColumnSelection) -> ColumnSelection {
        switch (self, other) {
        case (.all, _): other
        case (_, .all): self
        case (.rows(let one), .rows(let two)): .rows(and: one.intersection(two))
        case (.some(let one), .some(let two)): .some(one.intersection(two))
        case (.some, .rows): self
        case (.rows, .some): other
        }
    }

    /// Returns whether an update of a row makes a difference.
    func isMatched(byUpdate row: RowChangeSummary) -> Bool {
        if row.ignoresNoOps {
            if significant == nil { return !row.isNoOp }
            return row.updatedColumns.intersects(significant) || (countsRows && row.mayHaveMoved)
        }
        return named == nil ? !row.isNoOp : row.updatedColumns.intersects(named)
    }
}
