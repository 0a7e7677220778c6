import Vigil

/// The differences between two results, regardless of the order of rows. A row counts as often as it occurs.
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

/// The values of a row, equal only if they are identical: `1` and `1.0` differ.
private struct ComparedRow: Hashable {
    let values: [DatabaseValue]

    static func == (a: ComparedRow, b: ComparedRow) -> Bool {
        a.values.count == b.values.count && zip(a.values, b.values).allSatisfy { $0.isIdentical(to: $1) }
    }

    // Identical values are equal, so they have the same hash.
    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension DatabaseValue {
    /// Returns whether type and value are equal. `1` and `1.0` differ, and so do texts of different bytes.
    func isIdentical(to other: DatabaseValue) -> Bool {
        switch (storage, other.storage) {
        case (.null, .null): true
        case (.int64(let one), .int64(let other)): one == other
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.blob(let one), .blob(let other)): one == other
        default: false
        }
    }
}

/// The difference between two versions of a list of rows.
struct ListPatch: Sendable {
    let change: ListChange
    let rows: ObservedList<Row>

    /// Returns the difference from an older list; `nil` without an older list, or if the columns differ.
    init?(from old: ObservedList<Row>?, to new: ObservedList<Row>) {
        guard let old else { return nil }
        let columns = (old.first.map { Array($0.columnNames) }, new.first.map { Array($0.columnNames) })
        if let one = columns.0, let other = columns.1, one != other { return nil }
        change = new.changes(since: old)
        rows = new
    }
}
