public import Foundation
import VigilStorage

/// The state of the open transaction.
struct OpenTransaction {
    /// The date of the transaction, or the error of the clock.
    var date: Result<Date, any Error>
    /// The value of ``Database/totalChangesCount`` when the transaction began.
    let changesBefore: Int
}

extension Database {
    /// The date when the current transaction began, according to ``Configuration/transactionClock``. Outside
    /// of transactions, it is the current date.
    ///
    /// - Throws: the error of the clock.
    public var transactionDate: Date {
        get throws {
            guard isInsideTransaction else { return try configuration.transactionClock.now(self) }
            updateTransaction()
            return try activity.openTransaction?.date.get() ?? configuration.transactionClock.now(self)
        }
    }

    /// Whether a transaction is open that may write: not that of a snapshot.
    var isInsideWritingTransaction: Bool { isInsideTransaction && !activity.isInSnapshot }

    /// Whether the open transaction may have changed the database, also by statements of an extension.
    var transactionMayHaveChanges: Bool {
        activity.mayHaveChanges(totalChangesCount: totalChangesCount)
    }

    /// Updates the open transaction of ``activity``. Called after each operation that may begin or end one.
    /// `effect` is the effect of the operation, if it succeeded.
    func updateTransaction(after effect: TransactionEffect? = nil) {
        if let effect { activity.apply(effect) }
        // The rollback undoes the schema changes since the savepoint.
        if case .rollbackTo = effect { schemaMayHaveChangedBack() }
        let isOpen = uncheckedConnection.isInTransaction
        guard isOpen != activity.hasOpenTransaction else { return }
        // Other connections may have changed the schema before this transaction, but cannot change it while
        // the transaction reads.
        schema.isCurrent = false
        guard isOpen else {
            if effect != .commit { schemaMayHaveChangedBack() }
            schema.hasChanged = false
            activity.transactionDidEnd(byCommitting: effect == .commit)
            return
        }
        // The clock may run statements, and these call this method again.
        var transaction = OpenTransaction(
            date: .success(.distantPast), changesBefore: uncheckedConnection.totalChangesCount)
        activity.transactionDidBegin(transaction)
        transaction.date = Result { try configuration.transactionClock.now(self) }
        activity.setDate(transaction)
    }
}
