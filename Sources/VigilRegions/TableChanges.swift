import VigilStorage

/// What a transaction changed in one table.
///
/// It says less than the changes themselves: which row was changed in which column is lost, and row ids are
/// given up when there are many. What it leaves out, it may only say too much of.
package struct TableChanges: Sendable, Hashable {
    package struct Kinds: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let insertion = Kinds(rawValue: 1)
        package static let deletion = Kinds(rawValue: 2)
        /// A row got another key.
        package static let move = Kinds(rawValue: 4)
        /// Anything may have happened.
        package static let anything = Kinds(rawValue: 8)
    }

    package private(set) var kinds: Kinds = []
    package private(set) var updatedColumns = UpdatedColumns.none
    /// The rows that were inserted, updated or deleted; `nil` for many.
    package private(set) var rowIDs: Set<Int64>? = []

    package init() {}

    /// Anything in the table may have changed.
    package static let anything: TableChanges = {
        var changes = TableChanges()
        changes.noteAnything()
        return changes
    }()

    package mutating func noteAnything() {
        kinds = .anything
        updatedColumns = .all
        rowIDs = nil
    }

    /// Adds a change of a row, which must not be one that leaves the row as it was.
    ///
    /// - Parameter rowLimit: the number of row ids that are kept.
    /// - Returns: whether any row may have changed as this one did.
    package mutating func note(_ row: RowFacts, rowLimit: Int) -> Bool {
        if kinds.contains(.anything) { return true }
        switch row.kind {
        case .insert:
            kinds.insert(.insertion)
            note(row.newKey, rowLimit: rowLimit)
        case .delete:
            kinds.insert(.deletion)
            note(row.oldKey, rowLimit: rowLimit)
        case .update:
            if row.mayHaveMoved {
                kinds.insert(.move)
                note(row.oldKey, rowLimit: rowLimit)
            }
            updatedColumns.formUnion(row.updatedColumns)
            note(row.newKey, rowLimit: rowLimit)
        }
        return rowIDs == nil
    }

    private mutating func note(_ key: RowKey?, rowLimit: Int) {
        guard rowIDs != nil else { return }
        if case .integer(let rowID) = key {
            rowIDs?.insert(rowID)
            giveUpRowIDs(beyond: rowLimit)
        } else {
            rowIDs = nil
        }
    }

    package mutating func formUnion(_ other: TableChanges, rowLimit: Int) {
        if kinds.contains(.anything) { return }
        kinds.formUnion(other.kinds)
        updatedColumns.formUnion(other.updatedColumns)
        if let others = other.rowIDs { rowIDs?.formUnion(others) } else { rowIDs = nil }
        giveUpRowIDs(beyond: rowLimit)
    }

    private mutating func giveUpRowIDs(beyond limit: Int) {
        if let rowIDs, rowIDs.count > limit { self.rowIDs = nil }
    }
}

extension TablePart {
    /// Whether any of the changes touches the part.
    func isModified(by changes: TableChanges) -> Bool {
        if let rowIDs, let changed = changes.rowIDs, rowIDs.isDisjoint(with: changed) { return false }
        if !changes.kinds.isDisjoint(with: [.insertion, .deletion, .anything]) { return true }
        if rowIDs != nil || columns == nil, changes.kinds.contains(.move) { return true }
        return changes.updatedColumns.touch(columns)
    }
}
