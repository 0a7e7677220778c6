import Synchronization
import VigilRegions
import VigilStorage

/// Schedules the fetches of a pool's observers: all stale observers fetch together on one reader, in one
/// snapshot. Slow fetches run beside them.
///
/// The writer notifies the host of stale observers, and continues. A commit during a fetch is not missed:
/// ``CommitLedger`` reports it when the observer registers the region of the fetch.
final class PoolObservationHost: ObservationHost {
    private typealias RoundNumber = FetchRoundMachine<StaleObserver>.RoundNumber

    private let machine: Mutex<FetchRoundMachine<StaleObserver>>
    private let ledger: CommitLedger
    /// Matches the commits of the backend's feed; `nil` if the writer reports its own commits.
    private let feed: FeedCoordinator?
    private let writer: ConnectionAccess
    private let readers: ReaderPool
    /// The database file, `nil` if foreign changes are not observed.
    private let observedFile: (any StorageFile)?
    let log: ObservationLog?
    let precision: CommitPrecision?
    let observesChanges: Bool
    let readsEachCommit: Bool
    let registry: ObservationRegistry
    private let perCommitFetcher: PerCommitFetcher
    private let timer: any ObservationTimer

    init(
        ledger: CommitLedger, feed: FeedCoordinator? = nil, writer: ConnectionAccess, readers: ReaderPool,
        observedFile: (any StorageFile)?, precision: CommitPrecision?, readsEachCommit: Bool,
        configuration: Configuration, log: ObservationLog?, timer: any ObservationTimer = DispatchTimer()
    ) {
        self.feed = feed
        self.timer = timer
        self.ledger = ledger
        self.writer = writer
        self.readers = readers
        machine = Mutex(FetchRoundMachine(readerCount: readers.capacity))
        self.observedFile = observedFile
        self.log = log
        registry = ObservationRegistry(configuration)
        self.precision = precision
        observesChanges = !configuration.readonly || precision != nil
        self.readsEachCommit = feed == nil && readsEachCommit
        perCommitFetcher = PerCommitFetcher(
            ledger: ledger, writer: writer, readers: readers, timer: timer)
    }

    // MARK: - Host

    var coalesces: Bool { true }
    var allowsWritingFetches: Bool { feed == nil }
    var fetchesOnWriter: Bool { perCommitFetcher.isUsed }

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
        fetch(for: observer, id, waits: false)
    }

    func repeatFetches(of ids: [ObserverID], after pause: Duration) {
        timer.schedule(after: pause) { [weak self] in
            self?.writer.async { db in WriterFetch(db)?.runPostponed(ids) }
        }
    }

    func fetchNow(_ observer: any CommitObserver) { fetch(for: observer, nil, waits: true) }

    private func fetch(for observer: any CommitObserver, _ id: ObserverID?, waits: Bool) {
        switch observer.route {
        case .writer:
            onWriter(observer, waits: waits) { db in
                if let id {
                    WriterFetch(db)?.runDeferred([id])
                } else {
                    WriterFetch(db)?.runInitial(observer)
                }
            }
        case .perCommit:
            onWriter(observer, waits: waits) { [perCommitFetcher] db in
                // The observers of a closed database are cancelled outside of its accesses.
                if db.isClosed, id != nil { return }
                if waits {
                    perCommitFetcher.fetchNow(observer, on: db)
                } else {
                    perCommitFetcher.scheduleFetch(observer, id, on: db)
                }
            }
        case .round:
            if waits { return fetchNowOnReader(observer) }
            becameStale(
                [StaleObserver(observer, id: id ?? ledger.makeID(), change: id.map { _ in .database })],
                isInitial: id == nil)
        }
    }

    private func fetchNowOnReader(_ observer: any CommitObserver) {
        do {
            let lease = try readers.acquireInsideRead(asWriter: writer.isHeldByCaller)
            defer { readers.release(lease) }
            let stale = StaleObserver(observer, id: ledger.makeID(), change: nil)
            let postponed = lease.access.sync { db in
                var initial: StaleObserver? = stale
                return fetch(on: db).run(count: 1) { initial.take() }
            }
            // The caller waits for a value.
            for fetch in postponed { observer.fail(fetch.error) }
        } catch {
            observer.fail(error)
        }
    }

    /// Runs `body` on the writer, or ends the observation if the database file was replaced or deleted.
    private func onWriter(
        _ observer: any CommitObserver, waits: Bool = false, _ body: @escaping @Sendable (Database) -> Void
    ) {
        let run: @Sendable (Database) -> Void = { [observedFile] db in
            do {
                try observedFile?.check()
            } catch {
                return observer.fail(error)
            }
            body(db)
        }
        if waits { writer.reentrantSync(run) } else { writer.async(run) }
    }

    // MARK: - Rounds

    func didCommit(_ changes: ChangeSet, _ stale: [StaleObserver], on db: Database) {
        var (onWriter, eachCommit, inRound): ([StaleObserver], [StaleObserver], [StaleObserver]) = (
            [], [], []
        )
        for stale in stale {
            switch stale.observer.route {
            case .writer: onWriter.append(stale)
            case .perCommit: eachCommit.append(stale)
            case .round: inRound.append(stale)
            }
        }
        if !eachCommit.isEmpty || perCommitFetcher.needsEveryCommit {
            perCommitFetcher.didCommit(changes, eachCommit, on: db)
        }
        becameStale(inRound)
        if !onWriter.isEmpty { WriterFetch(db)?.run(onWriter) }
    }

    /// Fetches for the observers made stale by a commit of the feed.
    ///
    /// They are not disarmed: a registration could overtake that.
    func feedDidCommit(_ stale: StaleObservers, at commit: CommitNumber) {
        registry.didCommit(stale)
        becameStale(
            stale.values.filter { stale in
                stale.observer.didChange(stale.trigger(at: commit)) == .fetch
            })
        guard !stale.regions.isEmpty else { return }
        writer.async { [self, regions = stale.regions] db in
            // The observers are being cancelled.
            if db.isClosed { return }
            for stale in regions {
                let renewal = stale.observer.fetchAndDeliver(db, at: commit, because: stale.change)
                if case .ended = renewal { remove(stale.id) }
            }
        }
    }

    /// Queues observers for the next round, and begins one if none is running and the rounds do not pause.
    private func becameStale(_ observers: [StaleObserver], isInitial: Bool = false) {
        let (action, watches) = machine.withLock { machine in
            (
                machine.becameStale(observers, isInitial: isInitial),
                isInitial && machine.isFetching && machine.beginsWatch()
            )
        }
        perform(action)
        if watches { watch() }
    }

    /// Ends a pause between two rounds.
    func endPause() {
        perform(machine.withLock { $0.endPause() })
    }

    private func perform(_ action: FetchRoundMachine<StaleObserver>.Action) {
        switch action {
        case .none: break
        case .lease(let request): leaseReader(timeout: request.timeout)
        case .hurry: readers.roundsAreOverdue()
        case .pause(let duration, let pause):
            timer.schedule(after: duration) { [weak self] in
                guard let self else { return }
                perform(machine.withLock { $0.pauseDidEnd(pause) })
            }
        }
    }

    /// Leases a reader for a round, and fetches.
    private func leaseReader(timeout: Duration, isSlow: Bool = false) {
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
        if let waiter { didNotLease(waiter, timeout: timeout, isSlow: isSlow) }
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

    /// Separates the observers with slow fetches. Observers with the same fetch are in one group.
    private func separateSlow(_ stale: [StaleObserver]) -> (
        observers: [StaleObserver], slow: [[StaleObserver]]
    ) {
        guard stale.contains(where: { $0.observer.slowFetch != nil }) else { return (stale, []) }
        var (observers, groups, keys): ([StaleObserver], [[StaleObserver]], [FetchKey: Int]) = ([], [], [:])
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
            leaseReader(timeout: RoundPacing.maximumAge, isSlow: true)
        }
    }

    /// Begins the next round if one fetch runs for a whole interval.
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
        // Ended observers are released outside of the lock: their fetches may capture anything.
        let (isCurrent, observers) = machine.withLock { ($0.current == round, $0.observers(of: round)) }
        defer { withExtendedLifetime(observers) {} }
        let reads = isCurrent && readers.takeReadActivity()
        let now = timer.now
        perform(machine.withLock { $0.endRound(round, at: now, reads: reads) })
        requestSlowReaders()
        for (pause, fetches) in Dictionary(grouping: postponed, by: \.pause).sorted(by: { $0.key < $1.key }) {
            postpone(fetches.map(\.stale), for: pause)
        }
    }

    private func postpone(_ stale: [StaleObserver], for pause: Duration) {
        let postponement = machine.withLock { $0.postpone(stale) }
        timer.schedule(after: pause) { [weak self] in
            guard let self else { return }
            perform(machine.withLock { $0.postponementDidEnd(postponement) })
        }
        // Closing the database has ended all pauses before this one began.
        if readers.isClosed { endPause() }
    }

    /// Bounds the wait of a round for a reader.
    private func didNotLease(_ waiter: ReaderPoolMachine.Waiter, timeout: Duration, isSlow: Bool) {
        // An observer may have started after the request was made and before it was known to wait.
        if timeout == .zero || !isSlow && machine.withLock({ $0.isHurried }) {
            readers.roundsAreOverdue()
            return roundIsOverdue(waiter)
        }
        timer.schedule(after: timeout) { [weak self] in
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

    // MARK: - Fetching

    /// Fetches for the observers of a round, from one snapshot.
    private func fetch(_ round: RoundNumber, _ db: Database) -> [PostponedFetch] {
        let count = machine.withLock { $0.rest(of: round).count }
        guard count > 0 else { return [] }
        let (begin, log) = (timer.now, logProgress(db))
        var index = 0
        return fetch(on: db).run(count: count) {
            if index > 0, index.isMultiple(of: RoundPacing.fetchesBetweenYields) {
                // Otherwise a long round keeps a processor for a whole time slice of the system.
                AccessThread.yield()
                if let log, let now = logProgress(db),
                    let end = RoundPacing.earlyEnd(after: begin.duration(to: timer.now), from: log, to: now)
                {
                    machine.withLock { $0.cutShort(round, for: end) }
                }
            }
            index += 1
            return machine.withLock { $0.nextFetch(in: round) }
        }
    }

    /// Returns the progress of a log that rounds could keep from beginning again: with commits of other
    /// connections, they can follow each other without end.
    private func logProgress(_ db: Database) -> LogProgress? {
        guard precision != nil, feed == nil else { return nil }
        return (db.connection as? any ForeignCommitReading)?.logProgress()
    }

    private func fetch(on db: Database) -> ObservationFetch<PoolObservationHost> {
        let context = FetchContext(
            isInterruptible: true, isRepeatable: true, detectsForeignCommits: ledger.detectsForeignCommits,
            ledger: listLedger)
        return ObservationFetch(db: db, commit: ledger.last, registrar: self, context: context)
    }

    func remove(_ observer: any CommitObserver, _ id: ObserverID) {
        perCommitFetcher.remove(StaleObserver(observer, id: id, change: nil))
        remove(id)
    }

    private func remove(_ id: ObserverID) {
        if let feed { return feed.unregister(id) }
        writer.async { $0.coordinator?.unregister(id) }
    }
}

extension PoolObservationHost: FetchRegistrar {
    func willRead() throws { try observedFile?.check() }

    /// Postpones a fetch without a reader or a snapshot, or ends the observation.
    func didNotFetch(_ stale: StaleObserver, _ error: any Error) -> PostponedFetch? {
        if readers.isClosed, !stale.isInitial {
            // A closed database cannot change: the observation ends without an error.
            stale.observer.cancel()
        } else if isRepeatable(error), !readers.isClosed {
            let pause = stale.observer.postponeFetch(after: error)
            return pause.map { PostponedFetch(stale: stale, error: error, pause: $0) }
        } else {
            stale.observer.fail(error)
        }
        return nil
    }

    private func isRepeatable(_ error: any Error) -> Bool {
        // Other programs lock the database for a moment, for example to recover its log.
        error.isTransient || precision != nil && (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
    }

    func register(_ region: DatabaseRegion, of stale: StaleObserver, at commit: CommitNumber) -> Bool {
        let (observer, id, isInitial) = (stale.observer, stale.id, stale.isInitial)
        if isInitial { observer.willRegister(id) }
        // All commits since the start of an observation without an initial value are reported to it.
        let start = isInitial ? observer.commitBeforeStart : nil
        let modification = ledger.register(
            .init(id: id, observer: isInitial ? observer : nil, region: region), after: start ?? commit)
        if isInitial {
            // The writer must report rows from now on. If it is busy, it only counts commits until it has
            // registered the observer.
            if let feed {
                feed.registerPending()
            } else {
                writer.async { $0.coordinator?.registerPending() }
            }
            observer.didRegister(id)
            if modification != nil { observer.initialValueIsOutdated() }
        }
        guard let modification else {
            observer.didRegisterRegion()
            return false
        }
        // Before the value is delivered: afterwards, another round may already have fetched the commit. Later
        // commits are matched with the region.
        return observer.didChange(ObservationTrigger(commit: modification, .database)) == .fetch
    }

    func fetchAgain(_ stale: StaleObserver) {
        becameStale([StaleObserver(stale.observer, id: stale.id, change: .database)])
    }

    func unregister(_ stale: StaleObserver) {
        if !stale.isInitial { remove(stale.id) }
    }
}

extension Database {
    func attach(_ host: PoolObservationHost) {
        writerNotifier?.host = host
        // Later, a list could be fetched before the writer is ready.
        coordinator?.prepareLists(self)
    }
}
