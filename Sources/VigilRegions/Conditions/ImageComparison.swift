import VigilStorage

/// Finds the columns actually changed by an update, by comparing the values before and after.
///
/// It caches the columns of each table, so comparing another row allocates nothing while the changed columns
/// stay the same.
struct ImageComparison: Sendable {
    /// The last changed columns of a table. A class, because it is looked up for each row.
    private final class Result: Sendable {
        let names: [String]
        let columns: [ColumnName]
        /// The names, and the row id. Row ids are compared by the keys.
        let compared: ColumnSet
        let positions: [Int]
        let hasMoved: Bool
        let updated: UpdatedColumns

        init(names: [String], positions: [Int], hasMoved: Bool, _ known: Result?) {
            self.names = names
            columns = known?.columns ?? names.map { ColumnName($0) }
            compared = known?.compared ?? ColumnSet(names: columns + [.rowID])
            self.positions = positions
            self.hasMoved = hasMoved
            var changed = ColumnSet(names: positions.map { [columns] in columns[$0] })
            if hasMoved { changed.insert(.rowID) }
            updated = .some(changed, compared: compared)
        }
    }

    /// The number of cached tables. Bounded, because temporary tables are often created and dropped.
    private static let tableLimit = 256

    private var results: [TableName: Result] = [:]
    private var positions: [Int] = []

    /// Returns the columns with different values. The row id is among them if the key may have changed.
    mutating func updatedColumns(of row: RowChangeSummary, images: any RowImages) -> UpdatedColumns {
        let names = images.columnNames
        findChanges(in: images, count: names.count)
        let hasMoved = row.mayHaveMoved
        if positions.isEmpty && !hasMoved { return .none }
        let known = results[row.table].flatMap { $0.names.isIdentical(to: names) ? $0 : nil }
        if let known, known.positions == positions, known.hasMoved == hasMoved { return known.updated }
        let result = Result(names: names, positions: positions, hasMoved: hasMoved, known)
        if results.count >= Self.tableLimit { results.removeAll() }
        results[row.table] = result
        return result.updated
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
