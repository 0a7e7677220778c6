import Synchronization
import VigilRegions
import VigilStorage

/// Schedules the fetches of a pool's observers: all stale observers fetch together on one reader, in one
/// snapshot, except those whose fetches are slow, which fetch beside the others.
///
/// The writer notifies the host of stale observers, and continues. A commit during a fetch is not
/// missed: ``CommitLedger`` reports it when the observer registers the region that it has read.
final class PoolObservationHost: ObservationHost {
    /// A stale observer and the reason to fetch. It has no identifier before its initial fetch.
    private struct Stale: Sendable, Hashable {
        let observer: any CommitObserver
        let id: ObserverID?
        let reason: MatchReason?
        /// The last commit before the start, if the observer skips its initial value: all later ones must be reported
        /// to it.
        var start: CommitNumber?
        static func == (a: Stale, b: Stale) -> Bool { a.observer === b.observer }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(observer)) }
    }

    /// A fetch that must be repeated after a pause, because the server could not be read.
    private struct PostponedFetch {
        let stale: Stale
        let error: any Error
        let pause: Duration
    }

    private typealias RoundNumber = FetchRoundMachine<Stale>.RoundNumber

    private let machine: Mutex<FetchRoundMachine<Stale>>
    private let ledger: CommitLedger
    /// Matches the commits of the backend's feed; `nil` if the writer reports its own commits.
    private let feed: CommitFeedHub?
    private let writer: ConnectionAccess
    private let readers: ReaderPool
    /// The database file, `nil` if foreign changes are not observed.
    private let observedFile: (any StorageFile)?
    let log: ObservationLog?
    let observesChanges: Bool
    let readsEachCommit: Bool
    let registry = ObservationRegistry()
    private let perCommitFetcher: PerCommitFetcher
    private let timer: any ObservationTimer

    init(
        ledger: CommitLedger, feed: CommitFeedHub? = nil, writer: ConnectionAccess, readers: ReaderPool,
        observedFile: (any StorageFile)?, observesForeign: Bool, readsEachCommit: Bool,
        configuration: Configuration, timer: any ObservationTimer = DispatchTimer()
    ) {
        self.feed = feed
        self.timer = timer
        self.ledger = ledger
        self.writer = writer
        self.readers = readers
        machine = Mutex(FetchRoundMachine(readerCount: readers.capacity))
        self.observedFile = observedFile
        log = ObservationLog(configuration)
        observesChanges = feed != nil || !configuration.readonly || observesForeign
        self.readsEachCommit = feed == nil && readsEachCommit
        perCommitFetcher = PerCommitFetcher(ledger: ledger, writer: writer, readers: readers)
    }

    // MARK: - Host

    var coalesces: Bool { true }
    var allowsWritingFetches: Bool { feed == nil }
    var postponesFetches: Bool { true }

    var coarseReason: String? {
        switch feed?.feedState {
        case .starting: "the feed of commits is being connected"
        case .coarse(let reason): reason
        case .precise, nil: nil
        }
    }

    func route(_ mode: ObservationMachine.Mode) -> FetchRoute {
        switch mode {
        case .coalescing: .round
        case .eachCommit: .perCommit
        }
    }

    var lastCommit: CommitNumber { ledger.last }

    // The changes of a feed are not complete before their commit is visible.
    var listLedger: CommitLedger? { feed == nil ? ledger : nil }

    func scheduleFetch(_ observer: any CommitObserver, _ id: ObserverID?) {
        switch observer.route {
        case .writer:
            writer.async { [self] db in
                ifFileIsInPlace(observer) {
                    if let id {
                        db.writerFetcher?.fetchDeferred(id, db)
                    } else {
                        db.writerFetcher?.fetchAndRegister(observer, db)
                    }
                }
            }
        case .perCommit:
            writer.async { [self] db in ifFileIsInPlace(observer) { perCommitFetcher.fetch(observer, db) } }
        case .round:
            let start = id == nil ? observer.commitBeforeStart : nil
            let stale = Stale(observer: observer, id: id, reason: id.map { _ in .database }, start: start)
            becameStale([stale], isInitial: id == nil)
        }
    }

    func fetchNow(_ observer: any CommitObserver) {
        switch observer.route {
        case .writer:
            writer.reentrantSync { db in
                ifFileIsInPlace(observer) { db.writerFetcher?.fetchAndRegister(observer, db) }
            }
        case .perCommit:
            // No commit may occur between the initial fetch and the registration.
            writer.reentrantSync { db in
                ifFileIsInPlace(observer) { perCommitFetcher.fetchAndRegister(observer, db) }
            }
        case .round: fetchNowOnReader(observer)
        }
    }

    private func fetchNowOnReader(_ observer: any CommitObserver) {
        do {
            let lease = try readers.acquireInsideRead(asWriter: writer.isHeldByCaller)
            defer { readers.release(lease) }
            let postponed = lease.access.sync { db in
                var initial: Stale? = Stale(observer: observer, id: nil, reason: nil)
                return fetch(count: 1, db) { initial.take() }
            }
            // The caller waits for a value.
            for fetch in postponed { observer.fail(fetch.error) }
        } catch {
            observer.fail(error)
        }
    }

    /// Runs `body`, or ends the observation with an error if the database file was replaced or deleted.
    private func ifFileIsInPlace(_ observer: any CommitObserver, _ body: () -> Void) {
        do {
            try observedFile?.check()
        } catch {
            return observer.fail(error)
        }
        body()
    }

    // MARK: - Rounds

    func didCommit(_ changes: ChangeSet, _ matched: [MatchedObserver], _ db: Database) {
        var onWriter: [MatchedObserver] = []
        var eachCommit: [any CommitObserver] = []
        var stale: [Stale] = []
        for match in matched {
            switch match.route {
            case .writer: onWriter.append(match)
            case .perCommit: eachCommit.append(match.observer)
            case .round: stale.append(Stale(observer: match.observer, id: match.id, reason: match.reason))
            }
        }
        if !eachCommit.isEmpty || perCommitFetcher.needsEveryCommit {
            perCommitFetcher.didCommit(changes, eachCommit, db)
        }
        becameStale(stale)
        if !onWriter.isEmpty { db.writerFetcher?.fetch(onWriter, db) }
    }

    /// Fetches for the observers that a commit of the feed made stale.
    ///
    /// They are not disarmed: a registration could overtake that.
    func feedDidCommit(_ stale: StaleObservers, at commit: CommitNumber) {
        becameStale(
            stale.values.compactMap { match in
                switch match.observer.didChange(ObservationTrigger(commit: commit, match.change)) {
                case .fetch: Stale(observer: match.observer, id: match.id, reason: match.reason)
                case .wait, .disarm: nil
                }
            })
        guard !stale.regions.isEmpty else { return }
        let matched = stale.regions.map { Stale(observer: $0.observer, id: $0.id, reason: $0.reason) }
        writer.async { [self] db in
            for match in matched {
                let renewal = match.observer.fetchAndDeliver(db, at: commit, because: match.reason)
                if case .ended = renewal, let id = match.id { remove(id) }
            }
        }
    }

    /// Queues observers for the next round, and begins one if none is running and the rounds do not pause.
    private func becameStale(_ observers: [Stale], isInitial: Bool = false) {
        let (action, watches) = machine.withLock { machine in
            (
                machine.becameStale(observers, isInitial: isInitial),
                isInitial && machine.isFetching && machine.beginsWatch()
            )
        }
        perform(action)
        if watches { watch() }
    }

    /// Ends the pause between two rounds, if there is one.
    func endPause() {
        perform(machine.withLock { $0.endPause() })
    }

    private func perform(_ action: FetchRoundMachine<Stale>.Action) {
        switch action {
        case .none: break
        case .lease(let request): leaseReader(patience: request.patience)
        case .hurry: readers.roundsAreOverdue()
        case .pause(let duration, let pause):
            timer.schedule(after: duration) { [weak self] in
                guard let self else { return }
                perform(machine.withLock { $0.pauseDidEnd(pause) })
            }
        }
    }

    /// Leases a reader for a round, and fetches.
    ///
    /// - Parameter isSlow: whether the reader is for observers whose fetches are slow.
    private func leaseReader(patience: Duration, isSlow: Bool = false) {
        let waiter = readers.acquireForRound(isSlow: isSlow) { [self] result in
            switch result {
            case .success(let lease):
                lease.access.async { [self] db in
                    let round = isSlow ? beginSlowRound() : beginRound()
                    let postponed = fetch(round, db)
                    readers.release(lease)
                    endRound(round, postponed)
                }
            case .failure(let error):
                let round = isSlow ? beginSlowRound() : beginRound()
                let stale = machine.withLock { Array($0.rest(of: round)) }
                endRound(round, stale.compactMap { didNotFetch($0, error) })
            }
        }
        if let waiter { didNotLease(waiter, patience: patience, isSlow: isSlow) }
    }

    private func beginRound() -> RoundNumber {
        let now = timer.now
        let stale = machine.withLock { $0.beginRound(at: now) }
        let (observers, slow) = separateSlow(stale)
        // The only observation delays no other one.
        let mayDelayOthers = !observers.isEmpty && registry.count > 1
        let (round, watches) = machine.withLock { machine in
            (machine.startRound(observers, slow: slow), mayDelayOthers && machine.beginsWatch())
        }
        if watches { watch() }
        requestSlowReaders()
        return round
    }

    /// Separates the observers whose fetches are slow. Those that can share a fetch are in one group.
    private func separateSlow(_ stale: [Stale]) -> (observers: [Stale], slow: [[Stale]]) {
        guard stale.contains(where: { $0.observer.slowFetch != nil }) else { return (stale, []) }
        var (observers, groups, keys): ([Stale], [[Stale]], [FetchKey: Int]) = ([], [], [:])
        for stale in stale {
            guard let slow = stale.observer.slowFetch else {
                observers.append(stale)
                continue
            }
            if let key = slow.key, let group = keys[key] {
                groups[group].append(stale)
            } else {
                if let key = slow.key { keys[key] = groups.count }
                groups.append([stale])
            }
        }
        return (observers, groups)
    }

    private func beginSlowRound() -> RoundNumber {
        machine.withLock { $0.beginSlowRound() }
    }

    private func requestSlowReaders() {
        while machine.withLock({ $0.requestsSlowReader() }) {
            leaseReader(patience: RoundPacing.maximumAge, isSlow: true)
        }
    }

    /// Begins the next round if a fetch is running at the end of an interval that was running at its begin.
    private func watch() {
        timer.schedule(after: RoundPacing.slowFetch) { [weak self] in
            guard let self else { return }
            let now = timer.now
            let (action, continues) = machine.withLock { $0.watchDidFire(at: now) }
            perform(action)
            if continues { watch() }
        }
    }

    private func endRound(_ round: RoundNumber, _ postponed: [PostponedFetch]) {
        let reads = machine.withLock { $0.current == round } && readers.takeReadActivity()
        let now = timer.now
        perform(machine.withLock { $0.endRound(round, at: now, reads: reads) })
        requestSlowReaders()
        for (pause, fetches) in Dictionary(grouping: postponed, by: \.pause).sorted(by: { $0.key < $1.key }) {
            postpone(fetches.map(\.stale), for: pause)
        }
    }

    private func postpone(_ stale: [Stale], for pause: Duration) {
        let postponement = machine.withLock { $0.postpone(stale) }
        timer.schedule(after: pause) { [weak self] in
            guard let self else { return }
            perform(machine.withLock { $0.postponementDidEnd(postponement) })
        }
        // Closing the database has ended all pauses before this one began.
        if readers.isClosed { endPause() }
    }

    /// Bounds the time that a round waits for a reader.
    private func didNotLease(_ waiter: ReaderPoolMachine.Waiter, patience: Duration, isSlow: Bool) {
        // An observer may have started after the request was made and before it was known to wait.
        if patience == .zero || !isSlow && machine.withLock({ $0.isHurried }) {
            readers.roundsAreOverdue()
            return roundIsOverdue(waiter)
        }
        timer.schedule(after: patience) { [weak self] in
            self?.readers.roundsAreOverdue(waiter)
            self?.roundIsOverdue(waiter)
        }
    }

    private func roundIsOverdue(_ waiter: ReaderPoolMachine.Waiter) {
        guard readers.isWaiting(waiter) else { return }
        timer.schedule(after: RoundPacing.maximumWait) { [weak self] in
            self?.readers.roundIsLate(waiter)
            // A barrier may still be running.
            self?.roundIsOverdue(waiter)
        }
    }

    /// Postpones the fetch of an observation for which there was no reader or no snapshot, or ends the observation.
    ///
    /// - Returns: the fetch to repeat.
    private func didNotFetch(_ stale: Stale, _ error: any Error) -> PostponedFetch? {
        if readers.isClosed, stale.id != nil {
            // A closed database cannot change: the observation ends without an error.
            stale.observer.cancel()
        } else if error.isTransient, !readers.isClosed {
            let pause = stale.observer.postponeFetch(after: error)
            return pause.map { PostponedFetch(stale: stale, error: error, pause: $0) }
        } else {
            stale.observer.fail(error)
        }
        return nil
    }

    /// Fetches for the observers of a round, from one snapshot.
    private func fetch(_ round: RoundNumber, _ db: Database) -> [PostponedFetch] {
        let count = machine.withLock { $0.rest(of: round).count }
        guard count > 0 else { return [] }
        return fetch(count: count, db) { machine.withLock { $0.nextFetch(in: round) } }
    }

    /// Fetches for observers, from one snapshot.
    ///
    /// - Parameters:
    ///   - count: the number of observers, or more.
    ///   - next: returns the next observer.
    /// - Returns: the fetches to repeat.
    private func fetch(count: Int, _ db: Database, next: () -> Stale?) -> [PostponedFetch] {
        // Take the number before the snapshot: the snapshot contains all commits up to it, and perhaps later
        // ones.
        let commit = ledger.last
        let context = FetchContext(
            isInterruptible: true, detectsForeignCommits: ledger.detectsForeignCommits)
        var postponed: [PostponedFetch] = []
        do {
            try observedFile?.check()
            try db.inReadOnlySnapshot {
                db.sharingFetches(among: count, context) {
                    var index = 0
                    while let stale = next() {
                        // Otherwise a long round keeps a processor for a whole time slice of the system.
                        if index > 0, index.isMultiple(of: RoundPacing.fetchesBetweenYields) {
                            AccessThread.yield()
                        }
                        index += 1
                        if let fetch = fetch(stale, after: commit, db) { postponed.append(fetch) }
                    }
                }
            }
        } catch {
            // Observers that have fetched are not stale any more.
            let error = db.observationError(error)
            while let stale = next() {
                if let fetch = didNotFetch(stale, error) { postponed.append(fetch) }
            }
        }
        return postponed
    }

    /// Fetches for one observer.
    ///
    /// - Returns: the fetch, if it must be repeated.
    private func fetch(_ stale: Stale, after commit: CommitNumber, _ db: Database) -> PostponedFetch? {
        let result = stale.observer.fetch(db, at: commit, because: stale.reason)
        switch result.renewal {
        case .postponed(let error, let pause):
            return PostponedFetch(stale: stale, error: error, pause: pause)
        case .unchanged: result.deliver?()
        case .observes(let region): observe(region, stale, after: commit, deliver: result.deliver)
        case .ended:
            result.deliver?()
            if let id = stale.id { remove(id) }
        }
        return nil
    }

    /// Registers the region that an observer has read, and then delivers the value: a commit that reacts to the
    /// value is matched with the region. If a commit has modified the region since the snapshot, the observer is
    /// stale again.
    private func observe(
        _ region: DatabaseRegion, _ stale: Stale, after commit: CommitNumber, deliver: (@Sendable () -> Void)?
    ) {
        let id = stale.id ?? ledger.makeID()
        if stale.id == nil { stale.observer.willRegister(id) }
        let modification = ledger.register(
            .init(id: id, observer: stale.id == nil ? stale.observer : nil, region: region),
            after: stale.start ?? commit)
        if stale.id == nil {
            // The writer must report rows from now on. If it is busy, it only counts commits until it has
            // registered the observer.
            if let feed {
                feed.registerPending()
            } else {
                writer.async { $0.coordinator?.registerPending() }
            }
            stale.observer.didRegister(id)
            if modification != nil { stale.observer.initialValueIsOutdated() }
        }
        guard let modification else {
            stale.observer.didRegisterRegion()
            deliver?()
            return
        }
        // Before the value is delivered: afterwards, another round may already have fetched the commit. Later commits are
        // matched with the region.
        let answer = stale.observer.didChange(ObservationTrigger(commit: modification, .database))
        deliver?()
        if answer == .fetch { becameStale([Stale(observer: stale.observer, id: id, reason: .database)]) }
    }

    func remove(_ observer: any CommitObserver, _ id: ObserverID) {
        if observer.route == .perCommit { perCommitFetcher.remove(observer) }
        remove(id)
    }

    private func remove(_ id: ObserverID) {
        if let feed { return feed.unregister(id) }
        writer.async { $0.coordinator?.unregister(id) }
    }
}

extension Database {
    /// Connects the writer of a pool with the host of its observations.
    func attach(_ host: PoolObservationHost) {
        writerFetcher?.host = host
        // Later, a list could be fetched before the writer is ready.
        coordinator?.prepareLists(self)
    }
}
