import VigilStorage

/// What a transaction changed in one table.
///
/// It says less than the changes themselves: which row was changed in which column is lost, and row ids and values
/// are given up when there are many. What it leaves out, it may only say too much of.
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
        /// A row was updated, and that counts whatever it changed: see ``RowFacts/ignoresNoOps``.
        package static let plainUpdate = Kinds(rawValue: 16)
    }

    package private(set) var kinds: Kinds = []
    package private(set) var updatedColumns = UpdatedColumns.none
    /// The rows that were inserted, updated or deleted; `nil` for many.
    package private(set) var rowIDs: Set<Int64>? = []
    /// What the rows had and have in some columns; `nil` if that is not known, or if no row was changed yet.
    private(set) var values: ChangedValues?

    package init() {}

    /// Anything in the table may have changed.
    package static let anything: TableChanges = {
        var changes = TableChanges()
        changes.noteAnything()
        return changes
    }()

    private var isEmpty: Bool { rowIDs?.isEmpty ?? false }

    package mutating func noteAnything() {
        kinds = .anything
        updatedColumns = .all
        rowIDs = nil
        values = nil
    }

    /// Adds a change of a row, which must not be one that leaves the row as it was.
    ///
    /// - Parameters:
    ///   - rowLimit: the number of row ids that are kept.
    ///   - values: what is known of the row's values.
    /// - Returns: whether any row may have changed as this one did.
    mutating func note(
        _ row: RowFacts, rowLimit: Int, values rowValues: () -> ChangedValues? = { nil }
    ) -> Bool {
        if kinds.contains(.anything) { return true }
        if isEmpty {
            values = rowValues()
        } else if let known = values {
            values = rowValues().flatMap { known.union($0) }
        }
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
            if !row.ignoresNoOps { kinds.insert(.plainUpdate) }
            updatedColumns.formUnion(row.updatedColumns)
            note(row.newKey, rowLimit: rowLimit)
        }
        return rowIDs == nil && values == nil
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
        if kinds.contains(.anything) || other.isEmpty { return }
        if isEmpty {
            values = other.values
        } else if let known = values {
            values = other.values.flatMap { known.union($0) }
        }
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
        if changes.kinds.contains(.anything) { return true }
        if let predicates, !predicates.mayBeMet(in: changes) { return false }
        if !changes.kinds.isDisjoint(with: [.insertion, .deletion]) { return true }
        if changes.kinds.contains(.move) { return true }
        let isAnyUpdateNews = changes.kinds.contains(.plainUpdate)
        if changes.updatedColumns.touch(isAnyUpdateNews ? columns.named : columns.significant) { return true }
        return predicates?.areTouched(by: changes.updatedColumns) ?? false
    }
}
