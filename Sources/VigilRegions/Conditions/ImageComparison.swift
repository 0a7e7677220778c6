import VigilStorage

/// Finds the columns actually changed by an update, by comparing the values before and after.
///
/// It caches the columns of each table, so comparing another row allocates nothing while the statement and
/// the changed columns stay the same.
struct ImageComparison: Sendable {
    /// The last changed columns of a table. A class, because it is looked up for each row.
    private final class Result: Sendable {
        let table: TableName
        let names: [String]
        let columns: [ColumnName]
        /// The names, and the row id. Unassigned columns count as compared, and row ids are compared by the
        /// keys.
        let compared: ColumnSet
        let assigned: UpdatedColumns
        /// The positions of the assigned columns.
        let candidates: [Int]
        let positions: [Int]
        let hasMoved: Bool
        let updated: UpdatedColumns

        /// A result without changed columns.
        init(_ table: TableName, names: [String], assigned: UpdatedColumns) {
            (self.table, self.names, self.assigned) = (table, names, assigned)
            let columns = names.map { ColumnName($0) }
            self.columns = columns
            compared = ColumnSet(names: columns + [.rowID])
            candidates = columns.indices.filter { assigned.intersects(columns[$0]) }
            (positions, hasMoved, updated) = ([], false, .none)
        }

        func isFor(_ table: TableName, names: [String], assigned: UpdatedColumns) -> Bool {
            self.table == table && self.assigned == assigned && self.names.isIdentical(to: names)
        }

        init(_ known: Result, positions: [Int], hasMoved: Bool) {
            (table, names, columns) = (known.table, known.names, known.columns)
            (compared, assigned, candidates) = (known.compared, known.assigned, known.candidates)
            (self.positions, self.hasMoved) = (positions, hasMoved)
            var changed = ColumnSet(names: positions.map { known.columns[$0] })
            if hasMoved { changed.insert(.rowID) }
            updated = .some(changed, compared: compared)
        }
    }

    /// The number of cached tables. Bounded, because temporary tables are often created and dropped.
    private static let tableLimit = 256
    /// The number of cached results of a table, for statements that alternate.
    private static let resultLimit = 8

    private var results: [TableName: [Result]] = [:]
    /// The last result. Successive changes usually belong to one statement.
    private var last: Result?
    private var positions: [Int] = []

    /// Returns the columns with different values. The row id is among them if the key may have changed.
    ///
    /// - Parameter assigned: the columns that the statement may change. Others are not compared.
    mutating func updatedColumns(
        of row: RowChangeSummary, images: any RowImages, assigned: UpdatedColumns
    ) -> UpdatedColumns {
        let known = result(for: row.table, names: images.columnNames, assigned: assigned)
        findChanges(in: images, known.candidates)
        let hasMoved = row.mayHaveMoved
        if positions.isEmpty && !hasMoved { return .none }
        if known.positions == positions, known.hasMoved == hasMoved { return known.updated }
        let result = Result(known, positions: positions, hasMoved: hasMoved)
        keep(result)
        return result.updated
    }

    private mutating func result(
        for table: TableName, names: [String], assigned: UpdatedColumns
    ) -> Result {
        if let last, last.isFor(table, names: names, assigned: assigned) { return last }
        let known = results[table]?.first { $0.isFor(table, names: names, assigned: assigned) }
        let result = known ?? Result(table, names: names, assigned: assigned)
        if known == nil { keep(result) }
        last = result
        return result
    }

    /// Keeps a result instead of the one before for the same statement.
    private mutating func keep(_ result: Result) {
        if results.count >= Self.tableLimit { results.removeAll() }
        var others = results.removeValue(forKey: result.table) ?? []
        others.removeAll { $0.assigned == result.assigned }
        if others.count >= Self.resultLimit { others.removeFirst() }
        others.append(result)
        results[result.table] = others
        last = result
    }

    private mutating func findChanges(in images: any RowImages, _ columns: [Int]) {
        positions.removeAll(keepingCapacity: true)
        for column in columns {
            guard let old = images.oldValue(at: column), let new = images.newValue(at: column),
                old.isIdentical(to: new)
            else {
                if !images.isUnchanged(at: column) { positions.append(column) }
                continue
            }
        }
    }
}
