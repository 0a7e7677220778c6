/// A transaction observer of one connection, its extent, and the changes of the running statement that it
/// observes.
final class TransactionObserverEntry {
    private var retained: (any TransactionObserver)?
    private(set) weak var observer: (any TransactionObserver)?
    let extent: Database.TransactionObservationExtent
    /// Whether the observer has stopped the notifications of changes in this transaction.
    var isStopped = false
    private var filter = Filter.nothing

    /// The events of a statement to notify the observer of.
    private enum Filter {
        case nothing
        /// The observed kinds, and events in tables that the statement does not announce, such as those with
        /// the content of a full-text table. The rows that REPLACE deletes are of a kind that is not
        /// announced.
        case kinds(observed: [DatabaseEventKind], announced: [DatabaseEventKind])
    }

    init(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent) {
        if case .observerLifetime = extent { retained = nil } else { retained = observer }
        self.observer = observer
        self.extent = extent
    }

    /// Releases the observer, and stops all notifications, including pending ones.
    func release() {
        retained = nil
        observer = nil
    }

    /// Whether the observer may be notified of rows: the library must then report each.
    var observesRows: Bool { observer.map { !($0 is any RowIndifferent) } ?? false }

    /// Asks the observer which of a statement's changes it observes.
    func statementWillRun(announcing kinds: [DatabaseEventKind]) {
        guard !isStopped, let observer else {
            filter = .nothing
            return
        }
        let observed = kinds.filter { observer.observes(eventsOfKind: $0) }
        filter = observed.isEmpty ? .nothing : .kinds(observed: observed, announced: kinds)
    }

    func observes(_ event: DatabaseEvent) -> Bool {
        guard !isStopped else { return false }
        return switch filter {
        case .nothing: false
        case .kinds(let observed, let announced):
            observed.contains { event.matches($0) }
                || !announced.contains { event.isInTable(of: $0) }
        }
    }

    func notify(_ event: DatabaseEvent) {
        if !isStopped { observer?.databaseDidChange(with: event) }
    }

    func notifyChanges(ofKinds kinds: [DatabaseEventKind]) {
        guard !isStopped, let observer, kinds.contains(where: { observer.observes(eventsOfKind: $0) }) else {
            return
        }
        observer.databaseDidChange()
    }
}
