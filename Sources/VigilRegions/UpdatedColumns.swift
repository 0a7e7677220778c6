/// The columns that an update changes, or may change.
package enum UpdatedColumns: Sendable, Hashable {
    /// Any column may have changed.
    case all
    /// These columns, and any column that is not among the `compared` ones (`nil`: none but these).
    ///
    /// Row images need not show every column: SQLite's have no virtual generated columns. A column that
    /// nobody compared must be taken to change whenever its row does.
    case some(ColumnSet, compared: ColumnSet?)

    package static let none = UpdatedColumns.some(ColumnSet(), compared: nil)

    /// The columns that a statement assigns to.
    ///
    /// One that assigns to `ROWID` may change the column that stands for the row id, whose name
    /// is not known here. And one that names no column cannot be trusted.
    package init(assigned columns: ColumnSet) {
        self =
            columns.isEmpty || columns.contains(.rowID) ? .all : .some(columns, compared: nil)
    }

    package var isNone: Bool {
        if case .some(let columns, _) = self { columns.isEmpty } else { false }
    }

    /// These columns and the row id: the update gives the row another key.
    package func addingRowID() -> UpdatedColumns {
        guard case .some(var columns, let compared) = self else { return .all }
        columns.insert(.rowID)
        return .some(columns, compared: compared)
    }

    /// Whether somebody who reads `columns` (`nil`: all) may see a difference.
    package func touch(_ columns: ColumnSet?) -> Bool {
        switch self {
        case .all:
            return true
        case .some(let updated, let compared):
            guard !updated.isEmpty else { return false }
            guard let columns else { return true }
            if updated.intersects(columns) { return true }
            return compared.map { !columns.isSubset(of: $0) } ?? false
        }
    }

    /// Whether the column may have changed.
    func touch(_ column: ColumnName) -> Bool {
        switch self {
        case .all: return true
        case .some(let updated, let compared):
            if updated.isEmpty { return false }
            return updated.contains(column) || compared.map { !$0.contains(column) } ?? false
        }
    }

    package mutating func formUnion(_ other: UpdatedColumns) {
        guard case .some(let columns, let compared) = self,
            case .some(let otherColumns, let otherCompared) = other
        else {
            self = .all
            return
        }
        if other.isNone || self == other { return }
        if isNone {
            self = other
            return
        }
        let together: ColumnSet? =
            switch (compared, otherCompared) {
            case (let one?, let two?): one == two ? one : one.intersection(two)
            case (let one, let two): one ?? two
            }
        self = .some(columns.union(otherColumns), compared: together)
    }
}
