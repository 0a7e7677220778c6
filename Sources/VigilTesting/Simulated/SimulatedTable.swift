import VigilStorage

/// A table of a simulated database: its definition, and its rows in the order of their ids.
///
/// It is a value, so a snapshot is a copy. The two share the rows until one of them is written.
struct SimulatedTable: Sendable {
    struct Row: Sendable {
        var id: Int64
        var values: [StorageValue]
    }

    let definition: SimulatedDefinition
    private(set) var rows: [Row] = []

    init(_ definition: SimulatedDefinition, rows: [Row] = []) {
        self.definition = definition
        self.rows = rows
    }

    /// Returns the index of the row with this id, or the index for its insertion.
    private func index(of id: Int64) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func row(_ id: Int64) -> Row? {
        let index = index(of: id)
        return index < rows.count && rows[index].id == id ? rows[index] : nil
    }

    /// Adds a row, or replaces the row with the same id.
    mutating func put(_ row: Row) {
        let index = index(of: row.id)
        if index < rows.count, rows[index].id == row.id {
            rows[index] = row
        } else {
            rows.insert(row, at: index)
        }
    }

    mutating func remove(_ id: Int64) {
        let index = index(of: id)
        if index < rows.count, rows[index].id == id { rows.remove(at: index) }
    }

    mutating func removeAll() {
        rows.removeAll()
    }

    /// The id of the next row: one more than the greatest id, or the smallest free positive id if the
    /// greatest is `Int64.max`; `nil` if no id is free.
    var nextRowID: Int64? {
        guard let last = rows.last?.id, last > 0 else { return 1 }
        if last < .max { return last + 1 }
        var candidate: Int64 = 1
        for row in rows[index(of: 1)...] {
            if row.id != candidate { return candidate }
            if candidate == .max { return nil }
            candidate += 1
        }
        return candidate
    }

    /// Returns the other rows in conflict with `row`, with the errors of the violated constraints.
    func conflicts(of row: Row, except id: Int64?) -> [(id: Int64, error: StorageError)] {
        var found: [(id: Int64, error: StorageError)] = []
        if row.id != id, self.row(row.id) != nil {
            found.append((row.id, definition.rowIDConflict))
        }
        for column in definition.uniqueColumns where row.values[column] != .null {
            for other in rows where other.id != id && other.id != row.id {
                guard other.values[column].order(to: row.values[column]) == 0 else { continue }
                if !found.contains(where: { $0.id == other.id }) {
                    found.append((other.id, definition.uniqueConflict(column)))
                }
            }
        }
        return found
    }
}
