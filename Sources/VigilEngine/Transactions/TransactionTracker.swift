/// Detects from a connection's reports when a transaction has ended, and how.
///
/// The report that a commit is *about* to happen does not prove it: the commit can still fail, and leave the
/// transaction open or rolled back. The outcome is therefore determined after each statement, by whether a
/// transaction is still open.
struct TransactionTracker {
    /// The effect of a statement on the transaction.
    enum Outcome: Equatable {
        /// A transaction is still open, or none was.
        case unchanged
        case committed
        case rolledBack
        /// A single statement outside of a transaction failed, and its changes were undone.
        case statementUndone
    }

    private(set) var isInTransaction: Bool
    private var wasAboutToCommit = false
    private var wasRolledBack = false
    /// Whether the last commit was announced with ``willCommit()``. Commits of empty transactions are not.
    private(set) var lastCommitWasAnnounced = false

    /// - Parameter isInTransaction: whether a transaction is already open.
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

    /// Returns the effect of a statement at its end. Must be called after each statement, even if it failed.
    ///
    /// - Parameter hasChanges: whether changes were reported that have not been committed or rolled back, and
    ///   that no running statement will commit.
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
        // The library does not announce the commits of VACUUM, nor of virtual tables without storage.
        guard hasChanges else { return .unchanged }
        return failed ? .statementUndone : .committed
    }
}
