import Synchronization
public import VigilLists

#if canImport(Observation)
    public import Observation
#endif

/// The latest value of an observation, for user interfaces: main-actor isolated, and `Observable` where the
/// Observation framework exists.
///
/// ```swift
/// struct PlayerList: View {
///     let players: LiveValue<[Player]>  // LiveValue(.trackingAll(Player.all()), in: dbPool)
///
///     var body: some View {
///         List(players.value ?? []) { PlayerRow($0) }
///             .overlay { if players.isLoading { ProgressView() } }
///             .task { await players.keepUpdated() }
///     }
/// }
/// ```
///
/// The observation starts with the first reader and stops with the last one. A reader is a cancellable
/// returned by ``addReader()``, or a task that runs ``keepUpdated()``. Reading ``value`` starts nothing:
/// without readers, it is the last known value.
///
/// Equal live values are one observation, for which one fetch follows a commit. Live values with the same
/// database and scheduler are equal if they observe equal requests or copies of one observation. Observations
/// with closures, such as that of `map`, are not equal to others, and neither are throttled, debounced and
/// pausable ones, because their last value may be old.
///
/// While the observation runs, a further live value begins with its last value, without a fetch. The values
/// of commits that are being fetched follow. If ``Configuration/foreignChanges`` are ignored, this value
/// lacks the commits of other programs, as the equal live values do.
@MainActor
public final class LiveValue<Value: Sendable> {
    private typealias Start =
        @MainActor (
            _ onError: @escaping @MainActor @Sendable (any Error) -> Void,
            _ onChange: @escaping @MainActor @Sendable (Value) -> Void
        ) -> AnyDatabaseCancellable

    private let startObservation: Start
    private let readers = LiveValueReaders()
    /// The number of starts. Callbacks of an earlier start are ignored.
    private var generation = 0
    private var latest: Value?
    /// The value before the latest, of rows only.
    private var previous: Value?
    private var latestError: (any Error)?
    private var isWaiting = false
    #if canImport(Observation)
        private let registrar = ObservationRegistrar()
    #endif

    /// Creates a live value. The observation starts with the first reader.
    ///
    /// - Parameters:
    ///   - observation: Observes the value.
    ///   - reader: The database to observe.
    ///   - scheduler: Decides when values are received on the main actor. With `.immediate`, the first reader
    ///     receives a value before ``addReader()`` returns.
    public init<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor
    ) where Reducer.Value == Value {
        startObservation = { onError, onChange in
            observation.startUnlessRunning(
                in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }

    /// Creates a live value of a shared observation, whatever its operators. All of its live values are one
    /// observation.
    /// While it runs, a further live value receives the last value without a fetch: before ``addReader()``
    /// returns if the scheduler is `.mainQueue` or `.immediate`, and otherwise later.
    ///
    /// ```swift
    /// let players = ValueObservation.trackingAll(Player.all()).shared(in: dbPool, scheduling: .mainQueue)
    /// let list = LiveValue(players)
    /// let badge = LiveValue(players)
    /// ```
    ///
    /// - Parameter observation: The observation. It ends as its extent says: with `.observationLifetime`, it
    ///   also runs without readers, and ``retry()`` returns the error again. Values that it delivers
    ///   elsewhere than on the main queue are received there a moment later.
    public init(_ observation: SharedValueObservation<Value>) {
        startObservation = { onError, onChange in
            observation.start(
                onError: { error in MainQueue.run { onError(error) } },
                onChange: { value in MainQueue.run { onChange(value) } })
        }
    }

    // MARK: - State

    /// The latest value; `nil` before the first one. It is kept when the observation stops or fails.
    public var value: Value? {
        access(\.value)
        return latest
    }

    /// The error that ended the observation; `nil` while it runs. See ``retry()``.
    public var error: (any Error)? {
        access(\.error)
        return latestError
    }

    /// Whether the observation has started, and has not received a value or an error since. Closing the
    /// database ends it without either.
    public var isLoading: Bool {
        access(\.isLoading)
        return isWaiting
    }

    // MARK: - Readers

    /// Adds a reader, and starts the observation if it is the first one.
    ///
    /// - Returns: A cancellable that removes the reader when it is cancelled or released, on any thread. It
    ///   retains the live value.
    public func addReader() -> AnyDatabaseCancellable {
        if readers.add() { start() }
        return AnyDatabaseCancellable { [self] in
            if readers.remove() { MainQueue.run { self.didStop() } }
        }
    }

    /// Keeps the value up to date until the current task is cancelled. The task is a reader.
    public func keepUpdated() async {
        let reader = addReader()
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        // The stream stays empty: the loop ends when the task is cancelled.
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        reader.cancel()
    }

    /// Starts the observation again if it has ended with an error and there are readers.
    public func retry() {
        guard latestError != nil, readers.exist else { return }
        start()
    }

    // Code that is notified of a mutation may call `retry`, or remove and add readers: each of these methods
    // may start the observation again before it returns. An earlier start then has no further effect.

    private func start() {
        generation += 1
        let generation = generation
        if latestError != nil { mutate(\.error, in: generation) { latestError = nil } }
        setWaiting(true, generation)
        guard generation == self.generation else { return }
        let ending = ReleaseNotice { [weak self] in
            guard let self else { return }
            MainQueue.run { self.didEnd(generation) }
        }
        let observation = startObservation(
            { [weak self] error in withExtendedLifetime(ending) { self?.didFail(error, generation) } },
            { [weak self] value in self?.didReceive(value, generation) })
        guard generation == self.generation else { return observation.cancel() }
        readers.observation = observation
    }

    private func didReceive(_ value: Value, _ generation: Int) {
        guard generation == self.generation, readers.exist else { return }
        mutate(\.value, in: generation) {
            if value is any ComparedRows { previous = latest }
            latest = value
        }
        setWaiting(false, generation)
    }

    private func didFail(_ error: any Error, _ generation: Int) {
        guard generation == self.generation, readers.exist else { return }
        mutate(\.error, in: generation) { latestError = error }
        setWaiting(false, generation)
    }

    /// Handles the end of the observation, possibly without an error.
    private func didEnd(_ generation: Int) {
        if readers.exist { setWaiting(false, generation) }
    }

    private func didStop() {
        // The next reader may have come first.
        if !readers.exist { setWaiting(false, generation) }
    }

    private func setWaiting(_ isWaiting: Bool, _ generation: Int) {
        guard generation == self.generation, self.isWaiting != isWaiting else { return }
        mutate(\.isLoading, in: generation) { self.isWaiting = isWaiting }
    }

    /// Mutates a property, unless code that is notified of the mutation starts the observation again.
    private func mutate<Member>(
        _ property: KeyPath<LiveValue, Member>, in generation: Int, _ mutate: () -> Void
    ) {
        withMutation(property) { if generation == self.generation { mutate() } }
    }

    // MARK: - Observation framework

    private func access<Member>(_ property: KeyPath<LiveValue, Member>) {
        #if canImport(Observation)
            registrar.access(self, keyPath: property)
        #endif
    }

    private func withMutation<Member>(_ property: KeyPath<LiveValue, Member>, _ mutate: () -> Void) {
        #if canImport(Observation)
            registrar.withMutation(of: self, keyPath: property, mutate)
        #else
            mutate()
        #endif
    }
}

#if canImport(Observation)
    extension LiveValue: Observable {}
#endif

// MARK: - Rows

/// The latest version of an observed list, and its difference from the one before.
///
/// ```swift
/// let players = LiveList(.trackingList(Player.order(\.score.desc)), in: dbPool)
/// ```
public typealias LiveList<Element: Sendable> = LiveValue<ObservedList<Element>>

/// The latest sections of an observed list, and their difference from the ones before.
///
/// ```swift
/// let teams = ValueObservation.trackingList(Player.order(\.team)).sections { $0.team }
/// let players = LiveSections(teams, in: dbPool)
/// ```
public typealias LiveSections<ID: Hashable & Sendable, Element: Sendable> = LiveValue<
    ObservedSections<ID, Element>
>

extension LiveValue where Value: ComparedRows {
    /// The latest rows; none before the first value.
    public var rows: Value { value ?? Value() }

    /// The difference between the latest rows and the ones before.
    ///
    /// A view that may skip values keeps those that it shows, and compares them itself:
    /// `players.rows.changes(since: shown)`.
    public var lastChange: Value.Change { rows.changes(since: previous ?? Value()) }
}

/// Counts the readers of a live value, and holds its observation while there are any.
private final class LiveValueReaders: Sendable {
    private struct State {
        var count = 0
        var observation: AnyDatabaseCancellable?
    }

    private let state = Mutex(State())

    var exist: Bool { state.withLock { $0.count > 0 } }

    /// The running observation. Setting it cancels the previous one, and cancels it if there are no readers.
    var observation: AnyDatabaseCancellable? {
        get { state.withLock { $0.observation } }
        set {
            let outdated = state.withLock { state -> AnyDatabaseCancellable? in
                guard state.count > 0 else { return newValue }
                defer { state.observation = newValue }
                return state.observation
            }
            outdated?.cancel()
        }
    }

    /// Adds a reader, and returns whether it is the only one.
    func add() -> Bool {
        state.withLock { state in
            state.count += 1
            return state.count == 1
        }
    }

    /// Removes a reader, and returns whether there are none left.
    func remove() -> Bool {
        let (isLast, observation) = state.withLock { state -> (Bool, AnyDatabaseCancellable?) in
            state.count -= 1
            guard state.count == 0 else { return (false, nil) }
            defer { state.observation = nil }
            return (true, state.observation)
        }
        observation?.cancel()
        return isLast
    }
}
