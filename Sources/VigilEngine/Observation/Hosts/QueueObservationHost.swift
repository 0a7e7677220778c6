import VigilRegions

/// Hosts the observations of a `DatabaseQueue` or a snapshot: they fetch on its only connection.
final class QueueObservationHost: ObservationHost {
    private let access: ConnectionAccess
    let log: ObservationLog?
    let precision: CommitPrecision?
    let observesChanges: Bool
    let registry: ObservationRegistry
    let listLedger: CommitLedger?

    /// - Parameters:
    ///   - ledger: the commits of the database; `nil` if it cannot change.
    ///   - observesForeign: Whether commits by other connections are observed.
    init(
        _ access: ConnectionAccess, configuration: Configuration, observesChanges: Bool,
        ledger: CommitLedger? = nil, observesForeign: Bool = false
    ) {
        listLedger = ledger
        self.access = access
        log = ObservationLog(configuration)
        registry = ObservationRegistry(configuration)
        precision = observesForeign ? CommitPrecision(of: .elsewhere, log: log, registry.monitor) : nil
        self.observesChanges = observesChanges
    }

    var coalesces: Bool { false }
    var fetchesOnWriter: Bool { true }

    func route(_ mode: ObservationMachine.Mode) -> FetchRoute { .round }

    func scheduleFetch(_ observer: any CommitObserver, _ id: ObserverID?) {
        access.async { db in Self.run(observer, id, on: db) }
    }

    func repeatFetches(of ids: [ObserverID], after pause: Duration) {
        DispatchTimer().schedule(after: pause) { [weak self] in
            self?.access.async { db in WriterFetch(db)?.runPostponed(ids) }
        }
    }

    func fetchNow(_ observer: any CommitObserver) {
        access.reentrantSync { db in Self.run(observer, nil, on: db) }
    }

    func didCommit(_ changes: ChangeSet, _ stale: [StaleObserver], on db: Database) {
        if !stale.isEmpty { WriterFetch(db)?.run(stale) }
    }

    func remove(_ observer: any CommitObserver, _ id: ObserverID) {
        access.async { $0.coordinator?.unregister(id) }
    }

    private static func run(_ observer: any CommitObserver, _ id: ObserverID?, on db: Database) {
        do {
            guard let fetch = WriterFetch(db) else {
                _ = observer.fetchAndDeliver(db, at: .zero, because: nil)
                return
            }
            if let id {
                fetch.runDeferred([id])
            } else {
                try db.foreignChanges.observationWillBegin?(db)
                fetch.runInitial(observer)
            }
        } catch {
            observer.fail(error)
        }
    }
}
