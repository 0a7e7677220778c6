import VigilRegions
import VigilStorage

// Fetches of lists need all changes in their snapshot. On a pool, readers see a commit before the writer can
// report it, so its changes are announced in advance.
extension CommitCoordinator {
    /// Announces the changes of a transaction about to be committed.
    func announceTransaction() {
        ledger.announce(reportsChanges ? values.collected : .wholeDatabase)
    }

    /// Announces a statement if the library may commit it without a notice, or does not report its changes.
    func announceUnreported(_ statement: ObservedStatement) {
        let access = statement.access
        if access.changesSchema || (access.writes.isEmpty && access.transactionEffect == nil) {
            ledger.announce(.wholeDatabase)
        }
    }

    /// Before other commits are numbered: transaction observers may write.
    func notifyMatched(_ matched: [StaleObserver], _ commit: CommitNumber) {
        guard ledger.observesLists else { return }
        for match in matched { match.observer.didMatch(commit) }
    }

    /// Prepares for changed rows: sets how many are kept, and keeps their values in the columns of links.
    func prepareForRows(ofLists observesLists: Bool) {
        let rowLimit = observesLists ? ChangeSet.listRowLimit : ChangeSet.defaultRowLimit
        values.rowLimit = rowLimit
        regions.rowLimit = rowLimit
        let revision = ledger.linkRevision
        guard revision != linkRevision else { return }
        linkRevision = revision
        values.linkedColumns = ledger.linkedColumns
        regions.linkedColumns = values.linkedColumns
        updateRowImages()
    }

    /// Adds the changes of other connections' commits to a commit, so that lists need not fetch all rows. The
    /// next check does not report them again.
    ///
    /// - Returns: whether there are commits with unknown rows. They count as a change of the whole database.
    func addChangesOfOthers(
        to changes: inout ChangeSet, _ matched: inout [StaleObserver],
        _ matchedRegions: inout [StaleObserver], _ db: Database
    ) -> Bool {
        guard ledger.observesLists, foreignCommits.didCommit(db) else { return false }
        guard let state = db.recordForeignRows(self) else {
            changes.recordWholeDatabase()
            return true
        }
        foreignCommits.didReport(state)
        let (found, changesOfOthers) = values.commit()
        changes.formUnion(changesOfOthers, rowLimit: values.rowLimit)
        for match in found { add(match, to: &matched) }
        for match in regions.commit().matched { add(match, to: &matchedRegions) }
        return false
    }

    /// Begins to detect commits of other connections. Lists fetched afterwards can be updated row by row.
    func prepareLists(_ db: Database) {
        if prepareForeignDetection(db) { ledger.didPrepareForeignDetection(foreignCommits.log) }
    }
}

/// Detects with each commit of the writer whether another connection has committed since the last one.
///
/// The changes of such a commit are not known, and it may not be observed. But a list updated row by row
/// would never contain them, while a list fetched as a whole contains them after any change.
struct ForeignCommitDetector {
    /// The token after the last commit; `nil` if it is not known.
    private var token: Int64?
    /// A state of the log with all of its commits in the ledger; `nil` if it is not known.
    private(set) var log: LogState?
    /// Whether the token has been taken.
    private(set) var isPrepared = false

    /// Takes the first token.
    mutating func prepare(_ db: Database) {
        take(db)
        isPrepared = true
    }

    /// Notes that the changes of other connections' commits up to a state are in the ledger.
    mutating func didReport(_ state: SharedState) {
        if isPrepared { (token, log) = (state.token, state.log) }
    }

    /// Returns whether another connection may have committed since the last call or report.
    mutating func didCommit(_ db: Database) -> Bool {
        guard db.connection.capabilities.hasForeignChangeToken else { return false }
        let last = token
        take(db)
        return token == nil || token != last
    }

    /// Returns whether the ledger has the changes of all commits of other connections that statements read
    /// now.
    func knowsAll(_ db: Database) -> Bool {
        guard isPrepared, db.connection.capabilities.hasForeignChangeToken else { return true }
        return token != nil && token == (try? db.sharedState())?.token
    }

    private mutating func take(_ db: Database) {
        let state = try? db.sharedState()
        (token, log) = (state?.token, state?.log)
    }
}

/// A state of a database with other writers.
struct SharedState {
    /// The token of changes by others.
    let token: Int64
    /// The state of the log, not a newer one; `nil` without a log.
    let log: LogState?
}

extension Database {
    /// Whether the ledger has all commits of other connections in the snapshot of this fetch. If it has not,
    /// rows found one by one may have a later state than the other ones.
    func knowsCommitsOfOthers(_ ledger: CommitLedger) -> Bool {
        if let coordinator { return coordinator.foreignCommits.knowsAll(self) }
        // Tokens of readers are other numbers.
        guard let embedded, connection.capabilities.allowsConcurrentReaders else { return true }
        // The writer stores its commit some microseconds after readers see it, unless its thread has to wait.
        let end = ContinuousClock.now + .milliseconds(50)
        repeat {
            guard let log = embedded.logState() else { return false }
            if let isKnown = ledger.contains(log) { return isKnown }
            AccessThread.yield(for: .microseconds(10))
        } while ContinuousClock.now < end
        return false
    }

    /// Returns the current state; `nil` if the backend has no token.
    func sharedState() throws -> SharedState? {
        guard connection.capabilities.hasForeignChangeToken else { return nil }
        // Before the token: commits in between are then not missed. In a snapshot, the token does not change.
        let log = comparesLogs && embedded?.holdsSnapshot == false ? embedded?.logState() : nil
        let token = try storage { () throws(StorageError) in try connection.foreignChangeToken() }
        return token.map { SharedState(token: $0, log: log) }
    }

    /// Whether readers compare states of the log.
    private var comparesLogs: Bool {
        guard let coordinator, coordinator.ledger.observesLists else { return false }
        return coordinator.countsAllCommits && connection.capabilities.allowsConcurrentReaders
    }

    /// Records the rows of commits by others after an own commit, possibly with its own rows again.
    ///
    /// A fetch of an observer with write access makes commits that do not notify it.
    ///
    /// - Returns: The state after these commits, now known; `nil` if their rows are not known. The next
    ///   check notifies the observers then.
    func recordForeignRows(_ coordinator: CommitCoordinator) -> SharedState? {
        guard coordinator.needsForeignChanges, foreignChanges.token != nil, !foreignChanges.mustNotifyAll,
            fetchContext == nil, !isInsideTransaction, embedded?.holdsSnapshot == false,
            let commits = connection as? any ForeignCommitReading,
            commits.foreignCommitState == .precise, let first = try? sharedState()
        else { return nil }
        guard let state = recordRows(of: commits, after: first, coordinator) else {
            foreignChanges.mustNotifyAll = true
            return nil
        }
        foreignChanges.token = state.token
        foreignChanges.ownCommitsToExclude = ForeignChangeDetection.exclusionLimit
        return state
    }

    /// Records the rows of the commits up to a state or, for lists, until there are no newer commits.
    ///
    /// - Returns: The state; `nil` if their rows are not known.
    func recordRows(
        of commits: any ForeignCommitReading, after first: SharedState, _ coordinator: CommitCoordinator
    ) -> SharedState? {
        var state = first
        coordinator.beginChangesElsewhere()
        for search in 1...4 {
            commits.markCommits()
            if let reason = commits.reportMarkedCommits(to: { coordinator.didChangeElsewhere($0) }) {
                foreignChanges.precision?.didMissCommit(because: reason)
                coordinator.forgetChangesElsewhere()
                return nil
            }
            // Lists fetch all rows if they read an unreported commit.
            guard search < 4, coordinator.ledger.observesLists,
                let newer = try? sharedState(), newer.token != state.token
            else { break }
            state = newer
        }
        return state
    }
}
