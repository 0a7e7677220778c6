import VigilRegions
import VigilStorage

// Fetches of lists need all changes that their snapshot contains. On a pool, a commit is visible to readers before the
// writer can report it, so its changes are announced in advance.
extension CommitCoordinator {
    /// Announces the changes of a transaction that is about to be committed.
    func announceTransaction() {
        ledger.announce(reportsChanges ? values.collected : .wholeDatabase)
    }

    /// Announces a statement that the library may commit without announcing it, or whose changes it does not report.
    func announceUnreported(_ statement: ObservedStatement) {
        let access = statement.access
        if access.changesSchema || (access.writes.isEmpty && access.transactionEffect == nil) {
            ledger.announce(.wholeDatabase)
        }
    }

    /// Begins to detect commits of other connections. A list that is fetched afterwards can be updated row by row.
    func prepareLists(_ db: Database) {
        if prepareForeignDetection(db) { ledger.didPrepareForeignDetection() }
    }
}
