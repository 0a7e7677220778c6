import VigilRegions

/// The observers that a commit made stale.
struct StaleObservers {
    /// Region observers, which are notified.
    var regions: [TouchedObserver] = []
    /// Value observers, which fetch.
    var values: [TouchedObserver] = []
    /// The changes of the commit.
    var changes = ChangeSet()
}

extension ChangeHub {
    /// Fetches the initial value of an observer on this connection, and registers the observer.
    ///
    /// - Parameter willRegister: called before the observer is notified of its registration.
    func begin(
        _ observer: any CommitObserver, _ db: Database,
        willRegister: (ObserverID, DatabaseRegion) -> Void = { _, _ in }
    ) {
        defer { notifyPostponed(db) }
        let (reading, didOthersCommit) = read(observer, nil, db, because: nil)
        defer { reading.deliver?() }
        guard case .observes(let read) = reading.renewal else { return }
        let region = ledger.trusted(read)
        let id = ledger.makeID()
        let isInsideUnchanged = isInsideUnchangedTransaction
        // It has already read the open transaction's changes: do not report them again.
        noteUnrecordedChanges()
        values.observe(.init(id: id, observer: observer, region: region))
        updateInterest(notesUnrecorded: false)
        if isInsideUnchanged { recorded.values = true }
        if isInTransaction { early.didRead(id) }
        willRegister(id, region)
        observer.didRegister(id)
        if didOthersCommit { becameStale(id) }
    }

    /// Fetches for an observer that was stale before, but could not fetch then.
    func refresh(_ id: ObserverID, _ db: Database) {
        guard let touched = values.touched(id, .database) else { return }
        fetch([touched], db)
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
        refresh(stale.values, after: stale.changes, db)
    }

    private func notifyPostponed(_ db: Database) {
        guard fetches.willNotify() else { return }
        while let stale = fetches.next() { notifyNow(stale, db) }
    }

    private func notifyRegions(_ touched: [TouchedObserver], _ db: Database) {
        guard !touched.isEmpty else { return }
        let commit = ledger.last
        for one in touched {
            if case .ended = one.observer.update(db, at: commit, because: one.reason) { remove(one.id) }
        }
    }

    private func refresh(_ touched: [TouchedObserver], after changes: ChangeSet, _ db: Database) {
        guard !touched.isEmpty else {
            refresher?.didCommit(changes, [], db)
            return
        }
        let commit = ledger.last
        let waiting = touched.filter { one in
            switch one.observer.didChange(
                ObservationTrigger(commit: commit, one.reason, one.cause))
            {
            case .read: return true
            case .wait: return false
            case .sleep:
                values.putToSleep(one.id)
                return false
            }
        }
        guard let refresher else {
            if !waiting.isEmpty { fetch(waiting, db) }
            return
        }
        refresher.didCommit(changes, waiting.filter { !$0.observer.needsWriter }, db)
        fetchEach(waiting.filter(\.observer.needsWriter), db)
    }

    /// Schedules another fetch of an observer, because a commit during its fetch may have modified its
    /// region.
    private func becameStale(_ id: ObserverID) {
        guard let touched = values.touched(id, .database) else { return }
        fetches.postpone(StaleObservers(values: [touched]))
    }

    // MARK: - Fetching

    /// Fetches for stale observers. Those that cannot write share a transaction, so that their values belong
    /// to the same snapshot.
    private func fetch(_ touched: [TouchedObserver], _ db: Database) {
        let readers = touched.filter { !$0.observer.needsWriter }
        do {
            if !readers.isEmpty {
                try db.inReadOnlySnapshot {
                    db.sharingFetches(among: readers.count) { fetchEach(readers, db) }
                }
            }
        } catch {
            for reader in readers { reader.observer.fail(error) }
        }
        fetchEach(touched.filter(\.observer.needsWriter), db)
    }

    private func fetchEach(_ touched: [TouchedObserver], _ db: Database) {
        guard !touched.isEmpty else { return }
        for one in touched {
            let (reading, didOthersCommit) = read(one.observer, one.id, db, because: one.reason)
            switch reading.renewal {
            case .unchanged: break
            case .observes(let read):
                let region = ledger.trusted(read)
                // Commits during the fetch were matched with the previous region.
                let isUnmatched = didOthersCommit && values.region(of: one.id) != region
                values.observe(.init(id: one.id, observer: nil, region: region))
                if isUnmatched { becameStale(one.id) }
            case .ended: remove(one.id)
            }
            reading.deliver?()
        }
    }

    /// Fetches for an observer.
    ///
    /// - Parameter id: the registration of the observer; `nil` for the initial fetch.
    /// - Returns: the result of the fetch, and whether anything other than the fetch committed while it ran.
    private func read(
        _ observer: any CommitObserver, _ id: ObserverID?, _ db: Database, because reason: HitReason?
    ) -> (ObserverReading, didOthersCommit: Bool) {
        let commit = ledger.last
        guard observer.needsWriter else {
            return (observer.read(db, at: commit, because: reason), false)
        }
        fetches.willFetch(id)
        let reading = observer.read(db, at: commit, because: reason)
        return (reading, fetches.didFetch())
    }
}
