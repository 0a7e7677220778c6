// Change → match: the connection reports changed rows, and an index finds the observers whose region they modify.
// Commit: the commit gets a number, and `didChange` makes the matched observers stale.
// Fetch: `read` runs the fetch in a snapshot that contains the commit, and records the region that was read.
// Reduce → deliver: `Reduction` transforms the value off the connection, and the scheduler delivers it.

import Dispatch
import Synchronization
import VigilRegions
import VigilStorage

/// A started observation, independent of the type of its values. Not for apps to implement.
public protocol _StartedObservation: AnyObject, Sendable {
    /// Delivers the values that were held for delivery before `start` returns.
    func _deliverImmediately()
}

/// Drives one started observation: reports events to its ``ObservationMachine`` and performs the machine's
/// decisions.
final class ValueObserver<Reducer: ValueReducer, Scheduler: ValueObservationScheduler>:
    CommitObserver, DemandingCancellable, PausableObserver, _StartedObservation
{
    struct State {
        var machine = ObservationMachine()
        weak var host: (any ObservationHost)?
        /// The observed database, retained until the observation ends.
        var database: (any DatabaseReader)?
        /// The identifier of the observer's registration, `nil` before it is registered.
        var id: ObserverID?
        /// Whether values and errors are held until ``ValueObserver/_deliverImmediately()`` is called.
        var holdsValues: Bool
        /// The fetched values that are held: several, if commits occurred before the delivery.
        var heldValues: [(fetched: Reducer.Fetched, commit: CommitNumber)] = []
        var heldError: (any Error)?
        /// The callbacks of the observation, `nil` once nothing may be delivered.
        var callbacks: Callbacks?
        /// Interrupts the running fetch.
        var interruption: AccessCancellation?
        var log: ObservationLog?
        var region: DatabaseRegion?
        /// Whether the database has disarmed the observer: commits are not matched with it until it reports
        /// its region again.
        var isDisarmed = false
        /// The initial value, if it must not be delivered; `nil` for later values.
        var skip: SkippedValue?
        var commitBeforeStart: CommitNumber?
        var debounce = DebounceMachine()
        var counts = ObservationCounts()
    }

    /// A value that is fetched and not delivered.
    enum SkippedValue {
        /// The value at the start, with which the next one is compared.
        case initial
        /// A value that may contain a later commit: the next one must be delivered even if it is equal.
        case outdated
    }

    struct Callbacks {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Reducer.Value) -> Void
    }

    let observation: ValueObservation<Reducer>
    private let scheduler: Scheduler
    private let demand: ObservationDemand
    private let reduction: Reduction<Reducer>?
    let state: Mutex<State>

    init(
        observation: ValueObservation<Reducer>, scheduler: Scheduler, isImmediate: Bool,
        demand: ObservationDemand = .unlimited,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        self.observation = observation
        self.scheduler = scheduler
        self.demand = demand
        reduction = Reduction(observation.reducer)
        state = Mutex(
            State(
                holdsValues: isImmediate, callbacks: Callbacks(onError: onError, onChange: onChange),
                skip: observation.options.skipsInitialValue ? .initial : nil))
    }

    var needsWriter: Bool { observation.requiresWriteAccess }

    var fetchesEachCommit: Bool { state.withLock { $0.machine.mode == .eachCommit } }

    var commitBeforeStart: CommitNumber? { state.withLock { $0.commitBeforeStart } }

    // MARK: - Start

    func begin(in host: any ObservationHost, of database: any DatabaseReader) -> Bool {
        let coalesces =
            host.coalesces && !needsWriter && observation.options.coalescing == .automatic
        let limit: Int? =
            switch demand {
            case .unlimited: nil
            case .oneAtATime: coalesces ? 1 : nil
            case .limited(let count): count
            }
        let pause = observation.options.pause
        let commitBeforeStart = observation.options.skipsInitialValue ? host.lastCommit : nil
        let fetches = state.withLock { state in
            state.commitBeforeStart = commitBeforeStart
            state.host = host
            state.database = database
            state.log = host.log
            state.machine = ObservationMachine(
                mode: coalesces ? .coalescing : .eachCommit,
                isThrottled: observation.options.throttle != nil,
                isDebounced: observation.options.debounce != nil, demand: limit)
            if let pause { _ = state.machine.setPaused(pause.isPaused) }
            let fetches = state.machine.start()
            if !fetches { state.holdsValues = false }
            return fetches
        }
        host.registry.add(self)
        log("started")
        if let pause {
            pause.add(self)
            // The pause may have been resumed before the observer was added to it.
            pauseDidChange()
        }
        return fetches
    }

    func willRegister(_ id: ObserverID) {
        state.withLock { state in
            // A fetch requested from now on needs the identifier: without one, it would count as the initial
            // fetch.
            if !state.machine.isEnded { state.id = id }
        }
    }

    func initialValueIsOutdated() {
        state.withLock { state in
            if state.skip != nil { state.skip = .outdated }
        }
    }

    func didRegister(_ id: ObserverID) {
        let host = state.withLock { state -> (any ObservationHost)? in
            guard state.machine.isEnded else {
                state.id = id
                return nil
            }
            return state.host
        }
        host?.remove(self, id)
    }

    // MARK: - Commits

    func didChange(_ trigger: ObservationTrigger) -> ChangeAnswer {
        var isFirstReport = false
        var isSettling = false
        let (answer, isEnded) = state.withLock { state -> (ChangeAnswer, Bool) in
            isFirstReport = state.counts.didChange(trigger)
            defer { isSettling = state.machine.isSettling }
            if state.machine.didMatchCommit(trigger.commit) { return (.fetch, false) }
            // A pool's per-commit fetcher matches commits with regions itself, so its observers are never disarmed.
            let canDisarm = state.machine.mode == .coalescing || state.host?.coalesces == false
            guard canDisarm, state.machine.mayDisarm, state.region != nil else {
                return (.wait, state.machine.isEnded)
            }
            state.isDisarmed = true
            return (.disarm, false)
        }
        if isSettling { startDebounceInterval() }
        guard !isEnded, isFirstReport else { return answer }
        observation.events.databaseDidChange(trigger)
        log("\(trigger)")
        return answer
    }

    func request(_ number: Int) {
        act { $0.request(number) }
    }

    func pauseDidChange() {
        guard let pause = observation.options.pause else { return }
        act { $0.setPaused(pause.isPaused) }
    }

    /// Reports an event to the machine, and schedules a fetch if the machine decides to.
    func act(_ decide: (inout ObservationMachine) -> Bool) {
        let (host, id) = state.withLock { state in
            (decide(&state.machine) ? state.host : nil, state.id)
        }
        host?.scheduleFetch(self, id)
    }

    // MARK: - Fetching

    func fetch(_ db: Database, at commit: CommitNumber, because reason: MatchReason?) -> ObserverFetch {
        let (fetches, isEnded) = state.withLock { state in
            state.counts.willFetch(at: commit)
            return (state.machine.willFetch(at: commit), state.machine.isEnded)
        }
        guard fetches else { return ObserverFetch(renewal: isEnded ? .ended : .unchanged) }
        do {
            let (fetched, region) = try fetch(db, at: commit)
            let renewal = try renewal(region, isFirst: reason == nil, db)
            return ObserverFetch(renewal: renewal) { [self] in
                if case .observes(let region) = renewal { willTrack(region) }
                didFetch(fetched, at: commit)
            }
        } catch {
            fail(db.observationError(error))
            return ObserverFetch(renewal: .ended)
        }
    }

    private func renewal(_ fetched: DatabaseRegion, isFirst: Bool, _ db: Database) throws -> ObserverRenewal {
        let (observesChanges, disarmedRegion) = state.withLock { state in
            defer { state.isDisarmed = false }
            return (state.host?.observesChanges ?? false, state.isDisarmed ? state.region : nil)
        }
        guard observesChanges else { return .unchanged }
        switch observation.tracking {
        case .fetched: return .observes(try db.observable(fetched))
        case .firstFetched where isFirst: return .observes(try db.observable(fetched))
        case .regions(let regions) where isFirst:
            return .observes(try db.observable(regions.databaseRegion(db), isNamed: true))
        case .firstFetched, .regions: return disarmedRegion.map { .observes($0) } ?? .unchanged
        }
    }

    private func willTrack(_ region: DatabaseRegion) {
        let isDifferent = state.withLock { state in
            defer { state.region = region }
            return state.region != region
        }
        guard isDifferent else { return }
        observation.events.willTrackRegion(region)
        log("tracks \(region)")
    }

    private func fetch(_ db: Database, at commit: CommitNumber) throws -> (Reducer.Fetched, DatabaseRegion) {
        guard !needsWriter, let shared = db.sharedFetches, let key = try observation.options.key(db) else {
            return try fetchUnshared(db, at: commit)
        }
        if let known = shared.fetched(key, as: Reducer.Fetched.self) {
            state.withLock { $0.counts.didShareFetch(at: commit) }
            return known
        }
        let (fetched, region) = try fetchUnshared(db, at: commit)
        shared.store(fetched, region, for: key)
        return (fetched, region)
    }

    private func fetchUnshared(
        _ db: Database, at commit: CommitNumber
    ) throws -> (Reducer.Fetched, DatabaseRegion) {
        observation.events.willFetch()
        let begin = ContinuousClock.now
        var region = DatabaseRegion()
        let fetched = try interruptible(db) {
            try db.recordingSelection(&region) { try runFetch(db) }
        }
        let time = ContinuousClock.now - begin
        state.withLock { $0.counts.didFetch(at: commit, in: time) }
        log("fetched in \(time)")
        return (fetched, region)
    }

    private func runFetch(_ db: Database) throws -> Reducer.Fetched {
        guard needsWriter else {
            return try db.inReadOnlySnapshot { try observation.reducer._fetch(db) }
        }
        var fetched: Reducer.Fetched?
        try db.inSavepoint {
            fetched = try observation.reducer._fetch(db)
            return .commit
        }
        // A savepoint that does not throw has run its body.
        return try fetched.orThrow()
    }

    /// Runs a fetch that ``cancel()`` interrupts, provided that the connection runs no statements of other
    /// callers.
    private func interruptible<T>(_ db: Database, _ fetch: () throws -> T) throws -> T {
        guard db.isObservationAccess, db.cancellation == nil else { return try fetch() }
        let interruption = AccessCancellation(interrupter: db.connection.interrupter)
        let isEnded = state.withLock { state in
            state.interruption = interruption
            return state.machine.isEnded
        }
        db.cancellation = interruption
        defer {
            db.cancellation = nil
            state.withLock { $0.interruption = nil }
            interruption.end()
        }
        if isEnded { throw CancellationError() }
        return try fetch()
    }

    // MARK: - Reduction and delivery

    private func didFetch(_ fetched: Reducer.Fetched, at commit: CommitNumber) {
        let (answer, skip, isHeld) = state.withLock { state in
            let (answer, skip) = (state.machine.didFetch(), state.skip)
            if answer != .drop { state.skip = nil }
            let isHeld = state.holdsValues && skip == nil
            if answer != .drop, isHeld { state.heldValues.append((fetched, commit)) }
            return (answer, skip, isHeld)
        }
        guard case .deliver(let startsThrottlingInterval) = answer else { return }
        if startsThrottlingInterval { startThrottlingInterval() }
        if let skip { return didSkip(skip, fetched, at: commit) }
        if isHeld { return }
        guard let reduction else { return deliver(reduced(fetched, at: commit)) }
        reduction.schedule(fetched, at: commit) { [self] in deliver($0) }
    }

    private func didSkip(_ skip: SkippedValue, _ fetched: Reducer.Fetched, at commit: CommitNumber) {
        guard skip == .initial, let reduction else { return deliver(nil) }
        reduction.schedule(fetched, at: commit) { [self] result in
            if case .failure? = result { deliver(result) } else { deliver(nil) }
        }
    }

    private func reduced(
        _ fetched: Reducer.Fetched, at commit: CommitNumber
    ) -> Result<Reducer.Value, any Error>? {
        if let reduction { return reduction.reduceNow(fetched, at: commit) }
        var reducer = observation.reducer
        return reducer.reduce(fetched, at: commit)
    }

    private func deliver(_ result: Result<Reducer.Value, any Error>?) {
        switch result {
        case .success(let value): scheduler.schedule { [self] in notify(value) }
        case .failure(let error): fail(error)
        case nil:
            state.withLock { $0.counts.didSkip() }
            act { $0.didReduceToNothing() }
        }
    }

    private func notify(_ value: Reducer.Value) {
        let callbacks = state.withLock { state in
            if state.callbacks != nil { state.counts.notifications += 1 }
            return state.callbacks
        }
        guard let callbacks else { return }
        callbacks.onChange(value)
        act { $0.didDeliver() }
    }

    func _deliverImmediately() {
        var initial: Reducer.Value?
        while let heldValues = takeHeldValues() {
            for (fetched, commit) in heldValues {
                switch reduced(fetched, at: commit) {
                case .success(let value) where initial == nil: initial = value
                case let result: deliver(result)
                }
            }
        }
        if let initial { notify(initial) }
        let error = state.withLock { state in
            defer { state.heldError = nil }
            return state.heldError
        }
        if let error { takeCallbacks()?.onError(error) }
    }

    /// Removes and returns the values that are held. Returns `nil` if there are none; later values are
    /// then delivered without delay.
    private func takeHeldValues() -> [(fetched: Reducer.Fetched, commit: CommitNumber)]? {
        state.withLock { state in
            if state.heldValues.isEmpty { state.holdsValues = false }
            defer { state.heldValues = [] }
            return state.holdsValues ? state.heldValues : nil
        }
    }

    // MARK: - End

    func fail(_ error: any Error) {
        let (ends, isHeld) = state.withLock { state in
            let ends = state.machine.didFail()
            if ends, state.holdsValues { state.heldError = error }
            return (ends, state.holdsValues)
        }
        guard ends else { return }
        unregister()
        observation.events.didFail(error)
        log("failed: \(error)", isFailure: true)
        guard !isHeld else { return }
        scheduler.schedule { [self] in takeCallbacks()?.onError(error) }
    }

    func cancel() {
        let (ends, interruption) = state.withLock { state in
            (state.machine.cancel(), state.interruption)
        }
        if ends {
            interruption?.cancel()
            unregister()
            observation.events.didCancel()
            log("cancelled")
        }
        _ = takeCallbacks()
    }

    /// Unregisters the observer from its host and its pause, and releases the database.
    private func unregister() {
        let (host, id, database) = state.withLock { state in
            defer {
                state.id = nil
                state.database = nil
            }
            return (state.host, state.id, state.database)
        }
        host?.registry.remove(self)
        if let id { host?.remove(self, id) }
        observation.options.pause?.remove(self)
        // Release the database outside of the lock: its deinitialization may close it.
        withExtendedLifetime(database) {}
    }

    /// Removes and returns the callbacks. The caller releases them outside of the lock, because releasing the
    /// values that they capture may run arbitrary code.
    private func takeCallbacks() -> Callbacks? {
        state.withLock { state in
            defer { state.callbacks = nil }
            return state.callbacks
        }
    }
}

extension [any DatabaseRegionConvertible] {
    /// Returns the union of the regions.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try reduce(into: DatabaseRegion()) { try $0.formUnion($1.databaseRegion(db)) }
    }
}

extension Optional {
    /// Returns the wrapped value.
    ///
    /// - Throws: `SQLITE_INTERNAL` if there is none.
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return self
    }
}
