import Synchronization
import VigilRegions
import VigilStorage

/// The recent commits, and the registrations not yet picked up by the writer. Shared by the writer and its
/// readers.
///
/// Registering is atomic: one step adds a region, read in the snapshot of commit `s`, and checks whether a
/// commit after `s` modified it. If so, the caller must fetch again. In two steps, a commit between them
/// would be missed.
final class CommitLedger: Sendable {
    struct Registration: Sendable {
        let id: ObserverID
        /// The observer; `nil` if it is already registered, and has another region now.
        let observer: (any CommitObserver)?
        var region: DatabaseRegion
    }

    private struct State {
        var log: ChangeLog
        var registrations: [Registration] = []
        var nextID = 1
        /// The conditions that may have another meaning than when they were derived from a query; see
        /// ``distrust(_:)``.
        var doubtful: DoubtfulConditions = []
        /// The capacity of the log without lists.
        let capacity: Int
        /// The number of started observations of lists.
        var listCount = 0
        /// The changes of the open transaction, possibly visible already; `nil` outside of a transaction.
        var announced: ChangeSet?
        /// A state of the log with all of its commits in ``log``; `nil` if it is not known.
        var reported: LogState?
        /// The last commit with changes not matched with the observers.
        var lastUnmatched = CommitNumber.zero
        /// The columns of the links of lists and kept results.
        var links: [Int: LinkedColumns] = [:]

        init(capacity: Int) {
            self.capacity = capacity
            log = ChangeLog(capacity: capacity)
        }

        func trusted(_ region: DatabaseRegion) -> DatabaseRegion {
            doubtful.isEmpty ? region : region.without(doubtful)
        }

        mutating func add(_ registration: Registration) {
            var registration = registration
            registration.region = trusted(registration.region)
            registrations.append(registration)
        }
    }

    private let state: Mutex<State>
    /// The results of statements that observations keep up to date.
    let liveResults = LiveResults()
    /// Whether lists are observed, to find out without the lock.
    private let hasLists = Atomic<Bool>(false)
    /// Whether commits of other connections are noticed with each commit of the writer; see
    /// ``CommitCoordinator``.
    private let detectsForeign = Atomic<Bool>(false)

    private let linkCount = Atomic<Int>(0)

    /// - Parameter capacity: the number of commits whose changes are kept, for readers on other connections.
    init(capacity: Int = 256) {
        state = Mutex(State(capacity: capacity))
    }

    /// The number of the last commit. A snapshot taken *afterwards* includes all commits up to it.
    var last: CommitNumber { state.withLock { $0.log.last } }

    func makeID() -> ObserverID {
        state.withLock { state in
            defer { state.nextID += 1 }
            return ObserverID(state.nextID)
        }
    }

    /// Registers an observer for all later commits.
    ///
    /// - Parameter commit: the last commit in the observer's snapshot.
    /// - Returns: the last commit after `commit` that may have modified the region, so that the observer must
    ///   fetch again; otherwise `nil`.
    func register(_ registration: Registration, after commit: CommitNumber) -> CommitNumber? {
        state.withLock { state in
            state.add(registration)
            guard state.log.last > commit else { return nil }
            return state.log.lastModification(of: state.trusted(registration.region), after: commit)
        }
    }

    /// Registers an observer for all later commits.
    ///
    /// - Returns: the last commit that the observer is not notified of.
    func register(_ registration: Registration) -> CommitNumber {
        state.withLock { state in
            state.add(registration)
            return state.log.last
        }
    }

    // MARK: - Doubtful conditions

    /// Stops trusting conditions on a replaced function or collation. Returns whether any was trusted before.
    func distrust(_ conditions: DoubtfulConditions) -> Bool {
        state.withLock { state in
            guard !state.doubtful.isSuperset(of: conditions) else { return false }
            state.doubtful.formUnion(conditions)
            for index in state.registrations.indices {
                state.registrations[index].region = state.registrations[index].region.without(conditions)
            }
            return true
        }
    }

    /// Returns a region without the untrusted conditions.
    func trusted(_ region: DatabaseRegion) -> DatabaseRegion { state.withLock { $0.trusted(region) } }

    // MARK: - Commits

    /// Numbers a commit, and stores its changes.
    ///
    /// - Parameters:
    ///   - isUnmatched: whether the observers were not matched with all of the changes.
    ///   - endsTransaction: whether this ends the announced transaction.
    ///   - log: a state of the log with all of its commits stored by then; `nil` if it is not known.
    /// - Returns: the commit's number, and the registrations since the last call.
    func append(
        _ changes: ChangeSet, isUnmatched: Bool = false, endsTransaction: Bool = true, log: LogState? = nil
    ) -> (commit: CommitNumber, registrations: [Registration]) {
        state.withLock { state in
            if endsTransaction { state.announced = nil }
            if let log { state.reported = log }
            let commit = changes.isEmpty ? state.log.last : state.log.append(changes)
            if isUnmatched { state.lastUnmatched = commit }
            defer { state.registrations = [] }
            return (commit, state.registrations)
        }
    }

    // MARK: - Lists

    /// The number of commits whose changes are kept while lists are observed.
    private static let listCapacity = 256

    /// Whether lists are observed. Their fetches need the changes of commits.
    var observesLists: Bool { hasLists.load(ordering: .sequentiallyConsistent) }

    /// Begins to keep the changes for a list.
    func didStartList() {
        state.withLock { state in
            state.listCount += 1
            if state.listCount == 1, state.capacity == 0 { state.log.setCapacity(Self.listCapacity) }
            hasLists.store(true, ordering: .sequentiallyConsistent)
        }
    }

    /// Stops keeping changes for a list after the end of its observation.
    func didEndList() {
        state.withLock { state in
            state.listCount -= 1
            guard state.listCount == 0 else { return }
            if state.capacity == 0 { state.log.setCapacity(0) }
            state.announced = nil
            hasLists.store(false, ordering: .sequentiallyConsistent)
        }
    }

    // MARK: - Links

    /// A number that differs after each change of the ``linkedColumns``.
    var linkRevision: Int { linkCount.load(ordering: .sequentiallyConsistent) }

    /// The columns whose values are kept for changed rows.
    var linkedColumns: LinkedColumns {
        state.withLock { $0.links.values.reduce(into: [:]) { $0.formUnion($1) } }
    }

    /// Keeps the values of changed rows in some columns, until the returned object is released.
    func link(_ columns: LinkedColumns) -> LinkUse {
        let number = linkCount.add(1, ordering: .sequentiallyConsistent).newValue
        state.withLock { $0.links[number] = columns }
        linkCount.add(1, ordering: .sequentiallyConsistent)
        return LinkUse(ledger: self, number: number, columns: columns)
    }

    fileprivate func unlink(_ number: Int) {
        _ = state.withLock { $0.links.removeValue(forKey: number) }
        linkCount.add(1, ordering: .sequentiallyConsistent)
    }

    // MARK: - Announcements

    /// Announces changes of the open transaction, before its commit becomes visible to other connections.
    func announce(_ changes: ChangeSet) {
        state.withLock { state in
            if state.announced == nil {
                state.announced = changes
            } else {
                state.announced?.formUnion(changes, rowLimit: ChangeSet.listRowLimit)
            }
        }
    }

    /// Withdraws the announced changes after a rollback.
    func withdrawAnnouncement() { state.withLock { $0.announced = nil } }

    /// Keeps announced changes whose commit nothing has reported, for example VACUUM while no observation is
    /// registered.
    func keepAnnouncement() {
        state.withLock { state in
            guard let changes = state.announced else { return }
            state.announced = nil
            state.lastUnmatched = state.log.append(changes)
        }
    }

    /// Returns the last commit whose state a list still shows.
    ///
    /// - Parameter fetched: the last commit in the last fetch of the list.
    func base(of base: ListBase, after fetched: CommitNumber) -> CommitNumber {
        state.withLock { $0.lastUnmatched > fetched ? fetched : base.base(after: fetched) }
    }

    /// Returns all changes after a commit that a snapshot from before this call may contain; `nil` if they
    /// are not known.
    func changes(after commit: CommitNumber) -> ChangeSet? {
        state.withLock { state in
            guard var changes = state.log.changes(after: commit) else { return nil }
            if let announced = state.announced {
                changes.formUnion(announced, rowLimit: ChangeSet.listRowLimit)
            }
            return changes
        }
    }

    /// Whether each commit of another connection after a snapshot is noticed at the latest with the next
    /// commit of the writer, provided that this is read before the snapshot is taken.
    var detectsForeignCommits: Bool { detectsForeign.load(ordering: .sequentiallyConsistent) }

    /// - Parameter log: a state of the log before the first list with a known state.
    func didPrepareForeignDetection(_ log: LogState?) {
        didReport(log)
        detectsForeign.store(true, ordering: .sequentiallyConsistent)
    }

    /// Notes that the changes of all commits up to a state of the log are stored.
    func didReport(_ log: LogState?) {
        if let log { state.withLock { $0.reported = log } }
    }

    /// Returns whether the changes of all commits up to a state of the log are stored; `nil` while an own
    /// commit is about to be stored, which may be the last one.
    func contains(_ log: LogState) -> Bool? {
        state.withLock { state in
            if log == state.reported { return true }
            // A log begins again before its first commit, with the number of the last one.
            if log.lastFrame == 0, log.changeCounter == state.reported?.changeCounter { return true }
            return state.announced == nil ? false : nil
        }
    }
}

/// The use of the values of changed rows in some columns, by a list or a kept result.
final class LinkUse: Sendable {
    private let ledger: CommitLedger
    private let number: Int
    let columns: LinkedColumns

    fileprivate init(ledger: CommitLedger, number: Int, columns: LinkedColumns) {
        self.ledger = ledger
        self.number = number
        self.columns = columns
    }

    deinit { ledger.unlink(number) }
}
