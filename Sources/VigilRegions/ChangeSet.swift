package import VigilStorage

/// What a transaction changed, in a form that stays small however much it changed.
///
/// It is made of names, values and flags only, so that it can be written down and read elsewhere.
package struct ChangeSet: Sendable, Hashable {
    /// How many row ids are kept for a table; a transaction that changes more rows of it is taken to have
    /// changed any row. So a set stays below a few kilobytes for each table.
    package static let defaultRowLimit = 256

    /// Anything in the database may have changed; ``tables`` is then empty.
    package private(set) var isWholeDatabase = false
    package private(set) var tables: [TableName: TableChanges] = [:]

    package init() {}

    /// Anything in the database may have changed.
    package static let wholeDatabase: ChangeSet = {
        var changes = ChangeSet()
        changes.noteWholeDatabase()
        return changes
    }()

    package var isEmpty: Bool { !isWholeDatabase && tables.isEmpty }

    package mutating func noteWholeDatabase() {
        isWholeDatabase = true
        tables = [:]
    }

    /// Adds that anything in the table may have changed.
    package mutating func noteWholeTable(_ table: TableName) {
        if isWholeDatabase { return }
        tables[table] = .anything
    }

    /// Adds a change of a row.
    ///
    /// - Returns: whether the set already says of any row of the table what it says of this one.
    @discardableResult
    package mutating func note(_ row: RowFacts, rowLimit: Int = defaultRowLimit) -> Bool {
        note(row, rowLimit: rowLimit) { nil }
    }

    /// Adds a change of a row. Asks for the row's values only if it can still keep them.
    mutating func note(_ row: RowFacts, rowLimit: Int, values: () -> ChangedValues?) -> Bool {
        if isWholeDatabase { return true }
        if row.isNoOp { return false }
        return tables[row.table, default: TableChanges()].note(row, rowLimit: rowLimit, values: values)
    }

    package mutating func formUnion(_ other: ChangeSet, rowLimit: Int = defaultRowLimit) {
        if isWholeDatabase || other.isEmpty { return }
        if other.isWholeDatabase {
            noteWholeDatabase()
        } else if isEmpty {
            tables = other.tables
        } else {
            for (table, changes) in other.tables {
                tables[table, default: TableChanges()].formUnion(changes, rowLimit: rowLimit)
            }
        }
    }

    package func union(_ other: ChangeSet, rowLimit: Int = defaultRowLimit) -> ChangeSet {
        var union = self
        union.formUnion(other, rowLimit: rowLimit)
        return union
    }
}
