import VigilStorage

/// A mistake that a backend could make.
enum Mistake: Sendable, CaseIterable {
    // Opening and watching
    case createsMissingDatabases
    case forgetsFiles
    case asksNoBusyHandler
    case neverSigns
    case signsAfterCancel

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
    case failsForEver
    case swallowsConstraints
    case readsAnewAtEachStep
    case inventsConditions
    case inventsColumns
    case keepsOldConditions
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
}

/// A backend with one planted mistake that otherwise forwards to another backend.
struct FaultyBackend: StorageBackend {
    let base: any StorageBackend
    let mistake: Mistake

    var name: String { base.name }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        var options = options
        if mistake == .asksNoBusyHandler { options.busyHandler = nil }
        if mistake == .createsMissingDatabases { options.access = .create }
        let location = mistake == .forgetsFiles ? .memory(name: nil) : location
        return FaultyConnection(try base.open(location, options: options), mistake)
    }

    func watchForeignChanges(
        of location: StorageLocation, onSign: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        if mistake == .neverSigns { return SilentWatch() }
        let watch = try base.watchForeignChanges(of: location, onSign: onSign)
        if mistake == .signsAfterCancel { return watch.map(DeafWatch.init) }
        return watch
    }
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
