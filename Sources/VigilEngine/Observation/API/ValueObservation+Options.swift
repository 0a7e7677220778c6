import Synchronization
import VigilRegions

/// Decides whether an observation fetches each commit, even if commits occur faster than it fetches.
public enum ObservationCoalescing: Sendable, Hashable {
    /// A `DatabaseQueue` fetches after each commit in the region. A `DatabasePool` fetches the latest state
    /// as soon as the consumer has taken the previous value.
    case automatic
    /// Each commit in the region is fetched, as of that commit, however slow the consumer is.
    ///
    /// On a `DatabasePool`, the writer waits after such a commit until a reader has begun a snapshot of it.
    /// If all readers are in use at that moment, the writer fetches itself.
    case never
}

/// The options of an observation.
struct ObservationOptions: Sendable {
    var label: String?
    var throttle: Duration?
    var debounce: Duration?
    var skipsInitialValue = false
    var coalescing = ObservationCoalescing.automatic
    var pause: ObservationPause?
    /// The windows of the fetched lists.
    var windows: [ListWindow] = []
    /// Whether fetches and deliveries are reported to the monitor of the configuration.
    var isMonitored = true
    var timer: any ObservationTimer = DispatchTimer()
    /// Creates the memory of a started observation of a list; `nil` for other observations.
    var makeListMemory: (@Sendable (CommitLedger?) -> ListMemory)?

    /// Options stored out of line: most observations set none, and there may be many observations.
    final class Stored: Sendable {
        static let defaults = Stored(ObservationOptions())

        let options: ObservationOptions

        init(_ options: ObservationOptions) {
            self.options = options
        }
    }
}

extension ObservationSettings {
    var options: ObservationOptions {
        get { storedOptions.options }
        set { storedOptions = ObservationOptions.Stored(newValue) }
    }

    enum Key: Sendable {
        case none
        case known(FetchKey)
        /// The key depends on the database.
        case computed(@Sendable (Database) throws -> FetchKey?)
    }

    /// Returns the key of the fetch, or `nil` if the fetch cannot be shared.
    func key(_ db: Database) throws -> FetchKey? {
        switch key {
        case .none: nil
        case .known(let key): key
        case .computed(let compute): try compute(db)
        }
    }
}

extension ValueObservation {
    /// Returns an observation whose intervals are measured by another timer.
    package func timed(by timer: any ObservationTimer) -> ValueObservation {
        setting(\.timer, to: timer)
    }

    private func setting<Value>(
        _ option: WritableKeyPath<ObservationOptions, Value>, to value: Value
    ) -> ValueObservation {
        var observation = self
        observation.options[keyPath: option] = value
        return observation
    }

    var label: String { options.label ?? "\(Reducer.Value.self)" }

    /// Returns an observation with fetches at least `interval` apart.
    ///
    /// The first commit after an idle interval is fetched immediately. Commits within the interval are
    /// fetched together at its end. The last value is never skipped.
    ///
    /// - Parameter interval: The minimum time from the end of a fetch to the next fetch.
    public func throttled(_ interval: Duration) -> ValueObservation {
        setting(\.throttle, to: interval)
    }

    /// Returns an observation that fetches after a commit only when no other commit has modified its region
    /// for `interval`.
    ///
    /// The initial value is fetched immediately. As long as commits are less than `interval` apart, nothing
    /// is fetched: use ``throttled(_:)`` if values must not be delayed indefinitely. The last value is never
    /// skipped.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking(Player.fetchAll).debounced(.milliseconds(200))
    /// ```
    ///
    /// - Parameter interval: The minimum time from the last commit to the fetch.
    public func debounced(_ interval: Duration) -> ValueObservation {
        setting(\.debounce, to: interval)
    }

    /// Returns an observation without the initial value: the first one belongs to the first commit in the
    /// region after the start.
    ///
    /// The initial value is still fetched, because an observation depends on what it reads.
    /// ``removeDuplicates()`` compares the first value with it.
    ///
    /// A ``DatabaseQueue`` fetches the initial value after the accesses requested before the start, including
    /// the one of the start itself: their changes belong to the initial value. A ``DatabasePool`` fetches it
    /// while others write. If a commit may have modified the region in between, it cannot know the value
    /// before this commit: it delivers the value after it, even if it is equal.
    ///
    /// If an ``ObservationPause`` delays the initial fetch, commits during the pause count as commits after
    /// the start. A ``DatabaseQueue``, an observation with write access, and one without coalescing deliver
    /// the value after such a pause, even if there was no commit.
    ///
    /// - Parameter skips: Whether the initial value is skipped.
    public func skippingInitialValue(_ skips: Bool = true) -> ValueObservation {
        guard skips != options.skipsInitialValue else { return self }
        return setting(\.skipsInitialValue, to: skips)
    }

    /// Returns an observation with the given coalescing of commits.
    ///
    /// It has no effect on ``throttled(_:)`` and ``debounced(_:)`` observations and on sequences with a
    /// bounded buffer: they always coalesce commits.
    public func coalescing(_ coalescing: ObservationCoalescing) -> ValueObservation {
        setting(\.coalescing, to: coalescing)
    }

    /// Returns an observation with the given name in ``DatabaseReader/observations`` and in the log.
    public func labeled(_ label: String) -> ValueObservation {
        setting(\.label, to: label)
    }

    /// Returns an observation without fetches while `pause` is paused.
    public func pausable(by pause: ObservationPause) -> ValueObservation {
        setting(\.pause, to: pause)
    }
}

/// Pauses observations: while paused, they fetch nothing and deliver no new values.
///
/// ```swift
/// let pause = ObservationPause()
/// let cancellable = observation.pausable(by: pause).start(in: dbPool) { … } onChange: { … }
/// pause.pause()   // The screen is covered.
/// pause.resume()  // It is visible again: the latest value is delivered, if it changed.
/// ```
///
/// A value of a fetch before the pause is still delivered. All methods are thread-safe.
public final class ObservationPause: Sendable {
    private struct State {
        var isPaused: Bool
        var observers = ControlledObservers()
    }

    private let state: Mutex<State>

    /// Creates a pause for any number of observations.
    ///
    /// - Parameter isPaused: Whether the observations are paused from the start. They then fetch their
    ///   initial value when they are resumed.
    public init(isPaused: Bool = false) {
        state = Mutex(State(isPaused: isPaused))
    }

    /// Whether the observations are paused.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Pauses the observations. Does nothing if they are paused already.
    public func pause() { set(true) }

    /// Resumes the observations. They fetch once if their region was modified during the pause.
    public func resume() { set(false) }

    private func set(_ isPaused: Bool) {
        let observers = state.withLock { state in
            state.isPaused = isPaused
            return state.observers.all
        }
        for observer in observers { observer.pauseDidChange() }
    }

    func add(_ observer: any ControlledObserver) { state.withLock { $0.observers.add(observer) } }

    func remove(_ observer: any ControlledObserver) { state.withLock { $0.observers.remove(observer) } }
}
