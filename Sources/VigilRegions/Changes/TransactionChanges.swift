package import VigilStorage

/// Collects the changes of one transaction, and the matched observers.
///
/// It does not keep every change: each observer matches once, and the ``ChangeSet`` for the ``ChangeLog`` is
/// small. A transaction of any size therefore needs a bounded amount of memory for each changed table and
/// each open savepoint.
///
/// Pass the same index from the first change to ``finish(in:)`` or ``reset(in:)``, because it keeps track of
/// the matched observers. Observers may register, change their region and unregister in between.
package struct TransactionChanges: Sendable {
    /// The changes since the beginning of a savepoint or of the transaction.
    struct Level: Sendable {
        /// The name of the savepoint; `nil` for the transaction itself.
        var savepoint: String?
        /// The number of matches before this level.
        var matchCount = 0
        var changes = ChangeSet()
    }

    /// Changes already contained in the change set. They need no record unless they match an observer. Most
    /// changes of a bulk transaction are of this kind.
    struct RedundantChanges: Sendable {
        let table: TableName
        /// The kind of the changes; `nil` for any kind.
        let kind: RowChange.Kind?
        let ignoresNoOps: Bool
        /// Whether the table has armed observers. If not, this holds until observers are armed again: see
        /// ``RegionIndex/armingCount``.
        let hasArmedObservers: Bool
        let armingCount: Int
        /// Whether the change set lacks the row ids of further changes, and only these.
        var lackRowIDs = false

        /// Returns whether no observer can match in a state of the index.
        func matchNothing(_ armingCount: Int) -> Bool {
            !hasArmedObservers && armingCount == self.armingCount
        }

        /// Returns whether changes of a table are contained whatever their rows are, and match nothing.
        func needNoRow(of table: TableName, _ kind: RowChange.Kind, _ armingCount: Int) -> Bool {
            guard !lackRowIDs, matchNothing(armingCount) else { return false }
            return (self.kind == nil || (self.kind == kind && kind != .update)) && self.table == table
        }

        func covers(_ change: borrowing RowChange, ignoresNoOps: Bool) -> Bool {
            guard ignoresNoOps == self.ignoresNoOps, table == change.table else { return false }
            guard let kind else { return true }
            guard kind == change.kind else { return false }
            // A changed key needs a record.
            return kind != .update || !RowKey.mayDiffer(change.oldKey, change.newKey)
        }
    }

    package var rowLimit: Int
    /// The columns of links. Their values are kept, whether observers are armed or not.
    package var linkedColumns: LinkedColumns = [:]
    /// Whether the changed rows of tables without observers are kept.
    package let keepsUnobservedRows: Bool
    /// A table without observers, as of a state of the index.
    private var unobserved: (table: TableName, armingCount: Int)?
    /// The transaction and its open savepoints. Never empty.
    var levels = [Level()]
    var matches: [RegionMatch] = []
    /// Reset when a savepoint begins or ends, because the change set is then a different one.
    var redundant: RedundantChanges?
    private var statement = StatementColumns.unknown
    private var comparison = ImageComparison()

    /// - Parameter keepsUnobservedRows: whether the changed rows of tables without observers are kept, as
    ///   needed if an observer with an earlier fetch may register. If `false`, a change of such a table
    ///   counts as a change of all its rows.
    package init(rowLimit: Int = ChangeSet.defaultRowLimit, keepsUnobservedRows: Bool = true) {
        self.rowLimit = rowLimit
        self.keepsUnobservedRows = keepsUnobservedRows
    }

    /// Whether nothing was recorded, apart from undone changes.
    package var isEmpty: Bool { matches.isEmpty && levels.allSatisfy(\.changes.isEmpty) }

    /// Sets the running statement.
    ///
    /// Updates count as changes of at most the statement's assigned columns: of all of them without images,
    /// or with images not worth comparing. If a generated column depends on an assigned one, it must
    /// therefore be among the assigned columns too, or its readers must be known to read the assigned one.
    ///
    /// - Returns: the previous statement. After a nested statement, for example one executed by a function,
    ///   the caller sets the outer statement again.
    @discardableResult
    package mutating func beginStatement(_ columns: StatementColumns) -> StatementColumns {
        let interrupted = statement
        statement = columns
        if redundant?.kind == .update { redundant = nil }
        return interrupted
    }

    /// Records a change.
    ///
    /// - Parameter ignoresNoOpUpdates: whether an update with row images counts as changing only the columns
    ///   with different values. Otherwise it changes all columns assigned by the statement.
    package mutating func record(
        _ event: ChangeEvent, in index: inout RegionIndex, ignoresNoOpUpdates: Bool
    ) {
        switch event {
        case .row(let change):
            recordRow(change, in: &index, ignoresNoOpUpdates: ignoresNoOpUpdates)
        case .table(let table):
            if isUnobserved(table, in: &index) {
                recordUnobserved(
                    table, armingCount: index.armingCount, ignoresNoOps: ignoresNoOpUpdates)
            } else {
                index.match(anyRowOf: table, into: &matches)
                levels[levels.count - 1].changes.recordWholeTable(table)
            }
        case .database:
            index.matchAnything(into: &matches)
            levels[levels.count - 1].changes.recordWholeDatabase()
        }
    }

    private mutating func recordRow(
        _ change: borrowing RowChange, in index: inout RegionIndex, ignoresNoOpUpdates: Bool
    ) {
        var isRedundant = redundant?.covers(change, ignoresNoOps: ignoresNoOpUpdates) == true
        if isRedundant {
            let lackRowIDs = redundant?.lackRowIDs == true
            if redundant?.matchNothing(index.armingCount) == true, !lackRowIDs || keepRowID(of: change) {
                return
            }
            isRedundant = !lackRowIDs
        }
        if !keepsUnobservedRows, isUnobserved(change.table, in: &index) {
            recordUnobserved(
                change.table, armingCount: index.armingCount, ignoresNoOps: ignoresNoOpUpdates)
            return
        }
        let estimate = index.estimate(of: change)
        defer { index.forgetFound() }
        if isRedundant, estimate == .none { return }
        var row = RowChangeSummary(change, ignoresNoOps: ignoresNoOpUpdates)
        let images = change.images
        var mayMatch = estimate != .none
        if change.kind == .update {
            mayMatch = findUpdatedColumns(of: &row, images, estimate, in: &index)
            if isRedundant, !mayMatch { return }
        }
        if mayMatch { index.match(row, images: images, into: &matches) }
        let linked = linkedColumns.isEmpty ? [] : linkedColumns[change.table] ?? []
        let isAnyRow = levels[levels.count - 1].changes.record(row, rowLimit: rowLimit) {
            index.changedValues(of: row, images, linked: linked)
        }
        if isAnyRow, !mayMatch {
            redundant = RedundantChanges(
                table: change.table, kind: change.kind, ignoresNoOps: ignoresNoOpUpdates,
                hasArmedObservers: index.hasArmedObservers(of: change.table), armingCount: index.armingCount)
        } else if !mayMatch, levels[levels.count - 1].changes.lacksOnlyRowIDs(of: change.table),
            !index.hasArmedObservers(of: change.table)
        {
            redundant = RedundantChanges(
                table: change.table, kind: change.kind, ignoresNoOps: ignoresNoOpUpdates,
                hasArmedObservers: false, armingCount: index.armingCount, lackRowIDs: true)
        }
    }

    /// Keeps the row id of a change; everything else is already kept. Returns whether that is possible.
    private mutating func keepRowID(of change: borrowing RowChange) -> Bool {
        guard case .integer(let rowID) = change.newKey ?? change.oldKey else { return false }
        return levels[levels.count - 1].changes.record(rowID: rowID, of: change.table, rowLimit: rowLimit)
    }

    /// Returns how precisely the change of a row must be recorded.
    package mutating func rowInterest(
        in table: TableName, _ kind: RowChange.Kind, in index: inout RegionIndex
    ) -> RowInterest {
        if redundant?.needNoRow(of: table, kind, index.armingCount) == true { return .nothing }
        return !keepsUnobservedRows && isUnobserved(table, in: &index) ? .table : .row
    }

    /// Returns whether the table has no observers. Cached across transactions.
    private mutating func isUnobserved(_ table: TableName, in index: inout RegionIndex) -> Bool {
        if let unobserved, unobserved.armingCount == index.armingCount, unobserved.table == table {
            return true
        }
        guard !index.hasObservers(of: table) else { return false }
        unobserved = (table, index.armingCount)
        return true
    }

    private mutating func recordUnobserved(_ table: TableName, armingCount: Int, ignoresNoOps: Bool) {
        levels[levels.count - 1].changes.recordWholeTable(table)
        redundant = RedundantChanges(
            table: table, kind: nil, ignoresNoOps: ignoresNoOps, hasArmedObservers: false,
            armingCount: armingCount)
    }

    /// Determines the columns changed by an update, by comparing the assigned ones if that matters to an
    /// observer.
    ///
    /// - Returns: whether the update may match an armed observer.
    private mutating func findUpdatedColumns(
        of row: inout RowChangeSummary, _ images: (any RowImages)?, _ estimate: RegionIndex.Estimate,
        in index: inout RegionIndex
    ) -> Bool {
        let assigned = statement.columns(of: row.table)
        row.updatedColumns = row.mayHaveMoved ? assigned.addingRowID() : assigned
        let mayMatch =
            switch estimate {
            case .none: false
            case .some: true
            case .unknown: index.mayMatch(afterEstimateOf: row, images: images)
            }
        if mayMatch, row.ignoresNoOps, let images {
            row.updatedColumns = comparison.updatedColumns(of: row, images: images, assigned: assigned)
        }
        return mayMatch
    }

    /// The changes of the open transaction.
    package var collected: ChangeSet {
        levels.reduce(into: ChangeSet()) { $0.formUnion($1.changes, rowLimit: rowLimit) }
    }

    /// Ends a committed transaction, and begins the next one.
    ///
    /// - Returns: the matched observers still registered, each once, in the order of the matches; and the
    ///   changes.
    package mutating func finish(in index: inout RegionIndex) -> (matches: [RegionMatch], changes: ChangeSet)
    {
        if levels.count > 1 { mergeLevels(from: 1) }
        let committed = (
            matches.isEmpty ? [] : matches.filter { index.isMatched($0) }, levels[0].changes
        )
        reset(in: &index)
        return committed
    }

    /// Discards a rolled-back transaction, and begins the next one.
    package mutating func reset(in index: inout RegionIndex) {
        if !matches.isEmpty {
            index.rearm(matches)
            matches = []
        }
        if levels.count > 1 { levels.removeSubrange(1...) }
        levels[0].changes = ChangeSet()
        redundant = nil
        statement = StatementColumns.unknown
    }
}
