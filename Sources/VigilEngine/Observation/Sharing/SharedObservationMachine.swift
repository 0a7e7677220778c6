/// Decides when a shared observation starts and ends, and the next value of each client.
///
/// A value without threads or locks. Its driver, ``SharedValueObservation``, reports events to it, and
/// performs the returned actions.
struct SharedObservationMachine<Value> {
    typealias Client = Int

    /// The driver's task after an event.
    enum Action: Equatable {
        case none
        /// Start the observation. Its values and errors have the current
        /// ``SharedObservationMachine/generation``.
        case start
        /// Deliver to these clients what ``SharedObservationMachine/outcome(for:)`` returns.
        case deliver([Client])
        /// Cancel the observation, and deliver to these clients.
        case cancel(delivering: [Client])
    }

    enum Outcome {
        /// A value, with its position in the order of all values.
        case value(Value, Int)
        case failure(any Error)
    }

    private struct Position {
        /// The position of the client's last value.
        var delivered = 0
        /// The number of values still accepted by the client, `nil` if it is unlimited.
        var demand: Int?
        /// The error of the client's observation, until the client has received it.
        var failure: (any Error)?
    }

    /// The state of the observation. Its legal changes: off → on → off, on → failed.
    private enum Upstream: Equatable {
        case off
        case on
        /// The observation has failed, and does not restart.
        case failed
    }

    let extent: SharedValueObservationExtent
    private var upstream = Upstream.off
    /// The number of starts. Values and errors of an earlier start are ignored.
    private(set) var generation = 0
    /// The value or error for all clients, if any.
    private(set) var last: Outcome?
    /// The number of values still to be delivered by the observation, `nil` if it is unlimited. It is limited
    /// until a client accepts any number of values.
    private(set) var upstreamDemand: Int?
    private var valueCount = 0
    private var clients: [Client: Position] = [:]
    private var nextClient = 0
    /// The numbers of clients in certain states. There may be many clients, and each asks for them.
    private var counts = Counts()

    private struct Counts {
        /// Clients whose observation has not failed.
        var running = 0
        /// Running clients that accept any number of values.
        var unlimited = 0
        /// Running clients that accept a value, and have received the last one.
        var waiting = 0
    }

    init(extent: SharedValueObservationExtent) {
        self.extent = extent
    }

    /// Returns whether `generation` is the latest start, and still running.
    func isOn(_ generation: Int) -> Bool { upstream == .on && generation == self.generation }

    /// Adds a client. Returns its number, and what follows.
    ///
    /// - Parameter demand: The number of values accepted before the client's next request; `nil` for any.
    mutating func addClient(demand: Int? = nil) -> (client: Client, action: Action) {
        let client = nextClient
        nextClient += 1
        guard upstream == .off else {
            set(Position(demand: demand), of: client)
            return (client, .deliver([client]))
        }
        upstream = .on
        upstreamDemand = demand.map { min($0, 1) }
        generation += 1
        last = nil
        set(Position(demand: demand), of: client)
        return (client, .start)
    }

    private mutating func set(_ position: Position?, of client: Client) {
        if let old = clients[client] { count(old, -1) }
        if let position { count(position, 1) }
        clients[client] = position
    }

    private mutating func count(_ position: Position, _ number: Int) {
        guard position.failure == nil else { return }
        counts.running += number
        if position.demand == nil { counts.unlimited += number }
        if isWaiting(position) { counts.waiting += number }
    }

    /// Increases the demand of a client by `number` values.
    mutating func request(_ number: Int, by client: Client) -> Action {
        guard var position = clients[client], position.failure == nil, let demand = position.demand
        else { return .none }
        let (sum, overflows) = demand.addingReportingOverflow(number)
        position.demand = overflows ? nil : sum
        set(position, of: client)
        return demand == 0 && last != nil ? .deliver([client]) : .none
    }

    /// Returns the number of values to request from the observation: one if a client waits for it, `Int.max`
    /// if a client accepts any number, 0 if enough were requested.
    mutating func upstreamRequest() -> Int {
        guard upstream == .on, let requested = upstreamDemand else { return 0 }
        if counts.unlimited > 0 {
            upstreamDemand = nil
            return .max
        }
        guard requested == 0, counts.waiting > 0 else { return 0 }
        upstreamDemand = 1
        return 1
    }

    /// Returns whether a running client accepts a value, and has received the last one.
    private func isWaiting(_ client: Position) -> Bool {
        guard client.demand != 0 else { return false }
        guard case .value(_, let place)? = last else { return true }
        return client.delivered >= place
    }

    /// Removes a client. Without clients, the observation ends, unless its extent is `observationLifetime`.
    mutating func removeClient(_ client: Client) -> Action {
        guard clients[client] != nil else { return .none }
        set(nil, of: client)
        guard extent == .whileObserved, upstream == .on, counts.running == 0 else { return .none }
        turnOff()
        return .cancel(delivering: [])
    }

    /// Stores a value, unless it belongs to an earlier start.
    mutating func didReceive(_ value: Value, generation: Int) -> Action {
        guard isOn(generation) else { return .none }
        valueCount += 1
        last = .value(value, valueCount)
        counts.waiting = 0
        upstreamDemand = upstreamDemand.map { max($0 - 1, 0) }
        return .deliver(allClients)
    }

    /// Stores an error, unless it belongs to an earlier start.
    ///
    /// ``outcome(for:)`` returns the error to each client once. The next client restarts the observation,
    /// even before the others have received the error, unless its extent is `observationLifetime`.
    mutating func didFail(_ error: any Error, generation: Int) -> Action {
        guard isOn(generation) else { return .none }
        switch extent {
        case .whileObserved:
            for (client, var position) in clients where position.failure == nil {
                position.failure = error
                set(position, of: client)
            }
            turnOff()
        case .observationLifetime:
            last = .failure(error)
            upstream = .failed
        }
        return .cancel(delivering: allClients)
    }

    /// Removes the clients of the observation after its end without an error, and returns them. Returns none
    /// if this belongs to an earlier start. The next client restarts the observation.
    mutating func didEnd(generation: Int) -> [Client] {
        guard isOn(generation) else { return [] }
        let ended = clients.filter { $0.value.failure == nil }.keys
        for client in ended { set(nil, of: client) }
        turnOff()
        return Array(ended)
    }

    /// The clients that may have a value or an error to receive.
    var allClients: [Client] { clients.keys.sorted() }

    /// Returns what to deliver to a client: the last value if the client has not received it and accepts it,
    /// or the error, after removing the client. Returns `nil` if there is nothing to deliver.
    mutating func outcome(for client: Client) -> Outcome? {
        guard let position = clients[client] else { return nil }
        if let failure = position.failure {
            set(nil, of: client)
            return .failure(failure)
        }
        switch last {
        case .value(_, let place)?:
            guard position.delivered < place, position.demand != 0 else { return nil }
            set(Position(delivered: place, demand: position.demand.map { $0 - 1 }), of: client)
        case .failure?: set(nil, of: client)
        case nil: return nil
        }
        return last
    }

    private mutating func turnOff() {
        upstream = .off
        last = nil
    }
}
