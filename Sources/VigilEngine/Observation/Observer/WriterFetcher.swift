import VigilRegions

/// Notifies the observers that a commit of the writer made stale, and fetches for those that fetch on the writer: all
/// observers of a queue, and the observers of a pool whose fetches may write.
///
/// It is only used inside accesses of the writer.
final class WriterFetcher {
    /// The coordinator of the writer, which owns the fetcher.
    weak var coordinator: CommitCoordinator?
    /// The host of the observers. It decides where the stale observers fetch.
    weak var host: (any ObservationHost)?
    private let ledger: CommitLedger
    /// The observers of values.
    private let values: RegionMatcher
    @exclusivity(unchecked)  // bench: write-baseline
    private var fetches = WriterFetches<StaleObservers>()
    /// The value observers whose fetches are postponed, see ``postponeFetches(_:_:)``; `nil` if none are.
    private var postponedFetches: StaleObservers?

    init(ledger: CommitLedger, values: RegionMatcher) {
        self.ledger = ledger
        self.values = values
    }

    // MARK: - Commits

    /// Handles a commit. Returns the observer whose fetch has committed, if one has.
    func didCommit() -> ObserverID? {
        fetches.isFetching ? fetches.didCommit() : nil
    }

    /// Runs `body`, which notifies transaction observers of a commit. Their own commits and reads do not belong to the
    /// fetch that is running.
    func notifyTransactionObservers(_ db: Database, _ body: () -> Void) {
        guard fetches.isFetching else { return body() }
        fetches.willNotifyTransactionObservers()
        defer { fetches.didNotifyTransactionObservers() }
        db.withoutRecording(body)
    }

    /// Notifies stale observers: now, or after the fetch that made them stale.
    func notify(_ stale: StaleObservers, _ db: Database) {
        if fetches.isFetching { return fetches.postpone(stale) }
        notifyNow(stale, db)
        notifyPostponed(db)
    }

    private func notifyNow(_ stale: StaleObservers, _ db: Database) {
        notifyRegions(stale.regions, db)
        guard postponedFetches == nil else {
            postponedFetches?.formUnion(ofValues: stale)
            return
        }
        notifyValues(stale.values, after: stale.changes, db)
    }

    private func notifyPostponed(_ db: Database) {
        guard fetches.willNotify() else { return }
        while let stale = fetches.next() { notifyNow(stale, db) }
    }

    private func notifyRegions(_ matched: [MatchedObserver], _ db: Database) {
        guard !matched.isEmpty else { return }
        let commit = ledger.last
        for match in matched {
            if case .ended = match.observer.fetchAndDeliver(db, at: commit, because: match.reason) {
                coordinator?.unregister(match.id)
            }
        }
    }

    private func notifyValues(_ matched: [MatchedObserver], after changes: ChangeSet, _ db: Database) {
        guard !matched.isEmpty else {
            host?.didCommit(changes, [], db)
            return
        }
        let commit = ledger.last
        let waiting = matched.filter { match in
            switch match.observer.didChange(ObservationTrigger(commit: commit, match.change)) {
            case .fetch: return true
            case .wait: return false
            case .disarm:
                values.disarm(match.id)
                return false
            }
        }
        host?.didCommit(changes, waiting, db)
    }

    /// Schedules another fetch of an observer, because a commit during its fetch may have modified its
    /// region.
    private func becameStale(_ id: ObserverID) {
        guard let matched = values.matched(id, .database) else { return }
        fetches.postpone(StaleObservers(values: [matched]))
    }

    // MARK: - Fetching

    /// Fetches the initial value of an observer, and registers the observer.
    ///
    /// - Parameter willRegister: called before the observer is notified of its registration.
    func fetchAndRegister(
        _ observer: any CommitObserver, _ db: Database,
        willRegister: (ObserverID, DatabaseRegion) -> Void = { _, _ in }
    ) {
        defer { notifyPostponed(db) }
        let (result, didOthersCommit) = fetch(observer, nil, on: observer.route, db, because: nil)
        defer { result.deliver?() }
        guard case .observes(let read) = result.renewal, let coordinator else { return }
        let region = ledger.trusted(read)
        let id = coordinator.registerFetched(region, observer)
        willRegister(id, region)
        observer.didRegister(id)
        if didOthersCommit { becameStale(id) } else { observer.didRegisterRegion() }
    }

    /// Fetches for an observer that could not fetch when it became stale.
    func fetchDeferred(_ id: ObserverID, _ db: Database) {
        guard let matched = values.matched(id, .database) else { return }
        fetch([matched], db)
        notifyPostponed(db)
    }

    /// Fetches for stale observers. Those that cannot write share a transaction, so that their values belong
    /// to the same snapshot.
    func fetch(_ matched: [MatchedObserver], _ db: Database) {
        let readers = matched.filter { $0.route != .writer }
        do {
            if !readers.isEmpty {
                try db.inReadOnlySnapshot {
                    db.sharingFetches(among: readers.count) { fetchEach(readers, db) }
                }
            }
        } catch {
            for reader in readers { reader.observer.fail(error) }
        }
        fetchEach(matched.filter { $0.route == .writer }, db)
    }

    private func fetchEach(_ matched: [MatchedObserver], _ db: Database) {
        guard !matched.isEmpty else { return }
        for match in matched {
            let (result, didOthersCommit) = fetch(
                match.observer, match.id, on: match.route, db, because: match.reason)
            switch result.renewal {
            case .unchanged: break
            case .observes(let read):
                let region = ledger.trusted(read)
                // Commits during the fetch were matched with the previous region.
                let isUnmatched = didOthersCommit && values.region(of: match.id) != region
                values.register(.init(id: match.id, observer: nil, region: region))
                if isUnmatched { becameStale(match.id) } else { match.observer.didRegisterRegion() }
            case .ended, .postponed: coordinator?.unregister(match.id)
            }
            result.deliver?()
        }
    }

    /// Fetches for an observer.
    ///
    /// - Parameter id: the registration of the observer; `nil` for the initial fetch.
    /// - Returns: the result of the fetch, and whether anything other than the fetch committed while it ran.
    private func fetch(
        _ observer: any CommitObserver, _ id: ObserverID?, on route: FetchRoute, _ db: Database,
        because reason: MatchReason?
    ) -> (ObserverFetch, didOthersCommit: Bool) {
        let commit = ledger.last
        guard route == .writer else {
            return (observer.fetch(db, at: commit, because: reason), false)
        }
        fetches.willFetch(id)
        let result = observer.fetch(db, at: commit, because: reason)
        return (result, fetches.didFetch())
    }

    // MARK: - Postponing

    /// Runs `body`, which commits several transactions whose intermediate states are not to be observed. Stale
    /// value observers fetch once, after `body` has returned or thrown.
    ///
    /// Observers of transactions and regions are notified of each commit, as usual.
    func postponeFetches<T>(_ db: Database, _ body: () throws -> T) rethrows -> T {
        guard postponedFetches == nil else { return try body() }
        postponedFetches = StaleObservers()
        let feed = coordinator?.feed
        feed?.holdCommits()
        defer {
            feed?.releaseCommits()
            let stale = postponedFetches
            postponedFetches = nil
            if let stale, !stale.values.isEmpty || !stale.changes.isEmpty {
                db.outsideTransactionBlocks { notify(stale, db) }
            }
        }
        return try body()
    }
}

extension Database {
    /// Notifies observers, and fetches on this connection; `nil` on connections that only read.
    var writerFetcher: WriterFetcher? { coordinator?.fetcher }

    /// Runs `body`, which commits several transactions whose intermediate states are not to be observed. Value
    /// observations fetch once, after `body` has returned or thrown.
    package func postponingFetches<T>(_ body: () throws -> T) rethrows -> T {
        guard let writerFetcher else { return try body() }
        return try writerFetcher.postponeFetches(self, body)
    }
}
