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
    /// Whether the connection has tokens; `nil` before the first one is taken.
    private var hasToken: Bool?

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
        let last = token
        take(db)
        guard hasToken == true else { return false }
        return token == nil || token != last
    }

    /// Returns whether the ledger has the changes of all commits of other connections that statements read
    /// now.
    func knowsAll(_ db: Database) -> Bool {
        guard isPrepared, hasToken == true else { return true }
        return token != nil && token == (try? db.sharedState())?.token
    }

    private mutating func take(_ db: Database) {
        if hasToken == nil { hasToken = db.connection.capabilities.hasForeignChangeToken }
        let state = hasToken == true ? try? db.sharedState() : nil
        (token, log) = (state?.token, state?.log)
    }
}
