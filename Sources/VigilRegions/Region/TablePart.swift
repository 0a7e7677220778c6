import VigilStorage

/// The observed part of a table: some or all columns of some or all rows.
///
/// The algebra, equality and the index use a part as a whole. Omitting a component only widens the region.
struct TablePart: Sendable, Hashable {
    var columns = ColumnSelection.all
    /// The row ids; `nil` for all rows.
    var rowIDs: Set<Int64>?
    /// The conditions on significant rows; `nil` if all rows are significant.
    var predicates: RowPredicates?

    var isEmpty: Bool {
        columns.isEmpty || rowIDs.map(\.isEmpty) ?? false
    }

    /// Returns the union. It may contain more than the two parts, because components are combined separately.
    func union(_ other: TablePart) -> TablePart {
        if self == other { return self }
        var union = TablePart()
        union.columns = columns.union(other.columns)
        if let rowIDs, let others = other.rowIDs {
            union.rowIDs = rowIDs.union(others)
            if let predicates, let others = other.predicates { union.predicates = predicates.union(others) }
        } else if let predicates = conditions, let others = other.conditions {
            // The row ids of one side cannot be row ids of the union. They remain conditions.
            union.predicates = predicates.union(others)
        }
        return union
    }

    /// The row ids and the predicates, as predicates.
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
    /// A match of a part with a change of a row.
    struct RowMatch {
        /// The index of the conjunction met by the row; `nil` without conditions.
        var alternative: Int?
    }

    /// Returns whether, and how, a change of a row modifies the part.
    func match(_ row: RowChangeSummary, _ values: RowValues) -> RowMatch? {
        guard row.kind != .update || isMatched(byUpdate: row) else { return nil }
        guard let predicates else {
            return includes(row.oldKey) || includes(row.newKey) ? RowMatch() : nil
        }
        let met =
            (includes(row.oldKey) ? predicates.firstMet(by: values, .old) : nil)
            ?? (includes(row.newKey) ? predicates.firstMet(by: values, .new) : nil)
        return met.map { RowMatch(alternative: $0) }
    }

    /// Returns whether an update changes an observed or tested column, for a row of the part.
    func isMatched(byUpdate row: RowChangeSummary) -> Bool {
        // A row with a new key enters and leaves the regions of row ids, and may change the order of other
        // rows.
        if row.mayHaveMoved { return true }
        if columns.isMatched(byUpdate: row) { return true }
        return predicates?.areMatched(by: row.updatedColumns) ?? false
    }

    /// Returns whether the part may contain the row. A key other than a row id may belong to any row.
    func includes(_ key: RowKey?) -> Bool {
        switch key {
        case nil: false
        case .integer(let rowID): rowIDs.map { $0.contains(rowID) } ?? true
        case .values, .unknown: true
        }
    }
}

extension TablePart: CustomStringConvertible, CustomDebugStringConvertible {
    /// A text such as `(*)`, `(a,b)` or `(*)[1,2]`.
    var description: String {
        let columns = "(\(columns.named?.description ?? "*"))"
        guard let rowIDs else { return columns }
        return columns + "[\(rowIDs.sorted().map(\.description).joined(separator: ","))]"
    }

    /// The description with the conditions on rows, such as `(score,team){team = 5}`.
    var debugDescription: String { description + (predicates.map { "{\($0)}" } ?? "") }
}
