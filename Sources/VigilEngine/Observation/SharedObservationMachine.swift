/// When a shared observation starts and ends, and what each of its clients is told next.
///
/// A value without thread or lock. The driver beside it, ``SharedValueObservation``, starts, ends and calls back.
struct SharedObservationMachine<Value> {
    typealias Client = Int

    enum Outcome {
        /// With the place of the value in the order of all values.
        case value(Value, Int)
        case failure(any Error)
    }

    private enum Upstream: Equatable {
        case off
        case on
        /// It failed, and stays so.
        case failed
    }

    /// For how long the observation goes on.
    let extent: SharedValueObservationExtent
    private var upstream = Upstream.off
    /// Counts the starts: what an earlier one still tells is nobody's any more.
    private(set) var generation = 0
    private var last: Outcome?
    private var valueCount = 0
    /// The clients, and the place of the last value that each was told.
    private var clients: [Client: Int] = [:]
    private var nextClient = 0

    init(extent: SharedValueObservationExtent) {
        self.extent = extent
    }

    /// Whether a start is the last one, and goes on.
    func isOn(_ generation: Int) -> Bool { upstream == .on && generation == self.generation }

    /// A client comes. Answers its number, and whether to start the observation.
    mutating func addClient() -> (client: Client, starts: Bool) {
        let client = nextClient
        nextClient += 1
        clients[client] = 0
        guard upstream == .off else { return (client, false) }
        upstream = .on
        generation += 1
        last = nil
        return (client, true)
    }

    /// A client goes. Answers whether to end the observation.
    mutating func removeClient(_ client: Client) -> Bool {
        guard clients.removeValue(forKey: client) != nil, clients.isEmpty, extent == .whileObserved
        else { return false }
        let wasOn = upstream == .on
        turnOff()
        return wasOn
    }

    /// There is a value. `false`: it comes from a start that is over.
    mutating func didReceive(_ value: Value, generation: Int) -> Bool {
        guard isOn(generation) else { return false }
        valueCount += 1
        last = .value(value, valueCount)
        return true
    }

    /// The observation failed. `false`: it was over.
    ///
    /// Each client is told once, by ``outcome(for:)``. Whoever comes later starts anew, where nobody else observes.
    mutating func didFail(_ error: any Error, generation: Int) -> Bool {
        guard isOn(generation) else { return false }
        last = .failure(error)
        upstream = .failed
        return true
    }

    /// The clients that may have something to hear.
    var allClients: [Client] { clients.keys.sorted() }

    /// What a client is to be told now: the last value if it does not know it, or the error, after which it is no
    /// client any more.
    mutating func outcome(for client: Client) -> Outcome? {
        guard let told = clients[client] else { return nil }
        switch last {
        case .value(_, let place)?:
            guard told < place else { return nil }
            clients[client] = place
        case .failure?:
            clients[client] = nil
            if clients.isEmpty, extent == .whileObserved {
                let outcome = last
                turnOff()
                return outcome
            }
        case nil: return nil
        }
        return last
    }

    private mutating func turnOff() {
        upstream = .off
        last = nil
    }
}
