import VigilRegions

/// The observers that a commit made stale.
struct StaleObservers {
    /// Region observers, which are notified.
    var regions: [MatchedObserver] = []
    /// Value observers, which fetch.
    var values: [MatchedObserver] = []
    /// The changes of the commit.
    var changes = ChangeSet()
}

extension CommitCoordinator {
    /// Fetches the initial value of an observer on this connection, and registers the observer.
    ///
    /// - Parameter willRegister: called before the observer is notified of its registration.
    func fetchAndRegister(
        _ observer: any CommitObserver, _ db: Database,
        willRegister: (ObserverID, DatabaseRegion) -> Void = { _, _ in }
    ) {
        defer { notifyPostponed(db) }
        let (result, didOthersCommit) = fetch(observer, nil, db, because: nil)
        defer { result.deliver?() }
        guard case .observes(let read) = result.renewal else { return }
        let region = ledger.trusted(read)
        let id = ledger.makeID()
        let isInsideUnchanged = isInsideUnchangedTransaction
        // It has already read the open transaction's changes: do not report them again.
        noteUnrecordedChanges()
        values.register(.init(id: id, observer: observer, region: region))
        updateInterest(notesUnrecorded: false)
        if isInsideUnchanged { recorded.values = true }
        if isInTransaction { midTransactionObservers.didRead(id) }
        willRegister(id, region)
        observer.didRegister(id)
        if didOthersCommit { becameStale(id) }
    }

    /// Fetches for an observer that could not fetch when it became stale.
    func fetchDeferred(_ id: ObserverID, _ db: Database) {
        guard let matched = values.matched(id, .database) else { return }
        fetch([matched], db)
        notifyPostponed(db)
    }

    // MARK: - Notifying

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
        scheduleFetches(stale.values, after: stale.changes, db)
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
                unregister(match.id)
            }
        }
    }

    private func scheduleFetches(_ matched: [MatchedObserver], after changes: ChangeSet, _ db: Database) {
        guard !matched.isEmpty else {
            fetchScheduler?.didCommit(changes, [], db)
            return
        }
        let commit = ledger.last
        let waiting = matched.filter { match in
            switch match.observer.didChange(
                ObservationTrigger(commit: commit, match.change))
            {
            case .fetch: return true
            case .wait: return false
            case .disarm:
                values.disarm(match.id)
                return false
            }
        }
        guard let fetchScheduler else {
            if !waiting.isEmpty { fetch(waiting, db) }
            return
        }
        fetchScheduler.didCommit(changes, waiting.filter { !$0.observer.needsWriter }, db)
        fetchEach(waiting.filter(\.observer.needsWriter), db)
    }

    /// Schedules another fetch of an observer, because a commit during its fetch may have modified its
    /// region.
    private func becameStale(_ id: ObserverID) {
        guard let matched = values.matched(id, .database) else { return }
        fetches.postpone(StaleObservers(values: [matched]))
    }

    // MARK: - Fetching

    /// Fetches for stale observers. Those that cannot write share a transaction, so that their values belong
    /// to the same snapshot.
    private func fetch(_ matched: [MatchedObserver], _ db: Database) {
        let readers = matched.filter { !$0.observer.needsWriter }
        do {
            if !readers.isEmpty {
                try db.inReadOnlySnapshot {
                    db.sharingFetches(among: readers.count) { fetchEach(readers, db) }
                }
            }
        } catch {
            for reader in readers { reader.observer.fail(error) }
        }
        fetchEach(matched.filter(\.observer.needsWriter), db)
    }

    private func fetchEach(_ matched: [MatchedObserver], _ db: Database) {
        guard !matched.isEmpty else { return }
        for match in matched {
            let (result, didOthersCommit) = fetch(match.observer, match.id, db, because: match.reason)
            switch result.renewal {
            case .unchanged: break
            case .observes(let read):
                let region = ledger.trusted(read)
                // Commits during the fetch were matched with the previous region.
                let isUnmatched = didOthersCommit && values.region(of: match.id) != region
                values.register(.init(id: match.id, observer: nil, region: region))
                if isUnmatched { becameStale(match.id) }
            case .ended: unregister(match.id)
            }
            result.deliver?()
        }
    }

    /// Fetches for an observer.
    ///
    /// - Parameter id: the registration of the observer; `nil` for the initial fetch.
    /// - Returns: the result of the fetch, and whether anything other than the fetch committed while it ran.
    private func fetch(
        _ observer: any CommitObserver, _ id: ObserverID?, _ db: Database, because reason: MatchReason?
    ) -> (ObserverFetch, didOthersCommit: Bool) {
        let commit = ledger.last
        guard observer.needsWriter else {
            return (observer.fetch(db, at: commit, because: reason), false)
        }
        fetches.willFetch(id)
        let result = observer.fetch(db, at: commit, because: reason)
        return (result, fetches.didFetch())
    }
}
