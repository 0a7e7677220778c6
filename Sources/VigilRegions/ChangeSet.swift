package import VigilStorage

/// What a transaction changed, in a form that stays small however much it changed.
///
/// It is made of names, values and flags only, so that it can be written down and read elsewhere.
package struct ChangeSet: Sendable {
    /// How many row ids are kept for a table; a transaction that changes more rows of it is taken to have
    /// changed any row. So a set stays below a few kilobytes for each table.
    package static let defaultRowLimit = 256

    /// How many tables are told apart; a transaction that changes more is taken to have changed any.
    package static let tableLimit = 128

    private struct Entry {
        let table: TableName
        var changes: TableChanges
    }

    /// Anything in the database may have changed; no table is then told apart.
    package private(set) var isWholeDatabase = false
    /// The tables of which anything may have changed. Lists, because there are mostly very few: they are made and searched
    /// faster than dictionaries.
    private var wholeTables: [TableName] = []
    /// The other tables.
    private var entries: [Entry] = []

    package init() {}

    /// Anything in the database may have changed.
    package static let wholeDatabase: ChangeSet = {
        var changes = ChangeSet()
        changes.noteWholeDatabase()
        return changes
    }()

    package var isEmpty: Bool { !isWholeDatabase && wholeTables.isEmpty && entries.isEmpty }

    /// What changed in a table; `nil` for nothing, or for anything (``isWholeDatabase``).
    package subscript(table: TableName) -> TableChanges? {
        if wholeTables.contains(table) { return .anything }
        return index(of: table).map { entries[$0].changes }
    }

    private func index(of table: TableName) -> Int? {
        // Changes come one after the other from the same table.
        entries.lastIndex { $0.table == table }
    }

    /// Whether there is room for another table. If not, the whole database was changed.
    private mutating func makeRoom() -> Bool {
        if wholeTables.count + entries.count < Self.tableLimit { return true }
        noteWholeDatabase()
        return false
    }

    package mutating func noteWholeDatabase() {
        isWholeDatabase = true
        wholeTables = []
        entries = []
    }

    /// Adds that anything in the table may have changed.
    package mutating func noteWholeTable(_ table: TableName) {
        if isWholeDatabase || wholeTables.contains(table) { return }
        if !entries.isEmpty, let index = index(of: table) { entries.remove(at: index) }
        if makeRoom() { wholeTables.append(table) }
    }

    /// Adds to what changed in a table. Does nothing if anything may have.
    private mutating func change<Answer>(
        _ table: TableName, otherwise answer: Answer, _ body: (inout TableChanges) -> Answer
    ) -> Answer {
        if isWholeDatabase || wholeTables.contains(table) { return answer }
        if let index = index(of: table) { return body(&entries[index].changes) }
        guard makeRoom() else { return answer }
        entries.append(Entry(table: table, changes: TableChanges()))
        return body(&entries[entries.count - 1].changes)
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
        return change(row.table, otherwise: true) { $0.note(row, rowLimit: rowLimit, values: values) }
    }

    package mutating func formUnion(_ other: ChangeSet, rowLimit: Int = defaultRowLimit) {
        if isWholeDatabase || other.isEmpty { return }
        if other.isWholeDatabase {
            noteWholeDatabase()
        } else if isEmpty {
            self = other
        } else {
            for table in other.wholeTables { noteWholeTable(table) }
            for entry in other.entries {
                change(entry.table, otherwise: ()) { $0.formUnion(entry.changes, rowLimit: rowLimit) }
            }
        }
    }

    package func union(_ other: ChangeSet, rowLimit: Int = defaultRowLimit) -> ChangeSet {
        var union = self
        union.formUnion(other, rowLimit: rowLimit)
        return union
    }
}

extension ChangeSet: Equatable {
    /// In whichever order the tables were changed.
    package static func == (a: ChangeSet, b: ChangeSet) -> Bool {
        a.isWholeDatabase == b.isWholeDatabase && Set(a.wholeTables) == Set(b.wholeTables)
            && a.entries.count == b.entries.count
            && a.entries.allSatisfy { b[$0.table] == $0.changes }
    }
}
