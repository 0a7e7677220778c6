import Dispatch
import Synchronization
import VigilStorage

/// Checks for commits by other connections and processes when ``ForeignChangeMachine`` decides to.
///
/// Each check is a short access of the connection, which compares the backend's token (1.5 µs with SQLite).
/// Call ``observationWillBegin(_:)`` before the first fetch of an observer that will be registered with
/// ``CommitCoordinator``.
///
/// Its cost, measured on Linux with two virtual cores, a release build, SQLite and one observation:
/// - idle: 2.4 ms of processor time and 26 context switches in 30 s (`getrusage` before and after), for six
///   checks without a hint;
/// - continuous one-row writes by the app, compared with the same loop with `.ignored`: 1.04 to 1.10 times as
///   long, before the reports of writes were suspended, which took most of that time;
/// - from an `INSERT` in another process (Python, `synchronous=FULL`, 200 of them 30 to 50 ms apart) to the
///   callback: a median of 1.5 ms with a write-ahead log and 1.7 ms with a rollback journal, a maximum of 2.8
///   ms and 6.5 ms. The commit itself took 0.6 ms and 1.1 ms of that.
final class ForeignChangeWatcher: Sendable {
    private struct State {
        var machine = ForeignChangeMachine()
        var watches: [StorageLocation: any StorageWatch] = [:]
        var alarms = PauseAlarms<DispatchTime>()
        /// Whether the next check may run on the thread of its hint, because the last one was short.
        var checksOnHintThread = false
        /// Whether the last check found a commit in progress.
        var isCommitInProgress = false
    }

    /// The number of databases in the process with observed changes by others.
    private static let count = Atomic(0)
    /// The largest number of such databases whose checks share the thread of their hints. The checks of more
    /// run side by side.
    private static let sharingLimit = 4

    /// The longest check after which the next one may run on the thread of its hint.
    private static let shortCheck = Duration.milliseconds(2)

    /// The queue where pauses end. On the connection's queue, even pauses that have been superseded would
    /// delay accesses.
    private static let clock = DispatchQueue(label: "Vigil.ForeignChangeWatcher", qos: .userInitiated)

    private let backend: any StorageBackend
    private let location: StorageLocation
    private let access: ConnectionAccess
    private let state = Mutex(State())

    init(backend: any StorageBackend, location: StorageLocation, access: ConnectionAccess) {
        self.backend = backend
        self.location = location
        self.access = access
        Self.count.add(1, ordering: .relaxed)
    }

    deinit { Self.count.subtract(1, ordering: .relaxed) }

    /// Begins to check for foreign changes, unless it does so already. Call this method inside an access,
    /// before a new observer fetches.
    ///
    /// - Throws: `DatabaseError` if the database file was replaced or deleted.
    func observationWillBegin(_ db: Database) throws {
        guard let coordinator = db.coordinator, db.connection.capabilities.hasForeignChangeToken else {
            return
        }
        let locations = sharedLocations(db)
        if locations.isEmpty { return }
        try db.checkObservedFile()
        guard state.withLock({ $0.machine.isDormant }) else {
            watchFiles(locations)
            return recordToken(db, coordinator)
        }
        // Watch first, then take the token, and then check: no change can be missed in between.
        let isWatched = watchFiles(locations)
        recordToken(db, coordinator)
        advance { $0.begin(hasHints: isWatched) }
    }

    /// Watches other files, because databases were attached or detached. All observers fetch afterwards.
    func databasesDidChange(_ db: Database) {
        guard let coordinator = db.coordinator, coordinator.needsForeignChanges else { return }
        let locations = sharedLocations(db)
        let isWatched = watchFiles(locations)
        // After a rollback, the observers would not fetch, and commits that the token counts would be missed.
        if !db.isInsideTransaction { db.takeToken() }
        advance { machine in
            if machine.isDormant { return locations.isEmpty ? nil : machine.begin(hasHints: isWatched) }
            machine.setHasHints(isWatched)
            return nil
        }
    }

    /// Returns the locations of the databases that other connections can change.
    private func sharedLocations(_ db: Database) -> [StorageLocation] {
        let attached = (try? db.embedded?.attachedLocations()) ?? []
        if case .memory(name: nil) = location { return attached }
        // A relative path may name another file by now: the process can change its working directory.
        return [db.foreignChanges.file?.location ?? location] + attached
    }

    /// Watches only the files of the databases. Returns whether it watches all; if not, checks are periodic.
    @discardableResult
    private func watchFiles(_ locations: [StorageLocation]) -> Bool {
        let (missing, ended) = state.withLock { state in
            let ended = state.watches.keys.filter { !locations.contains($0) }
            return (
                locations.filter { state.watches[$0] == nil },
                ended.compactMap { state.watches.removeValue(forKey: $0) }
            )
        }
        for watch in ended { watch.cancel() }
        for location in missing {
            guard let watch = watchFile(location) else { continue }
            let isEnded = state.withLock { state in
                if !state.machine.isStopped { state.watches[location] = watch }
                return state.machine.isStopped
            }
            if isEnded { watch.cancel() }
        }
        return state.withLock { state in locations.allSatisfy { state.watches[$0] != nil } }
    }

    private func watchFile(_ location: StorageLocation) -> (any StorageWatch)? {
        do throws(StorageError) {
            return try backend.watchForeignChanges(of: location) { [weak self] in
                self?.advance { $0.didReceiveHint() }
            }
        } catch {
            ErrorLog.report(
                ResultCode(rawValue: error.code.rawValue),
                "the database file cannot be watched, and is checked periodically: \(error.message)")
            return nil
        }
    }

    /// Takes the current token, so that a new observer is not notified of changes that its first fetch
    /// contains.
    private func recordToken(_ db: Database, _ coordinator: CommitCoordinator) {
        if coordinator.needsForeignChanges {
            // The check that follows reports a failure again.
            var error: (any Error)?
            _ = db.noticeForeignChange(&error)
        } else {
            db.takeToken()
        }
    }

    func stop() {
        endWatch { $0.stop() }
    }

    private func endWatch(_ change: (inout ForeignChangeMachine) -> Void = { _ in }) {
        let watches = state.withLock { state in
            change(&state.machine)
            defer { state.watches = [:] }
            return state.watches.values
        }
        for watch in watches { watch.cancel() }
    }

    private func advance(_ change: (inout ForeignChangeMachine) -> ForeignChangeMachine.Action?) {
        run(state.withLock { change(&$0.machine) })
    }

    private func run(_ action: ForeignChangeMachine.Action?) {
        switch action {
        case .check: runCheck()
        case .pause(let duration, let number):
            setAlarm(state.withLock { $0.alarms.begin(until: duration.fromNow, number: number) })
        case .endWatch: endWatch()
        // `check`, which has the error, ends observations.
        case .endObservations, nil: break
        }
    }

    /// Checks on the thread of the hint or of the pause, unless it may take long, or run fetches of the
    /// program: other databases share this thread. Waking another one takes a fifth of the processor time of
    /// a commit (bench: foreign-rows).
    private func runCheck() {
        let (isAllowed, isCommitInProgress) = state.withLock {
            ($0.checksOnHintThread, $0.isCommitInProgress)
        }
        // The first write of a commit gives the hint, and the commit ends soon after it.
        var waits = isCommitInProgress ? 0 : 2
        while isAllowed, access.isFree, !ConnectionAccess.isAnyHeldByCaller,
            Self.count.load(ordering: .relaxed) <= Self.sharingLimit
        {
            let isDecided = access.sync { db in
                db.coordinator?.fetchesHere == false ? check(db, awaitsCommit: waits > 0) : nil
            }
            guard let isDecided else { break }
            if isDecided { return }
            waits -= 1
            AccessThread.yield(for: .microseconds(50))
        }
        access.async { [weak self] db in self?.check(db) }
    }

    private func setAlarm(_ time: DispatchTime?) {
        guard let time else { return }
        Self.clock.asyncAfter(deadline: time) { [weak self] in self?.alarmDidFire(time) }
    }

    private func alarmDidFire(_ time: DispatchTime) {
        let (ended, alarm) = state.withLock { $0.alarms.alarmDidFire(time) }
        setAlarm(alarm)
        if let ended { advance { $0.pauseDidEnd(ended) } }
    }

    /// - Parameter awaitsCommit: Whether to leave the decision to the next check if a commit is in progress.
    /// - Returns: Whether the check has decided when the next one follows.
    @discardableResult
    private func check(_ db: Database, awaitsCommit: Bool = false) -> Bool {
        let begin = ContinuousClock.now
        var error: (any Error)?
        let result = db.noticeForeignChange(&error)
        let commits = db.connection as? any ForeignCommitReading
        let isKnown = result == .unchanged || result == .changed
        let waits = result == .changed && commits?.logWaitsForReaders() == true
        let isInProgress = isKnown ? commits?.hasCommitInProgress : nil
        if awaitsCommit, result == .unchanged, isInProgress == true { return false }
        // Without a log, a check can wait for the lock of another program. A target queue may be busy.
        let isHarmless =
            commits?.foreignCommitState == .precise && db.configuration.writerTargetQueue == nil
        let action = state.withLock { state in
            state.isCommitInProgress = isInProgress == true
            state.checksOnHintThread = isHarmless && begin.duration(to: .now) <= Self.shortCheck
            return state.machine.didCheck(result, logWaitsForReaders: waits, isInProgress: isInProgress)
        }
        if action == .endObservations {
            if let error { db.coordinator?.endObservations(error) }
            advance { $0.didEndObservations() }
        } else {
            run(action)
        }
        return true
    }
}

extension CommitCoordinator {
    /// Whether observers may fetch on this connection.
    fileprivate var fetchesHere: Bool { hasWritingObserver || notifier.host?.fetchesOnWriter == true }
}

/// The part of a connection in the detection of commits by others. Empty if it is disabled.
struct ForeignChangeDetection {
    /// Checks for foreign commits. It must be called before an observation reads for the first time.
    var observationWillBegin: ((Database) throws -> Void)?
    /// Watches the files of other databases. It must be called after databases were attached or detached,
    /// before observations read.
    var databasesDidChange: ((Database) -> Void)?
    var file: (any StorageFile)?
    /// The token of the last check for foreign commits.
    var token: Int64?
    /// Whether the rows changed by other connections are known, as of the last check.
    var precision: CommitPrecision?
    /// Whether the last check found commits, and failed before it notified all observers.
    var mustNotifyAll = false
    /// The first value of ``ownCommitsToExclude`` after commits of others.
    static let exclusionLimit = 1000
    /// The number of own commits to exclude one by one from the next search for commits of others. Without
    /// commits of others, checks after hints exclude all of them.
    var ownCommitsToExclude = 0

    /// Prepares for the next check.
    fileprivate func didCheck(_ commits: (any ForeignCommitReading)?) {
        commits?.prepareForForeignCommits()
        precision?.didChange(
            to: commits?.foreignCommitState ?? .coarse(reason: "the backend does not report the rows"))
    }
}

extension ConnectionAccess {
    /// Calls the watcher's `observationWillBegin` before an observer fetches for the first time.
    func announceObservations(to watcher: ForeignChangeWatcher) {
        sync { [weak watcher] db in
            db.foreignChanges.observationWillBegin = { [weak watcher] db in
                try watcher?.observationWillBegin(db)
            }
            db.foreignChanges.databasesDidChange = { [weak watcher] db in watcher?.databasesDidChange(db) }
        }
    }

    /// Identifies the open file, to detect its replacement; `nil` if the backend cannot, or without a file.
    ///
    /// - Throws: `DatabaseError` if the file cannot be identified.
    func identifyFile() throws -> (any StorageFile)? {
        try sync { db in
            try db.storage { () throws(StorageError) in try db.embedded?.openFile() }
        }
    }
}

extension StorageFile {
    /// Throws `DatabaseError` if the file was replaced or deleted.
    func check() throws {
        do throws(StorageError) {
            try checkIsInPlace()
        } catch {
            throw DatabaseError(error)
        }
    }
}

extension Database {
    /// Checks that the file was neither replaced nor deleted, if foreign changes are observed.
    func checkObservedFile() throws {
        try foreignChanges.file?.check()
    }

    /// Compares the token with the one of the last check, and notifies the observers if it differs.
    ///
    /// - Parameter failure: Set to the error, for ``ForeignChangeMachine/CheckResult/failed`` and
    ///   ``ForeignChangeMachine/CheckResult/fileMoved``.
    func noticeForeignChange(_ failure: inout (any Error)?) -> ForeignChangeMachine.CheckResult {
        guard !isClosed, let coordinator, coordinator.needsForeignChanges else { return .unobserved }
        do {
            // If the file was replaced, the journal next to it does not belong to the open file. With write
            // access, reading would roll it back and delete it.
            try checkObservedFile()
            let commits = connection as? any ForeignCommitReading
            if foreignChanges.token != nil, !foreignChanges.mustNotifyAll,
                commits?.knowsCurrentState == true
            {
                return .unchanged
            }
            if !isInsideTransaction { commits?.markCommits() }
            // An open transaction does not see commits of other connections.
            guard !isInsideTransaction, let state = try sharedState() else { return .unknown }
            guard state.token != foreignChanges.token else {
                commits?.skipMarkedCommits()
                foreignChanges.didCheck(commits)
                return .unchanged
            }
            if try foreignChanges.mustNotifyAll || !notifyOfForeignRows(coordinator, commits, after: state) {
                // After an error, the commits count as known: the next check must not look for their rows.
                foreignChanges.mustNotifyAll = true
                try inForeignChangeSnapshot(coordinator) { try notifyOfForeignChange(coordinator) }
                foreignChanges.mustNotifyAll = false
            }
            foreignChanges.ownCommitsToExclude = ForeignChangeDetection.exclusionLimit
            foreignChanges.didCheck(commits)
            return .changed
        } catch {
            failure = error
            return ForeignChangeMachine.CheckResult(error)
        }
    }

    /// Treats a commit of this connection as known, so that it is not reported again with commits of others.
    func excludeOwnCommit() {
        guard foreignChanges.ownCommitsToExclude > 0, let token = foreignChanges.token,
            !foreignChanges.mustNotifyAll, !isInsideTransaction,
            let commits = connection as? any ForeignCommitReading
        else { return }
        foreignChanges.ownCommitsToExclude -= 1
        commits.markCommits()
        // Otherwise, a commit of others is among the marked ones, and the next check reports all of them.
        if (try? sharedState())?.token == token { commits.skipMarkedCommits() }
    }

    /// Takes the token before all observers are notified of a change of the whole database: the snapshots of
    /// their fetches contain all commits that the token counts.
    fileprivate func takeToken() {
        let commits = connection as? any ForeignCommitReading
        commits?.markCommits()
        guard let state = try? sharedState() else { return }
        foreignChanges.token = state.token
        commits?.skipMarkedCommits()
    }

    /// Notifies the observers of the commits up to a state, and possibly of later ones.
    ///
    /// No snapshot is held while the changes are read: it would keep the log from beginning again.
    ///
    /// - Returns: Whether the rows of the commits are known.
    /// - Throws: An error if the fetches cannot begin. The commits are then a change of the whole database.
    private func notifyOfForeignRows(
        _ coordinator: CommitCoordinator, _ commits: (any ForeignCommitReading)?, after state: SharedState
    ) throws -> Bool {
        guard let commits, let state = recordRows(of: commits, after: state, coordinator) else {
            return false
        }
        do {
            try inForeignChangeSnapshot(coordinator) {
                foreignChanges.token = state.token
                coordinator.didCommitElsewhere(self, state: state)
            }
        } catch {
            coordinator.forgetChangesElsewhere()
            foreignChanges.mustNotifyAll = true
            throw error
        }
        return true
    }

    /// Notifies the observers of a change of the whole database.
    private func notifyOfForeignChange(_ coordinator: CommitCoordinator) throws {
        let state = try sharedState()
        foreignChanges.token = state?.token
        schemaDidChange()
        coordinator.didChangeElsewhere(.database)
        coordinator.didCommitElsewhere(self, state: state)
    }

    /// Returns the error that ends an observation after its fetch failed.
    ///
    /// If the database file was replaced or deleted, the error reports that instead: the fetch may have
    /// failed because it read a journal that does not belong to the open file.
    func observationError(_ error: any Error) -> any Error {
        do {
            try checkObservedFile()
            return error
        } catch let replacement {
            return replacement
        }
    }

    /// Returns whether another program has locked a database with observed foreign changes, for a moment.
    func isLockedElsewhere(_ error: any Error) -> Bool {
        foreignChanges.precision != nil && (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
            || isTableLockedElsewhere(error)
    }

    /// Returns the same for a table of shared memory. There, each statement of a transaction takes its own
    /// locks, and the library waits for none.
    func isTableLockedElsewhere(_ error: any Error) -> Bool {
        foreignChanges.precision != nil
            && (error as? DatabaseError)?.extendedResultCode == .SQLITE_LOCKED_SHAREDCACHE
    }

    /// Runs `body` in a snapshot with the new token, if observers fetch on this connection.
    /// Otherwise another program could lock the database between the token and the fetches, and they would be
    /// repeated after pauses.
    private func inForeignChangeSnapshot(_ coordinator: CommitCoordinator, _ body: () throws -> Void) throws {
        guard coordinator.fetchesHere else { return try body() }
        // A transaction that began as a reader cannot wait for the write lock.
        guard coordinator.hasWritingObserver else { return try inReadOnlySnapshot(body) }
        try inReadOnlySnapshot {}
        try body()
    }
}

extension ForeignChangeMachine.CheckResult {
    /// Classifies the error of a check.
    init(_ error: any Error) {
        guard let error = error as? DatabaseError else {
            // The access was cancelled.
            self = .unknown
            return
        }
        switch error.extendedResultCode {
        case .SQLITE_READONLY_DBMOVED: self = .fileMoved
        // Nothing can be committed until another connection recovers the database, but the last commit before
        // the process died may not have been observed.
        case .SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY, .SQLITE_READONLY_CANTINIT:
            self = .unrecovered
        default:
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_INTERRUPT, .SQLITE_ABORT: self = .unknown
            default: self = .failed
            }
        }
    }
}
