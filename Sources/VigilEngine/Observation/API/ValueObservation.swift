import VigilRegions

/// Observes the result of a database read: fetches it at the start, and again after each commit that may
/// change it.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in
///     try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")
/// }
/// let cancellable = observation.start(in: dbQueue) { error in
///     print(error)
/// } onChange: { highest in
///     print("The highest score is", highest ?? 0)
/// }
/// ```
///
/// A value observation only describes what to observe, and can be started any number of times. Each started
/// observation is independent of the others. It ends when the cancellable returned by `start` is cancelled or
/// released, after an error, or when the database is closed. Until then it retains the database.
///
/// The observation may notify you unnecessarily, but it never misses a change. Use ``removeDuplicates()`` to
/// skip equal values.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
    package var reducer: Reducer
    var settings: ObservationSettings

    var options: ObservationOptions {
        get { settings.options }
        set { settings.options = newValue }
    }

    var events: ObservationEvents {
        get { settings.events }
        set { settings.events = newValue }
    }

    /// Whether the fetch may write to the database. It then runs on the writer connection, in a savepoint. If
    /// it throws, the savepoint is rolled back.
    ///
    /// On a server, such an observation ends with `SQLITE_MISUSE`, because the commits of its fetches would
    /// be observed.
    public var requiresWriteAccess: Bool {
        get { settings.requiresWriteAccess }
        set { settings.requiresWriteAccess = newValue }
    }
}

/// The source of the observed region.
enum ObservationTracking: Sendable {
    /// The region read by the last fetch.
    case fetched
    /// The region read by the first fetch.
    case firstFetched
    /// The union of the given regions.
    case regions([any DatabaseRegionConvertible])
}

/// The properties of an observation, apart from the type of its values.
struct ObservationSettings: Sendable {
    var tracking: ObservationTracking
    /// Identifies the fetch: observations with equal keys fetch the same value.
    var key = Key.none
    var storedOptions = ObservationOptions.Stored.defaults
    var events = ObservationEvents()
    var requiresWriteAccess = false
}

extension ValueObservation {
    /// Returns an observation of everything read by `fetch`.
    ///
    /// The observed region is updated after each fetch, so `fetch` may read different tables, columns or rows
    /// each time. If it reads the schema, as `tableExists(_:in:)` does, any change of the schema triggers a
    /// new fetch.
    ///
    /// - Parameter fetch: Fetches the value. It runs inside a read-only database access, unless
    ///   ``requiresWriteAccess`` is set. An error ends the observation.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(fetch, .fetched)
    }

    /// Returns an observation of the region read by the *first* `fetch`.
    ///
    /// Use it only if all fetches read the same tables, columns and rows: changes elsewhere are not observed.
    /// On a server, it fetches after each commit: prefer ``tracking(_:)``.
    ///
    /// - Parameter fetch: Fetches the value. An error ends the observation.
    @preconcurrency
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(fetch, .firstFetched)
    }

    /// Returns an observation that fetches again whenever one of the given regions is modified, regardless of
    /// the reads of `fetch`.
    ///
    /// - Parameters:
    ///   - region: A region to observe.
    ///   - otherRegions: More regions to observe.
    ///   - fetch: Fetches the value. An error ends the observation.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Returns an observation that fetches again whenever one of `regions` is modified, regardless of the
    /// reads of `fetch`.
    ///
    /// - Parameters:
    ///   - regions: The regions to observe.
    ///   - fetch: Fetches the value. An error ends the observation.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        regions: [any DatabaseRegionConvertible], fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(fetch, .regions(regions))
    }

    private init<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value, _ tracking: ObservationTracking
    )
    where Reducer == ValueReducers.Fetch<Value> {
        self.init(reducer: .init(fetch: fetch), settings: ObservationSettings(tracking: tracking))
        settings.key = .known(.oneDescription())
    }

    /// Returns an observation of everything read by `fetch`. Observations with equal identities share one
    /// fetch when they fetch from the same snapshot.
    ///
    /// - Parameters:
    ///   - label: The name of the observation in the log, `nil` for the type of its values.
    ///   - identity: Returns an equal value for observations with equal fetches, or `nil` if the fetch cannot
    ///     be shared.
    ///   - fetch: Fetches the value.
    package static func tracking<Value: Sendable, Identity: Hashable & Sendable>(
        label: String?, identity: @escaping @Sendable (Database) throws -> Identity?,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        var observation = ValueObservation(
            reducer: .init(fetch: fetch), settings: ObservationSettings(tracking: .fetched))
        observation.settings.key = .computed { try identity($0).map(FetchKey.request) }
        observation.options.label = label
        return observation
    }

    /// Returns an observation of a list. For the other parameters, see ``tracking(label:identity:fetch:)``.
    ///
    /// - Parameter window: the window that the request depends on; `nil` if it depends on none.
    package static func trackingList<Element: Sendable, Identity: Hashable & Sendable>(
        _ request: ListRequest, window: ListWindow? = nil, label: String?,
        identity: @escaping @Sendable (Database) throws -> Identity?
    ) -> ValueObservation where Reducer == ValueReducers.List<Element> {
        var observation = ValueObservation(
            reducer: .init(request: request), settings: ObservationSettings(tracking: .fetched))
        observation.settings.key = .computed {
            try identity($0).map { FetchKey.request(ListIdentity(request: $0)) }
        }
        observation.options.label = label
        if let window { observation.options.windows = [window] }
        observation.options.makeListMemory = { ListMemory(of: Element.self, ledger: $0) }
        return observation
    }

    /// Transforms the values with the given closure, off the database connection.
    ///
    /// - Parameter transform: Transforms a fetched value. An error ends the observation.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        derived(.init(base: reducer, transform: transform))
    }

    /// Skips each value equal to the previous one, as decided by `predicate`.
    ///
    /// - Parameter predicate: Returns whether two values are equal. It runs off the database connection, and
    ///   is never called concurrently.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        let predicate = DuplicatePredicate(predicate)
        return derived(.init(base: reducer, isDuplicate: { predicate($0, $1) }))
    }

    /// Skips each value equal to the previous one.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
    where Reducer.Value: Equatable {
        derived(.init(base: reducer, isDuplicate: { $0 == $1 }))
    }

    /// Pairs each value with the number of its commit.
    public func withCommitNumber() -> ValueObservation<ValueReducers.WithCommitNumber<Reducer>> {
        derived(.init(base: reducer))
    }

    /// Returns an observation with the given reducer, and with the tracking, options and events of this one.
    package func derived<Other: ValueReducer>(_ reducer: Other) -> ValueObservation<Other> {
        ValueObservation<Other>(reducer: reducer, settings: settings)
    }
}

// MARK: - Starting

extension ValueObservation {
    /// Starts the observation, and calls back where `scheduler` decides.
    ///
    /// With the scheduler `.immediate`, the initial value is delivered before this method returns. The
    /// observation retains `reader` until it ends.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - scheduler: Decides where `onError` and `onChange` are called.
    ///   - onError: Called at most once, with the error that ended the observation. No callback follows it.
    ///   - onChange: Called with the initial value, and with a fresh value after changes, in commit order.
    /// - Returns: A cancellable that ends the observation when it is cancelled or released.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        AnyDatabaseCancellable(
            observer:
                started(in: reader, scheduling: scheduler, onError: onError, onChange: onChange))
    }

    /// Starts the observation and returns its observer, for the caller to cancel.
    ///
    /// - Parameter demand: The initial number of values accepted by the consumer. See
    ///   ``ValueObserver/request(_:)``.
    func started<Scheduler: ValueObservationScheduler>(
        in reader: any DatabaseReader, scheduling scheduler: Scheduler,
        demand: ObservationDemand = .unlimited,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> ValueObserver<Reducer, Scheduler> {
        let isImmediate = scheduler.immediateInitialValue()
        let observer = ValueObserver(
            observation: self, scheduler: scheduler, isImmediate: isImmediate, demand: demand,
            onError: onError, onChange: onChange)
        events.willStart()
        reader._start(observer, immediately: isImmediate)
        return observer
    }

    /// Starts the observation, and calls back on the main actor.
    ///
    /// With the scheduler `.immediate`, the initial value is delivered before this method returns. The
    /// observation retains `reader` until it ends.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - scheduler: Decides when `onError` and `onChange` are called on the main actor.
    ///   - onError: Called at most once, with the error that ended the observation. No callback follows it.
    ///   - onChange: Called with the initial value, and with a fresh value after changes, in commit order.
    /// - Returns: A cancellable that ends the observation when it is cancelled or released.
    @MainActor @preconcurrency
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        // The opaque type selects the overload without isolation.
        let scheduler: some ValueObservationScheduler = scheduler
        return start(
            in: reader, scheduling: scheduler,
            onError: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { value in MainActor.assumeIsolated { onChange(value) } })
    }

    /// Returns an asynchronous sequence of the values.
    ///
    /// The observation starts when the sequence is iterated, and ends with the iteration. A failed
    /// observation throws its error from the iteration.
    ///
    /// ```swift
    /// for try await players in observation.values(in: dbPool) {
    ///     print("There are", players.count, "players")
    /// }
    /// ```
    ///
    /// Values are fetched only if the buffer has room for them: once it is full, the observation does not
    /// fetch until a value is consumed. If the buffer is unbounded, a `DatabasePool` fetches one value ahead,
    /// and a `DatabaseQueue` fetches after every commit in the region.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to keep until they are awaited, and the choice of values to
    ///     drop.
    public func values(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { demand, onError, onChange in
            // The sequence passes the values on to a task, so another one is not needed in between.
            guard !(scheduler is TaskValueObservationScheduler) else {
                return started(
                    in: reader, scheduling: ForwardingScheduler(), demand: demand, onError: onError,
                    onChange: onChange)
            }
            return started(
                in: reader, scheduling: scheduler, demand: demand, onError: onError, onChange: onChange)
        }
    }
}

/// Distinguishes the fetch of a list from other fetches of the same request.
private struct ListIdentity<Request: Hashable & Sendable>: Hashable, Sendable {
    let request: Request
}
