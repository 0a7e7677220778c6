import VigilRegions

/// Notifies the observers made stale by a commit of the writer, in order: after the transaction observers,
/// and after the running fetch.
///
/// It is only used inside accesses of the writer.
final class WriterNotifier {
    /// The coordinator of the writer. It owns the notifier, and clears this when it is released. A weak
    /// reference would make its retains and releases slower (bench: one-row-hit).
    unowned var coordinator: CommitCoordinator?
    /// The host of the observers. It decides where the stale observers fetch.
    weak var host: (any ObservationHost)?
    private let ledger: CommitLedger
    /// The observers of values.
    private let values: RegionMatcher
    @exclusivity(unchecked)  // bench: write-baseline
    private var fetches = WriterFetchMachine<StaleObservers>()
    /// Whether anything other than the last fetch committed while it ran.
    private(set) var didOthersCommit = false
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

    /// Runs `body`, a notification of transaction observers. Their own commits and reads do not belong to the
    /// running fetch.
    func notifyTransactionObservers(_ db: Database, _ body: () -> Void) {
        guard fetches.isFetching else { return body() }
        fetches.willNotifyTransactionObservers()
        defer { fetches.didNotifyTransactionObservers() }
        db.withoutRecording(body)
    }

    /// Notifies stale observers: now, or after the running fetch.
    func notify(_ stale: StaleObservers, _ db: Database) {
        if fetches.isFetching { return fetches.postpone(stale) }
        notifyNow(stale, db)
        notifyPostponed(db)
    }

    private func notifyNow(_ stale: StaleObservers, _ db: Database) {
        notifyRegions(stale.regions, at: stale.commit ?? ledger.last, db)
        guard postponedFetches == nil else {
            postponedFetches?.formUnion(ofValues: stale)
            return
        }
        notifyValues(stale.values, after: stale.changes, db)
    }

    /// Sends the notifications delayed by fetches.
    func notifyPostponed(_ db: Database) {
        guard fetches.willNotify() else { return }
        while let stale = fetches.next() { notifyNow(stale, db) }
    }

    private func notifyRegions(_ stale: [StaleObserver], at commit: CommitNumber, _ db: Database) {
        for stale in stale {
            if case .ended = stale.observer.fetchAndDeliver(db, at: commit, because: stale.change) {
                coordinator?.unregister(stale.id)
            }
        }
    }

    private func notifyValues(_ stale: [StaleObserver], after changes: ChangeSet, _ db: Database) {
        guard !stale.isEmpty else {
            host?.didCommit(changes, [], on: db)
            return
        }
        let commit = ledger.last
        let waiting = stale.filter { stale in
            switch stale.observer.didChange(stale.trigger(at: commit)) {
            case .fetch: return true
            case .wait: return false
            case .disarm:
                values.disarm(stale.id)
                return false
            }
        }
        host?.didCommit(changes, waiting, on: db)
    }

    // MARK: - Fetches

    func willFetch(_ id: ObserverID) { fetches.willFetch(id) }

    func didFetch() { didOthersCommit = fetches.didFetch() }

    /// Notifies an observer later, because a commit during its fetch may have modified its region.
    func postpone(_ id: ObserverID) {
        guard let stale = values.stale(id, .database) else { return }
        fetches.postpone(StaleObservers(values: [stale]))
    }

    // MARK: - Postponing

    /// Runs `body`, several transactions with unobserved intermediate states. Stale value observers fetch
    /// once, after `body` has returned or thrown.
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
    /// Notifies the observers of commits by this connection; `nil` on connections that only read.
    var writerNotifier: WriterNotifier? { coordinator?.notifier }

    /// Runs `body`, several transactions. See ``WriterNotifier/postponeFetches(_:_:)``.
    package func postponingFetches<T>(_ body: () throws -> T) rethrows -> T {
        guard let writerNotifier else { return try body() }
        return try writerNotifier.postponeFetches(self, body)
    }
}
