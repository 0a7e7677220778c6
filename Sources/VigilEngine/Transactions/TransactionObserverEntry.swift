/// A transaction observer on one connection: how long it observes, and what it hears of the running statement.
final class TransactionObserverEntry {
    private var retained: (any TransactionObserver)?
    private(set) weak var observer: (any TransactionObserver)?
    let extent: Database.TransactionObservationExtent
    /// Whether it wants to hear nothing more of this transaction's changes.
    var isStopped = false
    private var filter = Filter.nothing

    /// Which of a statement's events an observer hears.
    private enum Filter {
        case nothing
        /// All, also those that the statement does not announce.
        case everything
        case kinds([DatabaseEventKind])
    }

    init(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent) {
        if case .observerLifetime = extent { retained = nil } else { retained = observer }
        self.observer = observer
        self.extent = extent
    }

    /// It is told nothing any more, even of what it would be told next.
    func leave() {
        retained = nil
        observer = nil
    }

    /// Whether it hears of rows: the library must then tell each.
    var hearsOfRows: Bool { observer.map { !($0 is any RowIndifferent) } ?? false }

    /// Asks which of a statement's changes it wants to hear of.
    func statementWillRun(announcing kinds: [DatabaseEventKind]) {
        guard !isStopped, let observer else {
            filter = .nothing
            return
        }
        let observed = kinds.filter { observer.observes(eventsOfKind: $0) }
        filter = observed.isEmpty ? .nothing : observed.count == kinds.count ? .everything : .kinds(observed)
    }

    func hears(_ event: DatabaseEvent) -> Bool {
        guard !isStopped else { return false }
        return switch filter {
        case .nothing: false
        case .everything: true
        case .kinds(let kinds): kinds.contains { event.matches($0) }
        }
    }

    func tell(_ event: DatabaseEvent) {
        if !isStopped { observer?.databaseDidChange(with: event) }
    }

    func notifyChanges(ofKinds kinds: [DatabaseEventKind]) {
        guard !isStopped, let observer, kinds.contains(where: { observer.observes(eventsOfKind: $0) }) else {
            return
        }
        observer.databaseDidChange()
    }
}
