import VigilRegions
import VigilStorage

/// Refreshes observers away from the writer.
protocol ObserverRefreshing: AnyObject {
    /// Called on the writer after each commit; must return at once.
    func didCommit(_ changes: ChangeSet, _ touched: [TouchedObserver], _ db: Database)
}

/// Gathers what a writing connection reports, transaction by transaction, and tells those whom it concerns.
///
/// Used only inside accesses of its connection.
final class ChangeHub {
    private var reference: DatabaseReference?
    let ledger: CommitLedger
    /// Who refreshes observers; `nil` if it is done here, on the writer.
    weak var refresher: (any ObserverRefreshing)?
    /// Whether commits are counted even if nobody observes: for readers elsewhere that begin to.
    let countsAllCommits: Bool
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var tracker = TransactionTracker()
    let values: RegionMatcher
    /// Those who are told of every change that the database reports, whether or not a value differs.
    let regions: RegionMatcher
    let transactionObservers = TransactionObservers()
    @exclusivity(unchecked)  // bench: unrelated-writes
    var early = EarlyObservers()
    @exclusivity(unchecked)  // bench: write-baseline
    var fetches = WriterFetches<StaleObservers>()
    /// Who has recorded the open transaction from its beginning.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var recorded = (values: false, regions: false)
    /// The connection, where images are not to be had for nothing.
    private var rowImageProvider: (any RowImageProviding)?
    @exclusivity(unchecked)  // bench: unrelated-writes
    private var interest = ChangeInterest.nothing
    /// The tables for which the connection was asked for row images, because it does not report them unasked.
    private var imagedTables: Set<TableName> = []
    private let sink = HubSink()
    /// Whether the connection reported anything since the last statement ended.
    @exclusivity(unchecked)  // bench: unrelated-writes
    private(set) var isPending = false
    /// Whether the open transaction attached or detached a database, which its rollback does not undo.
    private var hasChangedDatabases = false
    /// Whether the connection was closed.
    private var isEnded = false

    init(ignoresNoOpUpdates: Bool, countsAllCommits: Bool) {
        // Where all commits are counted, others may read from an earlier moment and then observe.
        values = RegionMatcher(
            ignoresNoOpUpdates: ignoresNoOpUpdates, keepsUnobservedRows: countsAllCommits)
        regions = RegionMatcher(ignoresNoOpUpdates: false, keepsUnobservedRows: countsAllCommits)
        self.countsAllCommits = countsAllCommits
        ledger = CommitLedger(capacity: countsAllCommits ? 256 : 0)
        sink.hub = self
    }

    deinit {
        sink.hub = nil
    }

    func attach(to reference: DatabaseReference) {
        self.reference = reference
        if let connection = reference.database?.connection, !connection.capabilities.reportsRowImages {
            rowImageProvider = connection as? any RowImageProviding
        }
        updateInterest()
    }

    // MARK: - Observers

    /// Whether a transaction is open that may write.
    var isInTransaction: Bool {
        // Without interest nothing is tracked.
        interest == .nothing ? reference?.database?.isInsideTransaction ?? false : tracker.isInTransaction
    }

    /// Whether an observer objected to the commit that failed.
    var isCommitPrevented: Bool { transactionObservers.isCommitPrevented }

    var observerCount: Int { values.count + regions.count }

    /// Whether it matters to anybody that somebody else committed.
    var needsForeignChanges: Bool { observerCount > 0 || countsAllCommits }

    /// Whether reading for somebody may write.
    var hasWritingObserver: Bool { (values.all + regions.all).contains(where: \.needsWriter) }

    /// Registers somebody who is told of commits that touch a region, on the writer, before any other write.
    ///
    /// A transaction that is open concerns him as a whole, with what it did before.
    func observe(_ region: DatabaseRegion, _ observer: any CommitObserver) -> ObserverID {
        let id = ledger.makeID()
        let region = ledger.trusted(region)
        let isInsideUnchanged = isInsideUnchangedTransaction
        if isInTransaction, region.isModified(by: changesSoFar) { early.didMissChange(id) }
        noteUnrecordedChanges()
        regions.observe(.init(id: id, observer: observer, region: region))
        updateInterest(notesUnrecorded: false)
        if isInsideUnchanged { recorded.regions = true }
        return id
    }

    func remove(_ id: ObserverID) {
        guard values.remove(id) || regions.remove(id) else { return }
        if values.isEmpty, !countsAllCommits { recorded.values = false }
        if regions.isEmpty {
            recorded.regions = false
            regions.rollback()
        }
        updateInterest()
    }

    /// Registers those who asked for it in the ledger, so that the next changes are matched with them.
    func welcomeNewcomers() {
        let newcomers = ledger.append(ChangeSet()).newcomers
        guard !isEnded else { return newcomers.forEach { $0.observer?.cancel() } }
        newcomers.forEach { values.observe($0) }
        updateInterest()
    }

    /// The connection is closed: nothing will change any more that could be told.
    func removeAll() {
        isEnded = true
        let ended = values.all + regions.all
        values.removeAll()
        regions.removeAll()
        transactionObservers.removeAll()
        ended.forEach { $0.cancel() }
    }

    /// Ends the observations of values and regions with an error.
    func endObservations(_ error: any Error) {
        welcomeNewcomers()
        for observer in values.all + regions.all { observer.fail(error) }
    }

    /// What the open transaction did so far, or more.
    private var changesSoFar: ChangeSet {
        if recorded.values { return values.collected }
        if recorded.regions { return regions.collected }
        return isInsideUnchangedTransaction ? ChangeSet() : .wholeDatabase
    }

    /// Whether a transaction is open that has changed nothing so far: from now on it is recorded as if from its beginning.
    var isInsideUnchangedTransaction: Bool {
        guard isInTransaction, let database = reference?.database else { return false }
        return !database.transactionMayHaveChanges
    }

    /// Before rows are reported: what the open transaction did so far was not.
    func noteUnrecordedChanges() {
        if interest < .changes, isInTransaction, !isInsideUnchangedTransaction { didChange(.database) }
    }

    /// Asks the connection for what somebody wants to know, and no more: an unobserved database costs nothing.
    ///
    /// - Parameter notesUnrecorded: whether those who are there now are concerned by what the open transaction did
    ///   before anybody observed.
    func updateInterest(notesUnrecorded: Bool = true) {
        guard let database = reference?.database else { return }
        let needed: ChangeInterest =
            if transactionObservers.wantsEveryRow {
                .everyRow
            } else if !values.isEmpty || !regions.isEmpty {
                .changes
            } else {
                countsAllCommits || !transactionObservers.isEmpty ? .transactions : .nothing
            }
        updateRowImages()
        guard needed != interest else { return }
        if interest == .nothing {
            tracker = TransactionTracker(isInTransaction: database.isInsideTransaction)
        }
        if needed >= .changes, notesUnrecorded { noteUnrecordedChanges() }
        if needed == .nothing { recorded = (false, false) }
        interest = needed
        database.isHeard = needed != .nothing
        database.connection.report(to: sink, interest: needed)
    }

    private func updateRowImages() {
        guard let provider = rowImageProvider else { return }
        let tables = values.tablesNeedingImages.union(regions.tablesNeedingImages)
        guard tables != imagedTables else { return }
        imagedTables = tables
        provider.provideRowImages(of: tables)
    }

    // MARK: - What the connection reports

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

    /// A statement changed the schema. No connection tells so of the tables that describe it.
    ///
    /// - Parameter isCommitted: whether that is no transaction, nor part of one.
    func didChangeSchemas(_ tables: [TableName], isCommitted: Bool, _ db: Database) {
        guard interest >= .changes else { return }
        for table in tables {
            if !values.isEmpty || countsAllCommits { values.record(.table(table)) }
            if !regions.isEmpty { regions.record(.table(table)) }
        }
        guard isCommitted else { return }
        if isInTransaction { hasChangedDatabases = true } else { tellRecorded(db) }
    }

    @inline(__always)  // bench: write-baseline
    func willCommit() -> Bool {
        isPending = true
        tracker.willCommit()
        return transactionObservers.allowCommit()
    }

    func didRollback() {
        isPending = true
        tracker.didRollback()
    }

    // MARK: - Statements

    /// Tells which statement runs from now on.
    func statementWillRun(_ statement: ObservedStatement) {
        guard interest >= .changes else { return }
        if !values.isEmpty || countsAllCommits { values.beginStatement(statement.columns) }
        if !regions.isEmpty { regions.beginStatement(statement.columns) }
        if !transactionObservers.isEmpty { transactionObservers.statementWillRun(statement) }
    }

    /// Draws the consequences of a statement that ended, or failed.
    ///
    /// - Throws: the error with which an observer prevented the commit.
    func statementDidEnd(effect: TransactionEffect?, failed: Bool, _ db: Database) throws {
        isPending = false
        if !failed, let effect { note(effect) }
        let wasInTransaction = tracker.isInTransaction
        let outcome = tracker.statementDidEnd(
            isInTransaction: db.isInsideTransaction, failed: failed,
            hasChanges: db.writingStatementCount == 0 && (values.hasChanges || regions.hasChanges))
        if !wasInTransaction, tracker.isInTransaction { didBegin() }
        switch outcome {
        case .unchanged: break
        case .committed: try didCommit(wasAnnounced: tracker.lastCommitWasAnnounced, db)
        case .rolledBack: try didRollback(db)
        case .statementUndone:
            forgetChanges(db)
            transactionObservers.didUndoStatement()
        }
    }

    private func note(_ effect: TransactionEffect) {
        switch effect {
        case .begin, .commit: return
        case .rollback: tracker.didRollback()
        case .rollbackTo: early.didRollbackToSavepoint()
        case .savepoint, .release: break
        }
        values.note(effect)
        if !regions.isEmpty { regions.note(effect) }
        if !transactionObservers.isEmpty { transactionObservers.note(effect) }
    }

    private func didBegin() {
        let isReported = interest >= .changes
        recorded = (isReported && (!values.isEmpty || countsAllCommits), isReported && !regions.isEmpty)
    }

    /// Notes changes that the database does not report. Outside of a transaction that is a transaction by itself.
    ///
    /// - Throws: the error with which an observer prevented the commit.
    func notify(_ events: [ChangeEvent], kinds: [DatabaseEventKind], _ db: Database) throws {
        for event in events { didChange(event) }
        transactionObservers.notifyChanges(ofKinds: kinds)
        guard !isInTransaction, db.writingStatementCount == 0 else { return }
        isPending = false
        try didCommit(wasAnnounced: false, db)
    }

    // MARK: - Commits and rollbacks

    private func didCommit(wasAnnounced: Bool, _ db: Database) throws {
        // An empty transaction is committed without a word from the library. Observers may object all the same.
        if !wasAnnounced, !transactionObservers.allowCommit() { return try didRollback(db) }
        let wasCounted = interest >= .changes
        if hasChangedDatabases { noteChangedDatabases() }
        var (touched, changes) = values.commit()
        var touchedRegions: [TouchedObserver] = []
        if !regions.isEmpty {
            let (found, told) = regions.commit()
            touchedRegions = found
            changes.formUnion(told)
        }
        for id in early.commit() {
            add(values.touched(id, .database), to: &touched)
            add(regions.touched(id, .database), to: &touchedRegions)
        }
        if !wasCounted, countsAllCommits, wasAnnounced { changes.noteWholeDatabase() }
        let newcomers = ledger.append(changes).newcomers
        if !newcomers.isEmpty {
            touched = values.welcome(newcomers, at: changes, touched: touched)
            updateInterest()
        }
        let committer = fetches.isFetching ? fetches.didCommit() : nil
        if let committer { touched.removeAll { $0.id == committer } }
        if !transactionObservers.isEmpty {
            notifyTransactionObservers(ofCommitIn: db)
            updateInterest()
        }
        notify(StaleObservers(regions: touchedRegions, values: touched, changes: changes), db)
    }

    private func notifyTransactionObservers(ofCommitIn db: Database) {
        guard fetches.isFetching else { return transactionObservers.didCommit(db) }
        fetches.willNotifyTransactionObservers()
        defer { fetches.didNotifyTransactionObservers() }
        // The fetch does not observe what they read.
        db.withoutRecording { transactionObservers.didCommit(db) }
    }

    /// Any name may have another meaning.
    private func noteChangedDatabases() {
        hasChangedDatabases = false
        values.record(.database)
        regions.record(.database)
    }

    private func add(_ one: TouchedObserver?, to touched: inout [TouchedObserver]) {
        if let one, !touched.contains(where: { $0.id == one.id }) { touched.append(one) }
    }

    private func didRollback(_ db: Database) throws {
        forgetChanges(db)
        let stale = early.rollback().compactMap { values.touched($0, .database) }
        defer {
            updateInterest()
            notify(StaleObservers(values: stale), db)
            if hasChangedDatabases {
                noteChangedDatabases()
                tellRecorded(db)
            }
        }
        try transactionObservers.didRollback(db)
    }

    private func forgetChanges(_ db: Database) {
        values.rollback()
        regions.rollback()
        db.schemaMayHaveChangedBack()
    }

    /// Somebody else committed: anything may be different.
    func didCommitElsewhere(_ db: Database) {
        values.record(.database)
        regions.record(.database)
        tellRecorded(db)
    }

    /// Tells what was recorded outside of any transaction.
    private func tellRecorded(_ db: Database) {
        let (touched, changes) = values.commit()
        let newcomers = ledger.append(changes).newcomers
        let stale = values.welcome(newcomers, at: changes, touched: touched)
        notify(StaleObservers(regions: regions.commit().touched, values: stale, changes: changes), db)
    }

    /// A function behind `LIKE` or `GLOB` was replaced, here or on a connection that reads: what was observed by a prefix
    /// is observed without, and anything may be different.
    func forgetPrefixes(_ db: Database) {
        _ = ledger.forgetPrefixes()
        guard observerCount > 0 else { return }
        values.forgetPrefixes()
        regions.forgetPrefixes()
        guard isInTransaction || db.writingStatementCount > 0 else { return didCommitElsewhere(db) }
        values.record(.database)
        regions.record(.database)
    }
}

/// What the connection reports to. It refers weakly to its sink, and would make the retains and releases of the hub slower.
private final class HubSink: ChangeSink {
    unowned(unsafe) var hub: ChangeHub?

    func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest {
        hub?.rowInterest(in: table, kind) ?? .nothing
    }
    func didChange(_ event: ChangeEvent) { hub?.didChange(event) }
    func willCommit() -> Bool { hub?.willCommit() ?? true }
    func didRollback() { hub?.didRollback() }
}

/// What the hub must know about a statement: made once per compiled statement.
final class ObservedStatement {
    let access: StatementAccess
    let columns: StatementColumns
    let isReadOnly: Bool
    /// Whether its end can be the end of a transaction, or must be told for another reason.
    let mayEndTransaction: Bool
    private(set) lazy var region: DatabaseRegion = {
        let region = DatabaseRegion(reading: access)
        // To change the schema, the library reads the table that describes it: that is not what the statement is for.
        return access.changesSchema ? region.mapTables { $0.asSchemaTable == nil ? $0 : nil } : region
    }()
    private var knownConditions: RowConditionReport?
    let eventKinds: [DatabaseEventKind]

    init(_ access: StatementAccess) {
        self.access = access
        eventKinds = access.writes.map { DatabaseEventKind($0) }
        columns = StatementColumns(access)
        isReadOnly = access.isReadOnly
        mayEndTransaction = !access.isReadOnly || access.transactionEffect != nil
    }

    /// The conditions that rows must meet to make a difference to the statement, found when they are asked for.
    func conditions(of statement: any StorageStatement) -> RowConditionReport {
        if let knownConditions { return knownConditions }
        let conditions = statement.rowConditions
        knownConditions = conditions
        return conditions
    }
}
