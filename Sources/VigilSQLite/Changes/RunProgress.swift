import VigilStorage

/// The running writes, and their effects so far.
struct RunProgress {
    /// The number of running statements.
    private(set) var depth = 0
    /// Whether a statement runs, or has run, during the current one.
    private(set) var hasNestedRun = false
    /// Whether the most recent statement rebuilds the database. The rows that it copies have not changed.
    private(set) var isVacuuming = false
    /// The tables with rows deleted one by one.
    private var deletedByRow: Set<TableName> = []
    /// The tables reported as changed as a whole. Only used where changes can wait for their values.
    private var reportedCoarsely: Set<TableName> = []
    /// The tables whose row ids may change, and that were not reported as a whole: a change that arrives
    /// without values requires a report of the whole table.
    private var moving: Set<TableName> = []

    mutating func didBegin(isVacuum: Bool) {
        if depth == 0 {
            deletedByRow.removeAll(keepingCapacity: true)
            if !reportedCoarsely.isEmpty { reportedCoarsely.removeAll() }
            if !moving.isEmpty { moving.removeAll() }
        }
        depth += 1
        hasNestedRun = depth > 1
        isVacuuming = isVacuum
    }

    mutating func didEnd() {
        depth -= 1
        isVacuuming = false
    }

    mutating func didReportCoarsely(_ table: TableName) { reportedCoarsely.insert(table) }

    func wasReportedCoarsely(_ table: TableName) -> Bool {
        !reportedCoarsely.isEmpty && reportedCoarsely.contains(table)
    }

    mutating func rowsMayMove(in table: TableName) { moving.insert(table) }

    func mayHaveMoved(_ kind: RowChange.Kind, in table: TableName) -> Bool {
        kind == .update && !moving.isEmpty && moving.contains(table)
    }

    mutating func didDeleteRow(of table: TableName) {
        if depth > 0 { deletedByRow.insert(table) }
    }

    func deletedRows(of table: TableName) -> Bool { deletedByRow.contains(table) }
}
