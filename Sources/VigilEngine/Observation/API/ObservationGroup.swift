public import Dispatch
import Synchronization
public import VigilRegions

/// Several observations with a common start and common notifications: their values always belong to the same
/// commit.
///
/// ```swift
/// let group = ObservationGroup(
///     ValueObservation.tracking(Player.fetchAll),
///     ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT SUM(score) FROM player") })
/// let cancellable = group.start(in: dbPool, scheduling: .async(onQueue: .main)) { error in
///     …
/// } onChange: { players, total in
///     // The total is that of these players.
/// }
/// ```
///
/// When a commit modifies the region of one member, or the ``ListWindow`` of one changes, all members are
/// fetched from one snapshot, and there is one notification. A member without a new value, for example
/// because it removes duplicates, keeps its previous one. If all members skip theirs, there is no
/// notification. An error of one member ends the group. The group's ``observation`` decides on throttling,
/// debouncing, pauses, coalescing and skipping; such options of the members are ignored. You can share, map
/// and await a group like any other observation.
public struct ObservationGroup<each Reducer: ValueReducer>: Sendable {
    /// The group as one observation of a tuple. Throttle or pause it like any other observation.
    public var observation: ValueObservation<ValueReducers.Group<(repeat (each Reducer).Value)>>

    /// Creates a group of observations. Their values are delivered in the given order.
    ///
    /// If one of them has ``ValueObservation/requiresWriteAccess``, so does the group.
    public init(_ members: repeat ValueObservation<each Reducer>) {
        var events = ObservationEvents()
        var requiresWriteAccess = false
        var labels: [String] = []
        var windows: [ListWindow] = []
        for member in repeat each members {
            events.add(member.events)
            if member.requiresWriteAccess { requiresWriteAccess = true }
            labels.append(member.label)
            windows += member.options.windows
        }
        observation = ValueObservation(
            reducer: .init(repeat each members),
            settings: ObservationSettings(
                tracking: .fetched, events: events, requiresWriteAccess: requiresWriteAccess))
        observation.options.label = labels.joined(separator: "; ")
        observation.options.windows = windows
        // A window may change between a fetch and the use of its value by another start of the group.
        if windows.isEmpty { observation.settings.key = .known(.oneDescription()) }
    }

    /// Starts the observations, and calls back where `scheduler` decides.
    ///
    /// With the scheduler `.immediate`, the initial values are delivered before this method returns. The
    /// group retains `reader` until it ends.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - scheduler: Decides where `onError` and `onChange` are called.
    ///   - onError: Called at most once, with the error that ended the observations. No callback follows it.
    ///   - onChange: Called with the initial values, and with fresh values after changes, in commit order.
    /// - Returns: A cancellable that ends the observations when it is cancelled or released.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (repeat (each Reducer).Value) -> Void
    ) -> AnyDatabaseCancellable {
        observation.start(
            in: reader, scheduling: scheduler, onError: onError, onChange: Self.spread(onChange))
    }

    /// Starts the observations, and calls back on the main actor.
    ///
    /// With the scheduler `.immediate`, the initial values are delivered before this method returns. The
    /// group retains `reader` until it ends.
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - scheduler: Decides when `onError` and `onChange` are called on the main actor.
    ///   - onError: Called at most once, with the error that ended the observations. No callback follows it.
    ///   - onChange: Called with the initial values, and with fresh values after changes, in commit order.
    /// - Returns: A cancellable that ends the observations when it is cancelled or released.
    @MainActor @preconcurrency
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (repeat (each Reducer).Value) -> Void
    ) -> AnyDatabaseCancellable {
        observation.start(
            in: reader, scheduling: scheduler, onError: onError, onChange: Self.spreadOnMainActor(onChange))
    }

    private static func spread(
        _ onChange: @escaping @Sendable (repeat (each Reducer).Value) -> Void
    ) -> @Sendable ((repeat (each Reducer).Value)) -> Void {
        { (values: (repeat (each Reducer).Value)) in onChange(repeat each values) }
    }

    private static func spreadOnMainActor(
        _ onChange: @escaping @MainActor @Sendable (repeat (each Reducer).Value) -> Void
    ) -> @MainActor @Sendable ((repeat (each Reducer).Value)) -> Void {
        { (values: (repeat (each Reducer).Value)) in onChange(repeat each values) }
    }
}

// MARK: - Operators

extension ObservationGroup {
    /// Returns an asynchronous sequence of the values, as tuples. See
    /// ``ValueObservation/values(in:scheduling:bufferingPolicy:)``.
    ///
    /// ```swift
    /// for try await (players, total) in group.values(in: dbPool) {
    ///     // The total is that of these players.
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: The database to observe.
    ///   - scheduler: Decides where values are passed to the sequence.
    ///   - bufferingPolicy: The number of values to keep until they are awaited, and the choice of values to
    ///     drop.
    public func values(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<(repeat (each Reducer).Value)>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<(repeat (each Reducer).Value)> {
        observation.values(in: reader, scheduling: scheduler, bufferingPolicy: bufferingPolicy)
    }

    /// Transforms the values with the given closure, off the database connection.
    ///
    /// - Parameter transform: Transforms the values of one notification. An error ends the observations.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (repeat (each Reducer).Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<ValueReducers.Group<(repeat (each Reducer).Value)>, T>> {
        observation.map { (values: (repeat (each Reducer).Value)) in try transform(repeat each values) }
    }

    /// Skips notifications with values equal to the previous ones.
    public func removeDuplicates()
        -> ValueObservation<
            ValueReducers.RemoveDuplicates<ValueReducers.Group<(repeat (each Reducer).Value)>>
        >
    where repeat (each Reducer).Value: Equatable {
        observation.removeDuplicates { (a: (repeat (each Reducer).Value)) in
            { (b: (repeat (each Reducer).Value)) in
                for (one, two) in repeat (each a, each b) {
                    if one != two { return false }
                }
                return true
            }
        }
    }

    /// Returns an observation that fetches once per change, and delivers the result to all of its clients.
    /// See ``ValueObservation/shared(in:scheduling:extent:)``.
    ///
    /// - Parameters:
    ///   - reader: The database to observe. The observations start with the first client.
    ///   - scheduler: Decides where the callbacks of all clients run.
    ///   - extent: Decides when the observations end.
    public func shared(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<(repeat (each Reducer).Value)> {
        observation.shared(in: reader, scheduling: scheduler, extent: extent)
    }
}

extension ValueObservation {
    /// Skips each value equal to the previous one.
    ///
    /// - Parameter predicate: Takes the values one by one: the compiler crashes on a closure with two tuples
    ///   of parameter packs (Swift 6.3.1).
    fileprivate func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value) -> (Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        removeDuplicates { a, b in predicate(a)(b) }
    }
}

extension ValueReducers {
    /// Combines the values of several reducers into a tuple. See ``ObservationGroup``.
    public struct Group<Value: Sendable>: ValueReducer {
        /// The fetched values of all members, in their order.
        public struct Fetched: Sendable {
            let members: [any Sendable]
        }

        /// Reduces the fetched values of one started group.
        typealias Reduce = @Sendable (Fetched, CommitNumber) throws -> Value?

        private let fetch: @Sendable (Database) throws -> Fetched
        private let makeReduce: @Sendable () -> Reduce
        /// The reducing closure, created for the first value: each started group has its own.
        private var reduce: Reduce?

        init<each Member: ValueReducer>(_ members: repeat ValueObservation<each Member>)
        where Value == (repeat (each Member).Value) {
            fetch = { db in
                var fetched: [any Sendable] = []
                for member in repeat each members { fetched.append(try member.fetchAsMember(db)) }
                return Fetched(members: fetched)
            }
            makeReduce = {
                let states = (repeat GroupMember((each members).reducer))
                return { fetched, commit in
                    var next = fetched.members.makeIterator()
                    var hasNewValue = false
                    for state in repeat each states {
                        if try state.receive(next.next(), at: commit) { hasNewValue = true }
                    }
                    guard hasNewValue else { return nil }
                    // There is nothing to deliver before each member has a value.
                    for state in repeat each states { if state.last == nil { return nil } }
                    return (repeat try (each states).value())
                }
            }
        }

        /// Fetches the values of all members.
        public func _fetch(_ db: Database) throws -> Fetched { try fetch(db) }

        /// Returns the last values of all members. Returns `nil` if no member has a new value, or if any
        /// member has no value yet.
        public mutating func _value(_ fetched: Fetched, at commit: CommitNumber) throws -> Value? {
            let reduce = reduce ?? makeReduce()
            self.reduce = reduce
            return try reduce(fetched, commit)
        }

        /// Always `false`: the members may transform their values.
        public static var _isTrivial: Bool { false }
    }
}

/// The reducer of a member in a started group, with the member's last value.
private final class GroupMember<Reducer: ValueReducer>: Sendable {
    private struct State {
        /// `nil` while it reduces a value.
        var reducer: Reducer?
        var last: Reducer.Value?
    }

    private let state: Mutex<State>

    init(_ reducer: Reducer) {
        state = Mutex(State(reducer: reducer))
    }

    var last: Reducer.Value? { state.withLock { $0.last } }

    /// Reduces a fetched value, and returns whether it results in a new value.
    ///
    /// The reducer runs closures of the user, so it is taken out of the state, and runs without the lock.
    /// Values are reduced one after the other.
    func receive(_ fetched: (any Sendable)?, at commit: CommitNumber) throws -> Bool {
        guard let fetched = fetched as? Reducer.Fetched else {
            throw DatabaseError(resultCode: .SQLITE_INTERNAL)
        }
        guard var reducer = state.withLock({ $0.reducer.take() }) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the group already reduces a value: reduce one at a time"
            )
        }
        defer { state.withLock { $0.reducer = reducer } }
        guard let value = try reducer._value(fetched, at: commit) else { return false }
        // The previous value is released without the lock.
        _ = state.withLock { state in
            defer { state.last = value }
            return state.last
        }
        return true
    }

    func value() throws -> Reducer.Value {
        guard let last else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return last
    }
}

extension ValueObservation {
    /// Fetches a member's value, and records the region of the member.
    fileprivate func fetchAsMember(_ db: Database) throws -> Reducer.Fetched {
        defer { db.undoSettings() }
        guard case .regions(let regions) = settings.tracking else { return try reducer._fetch(db) }
        // The value may depend on more than the statements of all members.
        db.fetchContext?.fetch.readsMore = true
        db.record(try db.includingUnreported(regions.databaseRegion(db)))
        return try db.withoutRecording { try reducer._fetch(db) }
    }
}
