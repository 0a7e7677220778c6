package import VigilStorage

/// The changes of a transaction, in a form of bounded size.
///
/// It consists of names, values and flags only, so it can be stored, and used by other processes.
package struct ChangeSet: Sendable {
    /// The number of row ids to keep for a table. A transaction with more changed rows counts as changing any
    /// row. The limit keeps a set below a few kilobytes for each table.
    package static let defaultRowLimit = 256

    /// The limit for each table while lists are observed: they look up the changed rows. 260 kB at most.
    package static let listRowLimit = 16_384

    /// The number of tables to distinguish. With more changed tables, any table counts as changed.
    package static let tableLimit = 128

    private struct Entry {
        let table: TableName
        var changes: TableChanges
    }

    /// Whether anything in the database may have changed. Tables are then not distinguished.
    package private(set) var isWholeDatabase = false
    /// The tables in which any row may have changed. A list, because there are few tables: lists are built
    /// and searched faster than dictionaries.
    private var wholeTables: [TableName] = []
    /// The other changed tables.
    private var entries: [Entry] = []

    package init() {}

    package static let wholeDatabase: ChangeSet = {
        var changes = ChangeSet()
        changes.recordWholeDatabase()
        return changes
    }()

    package var isEmpty: Bool { !isWholeDatabase && wholeTables.isEmpty && entries.isEmpty }

    /// The changes of a table; `nil` if it did not change, or if anything may have changed
    /// (``isWholeDatabase``).
    package subscript(table: TableName) -> TableChanges? {
        if wholeTables.contains(table) { return .anything }
        return index(of: table).map { entries[$0].changes }
    }

    /// Returns the ids of the changed rows of a table; `nil` if they are not known.
    package func rowIDs(of table: TableName) -> Set<Int64>? {
        if let index = index(of: table) { return entries[index].changes.rowIDs }
        return isWholeDatabase || wholeTables.contains(table) ? nil : []
    }

    /// Returns whether the changes of a table modify a part of it.
    func modify(_ region: TableRegion) -> Bool {
        if let index = index(of: region.table) { return region.part.isModified(by: entries[index].changes) }
        return wholeTables.contains(region.table) && region.part.isModified(by: .anything)
    }

    package func contains(where isIncluded: (TableName) -> Bool) -> Bool {
        wholeTables.contains(where: isIncluded) || entries.contains { isIncluded($0.table) }
    }

    private func index(of table: TableName) -> Int? {
        // Successive changes usually belong to one table. A loop, because a closure copies each entry.
        var index = entries.count - 1
        while index >= 0, entries[index].table != table { index -= 1 }
        return index < 0 ? nil : index
    }

    /// Returns whether there is room for another table. If not, marks the whole database as changed.
    private mutating func makeRoom() -> Bool {
        if wholeTables.count + entries.count < Self.tableLimit { return true }
        recordWholeDatabase()
        return false
    }

    package mutating func recordWholeDatabase() {
        isWholeDatabase = true
        wholeTables = []
        entries = []
    }

    package mutating func recordWholeTable(_ table: TableName) {
        if isWholeDatabase || wholeTables.contains(table) { return }
        if !entries.isEmpty, let index = index(of: table) { entries.remove(at: index) }
        if makeRoom() { wholeTables.append(table) }
    }

    /// Returns the index of a table's changes, possibly new ones; `nil` if any row of it may have changed.
    private mutating func makeIndex(of table: TableName) -> Int? {
        if let index = index(of: table) { return index }
        guard !isWholeDatabase, !wholeTables.contains(table), makeRoom() else { return nil }
        entries.append(Entry(table: table, changes: TableChanges()))
        return entries.count - 1
    }

    /// Adds a change of a row.
    ///
    /// - Returns: whether the set now describes every row of the table like this one.
    @discardableResult
    package mutating func record(_ row: RowChangeSummary, rowLimit: Int = defaultRowLimit) -> Bool {
        record(row, rowLimit: rowLimit) { nil }
    }

    /// Adds a change of a row. Requests the row's values only if the set can still keep them.
    mutating func record(_ row: RowChangeSummary, rowLimit: Int, values: () -> ChangedValues?) -> Bool {
        if isWholeDatabase { return true }
        if row.isNoOp { return false }
        guard let index = makeIndex(of: row.table) else { return true }
        return entries[index].changes.record(row, rowLimit: rowLimit, values: values)
    }

    /// Returns whether the set contains everything about further changes of a table except their row ids, for
    /// kinds of changes already recorded. Always `false` for few rows.
    func lacksOnlyRowIDs(of table: TableName) -> Bool {
        index(of: table).map { entries[$0].changes.lacksOnlyRowIDs } ?? false
    }

    /// Adds the row id of a change otherwise contained in the set. Returns whether row ids are kept.
    mutating func record(rowID: Int64, of table: TableName, rowLimit: Int) -> Bool {
        guard let index = index(of: table) else { return false }
        return entries[index].changes.record(rowID: rowID, rowLimit: rowLimit)
    }

    package mutating func formUnion(_ other: ChangeSet, rowLimit: Int = defaultRowLimit) {
        if isWholeDatabase || other.isEmpty { return }
        if other.isWholeDatabase {
            recordWholeDatabase()
        } else if isEmpty {
            self = other
        } else {
            for table in other.wholeTables { recordWholeTable(table) }
            for entry in other.entries {
                guard let index = makeIndex(of: entry.table) else { continue }
                entries[index].changes.formUnion(entry.changes, rowLimit: rowLimit)
            }
        }
    }

    var rowIDCount: Int { entries.reduce(0) { $0 + ($1.changes.rowIDs?.count ?? 0) } }

    /// Removes the row ids of tables with more than `limit` of them: any of their rows may have changed.
    mutating func forgetRowIDs(beyond limit: Int) {
        for index in entries.indices { entries[index].changes.forgetRowIDs(beyond: limit) }
    }
}

extension ChangeSet: Equatable {
    /// Compares the changes, regardless of the order of the tables.
    package static func == (a: ChangeSet, b: ChangeSet) -> Bool {
        a.isWholeDatabase == b.isWholeDatabase && Set(a.wholeTables) == Set(b.wholeTables)
            && a.entries.count == b.entries.count
            && a.entries.allSatisfy { b[$0.table] == $0.changes }
    }
}
