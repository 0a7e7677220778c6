import VigilStorage

/// Finds the columns actually changed by an update, by comparing the values before and after.
///
/// It caches the columns of each table, so comparing another row allocates nothing while the changed columns
/// stay the same.
struct ImageComparison: Sendable {
    private struct Table: Sendable {
        let names: [String]
        let columns: [ColumnName]
        /// The names, and the row id. Row ids are compared by the keys.
        let compared: ColumnSet
        var positions: [Int] = []
        var hasMoved = false
        var result = UpdatedColumns.none

        init(names: [String]) {
            self.names = names
            columns = names.map { ColumnName($0) }
            compared = ColumnSet(names: columns + [.rowID])
        }
    }

    /// The number of cached tables. Bounded, because temporary tables are often created and dropped.
    private static let tableLimit = 256

    private var tables: [TableName: Table] = [:]
    private var positions: [Int] = []

    /// Returns the columns with different values. The row id is among them if the key may have changed.
    mutating func updatedColumns(of row: RowChangeSummary, images: any RowImages) -> UpdatedColumns {
        let names = images.columnNames
        findChanges(in: images, count: names.count)
        let hasMoved = row.mayHaveMoved
        if positions.isEmpty && !hasMoved { return .none }
        var table =
            tables[row.table].flatMap { $0.names.isIdentical(to: names) ? $0 : nil } ?? Table(names: names)
        if table.positions == positions, table.hasMoved == hasMoved, !table.result.isNone {
            return table.result
        }
        var changed = ColumnSet(names: positions.map { table.columns[$0] })
        if hasMoved { changed.insert(.rowID) }
        table.positions = positions
        table.hasMoved = hasMoved
        table.result = .some(changed, compared: table.compared)
        if tables.count >= Self.tableLimit { tables.removeAll() }
        tables[row.table] = table
        return table.result
    }

    private mutating func findChanges(in images: any RowImages, count: Int) {
        positions.removeAll(keepingCapacity: true)
        for column in 0..<count {
            guard let old = images.oldValue(at: column), let new = images.newValue(at: column),
                old.isIdentical(to: new)
            else {
                if !images.isUnchanged(at: column) { positions.append(column) }
                continue
            }
        }
    }
}
