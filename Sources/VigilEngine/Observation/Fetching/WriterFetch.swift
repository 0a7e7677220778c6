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
        ObservationFetch(db: db, commit: coordinator.ledger.last, registrar: self)
    }

    /// Returns `nil` on a connection that only reads.
    init?(_ db: Database, willRegister: ((StaleObserver, DatabaseRegion) -> Void)? = nil) {
        guard let coordinator = db.coordinator else { return nil }
        self.db = db
        self.coordinator = coordinator
        self.willRegister = willRegister
    }

    /// Fetches the initial value of an observer, and registers the observer.
    func runInitial(_ observer: any CommitObserver) {
        fetch.run(StaleObserver(observer, id: coordinator.ledger.makeID(), change: nil))
        notifier.notifyPostponed(db)
    }

    /// Fetches for an observer that could not fetch when it became stale.
    func runDeferred(_ id: ObserverID) {
        guard let stale = coordinator.values.stale(id, .database) else { return }
        run([stale])
        notifier.notifyPostponed(db)
    }

    /// Fetches for stale observers. Those whose fetches cannot write share a snapshot.
    func run(_ stale: [StaleObserver]) {
        let reading = stale.filter { !$0.observer.mayWrite }
        if !reading.isEmpty {
            var next = reading.makeIterator()
            fetch.run(count: reading.count) { next.next() }
        }
        guard reading.count < stale.count else { return }
        for writing in stale where writing.observer.mayWrite { fetch.run(writing) }
    }

    // MARK: - Registrar

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
