import VigilRegions
import VigilStorage

/// Collects the changes reported by a writing connection, transaction by transaction, and notifies the
/// matching observers.
///
/// It is only used inside accesses of its connection.
final class CommitCoordinator {
    private var reference: UnretainedDatabase?
    let ledger: CommitLedger
    /// The observers of the database, if its commits are received from a feed. Then none is registered here.
    let feed: FeedCoordinator?
    /// Notifies the observers made stale by a commit.
    let notifier: WriterNotifier
    /// Whether commits are numbered even without observers, because readers may start to observe on other
    /// connections.
    let countsAllCommits: Bool
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var tracker = TransactionTracker()
    /// The observers of values.
    let values: RegionMatcher
    /// The observers that match every reported change, even if no value differs.
    let regions: RegionMatcher
    let transactionObservers = TransactionObservers()
    @exclusivity(unchecked)  // bench: unrelated-writes
    var midTransactionObservers = MidTransactionObservers()
    /// The matchers that have recorded the open transaction since its beginning.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var recorded = (values: false, regions: false)
    /// The connection, if it reports row images only for requested tables.
    private var rowImageProvider: (any RowImageProviding)?
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var interest = ChangeInterest.nothing
    /// The tables with row images requested from the connection.
    private var imagedTables: Set<TableName> = []
    private let sink = CoordinatorSink()
    /// Whether the connection reported anything since the last statement ended.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var isPending = false
    /// The state of the ledger's links that the matchers know.
    var linkRevision = 0
    /// Detects commits of other connections for observed lists.
    var foreignCommits = ForeignCommitDetector()
    /// Whether a rollback leaves a change in place: an attached or detached database, a replaced function.
    private var hasLastingChange = false
    /// Whether the connection was closed.
    private var isEnded = false

    init(ignoresNoOpUpdates: Bool, countsAllCommits: Bool, feed: FeedCoordinator? = nil) {
        self.feed = feed
        // If all commits are numbered, a reader can fetch an earlier snapshot and then register.
        values = RegionMatcher(
            ignoresNoOpUpdates: ignoresNoOpUpdates, keepsUnobservedRows: countsAllCommits)
        regions = RegionMatcher(ignoresNoOpUpdates: false, keepsUnobservedRows: countsAllCommits)
        self.countsAllCommits = countsAllCommits
        ledger = CommitLedger(capacity: countsAllCommits ? 256 : 0)
        notifier = WriterNotifier(ledger: ledger, values: values)
        sink.coordinator = self
        notifier.coordinator = self
    }

    deinit {
        sink.coordinator = nil
        notifier.coordinator = nil
    }

    func attach(to reference: UnretainedDatabase) {
        self.reference = reference
        if let connection = reference.database?.connection, !connection.capabilities.reportsRowImages {
            rowImageProvider = connection as? any RowImageProviding
        }
        updateInterest()
    }

    // MARK: - Observers

    /// Whether a transaction is open that may write.
    var isInTransaction: Bool {
        // The tracker is not notified without interest.
        interest == .nothing
            ? reference?.database?.isInsideWritingTransaction ?? false : tracker.isInTransaction
    }

    var lastCommit: CommitNumber { (feed?.ledger ?? ledger).last }

    /// Whether an observer prevented the failed commit.
    var isCommitPrevented: Bool { transactionObservers.isCommitPrevented }

    var observerCount: Int { feed?.observerCount ?? values.count + regions.count }

    /// Whether commits of other connections and processes need to be detected.
    var needsForeignChanges: Bool { observerCount > 0 || countsAllCommits }

    /// Whether the fetch of any observer may write.
    var hasWritingObserver: Bool { !regions.isEmpty || values.hasWritingObserver }

    /// Registers an observer of the commits that modify a region. Called on the writer, before any other
    /// write.
    ///
    /// An open transaction is matched as a whole, including its previous changes.
    func register(_ region: DatabaseRegion, _ observer: any CommitObserver) -> ObserverID {
        if let feed { return feed.register(region, observer) }
        let id = ledger.makeID()
        let region = ledger.trusted(region)
        let isInsideUnchanged = isInsideUnchangedTransaction
        if isInTransaction, region.isModified(by: changesSoFar) { midTransactionObservers.didMissChange(id) }
        recordEarlierChanges()
        regions.register(.init(id: id, observer: observer, region: region))
        updateInterest(recordsEarlierChanges: false)
        if isInsideUnchanged { recorded.regions = true }
        return id
    }

    /// Registers an observer after a fetch on the writer, with the region of its reads.
    func registerFetched(_ region: DatabaseRegion, _ observer: any CommitObserver, as id: ObserverID) {
        let isInsideUnchanged = isInsideUnchangedTransaction
        // It has already read the open transaction's changes: do not report them again.
        recordEarlierChanges()
        values.register(.init(id: id, observer: observer, region: region))
        updateInterest(recordsEarlierChanges: false)
        if isInsideUnchanged { recorded.values = true }
        if isInTransaction { midTransactionObservers.didRead(id) }
    }

    /// Replaces the region of an observer registered by ``register(_:_:)``.
    func replaceRegion(of id: ObserverID, with region: DatabaseRegion) {
        if let feed { return feed.replaceRegion(of: id, with: region) }
        regions.register(.init(id: id, observer: nil, region: ledger.trusted(region)))
        updateInterest()
    }

    func unregister(_ id: ObserverID) {
        if let feed { return feed.unregister(id) }
        guard values.unregister(id) || regions.unregister(id) else { return }
        if values.isEmpty, !countsAllCommits { recorded.values = false }
        if regions.isEmpty {
            recorded.regions = false
            regions.rollback()
        }
        updateInterest()
    }

    /// Adds the registrations in the ledger, in order to match later changes with them.
    func registerPending() {
        let registrations = ledger.append(ChangeSet(), endsTransaction: false).registrations
        guard !isEnded else { return registrations.forEach { $0.observer?.cancel() } }
        registrations.forEach { values.register($0) }
        updateInterest()
    }

    /// Removes all observers, because the connection is closed.
    ///
    /// - Returns: the observers. The caller cancels and releases them after the access.
    func removeAll() -> EndedObservers {
        isEnded = true
        let pending = ledger.append(ChangeSet(), endsTransaction: false).registrations
        let ended = values.all + regions.all + pending.compactMap(\.observer)
        values.removeAll()
        regions.removeAll()
        return EndedObservers(
            observers: ended + (feed?.removeAll() ?? []), others: transactionObservers.removeAll())
    }

    /// Ends all observations of values and regions with an error.
    func endObservations(_ error: any Error) {
        registerPending()
        for observer in values.all + regions.all { observer.fail(error) }
    }

    /// The previous changes of the open transaction, or a superset.
    private var changesSoFar: ChangeSet {
        if recorded.values { return values.collected }
        if recorded.regions { return regions.collected }
        return isInsideUnchangedTransaction ? ChangeSet() : .wholeDatabase
    }

    /// Whether the open transaction has not changed anything yet: it can still be recorded as if from its
    /// beginning.
    private var isInsideUnchangedTransaction: Bool {
        guard isInTransaction, let database = reference?.database else { return false }
        return !database.transactionMayHaveChanges
    }

    /// Records a change of the whole database for previous, unreported changes of the open transaction.
    /// Called before the connection starts to report rows.
    private func recordEarlierChanges() {
        if interest < .changes, isInTransaction, !isInsideUnchangedTransaction { didChange(.database) }
    }

    /// Requests only the reports for the current observers, so that an unobserved database has no overhead.
    ///
    /// - Parameter recordsEarlierChanges: whether the current observers match the changes by the open
    ///   transaction before any observer registered.
    func updateInterest(recordsEarlierChanges: Bool = true) {
        guard let database = reference?.database else { return }
        let needed: ChangeInterest =
            if transactionObservers.wantsEveryRow {
                .everyRow
            } else if !values.isEmpty || !regions.isEmpty {
                .changes
            } else {
                countsAllCommits || feed != nil || !transactionObservers.isEmpty ? .transactions : .nothing
            }
        updateRowImages()
        guard needed != interest else { return }
        if interest == .nothing {
            tracker = TransactionTracker(isInTransaction: database.isInsideWritingTransaction)
        }
        if needed >= .changes, recordsEarlierChanges { recordEarlierChanges() }
        if needed == .nothing { recorded = (false, false) }
        interest = needed
        database.reportsStatements = needed != .nothing
        database.connection.report(to: sink, interest: needed)
    }

    func updateRowImages() {
        guard let provider = rowImageProvider else { return }
        let tables = values.tablesNeedingImages.union(regions.tablesNeedingImages)
        guard tables != imagedTables else { return }
        imagedTables = tables
        provider.provideRowImages(of: tables)
    }

    var reportsChanges: Bool { interest >= .changes }

    /// Begins to detect other connections' commits for observed lists. Returns whether it is the first call.
    func prepareForeignDetection(_ db: Database) -> Bool {
        guard !foreignCommits.isPrepared else { return false }
        foreignCommits.prepare(db)
        return true
    }

    // MARK: - Reports of the connection

    @inline(__always)  // bench: write-baseline
    func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest {
        guard regions.isEmpty, transactionObservers.isEmpty else { return .row }
        isPending = true
        return values.rowInterest(in: table, kind)
    }

    @inline(__always)  // bench: write-baseline
    func didChange(_ event: ChangeEvent) {
        isPending = true
        if !values.isEmpty || countsAllCommits { values.record(event) }
        if !regions.isEmpty { regions.record(event) }
        if !transactionObservers.isEmpty { transactionObservers.didChange(event) }
    }

    /// Records the schema tables of changed schemas, because connections do not report their changes.
    ///
    /// - Parameter isCommitted: whether the change is permanent, independent of any transaction.
    func didChangeSchemas(_ tables: [TableName], isCommitted: Bool, _ db: Database) {
        guard interest >= .changes else { return }
        for table in tables {
            if !values.isEmpty || countsAllCommits { values.record(.table(table)) }
            if !regions.isEmpty { regions.record(.table(table)) }
        }
        guard isCommitted else { return }
        if isInTransaction { hasLastingChange = true } else { notifyRecorded(db) }
    }

    @inline(__always)  // bench: write-baseline
    func willCommit() -> Bool {
        isPending = true
        tracker.willCommit()
        guard transactionObservers.allowCommit() else { return false }
        // A queue has no readers that see the commit before it is numbered.
        if countsAllCommits || feed != nil, ledger.observesLists { announceTransaction() }
        return true
    }

    func didRollback() {
        isPending = true
        tracker.didRollback()
    }

    // MARK: - Statements

    /// Prepares for the changes of a statement. Called before the statement runs.
    func statementWillRun(_ statement: ObservedStatement) {
        let observesLists = ledger.observesLists
        if observesLists { announceUnreported(statement) }
        guard interest >= .changes else { return }
        prepareForRows(ofLists: observesLists)
        if !values.isEmpty || countsAllCommits { values.beginStatement(statement.columns) }
        if !regions.isEmpty { regions.beginStatement(statement.columns) }
        if !transactionObservers.isEmpty { transactionObservers.statementWillRun(statement) }
    }

    /// Updates the state of the transaction after a statement ended or failed, and notifies observers.
    ///
    /// - Throws: the error of an observer preventing the commit.
    func statementDidEnd(effect: TransactionEffect?, failed: Bool, _ db: Database) throws {
        isPending = false
        if !failed, let effect { apply(effect) }
        let wasInTransaction = tracker.isInTransaction
        let outcome = tracker.statementDidEnd(
            isInTransaction: db.isInsideTransaction, failed: failed,
            hasChanges: db.activity.writingStatementCount == 0 && (values.hasChanges || regions.hasChanges))
        if !wasInTransaction, tracker.isInTransaction { didBegin() }
        switch outcome {
        case .unchanged:
            guard db.activity.writingStatementCount == 0 else { return }
            // Functions of reading statements can write too, to any column.
            if !values.isEmpty || countsAllCommits { values.beginStatement(.unknown) }
            if !regions.isEmpty { regions.beginStatement(.unknown) }
            if ledger.observesLists, !tracker.isInTransaction { ledger.keepAnnouncement() }
        case .committed: try didCommit(wasAnnounced: tracker.lastCommitWasAnnounced, db)
        case .rolledBack: try didRollback(db)
        case .statementUndone:
            forgetChanges(db)
            transactionObservers.didUndoStatement()
            notifyLastingChange(db)
        }
    }

    private func apply(_ effect: TransactionEffect) {
        switch effect {
        case .begin, .commit: return
        case .rollback: tracker.didRollback()
        case .rollbackTo: midTransactionObservers.didRollbackToSavepoint()
        case .savepoint, .release: break
        }
        values.apply(effect)
        if !regions.isEmpty { regions.apply(effect) }
        if !transactionObservers.isEmpty { transactionObservers.apply(effect) }
    }

    private func didBegin() {
        let isReported = interest >= .changes
        recorded = (isReported && (!values.isEmpty || countsAllCommits), isReported && !regions.isEmpty)
    }

    /// Records changes not reported by the database. Outside of a transaction, they form a transaction of
    /// their own.
    ///
    /// - Throws: the error of an observer preventing the commit.
    func notify(_ events: [ChangeEvent], kinds: [DatabaseEventKind], _ db: Database) throws {
        for event in events { didChange(event) }
        transactionObservers.notifyChanges(ofKinds: kinds)
        guard !isInTransaction, db.activity.writingStatementCount == 0 else { return }
        isPending = false
        try didCommit(wasAnnounced: false, db)
    }

    // MARK: - Commits and rollbacks

    private func didCommit(wasAnnounced: Bool, _ db: Database) throws {
        // The library does not announce the commit of an empty transaction. Observers can prevent it too.
        if !wasAnnounced, !transactionObservers.allowCommit() { return try didRollback(db) }
        if wasAnnounced { feed?.writerDidCommit() }
        let wasCounted = interest >= .changes
        if hasLastingChange { recordLastingChange() }
        var (matched, changes) = values.commit()
        var matchedRegions: [StaleObserver] = []
        if !regions.isEmpty {
            let (found, regionChanges) = regions.commit()
            matchedRegions = found
            changes.formUnion(regionChanges, rowLimit: values.rowLimit)
        }
        for id in midTransactionObservers.commit() {
            add(values.stale(id, .database), to: &matched)
            add(regions.stale(id, .database), to: &matchedRegions)
        }
        if !wasCounted, countsAllCommits, wasAnnounced { changes.recordWholeDatabase() }
        if wasAnnounced { db.excludeOwnCommit() }
        let isUnmatched = addChangesOfOthers(to: &changes, &matched, &matchedRegions, db)
        let (commit, registrations) = ledger.append(
            changes, isUnmatched: isUnmatched, log: foreignCommits.log)
        if !registrations.isEmpty {
            matched = values.register(registrations, at: changes, matched: matched)
            updateInterest()
        }
        notifyMatched(matched, commit)
        if let committer = notifier.didCommit() { matched.removeAll { $0.id == committer } }
        if !transactionObservers.isEmpty {
            notifier.notifyTransactionObservers(db) { transactionObservers.didCommit(db) }
            updateInterest()
        }
        let stale = StaleObservers(
            regions: matchedRegions, values: matched, changes: changes, commit: commit)
        notifier.host?.registry.didCommit(stale)
        notifier.notify(stale, db)
    }

    /// Records a change of the whole database, because any name may have another meaning.
    private func recordLastingChange() {
        hasLastingChange = false
        values.record(.database)
        regions.record(.database)
    }

    func add(_ match: StaleObserver?, to matched: inout [StaleObserver]) {
        if let match, !matched.contains(where: { $0.id == match.id }) { matched.append(match) }
    }

    private func didRollback(_ db: Database) throws {
        forgetChanges(db)
        let stale = midTransactionObservers.rollback().compactMap { values.stale($0, .database) }
        defer {
            updateInterest()
            notifier.notify(StaleObservers(values: stale), db)
            notifyLastingChange(db)
        }
        try transactionObservers.didRollback(db)
    }

    private func notifyLastingChange(_ db: Database) {
        guard hasLastingChange else { return }
        recordLastingChange()
        notifyRecorded(db)
    }

    private func forgetChanges(_ db: Database) {
        values.rollback()
        regions.rollback()
        if ledger.observesLists { ledger.withdrawAnnouncement() }
        db.schemaMayHaveChangedBack()
    }

    /// Handles an unknown change of the database from outside of the connection.
    func databaseDidChangeElsewhere(_ db: Database) {
        if let feed { return feed.recordUnknownChange() }
        didChangeElsewhere(.database)
        didCommitElsewhere(db)
    }

    /// Prepares for the changes of commits by other connections.
    func beginChangesElsewhere() {
        prepareForRows(ofLists: ledger.observesLists)
        // No statement of this connection made the changes.
        values.beginStatement(.unknown)
        regions.beginStatement(.unknown)
    }

    /// Handles a change in a commit of another connection, which ``didCommitElsewhere(_:token:)`` ends.
    func didChangeElsewhere(_ event: ChangeEvent) {
        values.record(event)
        regions.record(event)
    }

    /// Discards the changes since ``beginChangesElsewhere()``: they are not complete.
    func forgetChangesElsewhere() {
        values.rollback()
        regions.rollback()
    }

    /// Handles the end of commits of other connections, or of a change of the whole database.
    ///
    /// - Parameter state: The state after the last of these commits, if it is known.
    func didCommitElsewhere(_ db: Database, state: SharedState? = nil) {
        if let state { foreignCommits.didReport(state) }
        guard values.hasChanges || regions.hasChanges else { return ledger.didReport(foreignCommits.log) }
        notifyRecorded(db, isCommit: true)
    }

    /// Notifies observers of changes recorded outside of a transaction.
    private func notifyRecorded(_ db: Database, isCommit: Bool = false) {
        let (matched, changes) = values.commit()
        let (commit, registrations) = ledger.append(changes, log: foreignCommits.log)
        let stale = values.register(registrations, at: changes, matched: matched)
        // The next commit must report rows for the new observers, which are not pending any more.
        if !registrations.isEmpty { updateInterest() }
        notifyMatched(stale, commit)
        let all = StaleObservers(
            regions: regions.commit().matched, values: stale, changes: changes, commit: commit)
        if isCommit { notifier.host?.registry.didCommit(all) }
        db.outsideTransactionBlocks { notifier.notify(all, db) }
    }

    /// Removes conditions that depend on a replaced function or collation, here or on a reader. Any fetched
    /// value may be outdated: all observers fetch. If `isReported`, the caller's next report notifies them.
    func distrust(_ conditions: DoubtfulConditions, isReported: Bool = false, _ db: Database) {
        if let feed { return feed.distrust(conditions) }
        _ = ledger.distrust(conditions)
        guard observerCount > 0 else { return }
        values.distrust(conditions)
        regions.distrust(conditions)
        guard isReported || isInTransaction || db.activity.writingStatementCount > 0 else {
            return databaseDidChangeElsewhere(db)
        }
        recordLastingChange()
        hasLastingChange = true
    }
}

/// The sink of the connection. Connections hold their sink weakly; a weak reference to the coordinator would
/// make its retains and releases slower.
final class CoordinatorSink: ChangeSink {
    // Safe: the coordinator clears it when it is released.
    unowned(unsafe) var coordinator: CommitCoordinator?

    func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest {
        coordinator?.rowInterest(in: table, kind) ?? .nothing
    }
    func didChange(_ event: ChangeEvent) { coordinator?.didChange(event) }
    func willCommit() -> Bool { coordinator?.willCommit() ?? true }
    func didRollback() { coordinator?.didRollback() }
}
