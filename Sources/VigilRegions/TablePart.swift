import VigilStorage

/// The part of a table that somebody reads: columns or all, by rows or all.
///
/// The algebra, the equality and the index take a part as a whole. Leaving a component out only widens the region.
struct TablePart: Sendable, Hashable {
    var columns = ColumnSelection.all
    /// `nil`: all.
    var rowIDs: Set<Int64>?
    /// What rows must be like to make a difference; `nil`: any row may.
    var predicates: RowPredicates?

    var isEmpty: Bool {
        columns.isEmpty || rowIDs.map(\.isEmpty) ?? false
    }

    /// Each component by itself, so the union may hold more than both: that is simple, and errs on the
    /// safe side.
    func union(_ other: TablePart) -> TablePart {
        if self == other { return self }
        var union = TablePart()
        union.columns = columns.union(other.columns)
        if let rowIDs, let others = other.rowIDs {
            union.rowIDs = rowIDs.union(others)
            if let predicates, let others = other.predicates { union.predicates = predicates.union(others) }
        } else if let predicates = conditions, let others = other.conditions {
            // Row ids that one side alone has are no longer row ids of the part, but still a condition.
            union.predicates = predicates.union(others)
        }
        return union
    }

    /// The predicates and the row ids, as predicates.
    private var conditions: RowPredicates? {
        guard let rowIDs, let ofRows = RowPredicates.rowIDs(rowIDs) else { return predicates }
        return predicates?.intersection(ofRows) ?? ofRows
    }

    func intersection(_ other: TablePart) -> TablePart {
        var intersection = self
        intersection.columns = columns.intersection(other.columns)
        if let others = other.rowIDs {
            intersection.rowIDs = rowIDs.map { $0.intersection(others) } ?? others
        }
        if let others = other.predicates {
            intersection.predicates = predicates?.intersection(others) ?? others
        }
        return intersection
    }
}

extension TablePart {
    /// How a change touches a part.
    struct Touch {
        /// The place of the conjunction that the row meets; `nil` if there are none.
        var alternative: Int?
    }

    /// Whether a change of one row of the table touches the part, and how.
    func touch(by row: RowFacts, _ values: RowValues) -> Touch? {
        guard row.kind != .update || isTouched(byUpdate: row) else { return nil }
        guard let predicates else {
            return includes(row.oldKey) || includes(row.newKey) ? Touch() : nil
        }
        let met =
            (includes(row.oldKey) ? predicates.firstMet(by: values, .old) : nil)
            ?? (includes(row.newKey) ? predicates.firstMet(by: values, .new) : nil)
        return met.map { Touch(alternative: $0) }
    }

    /// Whether an update changes what is read, or tested, of a row that the part includes.
    func isTouched(byUpdate row: RowFacts) -> Bool {
        // A row that moves enters and leaves what is read by row id, and may come at another place among other rows.
        if row.mayHaveMoved { return true }
        if columns.isTouched(byUpdate: row) { return true }
        return predicates?.areTouched(by: row.updatedColumns) ?? false
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
        case .update(let assigned): UpdatedColumns(assigned: ColumnSet(assigned)).touch(columns.named)
        }
    }
}

extension TablePart: CustomStringConvertible, CustomDebugStringConvertible {
    /// `(*)`, `(a,b)`, `(*)[1,2]`.
    var description: String {
        let columns = "(\(columns.named?.description ?? "*"))"
        guard let rowIDs else { return columns }
        return columns + "[\(rowIDs.sorted().map(\.description).joined(separator: ","))]"
    }

    /// With what the rows must be like: `(score,team){team = 5}`.
    var debugDescription: String { description + (predicates.map { "{\($0)}" } ?? "") }
}
