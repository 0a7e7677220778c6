public import Dispatch
import Synchronization

/// For how long a ``SharedValueObservation`` observes the database.
public enum SharedValueObservationExtent: Sendable {
    /// From its first client until it is released, whoever observes. Once it has failed, it stays so.
    case observationLifetime
    /// While it has clients. The next one after that starts it anew.
    case whileObserved
}

extension ValueObservation {
    /// One observation for several clients: it fetches once per change, and hands the value to all.
    ///
    /// ```swift
    /// let players = ValueObservation.tracking(Player.fetchAll).shared(in: dbPool)
    /// let one = players.start(onError: { … }, onChange: { … })
    /// let two = players.start(onError: { … }, onChange: { … })  // gets the last value, without a fetch
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. Nothing starts before the first client.
    ///   - scheduler: where all clients are called back. With `.immediate`, clients start on the main thread, and hear the last value before
    ///     `start` returns.
    ///   - extent: how long the database is observed.
    public func shared(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        guard scheduler is TaskValueObservationScheduler else {
            return sharedOnScheduler(in: reader, scheduler, extent)
        }
        // Clients that come later are called back in the same order as the others.
        let queue = DispatchQueue(label: "Vigil.SharedValueObservation.task")
        return sharedOnScheduler(in: reader, AsyncValueObservationScheduler(queue: queue), extent)
    }

    private func sharedOnScheduler(
        in reader: any DatabaseReader, _ scheduler: some ValueObservationScheduler,
        _ extent: SharedValueObservationExtent
    ) -> SharedValueObservation<Reducer.Value> {
        SharedValueObservation(scheduler: scheduler, extent: extent) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}

/// An observation that is started once for all its clients. Made by
/// ``ValueObservation/shared(in:scheduling:extent:)``.
///
/// All functions can be called from any thread, except where the scheduler says otherwise. A client keeps the
/// observation alive.
public final class SharedValueObservation<Element: Sendable>: Sendable {
    typealias StartUpstream =
        @Sendable (
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Element) -> Void
        ) -> AnyDatabaseCancellable

    private typealias Machine = SharedObservationMachine<Element>

    private struct Client {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Element) -> Void
    }

    private struct State {
        var machine: Machine
        var clients: [Machine.Client: Client] = [:]
        /// What ends the observation of a generation. It becomes known when that has started, which may be after its first
        /// values, and even after it was to end.
        var upstream: (generation: Int, cancellable: AnyDatabaseCancellable)?
    }

    private let scheduler: any ValueObservationScheduler
    private let startUpstream: StartUpstream
    private let state: Mutex<State>

    init(
        scheduler: any ValueObservationScheduler, extent: SharedValueObservationExtent,
        startUpstream: @escaping StartUpstream
    ) {
        self.scheduler = scheduler
        self.startUpstream = startUpstream
        state = Mutex(State(machine: Machine(extent: extent)))
    }

    deinit {
        state.withLock { $0.upstream?.cancellable }?.cancel()
    }

    /// Adds a client.
    ///
    /// - Parameters:
    ///   - onError: called at most once, after which nothing is called any more.
    ///   - onChange: called with the last value, if there is one, and with fresh ones, in commit order.
    /// - Returns: what removes the client, when it is cancelled or released.
    @preconcurrency
    public func start(
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        let isImmediate = scheduler.immediateInitialValue()
        let (client, starts, generation) = state.withLock { state in
            let (client, starts) = state.machine.addClient()
            state.clients[client] = Client(onError: onError, onChange: onChange)
            return (client, starts, state.machine.generation)
        }
        if starts {
            start(generation)
        } else if isImmediate {
            tell(client)
        } else {
            scheduler.schedule { [self] in tell(client) }
        }
        return AnyDatabaseCancellable { [self] in remove(client) }
    }

    /// The values as an asynchronous sequence, each iteration of which is a client.
    ///
    /// - Parameter bufferingPolicy: what becomes of values that nobody awaits yet.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { _, onError, onChange in
            self.start(onError: onError, onChange: onChange)
        }
    }

    // MARK: - The observation

    private func start(_ generation: Int) {
        let cancellable = startUpstream(
            { [weak self] in self?.didFail($0, generation) },
            { [weak self] in self?.didReceive($0, generation) })
        let outdated = state.withLock { state -> AnyDatabaseCancellable? in
            guard state.machine.isOn(generation) else { return cancellable }
            defer { state.upstream = (generation, cancellable) }
            return state.upstream?.cancellable
        }
        outdated?.cancel()
    }

    private func didReceive(_ value: Element, _ generation: Int) {
        let clients = state.withLock { state in
            state.machine.didReceive(value, generation: generation) ? state.machine.allClients : []
        }
        for client in clients { tell(client) }
    }

    private func didFail(_ error: any Error, _ generation: Int) {
        let (clients, upstream) = state.withLock { state in
            guard state.machine.didFail(error, generation: generation) else {
                return ([Machine.Client](), AnyDatabaseCancellable?.none)
            }
            defer { state.upstream = nil }
            return (state.machine.allClients, state.upstream?.cancellable)
        }
        upstream?.cancel()
        for client in clients { tell(client) }
    }

    // MARK: - Clients

    /// Tells a client what it does not know yet. Called where the scheduler calls back.
    private func tell(_ number: Machine.Client) {
        let (outcome, client) = state.withLock { state in
            let outcome = state.machine.outcome(for: number)
            let client = state.clients[number]
            if case .failure? = outcome { state.clients[number] = nil }
            return (outcome, client)
        }
        switch outcome {
        case .value(let value, _)?: client?.onChange(value)
        case .failure(let error)?: client?.onError(error)
        case nil: break
        }
    }

    private func remove(_ number: Machine.Client) {
        let (client, upstream) = state.withLock { state in
            let client = state.clients.removeValue(forKey: number)
            guard state.machine.removeClient(number) else {
                return (client, AnyDatabaseCancellable?.none)
            }
            defer { state.upstream = nil }
            return (client, state.upstream?.cancellable)
        }
        upstream?.cancel()
        // What the client captured is released outside of the lock.
        withExtendedLifetime(client) {}
    }
}
