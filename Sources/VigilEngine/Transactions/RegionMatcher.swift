import VigilRegions
import VigilStorage

/// The observers of one kind, and the changes of the current transaction in their regions.
final class RegionMatcher {
    let ignoresNoOpUpdates: Bool
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var index = RegionIndex()
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var transaction: TransactionChanges
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var observers: [ObserverID: Registered] = [:]

    private struct Registered {
        let observer: any CommitObserver
        /// The region in the index; `nil` while the observer is disarmed.
        var region: DatabaseRegion?
    }

    /// - Parameters:
    ///   - ignoresNoOpUpdates: whether updates that change no value match nothing.
    ///   - keepsUnobservedRows: see ``TransactionChanges/init(rowLimit:keepsUnobservedRows:)``.
    init(ignoresNoOpUpdates: Bool, keepsUnobservedRows: Bool) {
        self.ignoresNoOpUpdates = ignoresNoOpUpdates
        transaction = TransactionChanges(keepsUnobservedRows: keepsUnobservedRows)
    }

    var isEmpty: Bool { observers.isEmpty }
    var count: Int { observers.count }
    /// The tables with links, and those observed by conditions on values: only row images can be matched with
    /// them. Read after each commit if images have a cost.
    var tablesNeedingImages: Set<TableName> {
        Set(index.tablesFoundByValues.keys).union(linkedColumns.keys)
    }
    /// The columns of links, whose values are kept.
    var linkedColumns: LinkedColumns {
        get { transaction.linkedColumns }
        set { transaction.linkedColumns = newValue }
    }
    /// Whether the current transaction has changes, apart from undone ones. Read after each statement.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var hasChanges = false
    /// The number of changed row ids that are kept for a table.
    var rowLimit: Int {
        get { transaction.rowLimit }
        set { transaction.rowLimit = newValue }
    }
    var collected: ChangeSet { transaction.collected }
    var all: [any CommitObserver] { observers.values.map(\.observer) }

    /// Whether the fetch of any observer may write.
    var hasWritingObserver: Bool { writingObserverCount > 0 }
    private var writingObserverCount = 0

    func register(_ registration: CommitLedger.Registration) {
        if let observer = registration.observer {
            if observer.mayWrite, observers[registration.id] == nil { writingObserverCount += 1 }
            observers[registration.id] = Registered(observer: observer, region: registration.region)
            index.insert(registration.id, region: registration.region)
        } else if let known = observers[registration.id] {
            if let region = known.region, region.isSameInstance(as: registration.region) { return }
            // Equal regions are replaced too: they are found to be the same instance next time.
            observers[registration.id]?.region = registration.region
            guard known.region != registration.region else { return }
            if !index.replaceRegion(of: registration.id, with: registration.region) {
                index.insert(registration.id, region: registration.region)
            }
        }
    }

    /// Removes doubtful conditions from all observed regions.
    func distrust(_ conditions: DoubtfulConditions) {
        for (id, known) in observers {
            guard let region = known.region else { continue }
            register(.init(id: id, observer: nil, region: region.without(conditions)))
        }
    }

    /// Excludes an observer from matching until it is registered again.
    func disarm(_ id: ObserverID) {
        index.remove(id)
        observers[id]?.region = nil
    }

    func region(of id: ObserverID) -> DatabaseRegion? { observers[id]?.region }

    func unregister(_ id: ObserverID) -> Bool {
        guard let removed = observers.removeValue(forKey: id) else { return false }
        if removed.observer.mayWrite { writingObserverCount -= 1 }
        index.remove(id)
        return true
    }

    func removeAll() {
        transaction = TransactionChanges(keepsUnobservedRows: transaction.keepsUnobservedRows)
        hasChanges = false
        index = RegionIndex()
        observers = [:]
        writingObserverCount = 0
    }

    // MARK: - The transaction

    func beginStatement(_ columns: StatementColumns) {
        transaction.beginStatement(columns)
    }

    @inline(__always)  // bench: write-baseline
    func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest {
        transaction.rowInterest(in: table, kind, in: &index)
    }

    @inline(__always)  // bench: write-baseline
    func record(_ event: ChangeEvent) {
        hasChanges = true
        transaction.record(event, in: &index, ignoresNoOpUpdates: ignoresNoOpUpdates)
    }

    func apply(_ effect: TransactionEffect?) {
        switch effect {
        case .savepoint(let name): transaction.didBeginSavepoint(name)
        case .release(let name): transaction.didRelease(name)
        case .rollbackTo(let name):
            transaction.didRollback(to: name, in: &index)
            hasChanges = !transaction.isEmpty
        case .begin, .commit, .rollback, nil: break
        }
    }

    func rollback() {
        transaction.reset(in: &index)
        hasChanges = false
    }

    /// Ends the transaction. Returns the stale observers, and the changes.
    func commit() -> (matched: [StaleObserver], changes: ChangeSet) {
        hasChanges = false
        let (matches, changes) = transaction.finish(in: &index)
        return (
            matches.isEmpty ? [] : matches.compactMap { stale($0.observer, $0.change) }, changes
        )
    }

    /// Adds observers registered during a transaction that was not matched with their regions.
    ///
    /// Observers that only matched with a previous region are not stale, because they have fetched since
    /// then.
    ///
    /// - Parameter matched: the observers matched by the index.
    /// - Returns: all observers made stale by the transaction, without duplicates.
    func register(
        _ registrations: [CommitLedger.Registration], at changes: ChangeSet, matched: [StaleObserver]
    ) -> [StaleObserver] {
        var unmatched: [ObserverID: DatabaseRegion] = [:]
        for registration in registrations {
            if observers[registration.id]?.region != registration.region {
                unmatched[registration.id] = registration.region
            }
            register(registration)
        }
        guard !unmatched.isEmpty else { return matched }
        let late = unmatched.filter { $0.value.isModified(by: changes) }.keys.sorted()
        return matched.filter { unmatched[$0.id] == nil }
            + late.compactMap { stale($0, .database) }
    }

    /// Returns a registered observer as stale, because of a change.
    func stale(_ id: ObserverID, _ change: MatchedChange) -> StaleObserver? {
        observers[id].map { StaleObserver($0.observer, id: id, change: change) }
    }
}

/// The observers made stale by a commit.
struct StaleObservers {
    /// Region observers, to be notified.
    var regions: [StaleObserver] = []
    /// Value observers, to fetch.
    var values: [StaleObserver] = []
    /// The changes of the commit.
    var changes = ChangeSet()
    /// The commit; `nil` for other reasons to fetch. Observers that write have made later ones.
    var commit: CommitNumber?
}

extension StaleObservers {
    /// Adds the value observers of another commit, each once.
    mutating func formUnion(ofValues other: StaleObservers) {
        for match in other.values where !values.contains(where: { $0.id == match.id }) {
            values.append(match)
        }
        changes.formUnion(other.changes)
    }
}
