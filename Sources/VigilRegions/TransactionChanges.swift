package import VigilStorage

/// Collects what one transaction changes, and whom that concerns.
///
/// Not every change is kept: each observer is hit once, and what is left to remember for the ``ChangeLog`` stays
/// small (``ChangeSet``). So a transaction of any size needs a bounded amount of memory for each table that it
/// touches and each savepoint that is open.
///
/// The same index is to be passed from the first change to ``finish(in:)`` or ``reset(in:)``: it remembers
/// who was hit. Observers may come, change and go meanwhile.
package struct TransactionChanges: Sendable {
    /// What was changed since a savepoint was opened, or since the transaction began.
    struct Level: Sendable {
        /// `nil` for the transaction itself.
        var savepoint: String?
        /// The number of hits from before.
        var hitCount = 0
        var changes = ChangeSet()
    }

    /// Changes that are no news, if they hit nobody: the change set holds them already. Most changes of a bulk
    /// transaction are of this kind.
    struct Settled: Sendable {
        let table: TableName
        /// `nil` for any.
        let kind: RowChange.Kind?
        let ignoresNoOps: Bool
        /// Whether somebody waits for changes of the table. If not, that lasts until somebody waits again: see
        /// ``RegionIndex/revivals``.
        let isAnyoneWaiting: Bool
        let revivals: Int

        func covers(_ change: RowChange, ignoresNoOps: Bool) -> Bool {
            guard ignoresNoOps == self.ignoresNoOps, table == change.table else { return false }
            guard let kind else { return true }
            guard kind == change.kind else { return false }
            // That a row moves is news.
            return kind != .update || !RowKey.mayDiffer(change.oldKey, change.newKey)
        }
    }

    /// How many row ids are kept for a table.
    package let rowLimit: Int
    /// Whether it matters which rows were changed in tables that nobody observes.
    package let keepsUnobservedRows: Bool
    /// A table that nobody observes, and at which state of the index.
    private var unobserved: (table: TableName, revivals: Int)?
    /// The transaction, and the open savepoints within it. Never empty.
    var levels = [Level()]
    var hits: [Hit] = []
    /// Forgotten when a savepoint begins or ends, because the change set is then another one.
    var settled: Settled?
    private var statement = StatementColumns.unknown
    private var comparison = ImageComparison()

    /// - Parameter keepsUnobservedRows: whether it matters which rows were changed in tables that nobody observes; it
    ///   does if somebody may observe them from an earlier moment on. Otherwise such a table is changed as a whole.
    package init(rowLimit: Int = ChangeSet.defaultRowLimit, keepsUnobservedRows: Bool = true) {
        self.rowLimit = rowLimit
        self.keepsUnobservedRows = keepsUnobservedRows
    }

    /// Whether nothing was recorded that has not been undone.
    package var isEmpty: Bool { hits.isEmpty && levels.allSatisfy(\.changes.isEmpty) }

    /// Tells which statement runs from now on: updates that come without images are taken to change the
    /// columns that it assigns to, and so are those whose images nobody needs to compare. A generated column
    /// must therefore be among the columns that are assigned to when one that it depends on is; or whoever reads it
    /// must be known to read those as well.
    ///
    /// - Returns: the statement that ran before. A statement that runs in the middle of another, such as one that a
    ///   function executes, gives way to it again by beginning that one once more.
    @discardableResult
    package mutating func beginStatement(_ columns: StatementColumns) -> StatementColumns {
        let interrupted = statement
        statement = columns
        if settled?.kind == .update { settled = nil }
        return interrupted
    }

    /// Tells which statement runs from now on. See ``beginStatement(_:)``.
    @discardableResult
    package mutating func beginStatement(access: StatementAccess) -> StatementColumns {
        beginStatement(StatementColumns(access))
    }

    /// Adds a change.
    ///
    /// - Parameter ignoresNoOpUpdates: whether an update is taken to change only the columns whose values
    ///   differ, where row images tell. Otherwise it changes the columns that the statement assigns to.
    package mutating func record(
        _ event: ChangeEvent, in index: inout RegionIndex, ignoresNoOpUpdates: Bool
    ) {
        switch event {
        case .row(let change):
            record(change, in: &index, ignoresNoOpUpdates: ignoresNoOpUpdates)
        case .table(let table):
            if isUnobserved(table, in: &index) {
                noteUnobserved(table, index.revivals, ignoresNoOpUpdates)
            } else {
                index.match(anyRowOf: table, into: &hits)
                levels[levels.count - 1].changes.noteWholeTable(table)
            }
        case .database:
            index.matchAnything(into: &hits)
            levels[levels.count - 1].changes.noteWholeDatabase()
        }
    }

    private mutating func record(
        _ change: RowChange, in index: inout RegionIndex, ignoresNoOpUpdates: Bool
    ) {
        let isSettled = settled?.covers(change, ignoresNoOps: ignoresNoOpUpdates) ?? false
        if isSettled, let settled, !settled.isAnyoneWaiting, settled.revivals == index.revivals { return }
        if !keepsUnobservedRows, isUnobserved(change.table, in: &index) {
            noteUnobserved(change.table, index.revivals, ignoresNoOpUpdates)
            return
        }
        let prospect = index.prospect(of: change)
        defer { index.forgetFound() }
        if isSettled, prospect == .nobody { return }
        var row = RowFacts(change, ignoresNoOps: ignoresNoOpUpdates)
        var isAnyoneWaiting = prospect != .nobody
        if change.kind == .update {
            isAnyoneWaiting = findUpdatedColumns(of: &row, change, prospect, in: &index)
            if isSettled, !isAnyoneWaiting { return }
        }
        if isAnyoneWaiting { index.match(row, images: change.images, into: &hits) }
        let isAnyRow = levels[levels.count - 1].changes.note(row, rowLimit: rowLimit) {
            index.changedValues(of: row, change.images)
        }
        if isAnyRow, !isAnyoneWaiting {
            settled = Settled(
                table: change.table, kind: change.kind, ignoresNoOps: ignoresNoOpUpdates,
                isAnyoneWaiting: index.isAnyoneWaiting(for: change.table), revivals: index.revivals)
        }
    }

    /// What must be recorded of the change of a row.
    package mutating func rowInterest(
        in table: TableName, _ kind: RowChange.Kind, in index: inout RegionIndex
    ) -> RowInterest {
        if let settled, !settled.isAnyoneWaiting, settled.revivals == index.revivals, settled.table == table,
            settled.kind == nil || (settled.kind == kind && kind != .update)
        {
            return .nothing
        }
        return !keepsUnobservedRows && isUnobserved(table, in: &index) ? .table : .row
    }

    /// Remembered from one transaction to the next.
    private mutating func isUnobserved(_ table: TableName, in index: inout RegionIndex) -> Bool {
        if let unobserved, unobserved.revivals == index.revivals, unobserved.table == table { return true }
        guard !index.isAnyoneObserving(table) else { return false }
        unobserved = (table, index.revivals)
        return true
    }

    private mutating func noteUnobserved(_ table: TableName, _ revivals: Int, _ ignoresNoOps: Bool) {
        levels[levels.count - 1].changes.noteWholeTable(table)
        settled = Settled(
            table: table, kind: nil, ignoresNoOps: ignoresNoOps, isAnyoneWaiting: false, revivals: revivals)
    }

    /// Finds out which columns an update changed: by comparing them all, if that matters to somebody.
    ///
    /// - Returns: whether somebody waits whom the update may hit.
    private mutating func findUpdatedColumns(
        of row: inout RowFacts, _ change: RowChange, _ prospect: RegionIndex.Prospect,
        in index: inout RegionIndex
    ) -> Bool {
        let compared = row.ignoresNoOps ? change.images : nil
        if compared == nil { row.updatedColumns = assignedColumns(of: row) }
        let isAnyoneWaiting =
            switch prospect {
            case .nobody: false
            case .somebody: true
            case .perhaps: index.isAnyoneWaiting(afterProspectOf: row, images: change.images)
            }
        if let compared {
            row.updatedColumns =
                isAnyoneWaiting
                ? comparison.updatedColumns(of: row, images: compared) : assignedColumns(of: row)
        }
        return isAnyoneWaiting
    }

    /// The columns that the running statement assigns to.
    private func assignedColumns(of row: RowFacts) -> UpdatedColumns {
        let columns = statement.columns(of: row.table)
        return row.mayHaveMoved ? columns.addingRowID() : columns
    }

    /// What the transaction changed so far.
    package var collected: ChangeSet {
        levels.reduce(into: ChangeSet()) { $0.formUnion($1.changes, rowLimit: rowLimit) }
    }

    /// Ends the transaction that was committed, and begins the next.
    ///
    /// - Returns: the observers that it touched, each once, in the order in which they were hit, without those that
    ///   were removed meanwhile; and what it changed.
    package mutating func finish(in index: inout RegionIndex) -> (hits: [Hit], changes: ChangeSet) {
        if levels.count > 1 { mergeLevels(from: 1) }
        let committed = (
            hits.isEmpty ? [] : hits.filter { index.isHit($0.observer) }, levels[0].changes
        )
        reset(in: &index)
        return committed
    }

    /// Forgets the transaction, which was rolled back, and begins the next.
    package mutating func reset(in index: inout RegionIndex) {
        if !hits.isEmpty {
            index.revive(hits)
            hits = []
        }
        if levels.count > 1 { levels.removeSubrange(1...) }
        levels[0].changes = ChangeSet()
        settled = nil
        statement = StatementColumns.unknown
    }
}
