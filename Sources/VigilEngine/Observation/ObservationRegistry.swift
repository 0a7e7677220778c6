import Synchronization
public import VigilRegions

/// What an observation does at the moment, for people and programs that want to know.
///
/// See ``DatabaseReader/observations``.
public struct ObservationStatus: Sendable {
    public enum Phase: Sendable, Hashable {
        /// Nothing is to be done.
        case observing
        /// A fetch was asked for.
        case waitingToFetch
        case fetching
        /// A value was handed over, and the consumer has not returned.
        case delivering
        /// A commit touched the region, and is not fetched: see ``ObservationPause``.
        case paused
    }

    /// The name given by ``ValueObservation/labeled(_:)``, or the SQL of the request, or the type of the values.
    public let label: String
    public let phase: Phase
    /// What is observed; `nil` before the first fetch, and where nothing can change.
    public let region: DatabaseRegion?
    /// Commits that touched the region.
    public let changeCount: Int
    /// Times that it was fetched for this observation.
    public let fetchCount: Int
    /// Times that a value was taken over from an equal observation instead.
    public let sharedFetchCount: Int
    /// Values that were handed to `onChange`.
    public let notificationCount: Int
    /// Values that were fetched and left out, because they were equal to the ones before.
    public let skippedCount: Int
    /// The time that all fetches took, together.
    public let fetchTime: Duration
    /// The commit as of which the last value was fetched.
    public let lastCommit: CommitNumber?
    /// What touched the region last.
    public let lastTrigger: ObservationTrigger?
}

/// What there is to count about an observation.
struct ObservationCounts {
    var fetches = 0
    var notifications = 0
    private var nanoseconds: Int64 = 0
    private(set) var lastCommit: CommitNumber?
    /// Apart, since most observations are never touched, and there may be many.
    private var afterTouch: AfterTouch?

    private final class AfterTouch {
        var changes = 0
        var sharedFetches = 0
        var skipped = 0
        var trigger: ObservationTrigger?
    }

    var changes: Int { afterTouch?.changes ?? 0 }
    var sharedFetches: Int { afterTouch?.sharedFetches ?? 0 }
    var skipped: Int { afterTouch?.skipped ?? 0 }
    var lastTrigger: ObservationTrigger? { afterTouch?.trigger }
    var fetchTime: Duration { .nanoseconds(nanoseconds) }

    private mutating func noteAfterTouch(_ note: (AfterTouch) -> Void) {
        let counts = afterTouch ?? AfterTouch()
        note(counts)
        afterTouch = counts
    }

    mutating func didChange(_ trigger: ObservationTrigger) {
        noteAfterTouch {
            $0.changes += 1
            $0.trigger = trigger
        }
    }

    mutating func didFetch(at commit: CommitNumber, in time: Duration) {
        fetches += 1
        let (seconds, attoseconds) = time.components
        nanoseconds += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        lastCommit = commit
    }

    mutating func didShareFetch(at commit: CommitNumber) {
        noteAfterTouch { $0.sharedFetches += 1 }
        lastCommit = commit
    }

    mutating func didSkip() {
        noteAfterTouch { $0.skipped += 1 }
    }
}

/// Somebody who tells what it does.
protocol RegisteredObservation: AnyObject, Sendable {
    var status: ObservationStatus { get }
}

/// The observations of one database that go on.
final class ObservationRegistry: Sendable {
    private struct Entry {
        let number: Int
        let observation: any RegisteredObservation
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    func add(_ observation: any RegisteredObservation) {
        state.withLock { state in
            state.entries[ObjectIdentifier(observation)] = Entry(
                number: state.nextNumber, observation: observation)
            state.nextNumber += 1
        }
    }

    func remove(_ observation: any RegisteredObservation) {
        let removed = state.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(observation)) }
        // Released outside of the lock.
        withExtendedLifetime(removed) {}
    }

    /// In the order in which they were added.
    var statuses: [ObservationStatus] {
        state.withLock { Array($0.entries.values) }.sorted { $0.number < $1.number }
            .map(\.observation.status)
    }
}

extension ValueObserver: RegisteredObservation {
    var status: ObservationStatus {
        state.withLock { state in
            let counts = state.counts
            return ObservationStatus(
                label: observation.label,
                phase: ObservationStatus.Phase(state.machine), region: state.region,
                changeCount: counts.changes, fetchCount: counts.fetches,
                sharedFetchCount: counts.sharedFetches, notificationCount: counts.notifications,
                skippedCount: counts.skipped, fetchTime: counts.fetchTime, lastCommit: counts.lastCommit,
                lastTrigger: counts.lastTrigger)
        }
    }
}

extension ObservationStatus.Phase {
    init(_ machine: ObservationMachine) {
        self =
            switch machine.activity {
            case .wanted: .waitingToFetch
            case .fetching: .fetching
            case .delivering: .delivering
            case .none: machine.isPaused ? .paused : .observing
            }
    }
}
