import Synchronization
import VigilStorage

/// A bug that a backend could make.
enum PlantedBug: Sendable, CaseIterable {
    // Opening and watching
    case createsMissingDatabases
    case forgetsFiles
    case asksNoBusyHandler
    case neverHints
    case hintsAfterCancel

    // Connections
    case closesOnce
    case closesWithLiveStatements
    case leavesLocksBehind
    case ignoresReadOnlyMode
    case losesInterruptions
    case countsNoChanges
    case describesNoTable
    case inventsTables
    case listsTheTableOfTables
    case tokenCountsOwnCommits
    case tokenIsConstant

    // Transactions
    case survivesErrorsInSpiteOfItsCapabilities
    case excludesWritersInSpiteOfItsCapabilities
    case commitsNothing
    case commitsInsteadOfRollingBack
    case hidesTransactions
    case ignoresTransactionErrors
    case keepsNoSnapshot
    case readsAtBegin
    case forgetsSavepoints
    case quotesNoNames

    // Compiling
    case compilesBlanks
    case stopsAtNullCharacters
    case losesLaterStatements
    case ignoresConflictClauses
    case explainsNoErrors

    // Statements
    case confusesEmptyBlobWithNull
    case clearsBindingsAtReset
    case countsNoParameters
    case ignoresBadIndexes
    case hidesBindings
    case hidesColumnNames
    case hidesReadColumns
    case saysNothingAboutItself
    case runsOneStatementAtATime
    case ignoresReset
    case staysAtItsEnd
    case keepsFailing
    case swallowsConstraints
    case runsAgainAtEachStep
    case inventsConditions
    case inventsColumns
    case keepsOldConditions
    case plansInAnotherOrder
    case plansFindNoRows
    case plansLimitedResults
    case reusesDefinitions

    // Reports
    case losesDeletions
    case losesReplacedRows
    case losesCoarseReports
    case losesChanges
    case losesRollbacks
    case reportsOldKeyOnly
    case confusesKinds
    case reportsWithoutCause
    case reportsAllInterests
    case ignoresVeto
    case retainsSink
    case keepsReporting

    // Feeds
    case feedLosesCommits
    case feedReportsInvisibleCommits
    case feedSplitsCommits
    case feedReportsRollbacks
    case feedIgnoresCancel
}

/// A backend with one planted bug that otherwise forwards to another backend.
struct FaultyBackend: CommitFeeding {
    let base: any CommitFeeding
    let bug: PlantedBug
    private let feeds = FaultyFeeds()

    init(base: any CommitFeeding, bug: PlantedBug) {
        self.base = base
        self.bug = bug
    }

    var name: String { base.name }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        var options = options
        if bug == .asksNoBusyHandler { options.busyHandler = nil }
        if bug == .createsMissingDatabases { options.access = .create }
        let location = bug == .forgetsFiles ? .memory(name: nil) : location
        return FaultyConnection(try base.open(location, options: options), bug) { [feeds] in
            feeds.reportRollback()
        }
    }

    func watchForeignChanges(
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        if bug == .neverHints { return SilentWatch() }
        let watch = try base.watchForeignChanges(of: location, onHint: onHint)
        if bug == .hintsAfterCancel { return watch.map(DeafWatch.init) }
        return watch
    }
}

extension FaultyBackend {
    func commitFeed(
        of location: StorageLocation, options: StorageOptions, to receiver: any CommitFeedReceiver
    ) throws(StorageError) -> (any StorageCommitFeed)? {
        feeds.add(receiver)
        let feed = try base.commitFeed(
            of: location, options: options, to: FaultyReceiver(receiver, bug))
        return bug == .feedIgnoresCancel ? feed.map(DeafFeed.init) : feed
    }
}

/// The receivers of the feeds of a backend.
private final class FaultyFeeds: Sendable {
    private let receivers = Mutex<[any CommitFeedReceiver]>([])

    func add(_ receiver: any CommitFeedReceiver) { receivers.withLock { $0.append(receiver) } }

    /// Reports the insertion of a row that was rolled back.
    func reportRollback() {
        for receiver in receivers.withLock({ $0 }) {
            receiver.didChange(
                .row(
                    RowChange(
                        table: TableName(name: "player"), kind: .insert, oldKey: nil, newKey: .integer(1))))
            receiver.didCommit()
        }
    }
}

private final class FaultyReceiver: CommitFeedReceiver {
    private let target: any CommitFeedReceiver
    private let bug: PlantedBug

    init(_ target: any CommitFeedReceiver, _ bug: PlantedBug) {
        self.target = target
        self.bug = bug
    }

    func didChange(_ event: ChangeEvent) {
        if bug == .feedLosesCommits { return }
        target.didChange(event)
        if bug == .feedSplitsCommits { target.didCommit() }
    }

    func didCommit() { target.didCommit() }
    func stateDidChange(_ state: CommitFeedState) { target.stateDidChange(state) }
}

/// A feed that ignores `cancel()`.
private final class DeafFeed: StorageCommitFeed {
    private let base: any StorageCommitFeed

    init(_ base: any StorageCommitFeed) { self.base = base }

    func cancel() {}
}

private final class SilentWatch: StorageWatch {
    func cancel() {}
}

/// A watch that ignores `cancel()`.
private final class DeafWatch: StorageWatch {
    private let base: any StorageWatch

    init(_ base: any StorageWatch) { self.base = base }

    func cancel() {}
}
