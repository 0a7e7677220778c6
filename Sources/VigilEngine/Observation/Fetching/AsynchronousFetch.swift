import Synchronization

/// Observes a region, and fetches values by an asynchronous closure.
final class AsynchronousFetch<Value: Sendable>: DemandingCancellable {
    private struct State {
        var machine: AsynchronousFetchMachine
        var onError: (@Sendable (any Error) -> Void)?
        var onChange: (@Sendable (Value) -> Void)?
        var region: AnyDatabaseCancellable?
        var task: Task<Void, Never>?
        /// When the first commit after the last run was reported. Only set for a monitor.
        var pendingSince: ContinuousClock.Instant?
        var hasStarted = false
        var isDelivering = false
        /// Reports an error that has ended the observation while a value was delivered.
        var reportsError: (@Sendable () -> Void)?
        var monitor: (any ObservationMonitor)?
    }

    private let fetch: @Sendable () async throws -> Value
    private let scheduler: any ValueObservationScheduler
    private let state: Mutex<State>

    init(
        demand: ObservationDemand, scheduler: any ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Value) -> Void,
        fetch: @escaping @Sendable () async throws -> Value
    ) {
        self.fetch = fetch
        self.scheduler = scheduler
        let limit: Int? = if case .limited(let count) = demand { count } else { nil }
        state = Mutex(
            State(machine: AsynchronousFetchMachine(demand: limit), onError: onError, onChange: onChange))
    }

    /// Observes regions, and fetches. The database is retained until the end of the observation.
    func start(_ regions: [any DatabaseRegionConvertible], in reader: any DatabaseReader) {
        // Released with the callbacks when the database is closed.
        let ending = ReleaseNotice { [weak self] in self?.end() }
        // A fetch without rows. Its region is registered before the value is delivered, and the commits that
        // caused it are visible to other connections.
        var observation = ValueObservation.tracking { db in
            for region in regions { try db.registerAccess(toAny: region) }
        }
        observation.options.isMonitored = false
        state.withLock { $0.monitor = reader.configuration.observationMonitor }
        // An error is passed on to the scheduler of the app.
        let forwarding = ForwardingScheduler(_mayScheduleInAccess: scheduler._mayScheduleInAccess)
        let cancellable = observation.start(in: reader, scheduling: forwarding) {
            [weak self, ending] error in
            withExtendedLifetime(ending) { self?.fail(error) }
        } onChange: { [weak self, ending] _ in
            withExtendedLifetime(ending) { self?.didChange() }
        }
        let isEnded = state.withLock { state in
            if !state.machine.isEnded { state.region = cancellable }
            return state.machine.isEnded
        }
        if isEnded { cancellable.cancel() }
    }

    private func didChange() {
        state.withLock { state in
            // The first call is that of the initial value.
            if state.hasStarted, state.monitor != nil, state.pendingSince == nil { state.pendingSince = .now }
            state.hasStarted = true
        }
        perform { $0.didChange() }
    }

    func request(_ number: Int) {
        perform { $0.request(number) }
    }

    func cancel() { end() }

    private func perform(_ event: (inout AsynchronousFetchMachine) -> Bool) {
        state.withLock { state in
            guard event(&state.machine) else { return }
            state.task = Task.detached { [self] in await run() }
        }
    }

    private func run() async {
        do {
            let (monitor, since) = state.withLock { ($0.monitor, $0.pendingSince.take()) }
            let begin = ContinuousClock.now
            let value = try await fetch()
            monitor?.didFetch(in: .now - begin)
            // The next fetch begins after the delivery, so that values are delivered in order.
            scheduler.schedule { [self] in
                guard let onChange = beginDelivery() else { return }
                monitor?.didDeliver(after: since.map { .now - $0 })
                onChange(value)
                endDelivery()
            }
        } catch {
            fail(error)
        }
    }

    /// Returns the callback for a value; `nil` after the end of the observation.
    private func beginDelivery() -> (@Sendable (Value) -> Void)? {
        state.withLock { state in
            state.isDelivering = state.onChange != nil
            return state.onChange
        }
    }

    private func endDelivery() {
        let reportsError = state.withLock { state in
            state.isDelivering = false
            return state.reportsError.take()
        }
        reportsError?()
        perform { $0.didDeliver() }
    }

    private func fail(_ error: any Error) {
        guard let onError = end() else { return }
        // The region may fail on another thread while a value is delivered.
        let isDelivering = state.withLock { state in
            if state.isDelivering { state.reportsError = { onError(error) } }
            return state.isDelivering
        }
        if !isDelivering { scheduler.schedule { onError(error) } }
    }

    /// Ends the observation, and returns the callback for an error; `nil` if it has ended before.
    @discardableResult
    private func end() -> (@Sendable (any Error) -> Void)? {
        // The closures are released outside of the lock, because they can capture anything.
        let ended = state.withLock { state in
            defer {
                state.machine.end()
                (state.onError, state.onChange, state.region, state.task) = (nil, nil, nil, nil)
            }
            return (onError: state.onError, onChange: state.onChange, region: state.region, task: state.task)
        }
        ended.task?.cancel()
        ended.region?.cancel()
        return ended.onError
    }
}
