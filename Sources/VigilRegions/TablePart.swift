import VigilStorage

/// The part of a table that somebody reads: columns or all, by rows or all.
///
/// What else may come to narrow a region, such as conditions on a row's values, belongs here as a further
/// component: the algebra, the equality and the index take a part as a whole, and leaving a component
/// out only widens the region.
struct TablePart: Sendable, Hashable {
    /// `nil`: all.
    var columns: ColumnSet?
    /// `nil`: all.
    var rowIDs: Set<Int64>?

    var isEmpty: Bool {
        columns.map(\.isEmpty) ?? false || rowIDs.map(\.isEmpty) ?? false
    }

    /// Each component by itself, so the union may hold more than both: that is simple, and errs on the
    /// safe side.
    func union(_ other: TablePart) -> TablePart {
        var union = TablePart()
        if let columns, let others = other.columns { union.columns = columns.union(others) }
        if let rowIDs, let others = other.rowIDs { union.rowIDs = rowIDs.union(others) }
        return union
    }

    func intersection(_ other: TablePart) -> TablePart {
        var intersection = self
        if let others = other.columns {
            intersection.columns = columns.map { $0.intersection(others) } ?? others
        }
        if let others = other.rowIDs {
            intersection.rowIDs = rowIDs.map { $0.intersection(others) } ?? others
        }
        return intersection
    }
}

extension TablePart {
    /// Whether a change of one row of the table touches the part.
    func isModified(by row: RowFacts) -> Bool {
        guard includes(row.oldKey) || includes(row.newKey) else { return false }
        guard row.kind == .update else { return true }
        // A row that moves enters and leaves what is read by row id.
        if rowIDs != nil && row.mayHaveMoved { return true }
        return columns == nil ? !row.isNoOp : row.updatedColumns.touch(columns)
    }

    /// Whether the rows of the part may include this one. A key that is no row id may be any row.
    func includes(_ key: RowKey?) -> Bool {
        switch key {
        case nil: false
        case .integer(let rowID): rowIDs.map { $0.contains(rowID) } ?? true
        case .values, .unknown: true
        }
    }

    /// Whether what a statement does to the table may touch the part, whichever rows it meets.
    func isModified(by kind: TableWrite.Kind) -> Bool {
        switch kind {
        case .insert, .delete: true
        case .update(let assigned): UpdatedColumns(assigned: ColumnSet(assigned)).touch(columns)
        }
    }
}

extension TablePart: CustomStringConvertible {
    /// `(*)`, `(a,b)`, `(*)[1,2]`.
    var description: String {
        let columns = "(\(columns?.description ?? "*"))"
        guard let rowIDs else { return columns }
        return columns + "[\(rowIDs.sorted().map(\.description).joined(separator: ","))]"
    }
}
