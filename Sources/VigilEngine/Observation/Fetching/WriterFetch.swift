import VigilRegions

/// Fetches on the writer: for all observers of a queue, and for the observers of a pool whose fetches may
/// write.
///
/// No commit of another access can occur between a fetch and the registration of its region.
struct WriterFetch: FetchRegistrar {
    private let db: Database
    private let coordinator: CommitCoordinator
    /// Called before an observer is notified of its registration.
    private var willRegister: ((StaleObserver, DatabaseRegion) -> Void)?

    private var notifier: WriterNotifier { coordinator.notifier }
    private var fetch: ObservationFetch<WriterFetch> {
        ObservationFetch(
            db: db, commit: coordinator.ledger.last, registrar: self, context: Self.repeatingContext)
    }
    private static var repeatingContext: FetchContext { FetchContext(isRepeatable: true) }

    /// Returns `nil` on a connection that only reads.
    init?(_ db: Database, willRegister: ((StaleObserver, DatabaseRegion) -> Void)? = nil) {
        guard let coordinator = db.coordinator else { return nil }
        self.db = db
        self.coordinator = coordinator
        self.willRegister = willRegister
    }

    /// Fetches the initial value of an observer, and registers the observer.
    func runInitial(_ observer: any CommitObserver) {
        let postponed = fetch.run(
            StaleObserver(observer, id: coordinator.ledger.makeID(), change: nil))
        // The caller waits for a value.
        if let postponed { observer.fail(postponed.error) }
        notifier.notifyPostponed(db)
    }

    /// Fetches for observers that could not fetch when they became stale, or ends them if the database file
    /// was replaced or deleted.
    func runDeferred(_ ids: [ObserverID]) {
        let stale = ids.compactMap { coordinator.values.stale($0, .database) }
        guard !stale.isEmpty else { return }
        do {
            try db.checkObservedFile()
        } catch {
            return stale.forEach { $0.observer.fail(error) }
        }
        run(stale)
        // Another access may have left a transaction open.
        if coordinator.isInTransaction, db.transactionMayHaveChanges {
            for stale in stale { coordinator.midTransactionObservers.didRead(stale.id) }
        }
        notifier.notifyPostponed(db)
    }

    /// Fetches after a pause, for observers whose fetches were not possible and are still needed.
    func runPostponed(_ ids: [ObserverID]) {
        runDeferred(
            ids.filter { coordinator.values.stale($0, .database)?.observer.needsPostponedFetch == true })
    }

    /// Fetches for stale observers. Those whose fetches cannot write share a snapshot.
    func run(_ stale: [StaleObserver]) {
        let reading =
            coordinator.hasWritingObserver ? stale.filter { !$0.observer.mayWrite } : stale
        var postponed: [PostponedFetch] = []
        if !reading.isEmpty {
            var next = reading.makeIterator()
            postponed = fetch.run(count: reading.count) { next.next() }
        }
        if reading.count < stale.count {
            for writing in stale where writing.observer.mayWrite {
                let repeated = db.sharingFetches(among: 1, Self.repeatingContext) { fetch.run(writing) }
                if let repeated { postponed.append(repeated) }
            }
        }
        if !postponed.isEmpty { repeatLater(postponed) }
    }

    private func repeatLater(_ postponed: [PostponedFetch]) {
        for (pause, fetches) in Dictionary(grouping: postponed, by: \.pause) {
            notifier.host?.repeatFetches(of: fetches.map(\.stale.id), after: pause)
        }
    }

    // MARK: - Registrar

    /// Postpones a fetch without a snapshot if the reason is temporary, or ends the observation.
    func didNotFetch(_ stale: StaleObserver, _ error: any Error) -> PostponedFetch? {
        guard isRepeatable(error) else {
            stale.observer.fail(error)
            return nil
        }
        let pause = stale.observer.postponeFetch(after: error)
        return pause.map { PostponedFetch(stale: stale, error: error, pause: $0) }
    }

    private func isRepeatable(_ error: any Error) -> Bool {
        // A snapshot is interrupted only along with another statement, such as that of a cursor. It is
        // refused while the database is suspended.
        error.isTransient || (error as? DatabaseError)?.isInterruptionError == true
            || db.isLockedElsewhere(error)
    }

    func willFetch(_ stale: StaleObserver) { notifier.willFetch(stale.id) }

    func didFetch() { notifier.didFetch() }

    func register(_ region: DatabaseRegion, of stale: StaleObserver, at commit: CommitNumber) -> Bool {
        let region = coordinator.ledger.trusted(region)
        // Commits during the fetch were matched with the previous region.
        var isOutdated = notifier.didOthersCommit
        if stale.isInitial {
            coordinator.registerFetched(region, stale.observer, as: stale.id)
            willRegister?(stale, region)
            stale.observer.didRegister(stale.id)
        } else {
            if isOutdated { isOutdated = coordinator.values.region(of: stale.id) != region }
            coordinator.values.register(.init(id: stale.id, observer: nil, region: region))
        }
        if !isOutdated { stale.observer.didRegisterRegion() }
        return isOutdated
    }

    func fetchAgain(_ stale: StaleObserver) { notifier.postpone(stale.id) }

    func unregister(_ stale: StaleObserver) { coordinator.unregister(stale.id) }
}
