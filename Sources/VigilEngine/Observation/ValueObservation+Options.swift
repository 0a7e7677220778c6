import Synchronization
import VigilRegions

/// What becomes of commits that come faster than they can be fetched.
public enum ObservationCoalescing: Sendable, Hashable {
    /// What the database does best: a `DatabaseQueue` fetches after each commit that touches the region; a
    /// `DatabasePool` fetches the last state when the consumer has taken the value before.
    case automatic
    /// Each commit that touches the region is fetched, as of that commit, however slow the consumer is.
    ///
    /// On a `DatabasePool` the connection that writes waits after a commit until a reader sees the database as of
    /// that commit. If all readers are in use at that moment, it fetches itself.
    case never
}

/// What may be said of an observation besides what it fetches, apart from it: mostly nothing is said, and there may be
/// many observations.
struct ObservationOptions: Sendable {
    private final class Values: Sendable {
        let values: OptionValues

        init(_ values: OptionValues) {
            self.values = values
        }
    }

    private var said: Values?

    private static let unsaid = OptionValues()

    var values: OptionValues {
        get { said?.values ?? Self.unsaid }
        set { said = Values(newValue) }
    }

    var label: String? {
        get { values.label }
        set { values.label = newValue }
    }

    var throttle: Duration? {
        get { values.throttle }
        set { values.throttle = newValue }
    }

    var coalescing: ObservationCoalescing {
        get { values.coalescing }
        set { values.coalescing = newValue }
    }

    var pause: ObservationPause? {
        get { values.pause }
        set { values.pause = newValue }
    }

    var timer: any ObservationTimer {
        get { values.timer }
        set { values.timer = newValue }
    }

    /// What fetches the same has the same key.
    var key = Key.none

    enum Key: Sendable {
        case none
        case known(FetchKey)
        /// Only the database can tell.
        case asked(@Sendable (Database) throws -> FetchKey?)
    }

    func key(_ db: Database) throws -> FetchKey? {
        switch key {
        case .none: nil
        case .known(let key): key
        case .asked(let ask): try ask(db)
        }
    }
}

struct OptionValues: Sendable {
    var label: String?
    var throttle: Duration?
    var coalescing = ObservationCoalescing.automatic
    var pause: ObservationPause?
    var timer: any ObservationTimer = DispatchTimer()
}

extension ValueObservation {
    /// What the observation is called in the log.
    var label: String { options.label ?? "\(Reducer.Value.self)" }

    /// Keeps fetches at least `interval` apart.
    ///
    /// The first commit after a quiet time is fetched at once; those that come within the interval are fetched
    /// together at its end. The last value is never lost.
    public func throttled(_ interval: Duration) -> ValueObservation {
        var observation = self
        observation.options.throttle = interval
        return observation
    }

    /// Says what becomes of commits that come faster than they can be fetched. For ``throttled(_:)`` observations and
    /// sequences with a bounded buffer they are always fetched together.
    public func coalescing(_ coalescing: ObservationCoalescing) -> ValueObservation {
        var observation = self
        observation.options.coalescing = coalescing
        return observation
    }

    /// Gives the observation a name, for ``DatabaseReader/observations`` and the log.
    public func labeled(_ label: String) -> ValueObservation {
        var observation = self
        observation.options.label = label
        return observation
    }

    /// Lets `pause` hold the observation: while it is paused it fetches nothing.
    public func pausable(by pause: ObservationPause) -> ValueObservation {
        var observation = self
        observation.options.pause = pause
        return observation
    }
}

/// Holds observations while nobody looks: they fetch nothing, and notify nothing.
///
/// ```swift
/// let pause = ObservationPause()
/// let cancellable = observation.pausable(by: pause).start(in: dbPool) { … } onChange: { … }
/// pause.pause()   // The screen is covered.
/// pause.resume()  // It is there again: if anything changed, the newest value comes.
/// ```
///
/// A value whose fetch began before still comes. All functions can be called from any thread.
public final class ObservationPause: Sendable {
    private struct State {
        var isPaused: Bool
        var observers: [ObjectIdentifier: WeakObserver] = [:]
    }

    private struct WeakObserver: Sendable {
        weak var observer: (any PausableObserver)?
    }

    private let state: Mutex<State>

    public init(isPaused: Bool = false) {
        state = Mutex(State(isPaused: isPaused))
    }

    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Makes the observations wait. Does nothing if they do.
    public func pause() { set(true) }

    /// Lets the observations go on: those that were touched meanwhile fetch, once.
    public func resume() { set(false) }

    private func set(_ isPaused: Bool) {
        let observers = state.withLock { state in
            state.isPaused = isPaused
            return state.observers.values.compactMap(\.observer)
        }
        for observer in observers { observer.pauseDidChange() }
    }

    func add(_ observer: any PausableObserver) {
        state.withLock { $0.observers[ObjectIdentifier(observer)] = WeakObserver(observer: observer) }
    }

    func remove(_ observer: any PausableObserver) {
        _ = state.withLock { $0.observers.removeValue(forKey: ObjectIdentifier(observer)) }
    }
}

/// Somebody who asks again whether it is paused.
protocol PausableObserver: AnyObject, Sendable {
    func pauseDidChange()
}
