public import Dispatch
import Synchronization

/// The lifetime of the observation behind a ``SharedValueObservation``.
public enum SharedValueObservationExtent: Sendable {
    /// The database is observed from the first client until the shared observation is released, even without
    /// clients. After an error, it does not restart.
    case observationLifetime
    /// The database is observed while there are clients. The next client after that restarts the observation.
    case whileObserved
}

extension ValueObservation {
    /// Returns an observation that fetches once per change, and delivers the result to all of its clients.
    ///
    /// ```swift
    /// let players = ValueObservation.tracking(Player.fetchAll).shared(in: dbPool)
    /// let one = players.start(onError: { … }, onChange: { … })
    /// let two = players.start(onError: { … }, onChange: { … })  // receives the last value, without a fetch
    /// ```
    ///
    /// - Parameters:
    ///   - reader: The database to observe. The observation starts with its first client.
    ///   - scheduler: Decides where the callbacks of all clients run. With `.immediate`, clients must start
    ///     on the main queue, and receive the last value before `start` returns. With `.mainQueue`, clients
    ///     that start on the main queue receive it before `start` returns, too, but only if it has been
    ///     fetched.
    ///   - extent: Decides when the observation ends.
    public func shared(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        SharedValueObservation(scheduler: scheduler, extent: extent) { demand, onError, onChange in
            started(
                in: reader, scheduling: scheduler, demand: demand, onError: onError, onChange: onChange)
        }
    }
}

/// An observation shared by all of its clients. See ``ValueObservation/shared(in:scheduling:extent:)``.
///
/// ```swift
/// let players = ValueObservation.tracking(Player.fetchAll).shared(in: dbPool)
/// let cancellable = players.start(onError: { print($0) }, onChange: { print($0.count) })
/// ```
///
/// All methods are thread-safe, unless the scheduler requires the main queue. A client retains the shared
/// observation.
public final class SharedValueObservation<Element: Sendable>: Sendable {
    typealias StartUpstream =
        @Sendable (
            _ demand: ObservationDemand,
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Element) -> Void
        ) -> any DemandingCancellable

    fileprivate typealias Machine = SharedObservationMachine<Element>

    private struct Client {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Element) -> Void
        /// The deliveries to the client; `nil` if the scheduler orders them.
        let deliveries: OrderedActions?
    }

    private struct State {
        var machine: Machine
        var clients: [Machine.Client: Client] = [:]
        /// The cancellable of a generation. It is available when `startUpstream` has returned, which may be
        /// after the first values, and even after the generation has ended.
        var upstream: (generation: Int, source: any DemandingCancellable)?

        /// Returns the running observation, and the number of values to request from it.
        mutating func nextRequest() -> (source: any DemandingCancellable, number: Int)? {
            guard let upstream, machine.isOn(upstream.generation) else { return nil }
            let number = machine.upstreamRequest()
            return number > 0 ? (upstream.source, number) : nil
        }

        /// Removes and returns the running observation, if an action cancels it.
        mutating func takeUpstream(_ action: Machine.Action) -> (any DemandingCancellable)? {
            guard case .cancel = action else { return nil }
            defer { upstream = nil }
            return upstream?.source
        }
    }

    private let scheduler: any ValueObservationScheduler
    /// Whether the scheduler may call a client during its start, and on another thread at the same time.
    private let mayCallBackAtOnce: Bool
    private let startUpstream: StartUpstream
    private let state: Mutex<State>

    init(
        scheduler: any ValueObservationScheduler, extent: SharedValueObservationExtent,
        startUpstream: @escaping StartUpstream
    ) {
        self.scheduler = scheduler
        mayCallBackAtOnce = !scheduler._mayScheduleInAccess
        self.startUpstream = startUpstream
        state = Mutex(State(machine: Machine(extent: extent)))
    }

    deinit {
        state.withLock { $0.upstream?.source }?.cancel()
    }

    /// Adds a client, and starts the observation if it is not running.
    ///
    /// - Parameters:
    ///   - onError: Called at most once, with the error that ended the observation. No callback follows it.
    ///   - onChange: Called with the last value, if any, and with fresh values after changes, in
    ///     commit order.
    /// - Returns: A cancellable that removes the client when it is cancelled or released.
    @preconcurrency
    public func start(
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        AnyDatabaseCancellable(
            observer: startClient(demand: .unlimited, onError: onError, onChange: onChange))
    }

    /// Adds a client with a demand, and starts the observation if it is not running.
    func startClient(
        demand: ObservationDemand,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Element) -> Void
    ) -> SharedClient {
        let isImmediate = scheduler.immediateInitialValue()
        let limit: Int? = if case .limited(let count) = demand { count } else { nil }
        let deliveries = mayCallBackAtOnce ? OrderedActions() : nil
        let (client, action, generation, request) = state.withLock { state in
            let (client, action) = state.machine.addClient(demand: limit)
            state.clients[client] = Client(onError: onError, onChange: onChange, deliveries: deliveries)
            // Later values wait for the initial one.
            if isImmediate, action != .start { _ = deliveries?.add { [self] in deliverNext(to: client) } }
            return (client, action, state.machine.generation, state.nextRequest())
        }
        if let request { request.source.request(request.number) }
        if action == .start {
            start(generation, demand: limit == nil ? .unlimited : .limited(1))
        } else if isImmediate {
            if let deliveries { deliveries.run() } else { deliverNext(to: client) }
        } else {
            scheduler.schedule { [self] in deliver(to: client) }
        }
        return SharedClient(observation: self, number: client)
    }

    /// Returns an asynchronous sequence of the values. Each iteration is a client.
    ///
    /// A client with a full buffer causes no fetch: a value is fetched if any client accepts one. If the
    /// buffer is unbounded, the client accepts all values. If the first client has a bounded buffer, commits
    /// are coalesced for all clients.
    ///
    /// - Parameter bufferingPolicy: The number of values to keep until they are awaited, and the choice of
    ///   values to drop.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { demand, onError, onChange in
            self.startClient(demand: demand, onError: onError, onChange: onChange)
        }
    }

    // MARK: - The observation

    private func start(_ generation: Int, demand: ObservationDemand) {
        let ending = ReleaseNotice { [weak self] in self?.didEnd(generation) }
        let source = startUpstream(
            demand,
            { [weak self] error in withExtendedLifetime(ending) { self?.didFail(error, generation) } },
            { [weak self] in self?.didReceive($0, generation) })
        let (outdated, request) = state.withLock { state in
            guard state.machine.isOn(generation) else {
                return (Optional(source), (source: any DemandingCancellable, number: Int)?.none)
            }
            let outdated = state.upstream?.source
            state.upstream = (generation, source)
            return (outdated, state.nextRequest())
        }
        outdated?.cancel()
        if let request { request.source.request(request.number) }
    }

    private func didReceive(_ value: Element, _ generation: Int) {
        perform { $0.didReceive(value, generation: generation) }
    }

    private func didFail(_ error: any Error, _ generation: Int) {
        perform { $0.didFail(error, generation: generation) }
    }

    private func perform(_ event: @Sendable (inout Machine) -> Machine.Action) {
        // The last value is released outside of the lock: it may capture anything, like the callbacks.
        let (action, upstream, _) = state.withLock { state in
            let last = state.machine.last
            let action = event(&state.machine)
            return (action, state.takeUpstream(action), last)
        }
        upstream?.cancel()
        switch action {
        case .none, .start: break
        case .deliver(let clients), .cancel(let clients): for client in clients { deliver(to: client) }
        }
    }

    /// Releases the clients: the observation has released its callbacks, because the database was closed.
    private func didEnd(_ generation: Int) {
        let (clients, upstream, last) = state.withLock { state in
            guard state.machine.isOn(generation) else {
                return ([Client](), (any DemandingCancellable)?.none, nil as Machine.Outcome?)
            }
            defer { state.upstream = nil }
            let last = state.machine.last
            let clients = state.machine.didEnd(generation: generation).compactMap {
                state.clients.removeValue(forKey: $0)
            }
            return (clients, state.upstream?.source, last)
        }
        // Release them outside of the lock: the callbacks may capture anything.
        withExtendedLifetime((clients, upstream, last)) {}
    }

    // MARK: - Clients

    /// Delivers to a client its next value or error, where the scheduler calls back. If another thread is
    /// calling the client, it delivers them afterwards.
    private func deliver(to number: Machine.Client) {
        guard mayCallBackAtOnce else { return deliverNext(to: number) }
        guard let deliveries = state.withLock({ $0.clients[number]?.deliveries }) else { return }
        if deliveries.add({ [self] in deliverNext(to: number) }) { deliveries.run() }
    }

    private func deliverNext(to number: Machine.Client) {
        let (outcome, client, request) = state.withLock { state in
            let outcome = state.machine.outcome(for: number)
            let client = state.clients[number]
            if case .failure? = outcome { state.clients[number] = nil }
            return (outcome, client, state.nextRequest())
        }
        switch outcome {
        case .value(let value, _)?: client?.onChange(value)
        case .failure(let error)?: client?.onError(error)
        case nil: break
        }
        if let request { request.source.request(request.number) }
    }

    private func request(_ values: Int, by number: Machine.Client) {
        let (action, request) = state.withLock { state in
            (state.machine.request(values, by: number), state.nextRequest())
        }
        if case .deliver = action { scheduler.schedule { [self] in deliver(to: number) } }
        if let request { request.source.request(request.number) }
    }

    private func remove(_ number: Machine.Client) {
        let (client, upstream, last) = state.withLock { state in
            let client = state.clients.removeValue(forKey: number)
            let last = state.machine.last
            return (client, state.takeUpstream(state.machine.removeClient(number)), last)
        }
        upstream?.cancel()
        // Release the captured values of the callbacks, and the last value, outside of the lock.
        withExtendedLifetime((client, last)) {}
    }

    /// A client. It retains the shared observation.
    final class SharedClient: DemandingCancellable {
        private let observation: SharedValueObservation
        private let number: Machine.Client

        fileprivate init(observation: SharedValueObservation, number: Machine.Client) {
            self.observation = observation
            self.number = number
        }

        func request(_ values: Int) { observation.request(values, by: number) }
        func cancel() { observation.remove(number) }
    }
}
