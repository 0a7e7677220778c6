package import VigilStorage

/// The changes of a table in a transaction.
///
/// They are less precise than the events: they do not record the changed columns of each row, and drop row
/// ids and values if there are many. The result may claim more changes than there were, never fewer.
package struct TableChanges: Sendable, Hashable {
    package struct Kinds: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let insertion = Kinds(rawValue: 1)
        package static let deletion = Kinds(rawValue: 2)
        /// The key of a row was changed.
        package static let move = Kinds(rawValue: 4)
        /// Any change may have occurred.
        package static let anything = Kinds(rawValue: 8)
        /// An update with an effect on row counts and on readers of all columns, whatever it changed. See
        /// ``RowChangeSummary/ignoresNoOps``.
        package static let updateCountingNoOps = Kinds(rawValue: 16)
    }

    package private(set) var kinds: Kinds = []
    package private(set) var updatedColumns = UpdatedColumns.none
    /// The ids of inserted, updated and deleted rows; `nil` if there are many.
    package private(set) var rowIDs: Set<Int64>? = []
    /// The values of the rows before and after, in some columns; `nil` if they are unknown, and before the
    /// first change.
    private(set) var values: ChangedValues?

    package init() {}

    /// Returns the values of the changed rows in a column, before and after, except NULL; `nil` if they are
    /// unknown.
    package func values(of column: RowCondition.Column) -> [StorageValue]? {
        switch column {
        case .rowID: rowIDs.map { $0.map { .integer($0) } }
        case .named(let name): isEmpty ? [] : values?.values(of: ColumnName(name))
        }
    }

    package static let anything: TableChanges = {
        var changes = TableChanges()
        changes.recordAnything()
        return changes
    }()

    private var isEmpty: Bool { rowIDs?.isEmpty ?? false }

    package mutating func recordAnything() {
        kinds = .anything
        updatedColumns = .all
        rowIDs = nil
        values = nil
    }

    /// Adds a change of a row. It must not be an update without effect.
    ///
    /// - Returns: whether the changes now describe every row like this one.
    mutating func record(
        _ row: RowChangeSummary, rowLimit: Int, values rowValues: () -> ChangedValues? = { nil }
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
            record(row.newKey, rowLimit: rowLimit)
        case .delete:
            kinds.insert(.deletion)
            record(row.oldKey, rowLimit: rowLimit)
        case .update:
            if row.mayHaveMoved {
                kinds.insert(.move)
                record(row.oldKey, rowLimit: rowLimit)
            }
            if !row.ignoresNoOps { kinds.insert(.updateCountingNoOps) }
            updatedColumns.formUnion(row.updatedColumns)
            record(row.newKey, rowLimit: rowLimit)
        }
        return rowIDs == nil && values == nil
    }

    /// The number of row ids from which the check for redundant changes pays off.
    private static let manyRows = 4

    /// Whether further changes of recorded kinds add only row ids to many others.
    var lacksOnlyRowIDs: Bool { values == nil && rowIDs.map { $0.count >= Self.manyRows } ?? false }

    /// Adds a row id. Returns whether row ids are kept.
    mutating func record(rowID: Int64, rowLimit: Int) -> Bool {
        rowIDs?.insert(rowID)
        forgetRowIDs(beyond: rowLimit)
        return rowIDs != nil
    }

    private mutating func record(_ key: RowKey?, rowLimit: Int) {
        guard rowIDs != nil else { return }
        if case .integer(let rowID) = key {
            rowIDs?.insert(rowID)
            forgetRowIDs(beyond: rowLimit)
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
        forgetRowIDs(beyond: rowLimit)
    }

    mutating func forgetRowIDs(beyond limit: Int) {
        if let rowIDs, rowIDs.count > limit { self.rowIDs = nil }
    }
}

extension TablePart {
    func isModified(by changes: TableChanges) -> Bool {
        if let rowIDs, let changed = changes.rowIDs, rowIDs.isDisjoint(with: changed) { return false }
        if changes.kinds.contains(.anything) { return true }
        if let predicates, !predicates.mayBeMet(in: changes) { return false }
        if !changes.kinds.isDisjoint(with: [.insertion, .deletion]) { return true }
        if changes.kinds.contains(.move) { return true }
        let countsNoOpUpdates = changes.kinds.contains(.updateCountingNoOps)
        if changes.updatedColumns.intersects(countsNoOpUpdates ? columns.named : columns.significant) {
            return true
        }
        return predicates?.areMatched(by: changes.updatedColumns) ?? false
    }
}
