import VigilStorage

/// An object that is notified of row changes, and of the end of each transaction.
///
/// ```swift
/// final class PlayerChanges: TransactionObserver {
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///         eventKind.tableName == "player"
///     }
///
///     func databaseDidChange(with event: DatabaseEvent) {
///         print("player \(event.rowID): \(event.kind)")
///     }
///
///     func databaseDidCommit(_ db: Database) {
///         print("committed")
///     }
///
///     func databaseDidRollback(_ db: Database) {}
/// }
///
/// let observer = PlayerChanges()
/// try dbQueue.write { db in db.add(transactionObserver: observer) }
/// ```
///
/// All methods are called on the writing thread, inside its database access. An observer is registered with
/// `Database.add(transactionObserver:extent:)`, and by default it is not retained.
public protocol TransactionObserver: AnyObject {
    /// Returns whether the observer is notified of a kind of change. Called before each statement runs.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Notifies the observer of a row change. It must not use the database.
    ///
    /// Rows that `REPLACE` deletes are not reported; observations of values and regions notice them. Changes
    /// of `WITHOUT ROWID` tables are not reported, because their rows have no row id. Inside a savepoint, the
    /// notification is deferred until the outermost savepoint is released, or the transaction is committed.
    ///
    /// - Parameter event: the change, only valid during the call; `event.copy()` remains valid.
    func databaseDidChange(with event: DatabaseEvent)

    /// Notifies the observer of changes not reported by the database, see `Database.notifyChanges(in:)`.
    func databaseDidChange()

    /// Called before the transaction is committed. An error rolls it back; the committing access throws it.
    func databaseWillCommit() throws

    /// Called after the commit. The method can read and write; its writes form another transaction.
    func databaseDidCommit(_ db: Database)

    /// Called after the transaction was rolled back.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// Does nothing.
    public func databaseDidChange() {}

    /// Does nothing: the transaction can be committed.
    public func databaseWillCommit() throws {}

    /// Stops the notifications of changes until the current transaction ends. The observer is still notified
    /// of its end.
    ///
    /// Call this method from `databaseDidChange()` or `databaseDidChange(with:)`; elsewhere it has no
    /// effect.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        // An access of another database may be inside of the one that notifies.
        let database = ConnectionAccess.enclosingDatabase { db in
            db.coordinator?.transactionObservers.isNotifying == true
        }
        database?.coordinator?.transactionObservers.stopNotifyingChanges(to: self)
    }
}

extension Database {
    /// The time for which a transaction observer stays registered.
    public enum TransactionObservationExtent: Sendable {
        /// Until the observer is released: the database does not retain it.
        case observerLifetime
        /// Until the next transaction ends. The database retains the observer until then.
        case nextTransaction
        /// Until the database is closed. The database retains the observer until then.
        case databaseLifetime
    }

    /// Registers a transaction observer. If a transaction is open, the observer is notified of the changes of
    /// later statements, and of the end of the transaction.
    ///
    /// Databases on a server do not report changed rows. The observer is not registered there, and the next
    /// statement throws `SQLITE_MISUSE`. Use a `ValueObservation`, or
    /// ``afterNextTransaction(onCommit:onRollback:)``.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: TransactionObservationExtent = .observerLifetime
    ) {
        checkConfinement()
        guard connection.capabilities.reportsOwnChanges || transactionObserver is any RowIndifferent else {
            deferredError = deferredError ?? DatabaseError.rowsAreNotReported
            return
        }
        coordinator?.transactionObservers.add(
            transactionObserver, extent: extent, openSavepoints: activity.savepoints)
        coordinator?.updateInterest()
    }

    /// Unregisters a transaction observer. It is not notified again.
    public func remove(transactionObserver: some TransactionObserver) {
        checkConfinement()
        coordinator?.transactionObservers.remove(transactionObserver)
        coordinator?.updateInterest()
    }

    /// Calls one of two functions, once, on the writing thread, after the current transaction ends, or the
    /// next one if none is open.
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        add(
            transactionObserver: TransactionEndObserver(onCommit: onCommit, onRollback: onRollback),
            extent: .nextTransaction)
    }
}

/// Calls a function at the end of one transaction.
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

extension DatabaseError {
    fileprivate static var rowsAreNotReported: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                transaction observers are not supported by this backend, which does not report the rows that change; use a \
                ValueObservation, or afterNextTransaction(onCommit:onRollback:)
                """)
    }
}
