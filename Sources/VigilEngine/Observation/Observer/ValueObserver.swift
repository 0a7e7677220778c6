// Change → match: the connection reports changed rows, and an index finds the observers whose region they modify.
// Commit: the commit gets a number, and `didChange` makes the matched observers stale.
// Fetch: `read` runs the fetch in a snapshot that contains the commit, and records the region that was read.
// Reduce → deliver: `Reduction` transforms the value off the connection, and the scheduler delivers it.

import Dispatch
import Synchronization
import VigilRegions
import VigilStorage

/// Drives one started observation: reports events to its ``ObservationMachine`` and performs the machine's
/// decisions.
final class ValueObserver<Reducer: ValueReducer, Scheduler: ValueObservationScheduler>:
    CommitObserver, DemandingCancellable, PausableObserver, _StartedObservation
{
    struct Callbacks {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Reducer.Value) -> Void
    }

    /// The parts of the state that depend on the type of the values.
    private struct Output {
        /// The fetched values that are held: several, if commits occurred before the delivery.
        var heldValues: [(fetched: Reducer.Fetched, commit: CommitNumber)] = []
        /// The callbacks of the observation, `nil` once nothing may be delivered.
        var callbacks: Callbacks?
    }

    let settings: ObservationSettings
    private let reduction: Reduction<Reducer>?
    let state: Mutex<ObserverState>
    // Guarded by `state`.
    nonisolated(unsafe) private var output: Output
    private let reducer: Reducer
    private let scheduler: Scheduler

    init(
        observation: ValueObservation<Reducer>, scheduler: Scheduler, isImmediate: Bool,
        demand: ObservationDemand = .unlimited,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        settings = observation.settings
        reducer = observation.reducer
        self.scheduler = scheduler
        reduction = Reduction(observation.reducer)
        output = Output(callbacks: Callbacks(onError: onError, onChange: onChange))
        state = Mutex(
            ObserverState(
                holdsValues: isImmediate, skipsInitialValue: settings.options.skipsInitialValue,
                demand: demand))
    }

    private var mayWrite: Bool { settings.requiresWriteAccess }

    // MARK: - Start

    func begin(in host: any ObservationHost, of database: any DatabaseReader) -> Bool {
        let coalesces =
            host.coalesces && !mayWrite
            && (settings.options.coalescing == .automatic || !host.readsEachCommit)
        let limit: Int? =
            switch state.withLock({ $0.initialDemand }) {
            case .unlimited: nil
            case .oneAtATime: coalesces ? 1 : nil
            case .limited(let count): count
            }
        let pause = settings.options.pause
        let commitBeforeStart = settings.options.skipsInitialValue ? host.lastCommit : nil
        let list = settings.options.makeListMemory?(host.listLedger)
        let fetches = state.withLock { state in
            state.list = list
            state.commitBeforeStart = commitBeforeStart
            state.host = host
            state.database = database
            state.log = host.log
            state.machine = ObservationMachine(
                mode: coalesces ? .coalescing : .eachCommit,
                isThrottled: settings.options.throttle != nil,
                isDebounced: settings.options.debounce != nil, demand: limit)
            state.route = mayWrite ? .writer : host.route(state.machine.mode)
            if let pause { _ = state.machine.setPaused(pause.isPaused) }
            let fetches = state.machine.start() == .scheduleFetch
            if !fetches { state.holdsValues = false }
            return fetches
        }
        host.registry.add(self)
        log("started")
        if settings.options.coalescing == .never, !host.readsEachCommit {
            log("coalesces commits, because the backend cannot be read as of each of them")
        }
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
        var action = ObservationMachine.Action.none
        let (answer, isEnded) = state.withLock { state -> (ChangeAnswer, Bool) in
            isFirstReport = state.counts.didChange(trigger)
            action = state.machine.didMatchCommit(trigger.commit)
            if action == .scheduleFetch { return (.fetch, false) }
            // A pool's per-commit fetcher matches commits with regions itself, so its observers are never disarmed.
            guard state.route != .perCommit, state.machine.mayDisarm, state.region != nil else {
                return (.wait, state.machine.isEnded)
            }
            state.isDisarmed = true
            return (.disarm, false)
        }
        if action == .startDebounceInterval { startDebounceInterval() }
        guard !isEnded, isFirstReport else { return answer }
        settings.events.databaseDidChange(trigger)
        log("\(trigger)")
        return answer
    }

    func request(_ number: Int) { act { $0.request(number) } }

    func pauseDidChange() {
        guard let pause = settings.options.pause else { return }
        act { $0.setPaused(pause.isPaused) }
    }

    /// Reports an event to the machine, and performs its action.
    func act(_ event: (inout ObservationMachine) -> ObservationMachine.Action) {
        let (action, host, id) = state.withLock { state in
            let action = event(&state.machine)
            return (action, action == .scheduleFetch ? state.host : nil, state.id)
        }
        switch action {
        case .none: break
        case .scheduleFetch: host?.scheduleFetch(self, id)
        case .startDebounceInterval: startDebounceInterval()
        }
    }

    // MARK: - Fetching

    func fetch(_ db: Database, at commit: CommitNumber, because reason: MatchReason?) -> ObserverFetch {
        let answer = state.withLock { state in
            state.counts.willFetch(at: commit)
            return state.machine.willFetch(at: commit)
        }
        switch answer {
        case .fetch: break
        case .skip: return ObserverFetch(renewal: .unchanged)
        case .unregister: return ObserverFetch(renewal: .ended)
        }
        do {
            var reads = FetchReads()
            let fetched = try fetch(db, at: commit, &reads)
            let (digest, list) = (reads.digest, reads.list)
            let renewal = try renewal(reads.region, isFirst: reason == nil, db)
            let batch = db.fetchContext?.sharedFetches?.deliveries
            return ObserverFetch(renewal: renewal) { [self] in
                if case .observes(let region) = renewal { willTrack(region) }
                didFetch(fetched, digest, list, at: commit, batch)
            }
        } catch {
            if error.isTransient, state.withLock({ $0.postponesFetches }),
                let pause = postponeFetch(after: error)
            {
                return ObserverFetch(renewal: .postponed(error, pause: pause))
            }
            fail(db.observationError(error))
            return ObserverFetch(renewal: .ended)
        }
    }

    private func willTrack(_ region: DatabaseRegion) {
        let isDifferent = state.withLock { state in
            defer { state.region = region }
            return state.region != region
        }
        guard isDifferent else { return }
        settings.events.willTrackRegion(region)
        log("tracks \(region)")
    }

    /// - Parameter reads: Set to the reads of the fetch. The type of a tuple would have to be looked up each time.
    private func fetch(_ db: Database, at commit: CommitNumber, _ reads: inout FetchReads) throws
        -> Reducer.Fetched
    {
        guard !mayWrite, let shared = db.fetchContext?.sharedFetches, let key = try settings.options.key(db)
        else {
            return try fetchUnshared(db, at: commit, &reads)
        }
        if let known = shared.fetched(key, as: Reducer.Fetched.self) {
            state.withLock { state in
                state.counts.didShareFetch(at: commit)
                state.slowFetch = known.isSlow ? SlowFetch(key: key) : nil
            }
            reads = known.reads
            if let list = reads.list { adopt(list) }
            return known.value
        }
        let fetched = try fetchUnshared(db, at: commit, &reads)
        shared.store(fetched, reads, isSlow: slowFetch != nil, for: key)
        return fetched
    }

    private func fetchUnshared(
        _ db: Database, at commit: CommitNumber, _ reads: inout FetchReads
    ) throws -> Reducer.Fetched {
        db.fetchContext?.sharedFetches?.deliveries.flush()
        settings.events.willFetch()
        let begin = settings.options.timer.now
        let list = listFetch(at: commit)
        let fetched = try db.changingFetchContext({ context in
            context.list = list
            if case .firstFetched = settings.tracking { context.recordsConstantRegion = true }
            context.declaresRegion = false
        }) {
            let fetched = try interruptible(db) {
                try db.digestingResults(with: mayWrite ? nil : db.roles.digester, into: &reads.digest) {
                    try db.recordingSelection(&reads.region) { try runFetch(db) }
                }
            }
            reads.list = db.fetchContext?.list?.result
            return fetched
        }
        if list != nil { state.withLock { $0.listBase.didFetch() } }
        try didFetch(in: begin.duration(to: settings.options.timer.now), at: commit, db)
        return fetched
    }

    /// Returns the circumstances of the fetch of a list; `nil` for other values.
    private func listFetch(at commit: CommitNumber) -> ListFetchContext? {
        guard settings.options.makeListMemory != nil else { return nil }
        let (memory, base) = state.withLock { ($0.list, $0.listBase) }
        return memory.map {
            ListFetchContext(memory: $0, base: base, commit: commit, mayWrite: mayWrite)
        }
    }

    private func runFetch(_ db: Database) throws -> Reducer.Fetched {
        guard mayWrite else {
            return try db.inReadOnlySnapshot { try reducer._fetch(db) }
        }
        var fetched: Reducer.Fetched?
        try db.inSavepoint {
            fetched = try reducer._fetch(db)
            return .commit
        }
        // A savepoint that does not throw has run its body.
        return try fetched.orThrow()
    }

    /// Runs a fetch that ``cancel()`` interrupts, provided that the connection runs no statements of other
    /// callers.
    private func interruptible<T>(_ db: Database, _ fetch: () throws -> T) throws -> T {
        guard db.fetchContext?.isInterruptible == true, db.cancellation == nil else { return try fetch() }
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

    private func didFetch(
        _ fetched: Reducer.Fetched, _ digest: ResultDigest?, _ list: ListSnapshot?,
        at commit: CommitNumber, _ batch: DeliveryBatch?
    ) {
        var isUnchanged = false
        let (answer, skip, isHeld) = state.withLock { state in
            let (answer, skip) = (state.machine.didFetch(), state.skip)
            if answer != .drop { state.skip = nil }
            state.postponement = nil
            let isHeld = state.holdsValues && skip == nil
            if answer != .drop, isHeld { hold(fetched, at: commit) }
            if let digest {
                isUnchanged = skip == nil && !isHeld && state.digest == digest
                if answer != .drop { state.digest = digest }
            }
            if let list {
                let version = list.version
                isUnchanged = skip == nil && !isHeld && version != nil && state.listVersion == version
                if answer != .drop { state.listVersion = version }
            }
            return (answer, skip, isHeld)
        }
        guard case .deliver(let startsThrottlingInterval) = answer else { return }
        if startsThrottlingInterval { startThrottlingInterval() }
        if let skip { return didSkip(skip, fetched, at: commit) }
        if isHeld { return }
        if isUnchanged { return didReduceToNothing() }
        if let reduction {
            reduction.schedule(fetched, at: commit) { [self] in deliver($0) }
        } else {
            deliverReduced(fetched, at: commit, in: batch)
        }
    }

    /// Holds a value until ``_deliverImmediately()`` is called. Called with the lock of the state.
    // Not inlined: it would look up the type of the element for values that are not held.
    @inline(never)
    private func hold(_ fetched: Reducer.Fetched, at commit: CommitNumber) {
        output.heldValues.append((fetched, commit))
    }

    /// Reduces a fetched value here, with a reducer that is trivial, and delivers it.
    private func deliverReduced(
        _ fetched: Reducer.Fetched, at commit: CommitNumber, in batch: DeliveryBatch?
    ) {
        var reducer = reducer
        do {
            guard let value = try reducer._value(fetched, at: commit) else { return didReduceToNothing() }
            schedule(value, in: batch)
        } catch {
            fail(error)
        }
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
        var reducer = reducer
        return reducer.reduce(fetched, at: commit)
    }

    private func schedule(_ value: Reducer.Value, in batch: DeliveryBatch? = nil) {
        if let batch, let queue = scheduler._deliveryQueue {
            batch.add(to: queue) { [self] in notify(value) }
        } else {
            scheduler.schedule { [self] in notify(value) }
        }
    }

    private func deliver(_ result: Result<Reducer.Value, any Error>?) {
        switch result {
        case .success(let value): schedule(value)
        case .failure(let error): fail(error)
        case nil: didReduceToNothing()
        }
    }

    private func didReduceToNothing() {
        state.withLock { $0.counts.didSkip() }
        act { $0.didReduceToNothing() }
    }

    private func notify(_ value: Reducer.Value) {
        var callbacks: Callbacks?
        state.withLock { state in
            if output.callbacks != nil { state.counts.notifications += 1 }
            callbacks = output.callbacks
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
            if output.heldValues.isEmpty { state.holdsValues = false }
            defer { output.heldValues = [] }
            return state.holdsValues ? output.heldValues : nil
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
        settings.events.didFail(error)
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
            settings.events.didCancel()
            log("cancelled")
        }
        _ = takeCallbacks()
    }

    /// Unregisters the observer from its host and its pause, and releases the database.
    private func unregister() {
        let (host, id, database, list) = state.withLock { state in
            defer {
                state.id = nil
                state.database = nil
                state.list = nil
            }
            return (state.host, state.id, state.database, state.list)
        }
        host?.registry.remove(self)
        if let id { host?.remove(self, id) }
        settings.options.pause?.remove(self)
        // Release the database outside of the lock: its deinitialization may close it.
        withExtendedLifetime((database, list)) {}
    }

    /// Removes and returns the callbacks. The caller releases them outside of the lock, because releasing the
    /// values that they capture may run arbitrary code.
    private func takeCallbacks() -> Callbacks? {
        state.withLock { state in
            defer { output.callbacks = nil }
            return output.callbacks
        }
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
