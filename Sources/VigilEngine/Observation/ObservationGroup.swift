import Synchronization
public import VigilRegions

/// Several observations that are started together, and tell together: their values are always of one and the same
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
/// A commit that touches one member fetches all, from one snapshot, and is one notification. A member that leaves out
/// its value, such as one that removes duplicates, stands there with the value that it had; when all leave out theirs,
/// nobody is notified. An error of one ends them all. Throttling, pauses and coalescing are those of the ``observation``.
public struct ObservationGroup<each Reducer: ValueReducer>: Sendable {
    /// The group as one observation, with a tuple for a value: to be shared, throttled, paused or mapped as any other.
    public var observation: ValueObservation<ValueReducers.Group<(repeat (each Reducer).Value)>>

    public init(_ members: repeat ValueObservation<each Reducer>) {
        var events = ObservationEvents()
        var requiresWriteAccess = false
        var labels: [String] = []
        for member in repeat each members {
            events.add(member.events)
            if member.requiresWriteAccess { requiresWriteAccess = true }
            labels.append(member.label)
        }
        observation = ValueObservation(
            reducer: .init(repeat each members), tracking: .fetched, events: events,
            requiresWriteAccess: requiresWriteAccess)
        observation.options.label = labels.joined(separator: "; ")
        observation.options.key = .known(.oneDescription())
    }

    /// Starts the observations. See ``ValueObservation/start(in:scheduling:onError:onChange:)-(_,ValueObservationScheduler,_,_)``.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (repeat (each Reducer).Value) -> Void
    ) -> AnyDatabaseCancellable {
        observation.start(
            in: reader, scheduling: scheduler, onError: onError, onChange: Self.spread(onChange))
    }

    /// Starts the observations, which call back on the main actor.
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

extension ValueReducers {
    /// Makes one value of those of several reducers.
    public struct Group<Value: Sendable>: ValueReducer {
        /// What each member has fetched.
        public struct Fetched: Sendable {
            let members: [any Sendable]
        }

        /// Reduces what was fetched, in one start of the group.
        typealias Reduce = @Sendable (Fetched, CommitNumber) throws -> Value?

        private let fetch: @Sendable (Database) throws -> Fetched
        private let makeReduce: @Sendable () -> Reduce
        /// Made by the first value, since each start has its own.
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
                    var isNews = false
                    for state in repeat each states {
                        if try state.receive(next.next(), at: commit) { isNews = true }
                    }
                    guard isNews else { return nil }
                    // Whoever has never had a value keeps the others waiting.
                    for state in repeat each states { if state.last == nil { return nil } }
                    return (repeat try (each states).value())
                }
            }
        }

        public func _fetch(_ db: Database) throws -> Fetched { try fetch(db) }

        public mutating func _value(_ fetched: Fetched, at commit: CommitNumber) throws -> Value? {
            let reduce = reduce ?? makeReduce()
            self.reduce = reduce
            return try reduce(fetched, commit)
        }

        public static var _isTrivial: Bool { false }
    }
}

/// A member of a group that was started.
private final class GroupMember<Reducer: ValueReducer>: Sendable {
    private struct State {
        var reducer: Reducer
        var last: Reducer.Value?
    }

    private let state: Mutex<State>

    init(_ reducer: Reducer) {
        state = Mutex(State(reducer: reducer))
    }

    var last: Reducer.Value? { state.withLock { $0.last } }

    /// Answers whether there is a new value.
    func receive(_ fetched: (any Sendable)?, at commit: CommitNumber) throws -> Bool {
        guard let fetched = fetched as? Reducer.Fetched else {
            throw DatabaseError(resultCode: .SQLITE_INTERNAL)
        }
        return try state.withLock { state in
            guard let value = try state.reducer._value(fetched, at: commit) else { return false }
            state.last = value
            return true
        }
    }

    func value() throws -> Reducer.Value {
        guard let last else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return last
    }
}

extension ValueObservation {
    /// Fetches, and records what is to be observed.
    fileprivate func fetchAsMember(_ db: Database) throws -> Reducer.Fetched {
        guard case .regions(let regions) = tracking else { return try reducer._fetch(db) }
        db.record(try regions.databaseRegion(db))
        return try db.withoutRecording { try reducer._fetch(db) }
    }
}

extension Database {
    /// Runs `body`, whose reads nobody records.
    func withoutRecording<T>(_ body: () throws -> T) rethrows -> T {
        let recordings = recordings
        self.recordings = []
        defer { self.recordings = recordings }
        return try body()
    }
}
