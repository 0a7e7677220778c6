import VigilStorage

/// The running blocks and statements of a connection, and its open transaction.
///
/// A value without a connection: ``Database`` reports events to it, and asks it what they amount to. Its
/// functions are inlined, because a call would copy the value with the references in it.
struct ConnectionActivity<Statement: AnyObject> {
    // MARK: - Read-only blocks

    /// The number of running read-only blocks and open snapshots.
    private var readOnlyDepth = 0

    /// Whether writes fail.
    @inline(__always)  // bench: write-baseline
    var isReadOnly: Bool { readOnlyDepth > 0 }

    @inline(__always)  // bench: write-baseline
    mutating func readOnlyBlockDidBegin() { readOnlyDepth += 1 }

    @inline(__always)  // bench: write-baseline
    mutating func readOnlyBlockDidEnd() {
        trap(unless: readOnlyDepth > 0, "no read-only block is running")
        readOnlyDepth -= 1
    }

    /// The number of open snapshots. A failed fetch may end the transaction of one, and the next fetch then
    /// begins another one inside of it.
    private var snapshotDepth = 0

    /// Whether the open transaction is that of a snapshot, which writes nothing.
    @inline(__always)  // bench: write-baseline
    var isInSnapshot: Bool { snapshotDepth > 0 }

    @inline(__always)  // bench: write-baseline
    mutating func snapshotDidBegin() {
        readOnlyBlockDidBegin()
        snapshotDepth += 1
    }

    @inline(__always)  // bench: write-baseline
    mutating func snapshotDidEnd() {
        readOnlyBlockDidEnd()
        snapshotDepth -= 1
    }

    // MARK: - Transaction blocks

    /// The number of running blocks with a transaction of their own.
    private var transactionBlocks = 0

    @inline(__always)  // bench: write-baseline
    mutating func transactionBlockDidBegin() { transactionBlocks += 1 }

    @inline(__always)  // bench: write-baseline
    mutating func transactionBlockDidEnd() {
        trap(unless: transactionBlocks > 0, "no transaction block is running")
        transactionBlocks -= 1
    }

    /// Leaves all transaction blocks, and returns their number for ``returnToTransactionBlocks(_:)``.
    @inline(__always)  // bench: write-baseline
    mutating func leaveTransactionBlocks() -> Int {
        defer { transactionBlocks = 0 }
        return transactionBlocks
    }

    @inline(__always)  // bench: write-baseline
    mutating func returnToTransactionBlocks(_ count: Int) {
        trap(unless: transactionBlocks == 0, "a transaction block outlives its caller")
        transactionBlocks = count
    }

    /// Returns whether the block's transaction has ended: further statements would commit one by one.
    @inline(__always)  // bench: write-baseline
    func isTransactionLost(isInTransaction: Bool) -> Bool { transactionBlocks > 0 && !isInTransaction }

    // MARK: - Statements

    /// The number of running statements that may write.
    private(set) var writingStatementCount = 0
    /// The writing statement in its step; the innermost one if a statement runs in the middle of another.
    private var steppedStatement: Statement?
    /// The last statement announced to the coordinator.
    private var announcedStatement: ObjectIdentifier?

    @inline(__always)  // bench: write-baseline
    mutating func writingStatementDidBegin() { writingStatementCount += 1 }

    @inline(__always)  // bench: write-baseline
    mutating func writingStatementDidEnd() {
        trap(unless: writingStatementCount > 0, "no writing statement is running")
        writingStatementCount -= 1
    }

    /// Handles the announcement of a statement to the coordinator; `nil` if it needs no announcements.
    @inline(__always)  // bench: write-baseline
    mutating func didAnnounce(_ statement: Statement?) {
        announcedStatement = statement.map { ObjectIdentifier($0) }
    }

    /// Handles the beginning of a step of a writing statement. Returns the statement interrupted in its own
    /// step, and whether this one must be announced.
    @inline(__always)  // bench: write-baseline
    mutating func willStep(_ statement: Statement) -> (interrupted: Statement?, needsAnnouncement: Bool) {
        let interrupted = steppedStatement
        steppedStatement = statement
        return (interrupted, announcedStatement != ObjectIdentifier(statement))
    }

    /// Handles the end of a step. The interrupted statement continues.
    @inline(__always)  // bench: write-baseline
    mutating func didStep(_ interrupted: Statement?) { steppedStatement = interrupted }

    // MARK: - The transaction

    /// The open transaction; `nil` if none is known to be open.
    private(set) var openTransaction: OpenTransaction?
    /// Whether there is an ``openTransaction``, to find out without copying it.
    private(set) var hasOpenTransaction = false
    /// Whether the last transaction was committed.
    private(set) var hasCommitted = false
    /// Whether a writing statement has run since the transaction began.
    private var hasRunWrites = false

    /// The names of the open savepoints, the outermost one first.
    private(set) var savepoints: [String] = []

    @inline(__always)  // bench: write-baseline
    mutating func willRunWrite() { hasRunWrites = true }

    /// Handles a statement that has opened or closed savepoints.
    mutating func apply(_ effect: TransactionEffect) {
        switch effect {
        case .savepoint(let name): savepoints.append(name)
        case .release(let name): removeSavepoints(name, keepingLast: false)
        case .rollbackTo(let name): removeSavepoints(name, keepingLast: true)
        case .begin, .commit, .rollback: break
        }
    }

    private mutating func removeSavepoints(_ name: String, keepingLast: Bool) {
        guard let index = savepoints.lastIndex(where: { $0.isSameName(as: name) }) else { return }
        savepoints.removeSubrange((keepingLast ? index + 1 : index)...)
    }

    @inline(__always)  // bench: write-baseline
    mutating func transactionDidBegin(_ transaction: OpenTransaction) {
        hasRunWrites = false
        openTransaction = transaction
        hasOpenTransaction = true
    }

    @inline(__always)  // bench: write-baseline
    mutating func transactionDidEnd(byCommitting hasCommitted: Bool) {
        openTransaction = nil
        hasOpenTransaction = false
        savepoints.removeAll()
        self.hasCommitted = hasCommitted
    }

    /// Sets the date of the open transaction. The clock may have run statements, and ended the transaction.
    @inline(__always)  // bench: write-baseline
    mutating func setDate(_ transaction: OpenTransaction) {
        if hasOpenTransaction { openTransaction = transaction }
    }

    /// Returns whether the open transaction may have changed the database, also by statements that Vigil does
    /// not run.
    ///
    /// - Parameter totalChangesCount: the number of rows changed by the connection so far.
    @inline(__always)  // bench: write-baseline
    func mayHaveChanges(totalChangesCount: Int) -> Bool {
        hasRunWrites || openTransaction?.changesBefore != totalChangesCount
    }
}
