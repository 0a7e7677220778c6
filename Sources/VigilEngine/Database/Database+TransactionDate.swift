public import Foundation
import VigilStorage

/// What is remembered about the transaction that is open.
struct OpenTransaction {
    /// Its date, or why there is none.
    var date: Result<Date, any Error>
    /// What ``Database/totalChangesCount`` was when it began.
    let changesBefore: Int
}

extension Database {
    /// The date of the transaction: the moment when it began, by ``Configuration/transactionClock``. Outside of
    /// transactions, the present moment.
    ///
    /// - Throws: what the clock throws.
    public var transactionDate: Date {
        get throws {
            guard isInsideTransaction else { return try configuration.transactionClock.now(self) }
            noteTransaction()
            return try openTransaction?.date.get() ?? configuration.transactionClock.now(self)
        }
    }

    /// Whether the open transaction may have changed anything so far, also by a statement that does not pass here, such
    /// as one that an extension of the library runs.
    var transactionMayHaveChanges: Bool {
        hasRunWrites || openTransaction?.changesBefore != totalChangesCount
    }

    /// To be called after everything that may begin or end a transaction.
    ///
    /// - Parameter effect: what it did, if it succeeded.
    func noteTransaction(after effect: TransactionEffect? = nil) {
        // What was changed in the schema since the savepoint is no more.
        if case .rollbackTo = effect { schemaMayHaveChangedBack() }
        let isOpen = uncheckedConnection.isInTransaction
        guard isOpen != (openTransaction != nil) else { return }
        // Others may have changed the schema before this transaction; nobody can while it reads.
        schemaCheck.isCurrent = false
        guard isOpen else {
            if effect != .commit { schemaMayHaveChangedBack() }
            openTransaction = nil
            return
        }
        hasRunWrites = false
        // The clock may run statements, which come here again.
        openTransaction = OpenTransaction(
            date: .success(.distantPast), changesBefore: uncheckedConnection.totalChangesCount)
        let date = Result { try configuration.transactionClock.now(self) }
        openTransaction?.date = date
    }
}
