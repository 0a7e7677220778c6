/// Tells from what a connection reports when a transaction has ended, and how.
///
/// The report that a commit is *about* to happen is no proof: it can still fail, and the transaction then be
/// open or rolled back. So the end is judged when a statement has ended, by whether a transaction is still open.
struct TransactionTracker {
    /// What a statement did to the transaction.
    enum Outcome: Equatable {
        /// None was open, and none is; or one is open.
        case unchanged
        case committed
        case rolledBack
        /// A single statement, outside of a transaction, failed and left nothing.
        case statementUndone
    }

    private(set) var isInTransaction: Bool
    private var wasAboutToCommit = false
    private var wasRolledBack = false
    /// Whether the last commit was announced by ``willCommit()``: an empty transaction's is not.
    private(set) var lastCommitWasAnnounced = false

    /// - Parameter isInTransaction: whether one was begun before anybody listened.
    init(isInTransaction: Bool = false) {
        self.isInTransaction = isInTransaction
    }

    mutating func willCommit() {
        wasAboutToCommit = true
        wasRolledBack = false
    }

    mutating func didRollback() {
        wasRolledBack = true
    }

    /// Call after each statement, whether it succeeded or failed.
    ///
    /// - Parameter hasChanges: whether changes were reported that no commit or rollback has taken away.
    mutating func statementDidEnd(isInTransaction isOpen: Bool, failed: Bool, hasChanges: Bool) -> Outcome {
        defer {
            isInTransaction = isOpen
            wasAboutToCommit = false
            wasRolledBack = false
        }
        guard !isOpen else { return .unchanged }
        lastCommitWasAnnounced = wasAboutToCommit
        if wasRolledBack {
            return isInTransaction || wasAboutToCommit ? .rolledBack : .statementUndone
        }
        if isInTransaction || wasAboutToCommit { return .committed }
        // Some changes are not announced as commits: VACUUM's, and those of virtual tables without storage.
        guard hasChanges else { return .unchanged }
        return failed ? .statementUndone : .committed
    }
}
