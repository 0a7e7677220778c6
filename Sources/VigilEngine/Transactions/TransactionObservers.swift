import VigilStorage

/// The transaction observers of one connection: who is told of which event, and when.
///
/// Inside a savepoint events are kept until the outermost savepoint is released, or the transaction committed:
/// what a `ROLLBACK TO` undoes is never told.
final class TransactionObservers {
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var entries: [TransactionObserverEntry] = []
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var savepoints: [Savepoint] = []
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var kept: [(event: DatabaseEvent, entries: [TransactionObserverEntry])] = []
    /// Why an observer prevented the commit.
    private var objection: (any Error)?
    /// Whether observers are being told of changes.
    private var isTelling = false

    private struct Savepoint {
        let name: String
        /// How many events were kept when it was opened.
        var keptCount: Int
    }

    var isEmpty: Bool { entries.isEmpty }
    var isCommitPrevented: Bool { objection != nil }

    /// Whether somebody hears of rows: the library must then tell each.
    var wantsEveryRow: Bool { entries.contains(where: \.hearsOfRows) }

    // MARK: - Who

    func add(_ observer: any TransactionObserver, extent: Database.TransactionObservationExtent) {
        entries.append(TransactionObserverEntry(observer, extent))
    }

    func remove(_ observer: any TransactionObserver) {
        entries.filter { $0.observer === observer }.forEach { $0.leave() }
        entries.removeAll { $0.observer == nil }
        guard entries.isEmpty else { return }
        // Nobody is told from now on how savepoints end.
        savepoints = []
        kept = []
    }

    func removeAll() {
        entries.forEach { $0.leave() }
        entries = []
        _ = endTransaction()
    }

    /// Tells an observer nothing more of this transaction's changes. Only while it is told of one.
    func stopTellingChanges(to observer: any TransactionObserver) {
        guard isTelling else { return }
        for entry in entries where entry.observer === observer { entry.isStopped = true }
    }

    // MARK: - Changes

    func statementWillRun(_ statement: ObservedStatement) {
        for entry in entries { entry.statementWillRun(announcing: statement.eventKinds) }
    }

    func didChange(_ event: ChangeEvent) {
        guard case .row(let change) = event, let event = DatabaseEvent(change) else { return }
        if savepoints.isEmpty {
            telling { entry in if entry.hears(event) { entry.tell(event) } }
        } else {
            let listeners = entries.filter { $0.hears(event) }
            if !listeners.isEmpty { kept.append((event.copy(), listeners)) }
        }
    }

    /// Tells that something was changed that the database does not report.
    func notifyChanges(ofKinds kinds: [DatabaseEventKind]) {
        telling { $0.notifyChanges(ofKinds: kinds) }
    }

    private func telling(_ tell: (TransactionObserverEntry) -> Void) {
        isTelling = true
        defer { isTelling = false }
        for entry in entries { tell(entry) }
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
        isTelling = true
        defer { isTelling = false }
        for (event, listeners) in events { listeners.forEach { $0.tell(event) } }
    }

    // MARK: - The end of a transaction

    /// Asks the observers whether a commit may happen.
    func allowCommit() -> Bool {
        tellKept()
        // If the commit fails, for the time being, the savepoints are still open.
        for index in savepoints.indices { savepoints[index].keptCount = 0 }
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
        for entry in endTransaction() { entry.observer?.databaseDidCommit(db) }
    }

    /// - Throws: the error with which an observer prevented the commit.
    func didRollback(_ db: Database) throws {
        let objection = objection
        for entry in endTransaction() { entry.observer?.databaseDidRollback(db) }
        if let objection { throw objection }
    }

    /// A single statement, outside of a transaction, left nothing.
    func didUndoStatement() {
        kept = []
        for entry in entries { entry.isStopped = false }
    }

    /// Forgets the transaction, and those who wanted to observe no longer than it. Answers who is to be told of its end.
    private func endTransaction() -> [TransactionObserverEntry] {
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
