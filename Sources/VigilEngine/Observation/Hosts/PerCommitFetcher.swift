import Synchronization
import VigilRegions

/// Fetches once per commit, in commit order, for the observers of a pool with `coalescing(.never)`.
///
/// After a commit, the writer waits until a reader has begun a snapshot of it, and continues. The snapshots
/// are read one after the other, so values are delivered in commit order. If no reader is idle, the writer
/// fetches itself: it never waits for a reader to become idle.
final class PerCommitFetcher: Sendable {
    private typealias QueuedFetch = PerCommitFetchMachine<StaleObserver>.QueuedFetch

    private struct Round: Sendable {
        let commit: CommitNumber
        let changes: ChangeSet
        let fetches: [QueuedFetch]
        let source: Source
        /// Whether the fetches repeat fetches that were not possible. They are needed only if none was
        /// possible in the rounds in between.
        let isRepetition: Bool
    }

    private enum Source: Sendable {
        /// A leased reader with a snapshot of the commit.
        case reader(ReaderPool.Lease, detectsForeignCommits: Bool)
        /// The values fetched by the writer, in the order of the fetches.
        case fetched([ObserverFetch])
    }

    /// The rounds before their begin, in commit order.
    ///
    /// Their number is not limited. At most as many rounds as the pool has readers hold a snapshot; the
    /// others hold values fetched by the writer. `coalescing(.never)` promises one value for each commit, so
    /// none of them can be dropped. To wait instead would make the writer wait for the observers' fetches,
    /// and these may in turn wait for the writer. An observation with a slower consumer must coalesce.
    private struct Rounds: Sendable {
        private var added: [Round] = []
        /// The first rounds, in reverse order.
        private var first: [Round] = []

        mutating func append(_ round: Round) { added.append(round) }

        mutating func popFirst() -> Round? {
            if first.isEmpty {
                first = added.reversed()
                added = []
            }
            return first.popLast()
        }
    }

    /// An observer after its first fetch, with its last region.
    private struct Registered: Sendable {
        let stale: StaleObserver
        var region: DatabaseRegion
    }

    private struct State {
        var machine = PerCommitFetchMachine<StaleObserver>()
        var rounds = Rounds()
        var isBusy = false
        var registered: [StaleObserver: Registered] = [:]
        /// The observers whose last fetch, in the order of the rounds, was not possible.
        var postponed: Set<StaleObserver> = []
    }

    private let state = Mutex(State())
    private let ledger: CommitLedger
    private let writer: ConnectionAccess
    private let readers: ReaderPool
    private let timer: any ObservationTimer

    init(
        ledger: CommitLedger, writer: ConnectionAccess, readers: ReaderPool, timer: any ObservationTimer
    ) {
        self.ledger = ledger
        self.writer = writer
        self.readers = readers
        self.timer = timer
    }

    // MARK: - On the writer

    /// Whether there are observers of each commit.
    var isUsed: Bool { state.withLock { !$0.registered.isEmpty || $0.machine.hasPendingRegions } }

    /// Whether the fetcher must be notified of every commit, including commits without a match.
    var needsEveryCommit: Bool { state.withLock { $0.machine.hasPendingRegions } }

    /// Fetches a commit for the stale observers, also for observers with an unknown region.
    func didCommit(_ changes: ChangeSet, _ stale: [StaleObserver], on db: Database) {
        let commit = ledger.last
        add(state.withLock { $0.machine.queue(matches: stale, at: commit) }, at: commit, changes, on: db)
    }

    /// Fetches for a new observer, registers it, and then returns. This runs on the writer, so no commit can
    /// occur between the fetch and the registration.
    func fetchNow(_ observer: any CommitObserver, on db: Database) {
        let fetch = WriterFetch(db) { [self] stale, region in
            state.withLock { $0.registered[stale] = Registered(stale: stale.again, region: region) }
        }
        fetch?.runInitial(observer)
    }

    /// Fetches the last commit for one observer: for the first time, or because an earlier fetch was not
    /// possible.
    ///
    /// - Parameter id: the observer's registration; `nil` before its initial fetch.
    func scheduleFetch(_ observer: any CommitObserver, _ id: ObserverID?, on db: Database) {
        scheduleFetch(
            StaleObserver(observer, id: id ?? ledger.makeID(), change: id.map { _ in .database }), on: db)
    }

    private func scheduleFetch(_ stale: StaleObserver, isRepetition: Bool = false, on db: Database) {
        let commit = ledger.last
        add(
            [state.withLock { $0.machine.queue(stale, at: commit) }], at: commit, .wholeDatabase,
            isRepetition: isRepetition, on: db)
    }

    private func add(
        _ fetches: [QueuedFetch], at commit: CommitNumber, _ changes: ChangeSet, isRepetition: Bool = false,
        on db: Database
    ) {
        guard !fetches.isEmpty else { return }
        let source = source(of: fetches, at: commit, on: db)
        let begins = state.withLock { state in
            state.rounds.append(
                Round(
                    commit: commit, changes: changes, fetches: fetches, source: source,
                    isRepetition: isRepetition))
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if begins { processRounds() }
    }

    /// Leases an idle reader and begins a snapshot of the commit, or fetches on the writer if all are busy.
    ///
    /// The writer does not fetch in an open transaction, perhaps left by another access: its rows are not
    /// committed.
    private func source(of fetches: [QueuedFetch], at commit: CommitNumber, on db: Database) -> Source {
        if let lease = readers.acquireIfIdle() {
            do {
                let detects = ledger.detectsForeignCommits
                try lease.access.sync { try $0.beginSnapshot() }
                return .reader(lease, detectsForeignCommits: detects)
            } catch {
                readers.release(lease)
            }
        }
        let isUncommitted = db.isInsideWritingTransaction && db.transactionMayHaveChanges
        return .fetched(
            db.sharingFetches(among: 1, FetchContext(isRepeatable: true)) {
                fetches.map { queued in
                    let stale = current(queued.observer)
                    if isUncommitted { return postpone(stale) }
                    return stale.observer.fetch(db, at: commit, because: stale.change)
                }
            })
    }

    private func postpone(_ stale: StaleObserver) -> ObserverFetch {
        let error = DatabaseError.transactionIsOpen
        guard let pause = stale.observer.postponeFetch(after: error) else {
            return ObserverFetch(renewal: .ended)
        }
        return ObserverFetch(renewal: .postponed(error, pause: pause))
    }

    // MARK: - On readers

    /// Processes the queued rounds until there are none, or until the next one continues on a reader.
    private func processRounds() {
        while let round = nextRound() {
            switch round.source {
            case .reader(let lease, let detects):
                return process(round, on: lease, detectsForeignCommits: detects)
            case .fetched(let results):
                for (queued, result) in zip(round.fetches, results) {
                    let wasUsed = run(queued, of: round) { stale in
                        didRun(stale, finish(result, for: stale, at: round.commit))
                    }
                    // The observer waits for the repetition, whether the commit concerns it or not.
                    guard !wasUsed, case .postponed(let error, let pause) = result.renewal else { continue }
                    let stale = current(queued.observer)
                    didRun(stale, PostponedFetch(stale: stale, error: error, pause: pause))
                }
            }
        }
    }

    private func nextRound() -> Round? {
        state.withLock { state in
            let round = state.rounds.popFirst()
            if round == nil { state.isBusy = false }
            return round
        }
    }

    /// Processes a round on the reader with its snapshot, and then the rounds after it.
    private func process(_ round: Round, on lease: ReaderPool.Lease, detectsForeignCommits: Bool) {
        lease.access.async { [self] db in
            let context = FetchContext(
                isInterruptible: true, isRepeatable: true, detectsForeignCommits: detectsForeignCommits,
                ledger: ledger)
            let fetch = ObservationFetch(db: db, commit: round.commit, registrar: self)
            db.sharingFetches(among: round.fetches.count, context) {
                for queued in round.fetches {
                    _ = run(queued, of: round) { stale in
                        // An error in another observer's fetch may have ended the transaction: the connection
                        // would now read a later commit.
                        guard db.isInsideTransaction else {
                            stale.observer.fail(DatabaseError.snapshotIsLost)
                            return remove(stale)
                        }
                        didRun(stale, fetch.run(stale))
                    }
                }
            }
            db.endSnapshot()
            readers.release(lease)
            processRounds()
        }
    }

    /// Returns the observer of a fetch, with the reason to fetch: the initial fetch before its registration.
    private func current(_ stale: StaleObserver) -> StaleObserver {
        state.withLock { $0.registered[stale]?.stale } ?? stale
    }

    /// Runs a queued fetch, if the machine decides that the commit modified the observer's region. Returns
    /// whether it did.
    private func run(_ queued: QueuedFetch, of round: Round, _ fetch: (StaleObserver) -> Void) -> Bool {
        defer { state.withLock { $0.machine.didEnd(queued) } }
        let shouldFetch = state.withLock { state in
            if round.isRepetition, !state.postponed.contains(queued.observer) { return false }
            let region = state.registered[queued.observer]?.region
            return state.machine.shouldFetch(queued) {
                region.map { ledger.trusted($0).isModified(by: round.changes) } ?? true
            }
        }
        guard shouldFetch else { return false }
        if !queued.isMatched {
            let trigger = ObservationTrigger(commit: round.commit, .database)
            guard queued.observer.observer.didChange(trigger) == .fetch else { return false }
        }
        fetch(current(queued.observer))
        return true
    }

    /// Handles the end of a fetch. If it was not possible, fetches the last commit after a pause, unless a
    /// fetch in the rounds until then was possible. The writer fetches earlier than the rounds before, so the
    /// observer itself does not know.
    private func didRun(_ stale: StaleObserver, _ postponed: PostponedFetch?) {
        guard let postponed else {
            _ = state.withLock { $0.postponed.remove(stale) }
            return
        }
        state.withLock { _ = $0.postponed.insert(stale) }
        timer.schedule(after: postponed.pause) { [weak self] in
            guard let self else { return }
            writer.async { [self] db in
                let stale = current(stale)
                // The registered observers of a closed database have been cancelled.
                if db.isClosed, !stale.isInitial { return }
                scheduleFetch(stale, isRepetition: true, on: db)
            }
        }
    }

    // MARK: - End

    /// Removes an observer after its end. It may have no queued fetches.
    func remove(_ stale: StaleObserver) {
        let registered = state.withLock { state in
            state.machine.remove(stale)
            state.postponed.remove(stale)
            return state.registered.removeValue(forKey: stale)
        }
        if let id = registered?.stale.id { writer.async { $0.coordinator?.unregister(id) } }
    }
}

extension PerCommitFetcher: FetchRegistrar {
    /// Registers the region if it differs from the previous one. Later fetches find out whether a commit in
    /// between has modified it.
    func register(_ region: DatabaseRegion, of stale: StaleObserver, at commit: CommitNumber) -> Bool {
        let registered = state.withLock { $0.registered[stale] }
        if registered?.region == region { return false }
        let isFirst = registered == nil
        // An observer that ends during a fetch is removed, and must not be registered again.
        guard !isFirst || stale.isInitial else { return false }
        let last = ledger.register(
            .init(id: stale.id, observer: isFirst ? stale.observer : nil, region: region))
        state.withLock { state in
            guard isFirst || state.registered[stale] != nil else { return }
            state.registered[stale] = Registered(stale: stale.again, region: region)
            state.machine.didRegister(stale, after: last)
        }
        if isFirst {
            writer.async { $0.coordinator?.registerPending() }
            stale.observer.didRegister(stale.id)
        }
        return false
    }

    func fetchAgain(_ stale: StaleObserver) {}

    func unregister(_ stale: StaleObserver) { remove(stale) }
}

extension DatabaseError {
    fileprivate static var transactionIsOpen: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "no reader is idle, and the writer has an open transaction with uncommitted changes")
    }

    fileprivate static var snapshotIsLost: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT_ROLLBACK,
            message: "the state of the commit is lost: an error ended the read transaction that held it")
    }
}
