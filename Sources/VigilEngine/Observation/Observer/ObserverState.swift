import VigilRegions
import VigilStorage

/// The state of a started observation, apart from its values and callbacks.
///
/// It does not depend on the type of the values: each access to a generic type inside a `Mutex` would have to
/// look up its metadata (bench: equal-observations).
struct ObserverState {
    var machine = ObservationMachine()
    weak var host: (any ObservationHost)?
    /// The observed database, retained until the observation ends.
    var database: (any DatabaseReader)?
    /// Interrupts the running fetch.
    var interruption: AccessCancellation?
    var log: ObservationLog?
    var region: DatabaseRegion?
    var counts = ObservationCounts()
    private var features: FeatureState?
    /// Out of line: only connections to servers summarize results.
    private var digestState: DigestState?
    /// The identifier of the observer's registration, `nil` before it is registered.
    var id: ObserverID?
    // The fields of one byte are together, where they share a word (bench: memory).
    /// Whether values and errors are held until ``ValueObserver/_deliverImmediately()`` is called.
    var holdsValues: Bool
    /// Where the fetches run. Decided at the start.
    var route = FetchRoute.round
    /// Whether the database has disarmed the observer: commits are not matched with it until it reports
    /// its region again.
    var isDisarmed = false
    /// The initial value, if it must not be delivered; `nil` for later values.
    var skip: SkippedValue?

    init(holdsValues: Bool, skipsInitialValue: Bool, demand: ObservationDemand) {
        self.holdsValues = holdsValues
        skip = skipsInitialValue ? .initial : nil
        if demand != .unlimited { usedFeatures.demand = demand }
    }
}

extension ObserverState {
    /// Handles a pause that delays the initial fetch. Only a round finds out whether commits during the pause
    /// have modified the region: otherwise, the value may contain one, and must be delivered.
    mutating func didDelayInitialFetch(in host: any ObservationHost) {
        if host.observesChanges, route != .round || !host.coalesces { skip = nil }
    }
}

extension ObserverState {
    /// The state of features used by few observations.
    private final class FeatureState {
        var heldError: (any Error)?
        var commitBeforeStart: CommitNumber?
        var debounce = DebounceMachine()
        var list: ListMemory?
        var listVersion: UInt64?
        var listBase = ListBase()
        var live: [LiveFetch.Use] = []
        var derivedFrom: SchemaState?
        var demand = ObservationDemand.unlimited
        var slowFetch: SlowFetch?
        var postponement: FetchPostponement?
        var hasFetchedSlowly = false
        var hasChangedRequest = false
        var monitor: (any ObservationMonitor)?
    }

    private final class DigestState {
        var digest: ResultDigest?
    }

    private var usedFeatures: FeatureState {
        mutating get {
            if let features { return features }
            let state = FeatureState()
            features = state
            return state
        }
    }

    /// The receiver of what the observation does.
    var monitor: (any ObservationMonitor)? {
        get { features?.monitor }
        set { if newValue != nil || features != nil { usedFeatures.monitor = newValue } }
    }

    var heldError: (any Error)? {
        get { features?.heldError }
        set { if newValue != nil || features != nil { usedFeatures.heldError = newValue } }
    }

    /// The summary of the results of the last fetch, if the connection summarizes them.
    var digest: ResultDigest? {
        get { digestState?.digest }
        set {
            if digestState == nil, newValue != nil { digestState = DigestState() }
            digestState?.digest = newValue
        }
    }

    /// The state of a list between its fetches.
    var list: ListMemory? {
        get { features?.list }
        set { if newValue != nil || features != nil { usedFeatures.list = newValue } }
    }

    /// The last delivered version of the list.
    var listVersion: UInt64? {
        get { features?.listVersion }
        set { usedFeatures.listVersion = newValue }
    }

    /// The commits since the last fetch without a change of the observed list.
    var listBase: ListBase {
        get { features?.listBase ?? ListBase() }
        set {
            guard let features, features.list != nil || !features.live.isEmpty else { return }
            features.listBase = newValue
        }
    }

    /// The results of statements that the last fetch has used.
    var live: [LiveFetch.Use] {
        get { features?.live ?? [] }
        set { if !newValue.isEmpty || features?.live.isEmpty == false { usedFeatures.live = newValue } }
    }

    /// The schema of the region's derivation, if fetches do not derive it.
    var derivedFrom: SchemaState? {
        get { features?.derivedFrom }
        set { if newValue != nil || features != nil { usedFeatures.derivedFrom = newValue } }
    }

    /// The last commit before the start of an observation without its initial value.
    var commitBeforeStart: CommitNumber? {
        get { features?.commitBeforeStart }
        set { if newValue != nil || features != nil { usedFeatures.commitBeforeStart = newValue } }
    }

    /// The last fetch, if it was slow.
    var slowFetch: SlowFetch? {
        get { features?.slowFetch }
        set { if newValue != nil || features != nil { usedFeatures.slowFetch = newValue } }
    }

    /// The failed fetch to repeat; `nil` if the last fetch did not fail.
    var postponement: FetchPostponement? {
        get { features?.postponement }
        set {
            if newValue != nil || features?.postponement != nil { usedFeatures.postponement = newValue }
        }
    }

    /// Whether a slow fetch was logged.
    var hasFetchedSlowly: Bool {
        get { features?.hasFetchedSlowly ?? false }
        set { usedFeatures.hasFetchedSlowly = newValue }
    }

    /// Whether the window of a list changed before the observer was registered.
    var hasChangedRequest: Bool {
        get { features?.hasChangedRequest ?? false }
        set { if newValue || features != nil { usedFeatures.hasChangedRequest = newValue } }
    }

    /// The demand of the consumer at the start.
    var initialDemand: ObservationDemand { features?.demand ?? .unlimited }

    var debounce: DebounceMachine {
        mutating get { usedFeatures.debounce }
        set { usedFeatures.debounce = newValue }
    }
}

/// A value to fetch and not to deliver.
enum SkippedValue {
    /// The value at the start, for the comparison with the next one.
    case initial
    /// A value with a possible later commit: the next one must be delivered even if it is equal.
    case outdated
}

/// A failed fetch, to be repeated after a pause.
struct FetchPostponement {
    /// The error of the last failure.
    let error: any Error
    /// The pause before the fetch is repeated.
    let pause: Duration
    private var retries: Retries

    /// - Parameter last: the previous failure; `nil` if the previous fetch succeeded.
    init(_ error: any Error, after last: FetchPostponement?) {
        self.error = error
        retries = last?.retries ?? .fetch
        pause = retries.didFail()
    }
}
