import Dispatch
import Foundation
import VigilRegions
import VigilStorage

/// Matches the commits of a feed with the observers of a pool. It replaces the coordinator of the writer,
/// which knows only the changes of one connection.
///
/// The reasoning about fetches is the same for both: a commit is numbered in the ledger after it has become
/// visible, so whatever is read after ``CommitLedger/last`` was read contains all commits up to that number.
///
/// The feed calls it from one thread at a time, and all other callers from any thread. Observers are notified
/// without a lock.
final class FeedCoordinator: CommitFeedReceiver {
    fileprivate struct State {
        /// The observers of values.
        let values: RegionMatcher
        /// The observers matching every reported change.
        let regions: RegionMatcher
        weak var host: PoolObservationHost?
        weak var feed: (any StorageCommitFeed)?
        /// Whether the end of a commit is missing.
        var isInCommit = false
        /// Whether commits are numbered later, see ``FeedCoordinator/holdCommits()``.
        var isHeld = false
        /// The observers ended during a commit. Their registrations may still be in the ledger.
        var ended: [ObserverID] = []
        var isEnded = false
    }

    /// The observers made stale by a commit, for the host.
    fileprivate struct Notification {
        let stale: StaleObservers
        let commit: CommitNumber
        let host: PoolObservationHost?
        /// Ended observers. They are released outside of the lock: their fetches may capture anything.
        var ended: [StaleObserver] = []
    }

    // Not a Mutex: events are not Sendable, and must not become part of its content. The thread sanitizer
    // also reports accesses of other types under a contended Mutex.
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var state: State
    let ledger = CommitLedger()
    let precision: CommitPrecision
    /// Signalled when the feed has left its first state.
    private let hasStarted = DispatchSemaphore(value: 0)

    private let monitor: (any ObservationMonitor)?

    init(ignoresNoOpUpdates: Bool, log: ObservationLog?, _ monitor: (any ObservationMonitor)?) {
        self.monitor = monitor
        precision = CommitPrecision(of: .feed, log: log, monitor)
        state = State(
            values: RegionMatcher(ignoresNoOpUpdates: ignoresNoOpUpdates, keepsUnobservedRows: true),
            regions: RegionMatcher(ignoresNoOpUpdates: false, keepsUnobservedRows: true))
    }

    /// Sets the host of the observers, and the feed. They are not retained.
    func connect(_ host: PoolObservationHost, to feed: (any StorageCommitFeed)?) {
        lock.withLock {
            state.host = host
            state.feed = feed
        }
    }

    /// Waits while the feed is being connected.
    ///
    /// - Parameter timeout: the longest wait, in seconds.
    func waitForStart(timeout: TimeInterval) {
        let end = DispatchTime.now() + timeout
        while precision.state == .starting, hasStarted.wait(timeout: end) == .success {}
        // Others may wait too.
        hasStarted.signal()
    }

    var observerCount: Int { lock.withLock { state.values.count + state.regions.count } }

    // MARK: - Commits

    func didChange(_ event: ChangeEvent) {
        lock.withLock {
            state.isInCommit = true
            state.record(event)
        }
    }

    func didCommit() {
        notify(
            lock.withLock {
                state.isInCommit = false
                return state.isHeld ? nil : state.endCommits(ledger)
            })
    }

    /// Treats the following commits as one, until ``releaseCommits()``.
    func holdCommits() { lock.withLock { state.isHeld = true } }

    /// Ends the held commits.
    func releaseCommits() {
        notify(
            lock.withLock {
                state.isHeld = false
                return state.isInCommit ? nil : state.endCommits(ledger)
            })
    }

    func didReceiveCommit(after lag: Duration) { monitor?.didReceiveCommit(after: lag) }

    func stateDidChange(_ feedState: CommitFeedState) {
        precision.didChange(to: feedState)
        if feedState != .starting { hasStarted.signal() }
    }

    /// Announces to the feed a commit of the writer, for the feed to report.
    func writerDidCommit() {
        let feed = lock.withLock { state.values.isEmpty && state.regions.isEmpty ? nil : state.feed }
        feed?.didCommitHere()
    }

    /// Reports a change of the whole database from outside of the feed.
    func recordUnknownChange() {
        notify(
            lock.withLock {
                state.record(.database)
                // Otherwise the end of the current commit notifies the observers.
                return state.isReceiving ? nil : state.commit(ledger)
            })
    }

    private func notify(_ notification: Notification?) {
        guard let notification else { return }
        notification.host?.feedDidCommit(notification.stale, at: notification.commit)
    }

    // MARK: - Observers

    /// Registers an observer of later commits in a region.
    func register(_ region: DatabaseRegion, _ observer: any CommitObserver) -> ObserverID {
        let id = ledger.makeID()
        let region = ledger.trusted(region)
        lock.withLock { state.regions.register(.init(id: id, observer: observer, region: region)) }
        return id
    }

    /// Replaces the region of an observer registered by ``register(_:_:)``.
    func replaceRegion(of id: ObserverID, with region: DatabaseRegion) {
        let region = ledger.trusted(region)
        lock.withLock { state.regions.register(.init(id: id, observer: nil, region: region)) }
    }

    /// Adds the registrations in the ledger, to match later commits with them.
    func registerPending() {
        let cancelled = lock.withLock { () -> [any CommitObserver] in
            // The end of the commit adds them, and matches them with the changes before.
            if state.isReceiving, !state.isEnded { return [] }
            let registrations = ledger.append(ChangeSet()).registrations
            guard !state.isEnded else { return registrations.compactMap(\.observer) }
            for registration in registrations { state.values.register(registration) }
            return []
        }
        for observer in cancelled { observer.cancel() }
    }

    func unregister(_ id: ObserverID) {
        // The observer is released outside of the lock: its region may capture anything.
        _ = lock.withLock { () -> StaleObserver? in
            if state.isReceiving { state.ended.append(id) }
            let observer = state.values.stale(id, .database) ?? state.regions.stale(id, .database)
            _ = state.values.unregister(id) || state.regions.unregister(id)
            return observer
        }
    }

    /// Removes and returns all observers, because the database is closed. The caller cancels them.
    func removeAll() -> [any CommitObserver] {
        lock.withLock {
            state.isEnded = true
            defer {
                state.values.removeAll()
                state.regions.removeAll()
            }
            let pending = ledger.append(ChangeSet()).registrations
            return state.values.all + state.regions.all + pending.compactMap(\.observer)
        }
    }

    /// Removes conditions with replaced functions or collations. Any fetched value may be outdated.
    func distrust(_ conditions: DoubtfulConditions) {
        _ = ledger.distrust(conditions)
        lock.withLock {
            state.values.distrust(conditions)
            state.regions.distrust(conditions)
        }
        recordUnknownChange()
    }
}

extension FeedCoordinator.State {
    fileprivate func record(_ event: ChangeEvent) {
        values.record(event)
        if !regions.isEmpty { regions.record(event) }
    }

    /// Whether changes are received that get a number later.
    fileprivate var isReceiving: Bool { isInCommit || isHeld }

    /// Numbers the received commits.
    fileprivate mutating func endCommits(_ ledger: CommitLedger) -> FeedCoordinator.Notification? {
        var notification = commit(ledger)
        notification?.ended = removeEnded()
        return notification
    }

    /// Numbers the recorded commit. Returns the observers made stale by it; `nil` if the database is closed.
    fileprivate func commit(_ ledger: CommitLedger) -> FeedCoordinator.Notification? {
        guard !isEnded else { return nil }
        let (matched, changes) = values.commit()
        let (commit, registrations) = ledger.append(changes)
        let stale = StaleObservers(
            regions: regions.commit().matched,
            values: values.register(registrations, at: changes, matched: matched), changes: changes)
        return FeedCoordinator.Notification(stale: stale, commit: commit, host: host)
    }

    /// Removes and returns ended observers with a registration in the ledger at their end.
    private mutating func removeEnded() -> [StaleObserver] {
        let observers = ended.compactMap { values.stale($0, .database) }
        for id in ended { _ = values.unregister(id) }
        ended = []
        return observers
    }
}
