import VigilRegions

/// One run of *fetch → record the region → register → deliver*, for observers whose values belong to one
/// commit.
///
/// A host supplies the connection, and a registrar for the place where commits are matched.
struct ObservationFetch<Registrar: FetchRegistrar> {
    let db: Database
    /// The last commit known to be in the snapshot. Read before the snapshot begins: later commits may be in
    /// it too.
    let commit: CommitNumber
    let registrar: Registrar
    var context = FetchContext()

    /// Fetches for observers in one snapshot.
    ///
    /// - Parameters:
    ///   - count: the number of observers, or more.
    ///   - next: returns the next observer.
    /// - Returns: the fetches to repeat.
    @discardableResult
    func run(count: Int, next: () -> StaleObserver?) -> [PostponedFetch] {
        var postponed: [PostponedFetch] = []
        do {
            try registrar.willRead()
            try db.inReadOnlySnapshot(isObserved: true) {
                db.sharingFetches(among: count, context) {
                    while let stale = next() {
                        if let fetch = run(stale) { postponed.append(fetch) }
                    }
                }
            }
        } catch {
            // The others have fetched.
            let error = db.observationError(error)
            while let stale = next() {
                if let fetch = registrar.didNotFetch(stale, error) { postponed.append(fetch) }
            }
        }
        return postponed
    }

    /// Fetches for one observer. Returns the fetch if it must be repeated.
    @discardableResult
    func run(_ stale: StaleObserver) -> PostponedFetch? {
        registrar.willFetch(stale)
        let result = stale.observer.fetch(db, at: commit, because: stale.change)
        db.undoSettings()
        registrar.didFetch()
        return registrar.finish(result, for: stale, at: commit)
    }
}

/// A fetch to repeat after a pause, because the database could not be read.
struct PostponedFetch {
    let stale: StaleObserver
    let error: any Error
    let pause: Duration
}

/// Registers observers where commits are matched with their regions.
protocol FetchRegistrar {
    /// Checks whether the database can be read. Called before the snapshot.
    func willRead() throws

    /// Called before a fetch.
    func willFetch(_ stale: StaleObserver)

    /// Called after a fetch, before its region is registered.
    func didFetch()

    /// Handles a fetch that was not possible, such as for lack of a snapshot. Returns it if it is repeated.
    func didNotFetch(_ stale: StaleObserver, _ error: any Error) -> PostponedFetch?

    /// Registers the region that an observer has read, and after an initial fetch the observer itself.
    ///
    /// - Parameter commit: the last commit known to be in the snapshot.
    /// - Returns: whether to fetch again, because a later commit may have modified the region.
    func register(_ region: DatabaseRegion, of stale: StaleObserver, at commit: CommitNumber) -> Bool

    /// Schedules another fetch of an observer, after its value was delivered.
    func fetchAgain(_ stale: StaleObserver)

    /// Unregisters an observer that has ended.
    func unregister(_ stale: StaleObserver)
}

extension FetchRegistrar {
    func willRead() throws {}
    func willFetch(_ stale: StaleObserver) {}
    func didFetch() {}

    func didNotFetch(_ stale: StaleObserver, _ error: any Error) -> PostponedFetch? {
        stale.observer.fail(error)
        return nil
    }

    /// Registers the region that an observer has read, and then delivers the value: a commit that reacts to
    /// the value is matched with the region. Returns the fetch if it must be repeated.
    func finish(
        _ result: ObserverFetch, for stale: StaleObserver, at commit: CommitNumber
    ) -> PostponedFetch? {
        var isOutdated = false
        switch result.renewal {
        case .unchanged: break
        case .observes(let region): isOutdated = register(region, of: stale, at: commit)
        case .ended: unregister(stale)
        case .postponed(let error, let pause):
            return PostponedFetch(stale: stale, error: error, pause: pause)
        }
        result.deliver?()
        if isOutdated { fetchAgain(stale) }
        return nil
    }
}
