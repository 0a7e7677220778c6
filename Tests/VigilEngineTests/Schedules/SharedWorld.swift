import VigilTesting

@testable import VigilEngine

/// A bug planted in the model of the driver of shared observations.
enum SharedBug: CaseIterable {
    /// The values of an ended start are delivered.
    case startsNotNotified
    /// A later client does not receive the last value.
    case lateClientForgotten
    /// The observation continues without clients.
    case neverEnded
}

/// A model of a shared observation: the real machine, without threads. A random number generator selects the
/// next event.
final class SharedWorld {
    /// A client and the values that it received.
    struct Client {
        let number: Int
        var values: [Int] = []
        var isFailed = false
        var isCancelled = false
        /// The number of failures before the client was added.
        let failuresBefore: Int
    }

    enum Message {
        case value(Int, generation: Int)
        case failure(generation: Int)
        /// A client receives its pending value.
        case deliver(Int)
    }

    struct Failure: Error {}

    private let bug: SharedBug?
    private var random: SplitMix64
    private var machine: SharedObservationMachine<Int>
    private var clients: [Int: Client] = [:]
    /// The messages that have not reached the callback queue yet.
    private var messages: [Message] = []
    /// The running observations, by start.
    private var running: Set<Int> = []
    /// The last value that each start delivered.
    private var lastValues: [Int: Int] = [:]
    private var value = 0
    /// The number of starts that have failed.
    private var failures = 0
    private(set) var steps = 0
    private(set) var problems: [String] = []

    init(seed: UInt64, bug: SharedBug? = nil) {
        self.bug = bug
        random = SplitMix64(seed: seed)
        machine = SharedObservationMachine(extent: random.chance(2) ? .whileObserved : .observationLifetime)
    }

    func run() -> [String] {
        for _ in 0..<60 where problems.isEmpty { step() }
        while problems.isEmpty, !messages.isEmpty { deliver() }
        if problems.isEmpty { checkAtRest() }
        return problems
    }

    private var active: [Client] {
        clients.values.filter { !$0.isCancelled && !$0.isFailed }.sorted { $0.number < $1.number }
    }

    private func step() {
        steps += 1
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: add()
        case 2: if let client = active.randomElement(using: &random) { remove(client.number) }
        case 3, 4, 5:
            // The running observation of each start may deliver.
            for generation in running.sorted() where random.chance(2) { upstream(generation) }
        default: if !messages.isEmpty { deliver() }
        }
    }

    // MARK: - Client steps

    private func add() {
        let (number, action) = machine.addClient()
        clients[number] = Client(number: number, failuresBefore: failures)
        if action == .start {
            if machine.extent == .whileObserved, bug != .neverEnded, !running.isEmpty {
                problems.append("started twice")
            }
            running.insert(machine.generation)
        } else if bug != .lateClientForgotten {
            messages.append(.deliver(number))
        }
    }

    private func remove(_ number: Int) {
        clients[number]?.isCancelled = true
        if machine.removeClient(number) != .none, bug != .neverEnded { running.remove(machine.generation) }
    }

    private func upstream(_ generation: Int) {
        if random.chance(10) {
            running.remove(generation)
            messages.append(.failure(generation: generation))
        } else {
            value += 1
            lastValues[generation] = value
            messages.append(.value(value, generation: generation))
        }
    }

    // MARK: - On the callback queue

    private func deliver() {
        switch messages.removeFirst() {
        case .value(let value, let generation):
            let current = bug == .startsNotNotified ? machine.generation : generation
            if case .deliver(let clients) = machine.didReceive(value, generation: current) {
                clients.forEach { deliver($0) }
            }
        case .failure(let generation):
            if case .cancel(let clients) = machine.didFail(Failure(), generation: generation) {
                failures += 1
                clients.forEach { deliver($0) }
            }
        case .deliver(let number): deliver(number)
        }
    }

    private func deliver(_ number: Int) {
        switch machine.outcome(for: number) {
        case .value(let value, _)?:
            guard let client = clients[number], !client.isCancelled, !client.isFailed else {
                return problems.append("\(number): a value after the end")
            }
            if let last = client.values.last, value <= last {
                problems.append("\(number): \(value) after \(last)")
            }
            if lastValues[machine.generation].map({ value > $0 }) ?? true {
                problems.append("\(number): a value that the observation did not deliver")
            }
            clients[number]?.values.append(value)
        case .failure?:
            if clients[number]?.isFailed != false { problems.append("\(number): an error after the end") }
            clients[number]?.isFailed = true
            guard machine.extent == .whileObserved else { return }
            if clients[number]?.failuresBefore == failures {
                problems.append("\(number): an error of an earlier start")
            }
            // Clients may retry inside their callback.
            if random.chance(2) { add() }
        case nil: break
        }
    }

    // MARK: - After the schedule

    private func checkAtRest() {
        let last = running.contains(machine.generation) ? lastValues[machine.generation] : nil
        for client in active {
            if let last, client.values.last != last {
                problems.append("\(client.number): the last value is lost")
            }
            if running.isEmpty { problems.append("\(client.number): a client without a running observation") }
        }
        if running.count > 1 { problems.append("observed more than once: \(running)") }
        if active.isEmpty, machine.extent == .whileObserved, !running.isEmpty {
            problems.append("an observation runs without clients")
        }
    }
}
