import VigilStorage

/// A SELECT statement with resolved names.
struct RowSelection {
    enum Result {
        case columns([Int])
        case count
        case maximum(Int)
    }

    let table: SimulatedDefinition
    let result: Result
    let columnNames: [String]
    let filter: RowFilter
    let order: (column: Int, isDescending: Bool)?
    private let limit: SQLOperand?

    init(_ form: SQLSelect, _ table: SimulatedDefinition) throws(StorageError) {
        self.table = table
        (result, columnNames) = try Self.result(form, table)
        filter = try RowFilter(form.conditions, table)
        if let order = form.order {
            self.order = (try table.column(order.column), order.isDescending)
        } else {
            order = nil
        }
        limit = form.limit
    }

    private static func result(
        _ form: SQLSelect, _ table: SimulatedDefinition
    ) throws(StorageError) -> (Result, [String]) {
        switch form.result {
        case .all: return (.columns(Array(table.columns.indices)), table.columnNames)
        case .count: return (.count, [form.aggregateText])
        case .maximum(let column): return (.maximum(try table.column(column)), [form.aggregateText])
        case .columns(let names):
            var columns: [Int] = []
            for name in names { columns.append(try table.column(name)) }
            return (.columns(columns), columns.map { table.columns[$0].name })
        }
    }

    func rows(in state: SimulatedState, _ bindings: [StorageValue]) throws(StorageError) -> [[StorageValue]] {
        let table = try state.requiredTable(table.name.name)
        let found = filter.rows(of: table, bindings)
        let rows: [[StorageValue]] =
            switch result {
            case .count: [[.integer(Int64(found.count))]]
            case .maximum(let column): [[Self.maximum(found.map { $0.values[column] })]]
            case .columns(let columns):
                sorted(found).map { row in columns.map { row.values[$0] } }
            }
        return try limited(rows, bindings)
    }

    private static func maximum(_ values: [StorageValue]) -> StorageValue {
        values.max { $0.order(to: $1) < 0 } ?? .null
    }

    /// Returns the rows sorted by ORDER BY. Rows with equal values stay in the order of their ids.
    private func sorted(_ rows: [SimulatedTable.Row]) -> [SimulatedTable.Row] {
        guard let order else { return rows }
        return rows.sorted { a, b in
            let comparison = a.values[order.column].order(to: b.values[order.column])
            if comparison == 0 { return a.id < b.id }
            return order.isDescending ? comparison > 0 : comparison < 0
        }
    }

    /// Returns the rows within LIMIT. A negative limit means no limit.
    private func limited(
        _ rows: [[StorageValue]], _ bindings: [StorageValue]
    ) throws(StorageError) -> [[StorageValue]] {
        guard let limit else { return rows }
        guard case .integer(let count) = SimulatedAffinity.integer.converted(limit.value(bindings)) else {
            throw StorageError(.typeMismatch, "datatype mismatch")
        }
        return count < 0 ? rows : Array(rows.prefix(Int(clamping: count)))
    }
}
