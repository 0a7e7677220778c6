/// Is told what transactions change, row by row, and how they end.
///
/// It is called on the thread that writes, inside the access that writes.
public protocol TransactionObserver: AnyObject {
    /// Whether changes of this kind are to be told. Asked for each statement before it runs.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// A row was changed. The database must not be used.
    ///
    /// Rows of `WITHOUT ROWID` tables have nothing to be told by: they make no event.
    ///
    /// - Parameter event: valid only during the call; `event.copy()` lasts.
    func databaseDidChange(with event: DatabaseEvent)

    /// Somebody told that something was changed that the database does not tell: `Database.notifyChanges(in:)`.
    func databaseDidChange()

    /// The transaction is about to be committed. An error rolls it back, and is thrown to whoever commits.
    func databaseWillCommit() throws

    /// The transaction was committed. The database can be used, but not written.
    func databaseDidCommit(_ db: Database)

    /// The transaction was rolled back.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    public func databaseDidChange() {}

    public func databaseWillCommit() throws {}

    /// Ends the notifications of changes for the current transaction. Its end is told all the same.
    ///
    /// To be called from `databaseDidChange()` or `databaseDidChange(with:)`; otherwise it does nothing.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        ConnectionAccess.currentDatabase?.changes?.transactionObservers.stopTellingChanges(to: self)
    }
}

extension Database {
    /// How long a transaction observer observes.
    public enum TransactionObservationExtent: Sendable {
        /// Until it is released: the database does not retain it.
        case observerLifetime
        /// Until the next transaction ends. The database retains it so long.
        case nextTransaction
        /// Until the database is closed. The database retains it so long.
        case databaseLifetime
    }

    /// Begins to tell an observer. In the middle of a transaction, from the next statement on.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: TransactionObservationExtent = .observerLifetime
    ) {
        checkConfinement()
        changes?.transactionObservers.add(transactionObserver, extent: extent)
        changes?.updateInterest()
    }

    /// Tells an observer nothing any more.
    public func remove(transactionObserver: some TransactionObserver) {
        checkConfinement()
        changes?.transactionObservers.remove(transactionObserver)
        changes?.updateInterest()
    }

    /// Calls one of two functions, once, when the current transaction ends, or the next one if none is open.
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        add(
            transactionObserver: TransactionEndObserver(onCommit: onCommit, onRollback: onRollback),
            extent: .nextTransaction)
    }
}

/// Waits for the end of one transaction.
private final class TransactionEndObserver: TransactionObserver, RowIndifferent {
    private let onCommit: (Database) -> Void
    private let onRollback: (Database) -> Void

    init(onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void) {
        self.onCommit = onCommit
        self.onRollback = onRollback
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { onCommit(db) }
    func databaseDidRollback(_ db: Database) { onRollback(db) }
}
