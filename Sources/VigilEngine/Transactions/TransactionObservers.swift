import VigilStorage

/// The transaction observers of one connection: who is told of which event, and when.
///
/// Inside a savepoint events are kept until the outermost savepoint is released, or the transaction committed:
/// what a `ROLLBACK TO` undoes is never told.
final class TransactionObservers {
    /// The observers that are being told something on this thread's access, for
    /// ``TransactionObserver/stopObservingDatabaseChangesUntilNextTransaction()``.
    // Guarded by the task-local storage itself: it is set and read on one thread.
    @TaskLocal static var current: CurrentObservers?

    /// Carries the observers through the task-local storage.
    // Guarded by the access that tells the observers: it does not leave its thread.
    struct CurrentObservers: @unchecked Sendable {
        let observers: TransactionObservers

        func stopTellingChanges(to observer: any TransactionObserver) {
            observers.entries.first { $0.observer === observer }?.isStopped = true
        }
    }

    private final class Entry {
        private let strong: (any TransactionObserver)?
        private(set) weak var weakObserver: (any TransactionObserver)?
        let extent: Database.TransactionObservationExtent
        /// Whether it wants to hear nothing more of this transaction's changes.
        var isStopped = false
        /// What it hears of the running statement.
        var filter = Filter.nothing

        init(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent) {
            if case .observerLifetime = extent { strong = nil } else { strong = observer }
            weakObserver = observer
            self.extent = extent
        }

        var observer: (any TransactionObserver)? { weakObserver }
    }

    /// Which of a statement's events an observer hears.
    private enum Filter {
        case nothing
        /// All, also those that the statement does not announce.
        case everything
        case kinds([DatabaseEventKind])

        func accepts(_ event: DatabaseEvent) -> Bool {
            switch self {
            case .nothing: false
            case .everything: true
            case .kinds(let kinds): kinds.contains { event.matches($0) }
            }
        }
    }

    private struct Savepoint {
        let name: String
        /// How many events were kept when it was opened.
        let keptCount: Int
    }

    private var entries: [Entry] = []
    private var savepoints: [Savepoint] = []
    private var kept: [(event: DatabaseEvent, entries: [Entry])] = []
    /// Why an observer prevented the commit.
    private var objection: (any Error)?

    var isEmpty: Bool { entries.isEmpty }

    /// Whether somebody hears of rows: the library must then tell each.
    var wantsEveryRow: Bool {
        entries.contains { !($0.observer is any RowIndifferent) }
    }

    // MARK: - Who

    func add(_ observer: any TransactionObserver, extent: Database.TransactionObservationExtent) {
        entries.append(Entry(observer, extent))
    }

    func remove(_ observer: any TransactionObserver) {
        entries.removeAll { $0.observer === observer || $0.observer == nil }
    }

    func removeAll() {
        entries = []
        endTransaction()
    }

    // MARK: - Changes

    func statementWillRun(_ statement: ObservedStatement) {
        let kinds = statement.access.writes.map { DatabaseEventKind($0) }
        for entry in entries {
            guard !entry.isStopped, let observer = entry.observer else {
                entry.filter = .nothing
                continue
            }
            let observed = kinds.filter { observer.observes(eventsOfKind: $0) }
            entry.filter =
                observed.isEmpty ? .nothing : observed.count == kinds.count ? .everything : .kinds(observed)
        }
    }

    func didChange(_ event: ChangeEvent) {
        guard case .row(let change) = event, let event = DatabaseEvent(change) else { return }
        let listeners = entries.filter { !$0.isStopped && $0.filter.accepts(event) }
        guard !listeners.isEmpty else { return }
        if savepoints.isEmpty {
            tell(event, to: listeners)
        } else {
            kept.append((event.copy(), listeners))
        }
    }

    /// Tells that something in a region was changed that the database does not report.
    func notifyChanges(ofKinds kinds: [DatabaseEventKind]) {
        tellEach { entry, observer in
            guard !entry.isStopped, kinds.contains(where: { observer.observes(eventsOfKind: $0) }) else {
                return
            }
            observer.databaseDidChange()
        }
    }

    private func tell(_ event: DatabaseEvent, to listeners: [Entry]) {
        Self.$current.withValue(CurrentObservers(observers: self)) {
            for entry in listeners where !entry.isStopped { entry.observer?.databaseDidChange(with: event) }
        }
    }

    private func tellEach(_ body: (Entry, any TransactionObserver) -> Void) {
        Self.$current.withValue(CurrentObservers(observers: self)) {
            for entry in entries { if let observer = entry.observer { body(entry, observer) } }
        }
    }

    // MARK: - Savepoints

    func note(_ effect: TransactionEffect?) {
        switch effect {
        case .savepoint(let name): savepoints.append(Savepoint(name: name, keptCount: kept.count))
        case .release(let name):
            guard let index = index(of: name) else { return }
            savepoints.removeSubrange(index...)
            if savepoints.isEmpty { tellKept() }
        case .rollbackTo(let name):
            guard let index = index(of: name) else { return }
            kept.removeSubrange(savepoints[index].keptCount...)
            savepoints.removeSubrange((index + 1)...)
        case .begin, .commit, .rollback, nil: break
        }
    }

    private func index(of name: String) -> Int? {
        savepoints.lastIndex { $0.name.isSameName(as: name) }
    }

    private func tellKept() {
        let events = kept
        kept = []
        for (event, listeners) in events { tell(event, to: listeners) }
    }

    // MARK: - The end of a transaction

    /// Asks the observers whether a commit may happen.
    func allowCommit() -> Bool {
        savepoints = []
        tellKept()
        for entry in entries {
            do {
                try entry.observer?.databaseWillCommit()
            } catch {
                objection = error
                return false
            }
        }
        return true
    }

    func didCommit(_ db: Database) {
        let told = endTransaction()
        for entry in told { entry.observer?.databaseDidCommit(db) }
    }

    /// - Parameter notifies: `false` if what was undone was no transaction.
    /// - Throws: the error with which an observer prevented the commit.
    func didRollback(notifies: Bool, _ db: Database) throws {
        let objection = objection
        let told = endTransaction()
        if notifies || objection != nil {
            for entry in told { entry.observer?.databaseDidRollback(db) }
        }
        if let objection { throw objection }
    }

    /// Forgets the transaction, and those who wanted to observe no longer than it. Answers who is to be told of its end.
    @discardableResult
    private func endTransaction() -> [Entry] {
        let told = entries
        entries.removeAll { entry in
            if case .nextTransaction = entry.extent { true } else { entry.observer == nil }
        }
        for entry in told { entry.isStopped = false }
        savepoints = []
        kept = []
        objection = nil
        return told
    }
}

/// An observer that hears of the end of transactions only.
protocol RowIndifferent {}
