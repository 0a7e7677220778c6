import VigilRegions
import VigilStorage

/// Somebody to be told when a commit touches a region.
protocol CommitObserver: AnyObject {
    /// Whether reading needs the right to write.
    var requiresWriteAccess: Bool { get }

    /// Reads again what is observed, on a connection that stands at `commit` and can only read.
    ///
    /// - Returns: the region to be observed from now on; `nil` leaves it, or ends the observation if it is over.
    func refresh(_ db: Database, after commit: CommitNumber, because reason: HitReason) -> ObserverRenewal

    /// Ends the observation with an error.
    func _fail(_ error: any Error)

    /// Ends the observation without a word.
    func cancel()
}

/// What becomes of an observer after it was told.
enum ObserverRenewal {
    case unchanged
    case observes(DatabaseRegion)
    case ended
}

/// Gathers what a writing connection reports, transaction by transaction, and finds out whom each commit concerns.
///
/// Used only inside accesses of its connection.
final class ChangeHub: ChangeSink {
    private weak var database: Database?
    private let ignoresNoOpUpdates: Bool
    private var index = RegionIndex()
    private var transaction = TransactionChanges()
    private var tracker = TransactionTracker()
    private var log = ChangeLog(capacity: 1000)
    private var observers: [ObserverID: any CommitObserver] = [:]
    private var nextObserver = 1
    /// Whether the connection reported anything since the last statement ended.
    private(set) var isPending = false
    private(set) var lastCommit = CommitNumber.zero

    init(ignoresNoOpUpdates: Bool) {
        self.ignoresNoOpUpdates = ignoresNoOpUpdates
    }

    func attach(to database: Database) {
        self.database = database
    }

    // MARK: - Observers

    var observerCount: Int { observers.count }

    /// Observes a region from the next change on.
    func add(_ observer: any CommitObserver, region: DatabaseRegion) -> ObserverID {
        let id = ObserverID(nextObserver)
        nextObserver += 1
        observers[id] = observer
        index.insert(id, region: region)
        if observers.count == 1 { updateInterest() }
        return id
    }

    func remove(_ id: ObserverID) {
        guard observers.removeValue(forKey: id) != nil else { return }
        index.remove(id)
        if observers.isEmpty { updateInterest() }
    }

    /// Without observers nothing is reported, so that an unobserved database costs nothing.
    private func updateInterest() {
        guard let database else { return }
        database.connection.report(to: self, interest: observers.isEmpty ? .nothing : .changes)
    }

    /// The connection is closed: nothing will change any more that could be told.
    func removeAll() {
        let ended = observers.values
        observers = [:]
        index = RegionIndex()
        ended.forEach { $0.cancel() }
    }

    // MARK: - What the connection reports

    func didChange(_ event: ChangeEvent) {
        isPending = true
        transaction.record(event, in: &index, ignoresNoOpUpdates: ignoresNoOpUpdates)
    }

    func willCommit() -> Bool {
        isPending = true
        tracker.willCommit()
        return true
    }

    func didRollback() {
        isPending = true
        tracker.didRollback()
    }

    /// - Returns: the statement that ran before; `nil` if nobody observes.
    func statementWillRun(_ access: StatementAccess) -> StatementColumns? {
        guard !observers.isEmpty else { return nil }
        return transaction.beginStatement(access: access)
    }

    /// A statement goes on that was interrupted by those of a function that it called.
    func statementGoesOn(_ statement: StatementColumns) {
        transaction.beginStatement(statement)
    }

    /// Draws the consequences of a statement that ended, or failed.
    func statementDidEnd(effect: TransactionEffect?, failed: Bool, _ db: Database) {
        isPending = false
        if effect == .rollback { tracker.didRollback() }
        if !failed { note(effect) }
        let outcome = tracker.statementDidEnd(
            isInTransaction: db.isInsideTransaction, failed: failed, hasChanges: !transaction.isEmpty)
        switch outcome {
        case .unchanged: break
        case .committed: didCommit(db)
        case .rolledBack, .statementUndone:
            transaction.reset(in: &index)
            db.schemaMayHaveChangedBack()
        }
    }

    private func note(_ effect: TransactionEffect?) {
        switch effect {
        case .savepoint(let name): transaction.didBeginSavepoint(name)
        case .release(let name): transaction.didRelease(name)
        case .rollbackTo(let name): transaction.didRollback(to: name, in: &index)
        case .begin, .commit, .rollback, nil: break
        }
    }

    // MARK: - Commits

    /// Somebody else committed: anything may be different.
    func didCommitElsewhere(_ db: Database) {
        guard !observers.isEmpty else { return }
        transaction.record(.database, in: &index, ignoresNoOpUpdates: ignoresNoOpUpdates)
        didCommit(db)
    }

    private func didCommit(_ db: Database) {
        let (hits, changes) = transaction.finish(in: &index)
        guard !changes.isEmpty else { return }
        lastCommit = log.append(changes)
        guard !hits.isEmpty else { return }
        refresh(hits, db)
    }

    /// Reads for all touched observers in one transaction: their values are of one and the same moment.
    private func refresh(_ hits: [Hit], _ db: Database) {
        let readers = hits.filter { observers[$0.observer]?.requiresWriteAccess == false }
        do {
            try db.inReadOnlySnapshot { refreshEach(readers, db) }
        } catch {
            for hit in readers { observers[hit.observer]?._fail(error) }
        }
        refreshEach(hits.filter { observers[$0.observer]?.requiresWriteAccess == true }, db)
    }

    private func refreshEach(_ hits: [Hit], _ db: Database) {
        for hit in hits {
            guard let observer = observers[hit.observer] else { continue }
            switch observer.refresh(db, after: lastCommit, because: hit.reason) {
            case .unchanged: break
            case .observes(let region): _ = index.replaceRegion(of: hit.observer, with: region)
            case .ended: remove(hit.observer)
            }
        }
    }
}
