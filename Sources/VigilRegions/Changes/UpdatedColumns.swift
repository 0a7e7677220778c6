/// The columns that an update may have changed.
package enum UpdatedColumns: Sendable, Hashable {
    case all
    /// These columns, and any column outside the `compared` ones; with `nil`, only these columns.
    ///
    /// Row images need not contain every column: SQLite's omit virtual generated columns. A column that is
    /// neither in the images nor known to be unassigned counts as changed whenever its row is.
    case some(ColumnSet, compared: ColumnSet?)

    package static let none = UpdatedColumns.some(ColumnSet(), compared: nil)

    /// The columns assigned by a statement.
    ///
    /// An assignment to `ROWID` may change the column aliasing the row id. Its name is unknown here. A
    /// statement without declared columns may change any column.
    package init(assigned columns: ColumnSet) {
        self =
            columns.isEmpty || columns.contains(.rowID) ? .all : .some(columns, compared: nil)
    }

    package var isNone: Bool {
        if case .some(let columns, _) = self { columns.isEmpty } else { false }
    }

    /// Returns these columns and the row id, for an update of the row's key.
    package func addingRowID() -> UpdatedColumns {
        guard case .some(var columns, let compared) = self else { return .all }
        columns.insert(.rowID)
        return .some(columns, compared: compared)
    }

    /// Returns whether the update may affect a reader of `columns`, of all columns if `nil`.
    package func intersects(_ columns: ColumnSet?) -> Bool {
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

    func intersects(_ column: ColumnName) -> Bool {
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
