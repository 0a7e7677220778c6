import VigilStorage

/// The transaction observers of one connection, and their pending events.
///
/// Inside a savepoint, events are held until the outermost savepoint is released, or the transaction is
/// committed. Changes undone by `ROLLBACK TO` are not reported.
final class TransactionObservers {
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var entries: [TransactionObserverEntry] = []
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var savepoints: [Savepoint] = []
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var heldEvents: [(event: DatabaseEvent, entries: [TransactionObserverEntry])] = []
    /// The error of an observer preventing the commit.
    private var preventionError: (any Error)?
    /// Whether observers are being notified of changes.
    private(set) var isNotifying = false

    private struct Savepoint {
        let name: String
        /// The number of held events when the savepoint was opened.
        var heldCount: Int
    }

    var isEmpty: Bool { entries.isEmpty }
    var isCommitPrevented: Bool { preventionError != nil }

    /// Whether any observer may be notified of rows: the library must then report each.
    var wantsEveryRow: Bool { entries.contains(where: \.observesRows) }

    // MARK: - Registration

    /// - Parameter openSavepoints: the names of the open savepoints, the outermost one first.
    func add(
        _ observer: any TransactionObserver, extent: Database.TransactionObservationExtent,
        openSavepoints: [String]
    ) {
        // Without observers, savepoints are not recorded.
        if entries.isEmpty { savepoints = openSavepoints.map { Savepoint(name: $0, heldCount: 0) } }
        entries.append(TransactionObserverEntry(observer, extent))
    }

    func remove(_ observer: any TransactionObserver) {
        entries.filter { $0.observer === observer }.forEach { $0.release() }
        entries.removeAll { $0.observer == nil }
        guard entries.isEmpty else { return }
        // Without observers, the ends of savepoints are not recorded.
        savepoints = []
        heldEvents = []
    }

    /// - Returns: the observers. The caller releases them.
    func removeAll() -> [any TransactionObserver] {
        let observers = entries.compactMap(\.observer)
        entries.forEach { $0.release() }
        entries = []
        _ = endTransaction()
        return observers
    }

    /// Stops notifying an observer of changes in this transaction. Only has an effect while observers are
    /// notified of changes.
    func stopNotifyingChanges(to observer: any TransactionObserver) {
        guard isNotifying else { return }
        for entry in entries where entry.observer === observer { entry.isStopped = true }
    }

    // MARK: - Changes

    func statementWillRun(_ statement: ObservedStatement) {
        for entry in entries { entry.statementWillRun(announcing: statement.eventKinds) }
    }

    func didChange(_ event: ChangeEvent) {
        guard case .row(let change) = event, let event = DatabaseEvent(change) else { return }
        if savepoints.isEmpty {
            notifyEach { entry in if entry.observes(event) { entry.notify(event) } }
        } else {
            let recipients = entries.filter { $0.observes(event) }
            if !recipients.isEmpty { heldEvents.append((event.copy(), recipients)) }
        }
    }

    /// Notifies observers of changes not reported by the database.
    func notifyChanges(ofKinds kinds: [DatabaseEventKind]) {
        notifyEach { $0.notifyChanges(ofKinds: kinds) }
    }

    private func notifyEach(_ notify: (TransactionObserverEntry) -> Void) {
        isNotifying = true
        defer { isNotifying = false }
        for entry in entries { notify(entry) }
    }

    // MARK: - Savepoints

    func apply(_ effect: TransactionEffect?) {
        switch effect {
        case .savepoint(let name): savepoints.append(Savepoint(name: name, heldCount: heldEvents.count))
        case .release(let name):
            guard let index = index(of: name) else { return }
            savepoints.removeSubrange(index...)
            if savepoints.isEmpty { notifyHeldEvents() }
        case .rollbackTo(let name):
            guard let index = index(of: name) else { return }
            heldEvents.removeSubrange(savepoints[index].heldCount...)
            savepoints.removeSubrange((index + 1)...)
        case .begin, .commit, .rollback, nil: break
        }
    }

    private func index(of name: String) -> Int? {
        savepoints.lastIndex { $0.name.isSameName(as: name) }
    }

    private func notifyHeldEvents() {
        let events = heldEvents
        heldEvents = []
        isNotifying = true
        defer { isNotifying = false }
        for (event, recipients) in events { recipients.forEach { $0.notify(event) } }
    }

    // MARK: - The end of a transaction

    /// Returns whether all observers allow the commit.
    func allowCommit() -> Bool {
        notifyHeldEvents()
        // If the commit fails temporarily, the savepoints stay open.
        for index in savepoints.indices { savepoints[index].heldCount = 0 }
        for entry in entries {
            do {
                try entry.observer?.databaseWillCommit()
            } catch {
                preventionError = error
                return false
            }
        }
        return true
    }

    func didCommit(_ db: Database) {
        for entry in endTransaction() { entry.observer?.databaseDidCommit(db) }
    }

    /// Notifies observers of a rollback. Throws the error of an observer that prevented the commit.
    func didRollback(_ db: Database) throws {
        let preventionError = preventionError
        for entry in endTransaction() { entry.observer?.databaseDidRollback(db) }
        if let preventionError { throw preventionError }
    }

    /// Discards the events of a failed statement outside of a transaction.
    func didUndoStatement() {
        heldEvents = []
        for entry in entries { entry.isStopped = false }
    }

    /// Resets the state of the transaction, and removes the observers registered for one transaction only.
    /// Returns the observers to notify of its end.
    private func endTransaction() -> [TransactionObserverEntry] {
        let notified = entries
        entries.removeAll { entry in
            if case .nextTransaction = entry.extent { true } else { entry.observer == nil }
        }
        for entry in notified { entry.isStopped = false }
        savepoints = []
        heldEvents = []
        preventionError = nil
        return notified
    }
}

/// An observer of the ends of transactions only.
protocol RowIndifferent {}
