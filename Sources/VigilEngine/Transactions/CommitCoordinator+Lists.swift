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

    /// Begins to detect commits of other connections. Lists fetched afterwards can be updated row by row.
    func prepareLists(_ db: Database) {
        if prepareForeignDetection(db) { ledger.didPrepareForeignDetection() }
    }
}

/// Detects with each commit of the writer whether another connection has committed since the last one.
///
/// The changes of such a commit are not known, and it may not be observed. But a list updated row by row
/// would never contain them, while a list fetched as a whole contains them after any change.
struct ForeignCommitDetector {
    /// The token after the last commit; `nil` if it is not known.
    private var token: Int64?
    /// Whether the token has been taken.
    private(set) var isPrepared = false

    /// Takes the first token.
    mutating func prepare(_ db: Database) {
        token = db.listToken()
        isPrepared = true
    }

    /// Notes that the changes of other connections' commits up to a token are in the ledger.
    mutating func didReport(_ token: Int64) {
        if isPrepared { self.token = token }
    }

    /// Returns whether another connection may have committed since the last call or report.
    mutating func didCommit(_ db: Database) -> Bool {
        guard db.connection.capabilities.hasForeignChangeToken else { return false }
        let last = token
        token = db.listToken()
        return token == nil || token != last
    }

    /// Returns whether the ledger has the changes of all commits of other connections that statements read
    /// now.
    func knowsAll(_ db: Database) -> Bool {
        guard isPrepared, db.connection.capabilities.hasForeignChangeToken else { return true }
        return token != nil && token == db.listToken()
    }
}

extension Database {
    /// Whether the ledger has all commits of other connections in the snapshot of this fetch. If it has not,
    /// rows that are looked up may have a later state than the other ones. It is not known on readers, and
    /// `true` there.
    var knowsCommitsOfOthers: Bool { coordinator?.foreignCommits.knowsAll(self) ?? true }

    fileprivate func listToken() -> Int64? {
        guard connection.capabilities.hasForeignChangeToken else { return nil }
        return try? connection.foreignChangeToken()
    }
}
