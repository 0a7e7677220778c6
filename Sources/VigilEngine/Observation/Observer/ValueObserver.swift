// - Change → match: the connection reports changed rows, and an index finds the observers of their regions.
// - Commit: the commit gets a number, and `didChange` makes the matched observers stale.
// - Fetch: `fetch` reads in a snapshot that contains the commit, and records the region that was read.
// - Reduce → deliver: `Reduction` transforms the value off the connection, and the scheduler delivers it.

import Dispatch
import Synchronization
import VigilRegions
import VigilStorage

/// Drives one started observation: reports events to its ``ObservationMachine`` and performs the machine's
/// decisions.
final class ValueObserver<Reducer: ValueReducer, Scheduler: ValueObservationScheduler>:
    CommitObserver, ControlledObserver, DemandingCancellable, _StartedObservation
{
    struct Callbacks {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Reducer.Value) -> Void
    }

    /// The parts of the state that depend on the type of the values.
    struct Output {
        /// The fetched values that are held: several, if commits occurred before the delivery.
        var heldValues: [(fetched: Reducer.Fetched, commit: CommitNumber)] = []
        /// The callbacks of the observation, `nil` once nothing may be delivered.
        var callbacks: Callbacks?
    }

    let settings: ObservationSettings
    let reduction: Reduction<Reducer>?
    let state: Mutex<ObserverState>
    // Guarded by `state`.
    nonisolated(unsafe) var output: Output
    let reducer: Reducer
    let scheduler: Scheduler

    init(
        observation: ValueObservation<Reducer>, scheduler: Scheduler, isImmediate: Bool,
        demand: ObservationDemand = .unlimited,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        settings = observation.settings
        reducer = observation.reducer
        self.scheduler = scheduler
        reduction = Reduction(observation.reducer, for: scheduler)
        output = Output(callbacks: Callbacks(onError: onError, onChange: onChange))
        state = Mutex(
            ObserverState(
                holdsValues: isImmediate, skipsInitialValue: settings.options.skipsInitialValue,
                demand: demand))
    }

    var mayWrite: Bool { settings.requiresWriteAccess }

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
            if settings.options.isMonitored { state.monitor = host.registry.monitor }
            state.machine = ObservationMachine(
                mode: coalesces ? .coalescing : .eachCommit,
                isThrottled: settings.options.throttle != nil,
                isDebounced: settings.options.debounce != nil, demand: limit)
            state.route = mayWrite ? .writer : host.route(state.machine.mode)
            // The per-commit fetcher matches commits with regions itself.
            if state.route == .perCommit { state.machine.keepArmed() }
            if let pause { _ = state.machine.setPaused(pause.isPaused) }
            let fetches = state.machine.start() == .scheduleFetch
            if !fetches {
                state.holdsValues = false
                state.didDelayInitialFetch(in: host)
            }
            return fetches
        }
        for window in settings.options.windows { window.add(self) }
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
        var hasChangedRequest = false
        let host = state.withLock { state -> (any ObservationHost)? in
            guard state.machine.isEnded else {
                state.id = id
                hasChangedRequest = state.hasChangedRequest
                state.hasChangedRequest = false
                return nil
            }
            return state.host
        }
        host?.remove(self, id)
        if hasChangedRequest { windowDidChange() }
    }

    // MARK: - Commits

    func didChange(_ trigger: ObservationTrigger) -> ChangeAnswer {
        var isFirstReport = false
        var action = ObservationMachine.Action.none
        let (answer, isEnded) = state.withLock { state -> (ChangeAnswer, Bool) in
            isFirstReport = state.counts.didChange(trigger, at: state.monitor == nil ? nil : .now)
            action = state.machine.didMatchCommit(trigger.commit)
            if action == .scheduleFetch { return (.fetch, false) }
            guard state.machine.mayDisarm, state.region != nil else {
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

    func windowDidChange() {
        let isRegistering = state.withLock { state in
            // Each fetch of such an observer is scheduled, and one without an identifier counts as the
            // initial fetch.
            guard state.machine.mode == .eachCommit, state.id == nil, state.host?.observesChanges == true
            else { return false }
            state.hasChangedRequest = true
            return true
        }
        if !isRegistering { act { $0.didChangeRequest() } }
    }

    // MARK: - End

    /// Ends the observation with an error of its fetch. The values that were fetched before are delivered.
    func fail(_ error: any Error) {
        fail(error) { [reduction] callBack in
            if let reduction { reduction.afterReductions(callBack) } else { callBack() }
        }
    }

    /// Ends the observation with an error of its reducer. No later value is delivered.
    func reductionDidFail(_ error: any Error) {
        fail(error) { callBack in callBack() }
    }

    private func fail(
        _ error: any Error, in order: (_ callBack: @escaping @Sendable () -> Void) -> Void
    ) {
        let (ends, isHeld) = state.withLock { state in
            let ends = state.machine.didFail()
            if ends, state.holdsValues { state.heldError = error }
            return (ends, state.holdsValues)
        }
        guard ends else { return }
        registry?.didFail(self, label: label)
        unregister()
        settings.events.didFail(error)
        logFailure(error)
        guard !isHeld else { return }
        order { [self] in scheduler.schedule { [self] in notify(failure: error) } }
    }

    /// Passes the error of a failed observation to its consumer.
    func notify(failure error: any Error) {
        guard let callbacks = takeCallbacks() else { return }
        callbacks.onError(error)
        registry?.remove(self)
    }

    func cancel() {
        let (ends, interruption) = state.withLock { state in
            (state.machine.cancel(), state.interruption)
        }
        if ends {
            interruption?.cancel()
            registry?.remove(self)
            unregister()
            settings.events.didCancel()
            log("cancelled")
        }
        let isSilenced = takeCallbacks() != nil
        // Without callbacks, an error is being delivered.
        if isSilenced, !ends { registry?.remove(self) }
    }

    private var registry: ObservationRegistry? { state.withLock { $0.host }?.registry }

    /// Unregisters the observer from its host and its pause, and releases the database. The registry lists it
    /// no longer.
    private func unregister() {
        let (host, id, database, list, live) = state.withLock { state in
            defer {
                state.id = nil
                state.database = nil
                state.list = nil
                state.live = []
            }
            return (state.host, state.id, state.database, state.list, state.live)
        }
        if let id { host?.remove(self, id) }
        settings.options.pause?.remove(self)
        for window in settings.options.windows { window.remove(self) }
        // Release the database outside of the lock: its deinitialization may close it.
        withExtendedLifetime((database, list, live)) {}
    }

    /// Removes and returns the callbacks. The caller releases them outside of the lock, because releasing the
    /// values that they capture may run arbitrary code.
    func takeCallbacks() -> Callbacks? {
        state.withLock { state in
            defer { output.callbacks = nil }
            return output.callbacks
        }
    }
}
