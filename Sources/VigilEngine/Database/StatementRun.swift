import VigilStorage

/// The current or last run of a statement.
struct StatementRun {
    /// The number of runs so far. A cursor uses it to detect the end of its run.
    var number = 0
    /// Whether the run is in progress, and holds locks and the current row.
    var isRunning = false
    /// Whether the run may write. Such a run reaches its end in its first step.
    var mayWrite = false
    /// Whether a writing run is in progress. Nothing is committed automatically until it ends.
    var isWriting = false
    /// The value of ``Statement/observed`` when the run began.
    var observed: ObservedStatement?
    /// Whether the cost of the run is measured, to find out whether the result should be kept.
    var isMeasured = false
    /// The rows of a complete run, or of a result in memory, until they are returned.
    var heldRows: HeldRows?
    /// The bound of the rows that matter, if the reads are recorded at the end of the run.
    var bound: ResultBound?
}

/// The bound that the rows of a run set to the rows that matter.
struct ResultBound {
    let order: ResultOrder
    /// The number of rows after which a complete run has not reached the end of all rows.
    private let limit: Int64?
    private var rowCount: Int64 = 0
    /// The conditions of rows up to the last row of a complete run; `nil` if any row may matter.
    private var conditions: [[RowCondition]]?

    init(_ order: ResultOrder, argument: (Int) -> StorageValue) {
        self.order = order
        let limit: StorageValue? =
            switch order.limit {
            case .value(let value): value
            case .parameter(let index): argument(index)
            case .near, .elements, nil: nil
            }
        if case .integer(let limit) = limit { self.limit = limit } else { self.limit = nil }
    }

    mutating func didRead(_ row: StorageRow) {
        rowCount += 1
        if rowCount == limit { conditions = conditions(upTo: row) }
    }

    /// Returns the conditions of the rows that matter; `nil` if any row may.
    ///
    /// - Parameter last: the last row, if the run ends before its end.
    func conditions(through last: StorageRow?) -> [[RowCondition]]? {
        guard let last, rowCount > 0 else { return conditions }
        return conditions(upTo: last)
    }

    /// After a change of the schema, the row can have other columns than expected.
    private func conditions(upTo row: StorageRow) -> [[RowCondition]]? {
        guard order.resultColumn < row.count else { return nil }
        return order.conditions(through: row[order.resultColumn])
    }
}
