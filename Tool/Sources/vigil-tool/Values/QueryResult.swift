import Vigil

/// The rows of one fetch of a query.
struct QueryResult: Sendable {
    let columns: [String]
    let rows: [[DatabaseValue]]
    /// The rows as a list, if they are observed as one. Then ``rows`` is empty.
    var list: ObservedList<Row>?

    /// Returns whether columns, values and types are equal. `1` and `1.0` differ.
    func isIdentical(to other: QueryResult) -> Bool {
        if let list, let other = other.list {
            let change = list.changes(since: other)
            return list.count == other.count && change.removed.isEmpty && change.inserted.isEmpty
                && change.moved.isEmpty && change.updated.isEmpty
        }
        return columns == other.columns && rows.count == other.rows.count
            && zip(rows, other.rows).allSatisfy { row, otherRow in
                row.count == otherRow.count && zip(row, otherRow).allSatisfy { $0.isIdentical(to: $1) }
            }
    }

    /// The names of the columns, made unique: the second `name` becomes `name:1`.
    var uniqueColumns: [String] { Self.unique(columns) }

    static func unique(_ columns: [String]) -> [String] {
        var taken = Set(columns)
        var seen: Set<String> = []
        return columns.map { column in
            if seen.insert(column).inserted { return column }
            var number = 1
            while !taken.insert("\(column):\(number)").inserted { number += 1 }
            return "\(column):\(number)"
        }
    }
}
