import Dispatch
import VigilRegions

/// Tells what a database read gives, now and after each commit that may change it.
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
/// An observation is a description; each start is independent of the others. It ends when the cancellable
/// that `start` returns is cancelled or released, after an error, or when the database is closed. Until then, it
/// retains the database.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
    /// How the region that is observed comes about.
    enum Tracking: Sendable {
        /// It is what the fetch reads, each time anew.
        case fetched
        /// It is what the first fetch reads.
        case firstFetched
        /// It is given.
        case regions([any DatabaseRegionConvertible])
    }

    var reducer: Reducer
    var tracking: Tracking
    var options = ObservationOptions()
    var events = ObservationEvents()

    /// Whether the fetch may write. Its writes are undone if it throws.
    public var requiresWriteAccess = false
}

extension ValueObservation {
    /// Observes what `fetch` reads, whatever it reads each time: also of the schema, as `tableExists(_:in:)` does. Any
    /// change of the schema changes that.
    ///
    /// `fetch` runs inside a database access where nothing can be written.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(fetch, .fetched)
    }

    /// Observes what the *first* `fetch` reads: later ones are taken to read the same tables, columns and rows.
    @preconcurrency
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(fetch, .firstFetched)
    }

    /// Fetches whenever `region` is changed, whatever the fetch reads.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Fetches whenever one of `regions` is changed, whatever the fetch reads.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        regions: [any DatabaseRegionConvertible], fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(fetch, .regions(regions))
    }

    private init<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value, _ tracking: Tracking
    )
    where Reducer == ValueReducers.Fetch<Value> {
        self.init(reducer: .init(fetch: fetch), tracking: tracking)
        options.key = .known(.oneDescription())
    }

    /// Observes what `fetch` reads, where it is known what that is: observations with the same identity fetch once.
    package static func tracking<Value: Sendable, Identity: Hashable & Sendable>(
        label: String?, identity: @escaping @Sendable (Database) throws -> Identity?,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
        var observation = ValueObservation(reducer: .init(fetch: fetch), tracking: .fetched)
        observation.options.key = .asked { try identity($0).map(FetchKey.request) }
        observation.options.label = label
        return observation
    }

    /// Transforms values, off the database connection.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        derived(.init(base: reducer, transform: transform))
    }

    /// Leaves out values for which `predicate` says that they are the same as the one before.
    ///
    /// `predicate` is called for one pair at a time, off the database connection.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        derived(.init(base: reducer, isDuplicate: DuplicatePredicate(predicate)))
    }

    /// Leaves out values that are equal to the one before.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
    where Reducer.Value: Equatable {
        removeDuplicates(by: ==)
    }

    /// Adds to each value the commit as of which it was read.
    public func withCommitNumber() -> ValueObservation<ValueReducers.WithCommitNumber<Reducer>> {
        derived(.init(base: reducer))
    }

    func derived<Other: ValueReducer>(_ reducer: Other) -> ValueObservation<Other> {
        let tracking: ValueObservation<Other>.Tracking =
            switch tracking {
            case .fetched: .fetched
            case .firstFetched: .firstFetched
            case .regions(let regions): .regions(regions)
            }
        return ValueObservation<Other>(
            reducer: reducer, tracking: tracking, options: options, events: events,
            requiresWriteAccess: requiresWriteAccess)
    }
}

// MARK: - Starting

extension ValueObservation {
    /// Starts the observation.
    ///
    /// - Parameters:
    ///   - scheduler: where `onError` and `onChange` are called.
    ///   - onError: called at most once, after which nothing is called any more.
    ///   - onChange: called with the initial value, and with fresh ones, in commit order.
    /// - Returns: what ends the observation, when it is cancelled or released.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        // What awaits nothing may run where the value was fetched. Anybody's code may want to write.
        if scheduler is TaskValueObservationScheduler {
            let queue = DispatchQueue(label: "Vigil.ValueObservation.task")
            return AnyDatabaseCancellable(
                observer:
                    started(
                        in: reader, scheduling: .async(onQueue: queue), onError: onError, onChange: onChange))
        }
        return AnyDatabaseCancellable(
            observer:
                started(in: reader, scheduling: scheduler, onError: onError, onChange: onChange))
    }

    /// - Parameter demand: how many values are taken at first: see ``ValueObserver/request(_:)``.
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

    /// Starts the observation, which calls back on the main actor.
    @MainActor @preconcurrency
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        start(
            in: reader, scheduling: MainActorAdapter(base: scheduler),
            onError: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { value in MainActor.assumeIsolated { onChange(value) } })
    }

    /// The values as an asynchronous sequence, which starts when it is iterated, and ends the observation
    /// with the iteration.
    ///
    /// A value is fetched when there is room for it in the buffer: a sequence that nobody awaits causes no fetches. Where
    /// the buffer is unbounded, a `DatabasePool` is taken to have room for one value, and a `DatabaseQueue`, which tells
    /// of each commit, for any number.
    ///
    /// - Parameter bufferingPolicy: how many values are kept that nobody awaits yet.
    public func values(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { demand, onError, onChange in
            started(
                in: reader, scheduling: scheduler, demand: demand, onError: onError, onChange: onChange)
        }
    }
}
