import Synchronization
import VigilRegions

struct ObservationCounts {
    private(set) var fetches = 0
    private(set) var notifications = 0
    private var nanoseconds: Int64 = 0
    private var commit = CommitNumber.zero
    /// The counters of observations with a modified region. They are stored out of line: most regions are
    /// never modified, and there may be many observations.
    private var matches: Matches?

    private final class Matches {
        var counts = MatchCounts()
    }

    private struct MatchCounts {
        var changes = 0
        var sharedFetches = 0
        var skipped = 0
        // Only set for monitors:
        /// When the first commit after the last fetch was reported.
        var pendingSince: ContinuousClock.Instant?
        /// When the last commit was reported.
        var triggerSince: ContinuousClock.Instant?
        /// When the first commit was reported that the value being fetched contains, and no earlier one.
        var fetchingSince: ContinuousClock.Instant?
        /// The same of each value that is being reduced or delivered, in their order.
        var deliveringSince: [ContinuousClock.Instant?] = []
        /// The trigger of the last commit in the region.
        var trigger: ObservationTrigger?
        /// The first reported commit after the last fetch.
        var firstPending: CommitNumber?

        mutating func willFetch(at commit: CommitNumber) {
            fetchingSince = nil
            guard let first = firstPending, first <= commit else { return }
            firstPending = trigger.flatMap { $0.commit > commit ? $0.commit : nil }
            fetchingSince = pendingSince
            pendingSince = firstPending == nil ? nil : triggerSince
        }
    }

    var changes: Int { matches?.counts.changes ?? 0 }
    var sharedFetches: Int { matches?.counts.sharedFetches ?? 0 }
    var skipped: Int { matches?.counts.skipped ?? 0 }
    var lastTrigger: ObservationTrigger? { matches?.counts.trigger }
    var fetchTime: Duration { .nanoseconds(nanoseconds) }
    /// The commit of the last fetch; `nil` before the first one.
    var lastCommit: CommitNumber? { fetches > 0 || sharedFetches > 0 ? commit : nil }

    private mutating func updateMatchCounts(_ update: (inout MatchCounts) -> Void) {
        let matches = matches ?? Matches()
        update(&matches.counts)
        self.matches = matches
    }

    /// Counts a commit in the region.
    ///
    /// A commit during a fetch can be reported twice: when it occurs, and when the fetched region is
    /// registered. The latter report can also come after that of a later commit.
    ///
    /// - Parameter now: the time, if it is measured.
    /// - Returns: Whether the commit is reported for the first time.
    mutating func didChange(_ trigger: ObservationTrigger, at now: ContinuousClock.Instant?) -> Bool {
        let commit = trigger.commit
        let isLast = lastTrigger.map { $0.commit < commit } ?? true
        guard isLast || matches?.counts.firstPending.map({ commit < $0 }) == true else { return false }
        updateMatchCounts {
            $0.changes += 1
            if isLast { ($0.trigger, $0.triggerSince) = (trigger, now) }
            $0.firstPending = $0.firstPending.map { min($0, commit) } ?? commit
            if $0.pendingSince == nil { $0.pendingSince = now }
        }
        return true
    }

    /// Handles the begin of a fetch. Its snapshot contains all commits up to `commit`.
    func willFetch(at commit: CommitNumber) { matches?.counts.willFetch(at: commit) }

    mutating func didFetch(at commit: CommitNumber, in time: Duration) {
        fetches += 1
        let (seconds, attoseconds) = time.components
        nanoseconds += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        self.commit = commit
    }

    mutating func didShareFetch(at commit: CommitNumber) {
        updateMatchCounts { $0.sharedFetches += 1 }
        self.commit = commit
    }

    mutating func didSkip() {
        updateMatchCounts {
            $0.skipped += 1
            if !$0.deliveringSince.isEmpty { $0.deliveringSince.removeFirst() }
        }
    }

    /// Notes for a monitor that a fetched value is being reduced or delivered.
    mutating func willDeliver() { updateMatchCounts { $0.deliveringSince.append($0.fetchingSince) } }

    /// Counts a delivery.
    ///
    /// - Returns: when the first commit was reported that the previous value does not contain.
    mutating func didNotify() -> ContinuousClock.Instant? {
        notifications += 1
        guard let matches, !matches.counts.deliveringSince.isEmpty else { return nil }
        return matches.counts.deliveringSince.removeFirst()
    }
}

/// An observation with a status.
protocol RegisteredObservation: AnyObject, Sendable {
    var status: ObservationStatus { get }

    /// Ends the observation without an error.
    func cancel()
}

/// A database with a registry of its observations.
package protocol ObservedDatabase {
    /// The registry; `nil` for a wrapper of a reader without one.
    var observationRegistry: ObservationRegistry? { get }
}

/// The observations of one database: running ones, pending starts, and failed ones until their error is
/// delivered.
package final class ObservationRegistry: Sendable {
    private struct Entry {
        let number: Int
        let observation: any RegisteredObservation
    }

    /// An observation missing in ``statuses``.
    private struct Unlisted {
        let observation: any AnyObject & Sendable
        let label: String
        let phase: ObservationStatus.Phase
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var unlisted: [ObjectIdentifier: Unlisted] = [:]
        /// The observers of regions in a database without commits.
        var regions: [ObjectIdentifier: any CommitObserver] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())
    /// Receives what the observations do; `nil` if the configuration has no monitor.
    let monitor: (any ObservationMonitor)?

    init(_ configuration: Configuration) { monitor = configuration.observationMonitor }

    var count: Int { state.withLock { $0.entries.count } }

    func add(_ observation: any RegisteredObservation) {
        state.withLock { state in
            state.entries[ObjectIdentifier(observation)] = Entry(
                number: state.nextNumber, observation: observation)
            state.nextNumber += 1
        }
        monitor?.observationDidStart()
    }

    /// Adds an observation before its start. Its caller removes it after the start.
    func willStart(_ observation: any AnyObject & Sendable, label: String) {
        let unlisted = Unlisted(observation: observation, label: label, phase: .waitingToFetch)
        state.withLock { $0.unlisted[ObjectIdentifier(observation)] = unlisted }
    }

    /// Ends a running observation with an error. It is removed after the delivery of the error.
    func didFail(_ observation: any RegisteredObservation, label: String) {
        let unlisted = Unlisted(observation: observation, label: label, phase: .delivering)
        let failed = state.withLock { state in
            let failed = state.entries.removeValue(forKey: ObjectIdentifier(observation))
            if failed != nil { state.unlisted[ObjectIdentifier(observation)] = unlisted }
            return failed
        }
        if failed != nil { monitor?.observationDidEnd() }
    }

    func remove(_ observation: any AnyObject & Sendable) {
        let id = ObjectIdentifier(observation)
        let (removed, unlisted) = state.withLock { state in
            (state.entries.removeValue(forKey: id), state.unlisted.removeValue(forKey: id))
        }
        if removed != nil { monitor?.observationDidEnd() }
        // Release the observation outside of the lock.
        withExtendedLifetime((removed, unlisted)) {}
    }

    /// Adds an observer of regions in a database without commits. Nothing else retains it.
    func addRegions(_ observer: any CommitObserver) {
        state.withLock { $0.regions[ObjectIdentifier(observer)] = observer }
    }

    func removeRegions(_ observer: any CommitObserver) {
        let removed = state.withLock { $0.regions.removeValue(forKey: ObjectIdentifier(observer)) }
        // Release the observer outside of the lock.
        withExtendedLifetime(removed) {}
    }

    /// Reports commits to the monitor.
    func didCommit(_ stale: StaleObservers) {
        guard let monitor, !stale.values.isEmpty || !stale.changes.isEmpty else { return }
        monitor.didCommit(matching: stale.values.count)
    }

    /// Ends observations because their database was closed: paused ones and, without changes, observations of
    /// regions and all after their first fetch. The others end with the error of their fetch.
    func cancelIdle(observesChanges: Bool) {
        let (entries, regions) = state.withLock { (Array($0.entries.values), Array($0.regions.values)) }
        for observer in regions { observer.cancel() }
        for entry in entries {
            let status = entry.observation.status
            if status.phase == .paused || !observesChanges && status.lastCommit != nil {
                entry.observation.cancel()
            }
        }
    }

    /// The status of each observation, in the order of their starts.
    var statuses: [ObservationStatus] {
        state.withLock { Array($0.entries.values) }.sorted { $0.number < $1.number }
            .map(\.observation.status)
    }

    /// An observation with a fetch or a delivery, running or pending.
    package var busy: (label: String, phase: ObservationStatus.Phase)? {
        // In one step: a start or a failure moves an observation from one to the other.
        let (unlisted, entries) = state.withLock { ($0.unlisted.values.first, Array($0.entries.values)) }
        if let unlisted { return (unlisted.label, unlisted.phase) }
        for entry in entries {
            let status = entry.observation.status
            if status.phase.isBusy { return (status.label, status.phase) }
        }
        return nil
    }
}

extension ValueObserver: RegisteredObservation {
    var status: ObservationStatus {
        let coarseReason = state.withLock { $0.host }?.precision?.coarseReason
        return state.withLock { state in
            let counts = state.counts
            return ObservationStatus(
                label: label,
                phase: ObservationStatus.Phase(state.machine), region: state.region,
                changeCount: counts.changes, fetchCount: counts.fetches,
                sharedFetchCount: counts.sharedFetches, notificationCount: counts.notifications,
                skippedCount: counts.skipped, fetchTime: counts.fetchTime, lastCommit: counts.lastCommit,
                lastTrigger: counts.lastTrigger, postponingError: state.postponement?.error,
                coarseReason: coarseReason, list: state.list?.statistics,
                results: state.live.map(\.result.statistics))
        }
    }
}

extension ObservationStatus.Phase {
    init(_ machine: ObservationMachine) {
        self =
            switch machine.state {
            case .scheduled: .waitingToFetch
            case .fetching: .fetching
            // The error of an ended observation is delivered, too.
            case .delivering, .ended: .delivering
            case .idle, .waiting: Self(waiting: machine)
            }
    }

    private init(waiting machine: ObservationMachine) {
        if machine.isPostponed, !machine.isPaused {
            self = .waitingToFetch
            return
        }
        self =
            switch machine.firstFetch {
            case .running: .fetching
            case .scheduled where !machine.isPaused: .waitingToFetch
            case .none, .scheduled, .done:
                if machine.deliveryCount > 0 {
                    .delivering
                } else {
                    machine.isPaused ? .paused : .observing
                }
            }
    }

    package var isBusy: Bool {
        switch self {
        case .waitingToFetch, .fetching, .delivering: true
        case .observing, .paused: false
        }
    }
}
