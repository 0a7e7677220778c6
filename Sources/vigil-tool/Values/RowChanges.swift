import Vigil

/// The rows that differ between two results, whose order does not matter. A row that occurs several times counts
/// each time.
struct RowChanges: Sendable {
    let deleted: [[DatabaseValue]]
    let inserted: [[DatabaseValue]]

    var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty }

    /// Compares two results. Without an old result, or if the columns differ, all new rows count as inserted.
    init(from old: QueryResult?, to new: QueryResult) {
        guard let old, old.columns == new.columns else {
            deleted = []
            inserted = new.rows
            return
        }
        deleted = Self.rows(of: old, notIn: new)
        inserted = Self.rows(of: new, notIn: old)
    }

    private static func rows(of one: QueryResult, notIn other: QueryResult) -> [[DatabaseValue]] {
        var counts: [ComparedRow: Int] = [:]
        for row in other.rows { counts[ComparedRow(values: row), default: 0] += 1 }
        return one.rows.filter { row in
            let identity = ComparedRow(values: row)
            guard let count = counts[identity], count > 0 else { return true }
            counts[identity] = count - 1
            return false
        }
    }
}

/// The values of a row, which are equal only if they are identical: `1` and `1.0` differ.
private struct ComparedRow: Hashable {
    let values: [DatabaseValue]

    static func == (a: ComparedRow, b: ComparedRow) -> Bool {
        a.values.count == b.values.count && zip(a.values, b.values).allSatisfy { $0.isIdentical(to: $1) }
    }

    // Identical values are equal, so they have the same hash.
    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
