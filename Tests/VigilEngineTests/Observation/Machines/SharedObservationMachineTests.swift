import VigilTestSupport
import VigilTesting
import XCTest

@testable import VigilEngine

final class SharedObservationMachineTests: XCTestCase {
    private struct Refusal: Error {}

    private typealias Machine = SharedObservationMachine<String>

    private func value(_ outcome: Machine.Outcome?) -> String? {
        guard case .value(let value, _)? = outcome else { return nil }
        return value
    }

    private func isFailure(_ outcome: Machine.Outcome?) -> Bool {
        guard case .failure? = outcome else { return false }
        return true
    }

    func testOnlyTheFirstClientStartsTheObservation() {
        var machine = Machine(extent: .whileObserved)
        XCTAssertEqual(machine.generation, 0)
        XCTAssertEqual(machine.addClient().action, .start)
        XCTAssertNotEqual(machine.addClient().action, .start)
        XCTAssertEqual(machine.generation, 1)
        XCTAssertEqual(machine.allClients.count, 2)
    }

    func testTheEndOfTheObservationRemovesItsClientsAndTheNextRestartsIt() {
        var machine = Machine(extent: .observationLifetime)
        _ = machine.addClient()
        XCTAssertNotEqual(machine.didReceive("one", generation: 1), .none)
        XCTAssertEqual(machine.didEnd(generation: 1).count, 1)
        XCTAssertEqual(machine.didEnd(generation: 1), [])
        XCTAssertEqual(machine.allClients, [])
        let (client, action) = machine.addClient()
        XCTAssertEqual(action, .start)
        XCTAssertNil(machine.outcome(for: client))
        XCTAssertEqual(machine.didEnd(generation: 1), [], "the end of the previous start")
    }

    func testEachClientReceivesEachValueOnce() {
        var machine = Machine(extent: .whileObserved)
        let (one, two) = (machine.addClient().client, machine.addClient().client)
        XCTAssertNil(machine.outcome(for: one))
        XCTAssertNotEqual(machine.didReceive("a", generation: 1), .none)
        XCTAssertEqual(value(machine.outcome(for: one)), "a")
        XCTAssertNil(machine.outcome(for: one))
        // The other client missed the value, and only receives the last one.
        XCTAssertNotEqual(machine.didReceive("b", generation: 1), .none)
        XCTAssertEqual(value(machine.outcome(for: two)), "b")
        XCTAssertEqual(value(machine.outcome(for: one)), "b")
        let late = machine.addClient().client
        XCTAssertEqual(value(machine.outcome(for: late)), "b")
    }

    func testWhileObservedTheLastClientEndsItAndTheNextRestartsIt() {
        var machine = Machine(extent: .whileObserved)
        let (one, two) = (machine.addClient().client, machine.addClient().client)
        XCTAssertNotEqual(machine.didReceive("a", generation: 1), .none)
        XCTAssertEqual(machine.removeClient(one), .none)
        XCTAssertNotEqual(machine.removeClient(two), .none)
        XCTAssertEqual(machine.removeClient(two), .none)
        let (next, action) = machine.addClient()
        XCTAssertEqual(action, .start)
        XCTAssertNil(machine.outcome(for: next))
        XCTAssertEqual(machine.didReceive("b", generation: 1), .none, "a value of the previous start")
        XCTAssertEqual(machine.didFail(Refusal(), generation: 1), .none)
        XCTAssertNotEqual(machine.didReceive("c", generation: 2), .none)
        XCTAssertEqual(value(machine.outcome(for: next)), "c")
    }

    func testForItsLifetimeItContinuesWithoutClients() {
        var machine = Machine(extent: .observationLifetime)
        let one = machine.addClient().client
        XCTAssertEqual(machine.removeClient(one), .none)
        XCTAssertNotEqual(machine.didReceive("a", generation: 1), .none)
        let (next, action) = machine.addClient()
        XCTAssertNotEqual(action, .start)
        XCTAssertEqual(value(machine.outcome(for: next)), "a")
    }

    func testForItsLifetimeAnErrorReachesEachClientOnceAndStays() {
        var machine = Machine(extent: .observationLifetime)
        let (one, two) = (machine.addClient().client, machine.addClient().client)
        XCTAssertNotEqual(machine.didFail(Refusal(), generation: 1), .none)
        XCTAssertEqual(machine.didFail(Refusal(), generation: 1), .none)
        XCTAssertEqual(machine.didReceive("a", generation: 1), .none)
        for client in [one, two] {
            XCTAssertTrue(isFailure(machine.outcome(for: client)))
            XCTAssertNil(machine.outcome(for: client))
        }
        let (next, action) = machine.addClient()
        XCTAssertNotEqual(action, .start)
        XCTAssertTrue(isFailure(machine.outcome(for: next)))
    }

    func testWhileObservedTheNextClientAfterAnErrorRestartsItBeforeTheOthersReceiveTheError() {
        var machine = Machine(extent: .whileObserved)
        let (one, two) = (machine.addClient().client, machine.addClient(demand: 1).client)
        XCTAssertNotEqual(machine.didFail(Refusal(), generation: 1), .none)
        XCTAssertTrue(isFailure(machine.outcome(for: one)))
        let (retrying, action) = machine.addClient(demand: 1)
        XCTAssertEqual(action, .start)
        XCTAssertNotEqual(machine.didReceive("a", generation: 2), .none)
        XCTAssertEqual(machine.request(1, by: two), .none)
        XCTAssertTrue(isFailure(machine.outcome(for: two)), "not a value of the next start")
        XCTAssertEqual(value(machine.outcome(for: retrying)), "a")
        XCTAssertEqual(machine.allClients, [retrying])
    }

    func testAClientThatAwaitsItsErrorDoesNotKeepTheNextStartRunning() {
        var machine = Machine(extent: .whileObserved)
        let failed = machine.addClient().client
        XCTAssertNotEqual(machine.didFail(Refusal(), generation: 1), .none)
        let next = machine.addClient(demand: 1).client
        XCTAssertEqual(machine.upstreamRequest(), 0, "only the next client counts")
        XCTAssertNotEqual(machine.removeClient(next), .none)
        XCTAssertEqual(machine.removeClient(failed), .none)
        XCTAssertEqual(machine.didEnd(generation: 2), [])
    }

    func testAfterAnErrorARemovedClientLetsTheNextOneRestart() {
        var machine = Machine(extent: .whileObserved)
        let one = machine.addClient().client
        XCTAssertNotEqual(machine.didFail(Refusal(), generation: 1), .none)
        XCTAssertEqual(machine.removeClient(one), .none, "the observation has already ended")
        XCTAssertEqual(machine.addClient().action, .start)
    }

    // MARK: - Demand

    func testAClientReceivesNoMoreValuesThanItRequested() {
        var machine = Machine(extent: .whileObserved)
        let client = machine.addClient(demand: 1).client
        XCTAssertEqual(machine.request(1, by: client), .none, "no value has arrived")
        XCTAssertNotEqual(machine.didReceive("a", generation: 1), .none)
        XCTAssertEqual(value(machine.outcome(for: client)), "a")
        XCTAssertNotEqual(machine.didReceive("b", generation: 1), .none)
        XCTAssertEqual(value(machine.outcome(for: client)), "b")
        XCTAssertNotEqual(machine.didReceive("c", generation: 1), .none)
        XCTAssertNil(machine.outcome(for: client))
        XCTAssertNotEqual(machine.didReceive("d", generation: 1), .none)
        XCTAssertNil(machine.outcome(for: client))
        XCTAssertNotEqual(machine.request(1, by: client), .none)
        XCTAssertEqual(value(machine.outcome(for: client)), "d", "the newest value")
        XCTAssertNotEqual(machine.request(1, by: client), .none)
        XCTAssertNil(machine.outcome(for: client), "the client has received it")
    }

    func testTheDemandOfAClientBecomesUnlimitedWhenItOverflows() {
        var machine = Machine(extent: .whileObserved)
        let client = machine.addClient(demand: 2).client
        XCTAssertEqual(machine.request(.max, by: client), .none)
        XCTAssertEqual(machine.request(1, by: client), .none)
        for text in ["a", "b", "c"] {
            XCTAssertNotEqual(machine.didReceive(text, generation: 1), .none)
            XCTAssertEqual(value(machine.outcome(for: client)), text)
        }
    }

    func testAnErrorNeedsNoDemand() {
        var machine = Machine(extent: .whileObserved)
        let client = machine.addClient(demand: 0).client
        XCTAssertNotEqual(machine.didFail(Refusal(), generation: 1), .none)
        XCTAssertTrue(isFailure(machine.outcome(for: client)))
        XCTAssertEqual(machine.request(1, by: client), .none)
    }

    func testTheObservationIsAskedForValuesThatAClientAwaits() {
        var machine = Machine(extent: .whileObserved)
        let one = machine.addClient(demand: 2).client
        XCTAssertEqual(machine.upstreamDemand, 1)
        XCTAssertEqual(machine.upstreamRequest(), 0, "the first value is requested by the start")
        XCTAssertNotEqual(machine.didReceive("a", generation: 1), .none)
        XCTAssertEqual(machine.upstreamRequest(), 0, "the client has not received the value")
        _ = machine.outcome(for: one)
        XCTAssertEqual(machine.upstreamRequest(), 1)
        XCTAssertEqual(machine.upstreamRequest(), 0)
        XCTAssertNotEqual(machine.didReceive("b", generation: 1), .none)
        _ = machine.outcome(for: one)
        XCTAssertEqual(machine.upstreamRequest(), 0, "no client accepts a value")
        let two = machine.addClient(demand: 1).client
        XCTAssertEqual(machine.upstreamRequest(), 0, "the new client receives the last value")
        _ = machine.outcome(for: two)
        XCTAssertEqual(machine.upstreamRequest(), 0)
        _ = machine.request(1, by: two)
        XCTAssertEqual(machine.upstreamRequest(), 1)
    }

    func testAClientWithoutALimitLiftsThatOfTheObservation() {
        var machine = Machine(extent: .whileObserved)
        _ = machine.addClient(demand: 1)
        _ = machine.addClient()
        XCTAssertEqual(machine.upstreamRequest(), .max)
        XCTAssertNil(machine.upstreamDemand)
        XCTAssertEqual(machine.upstreamRequest(), 0)
        var unlimited = Machine(extent: .whileObserved)
        _ = unlimited.addClient()
        XCTAssertNil(unlimited.upstreamDemand)
        XCTAssertEqual(unlimited.upstreamRequest(), 0)
    }

    /// The number of values that a client accepts, and the number of its last value.
    private struct Expected {
        var demand: Int?
        var delivered = 0
    }

    func testValuesAreRequestedIfAndOnlyIfAClientWaitsForOne() {
        let first = RandomTestSettings.seed
        print("shared observations: VIGIL_SEED=\(first)")
        for seed in first..<first + 100 {
            var random = SplitMix64(seed: seed)
            var machine = Machine(extent: .whileObserved)
            var clients: [Machine.Client: Expected] = [:]
            var requested: Int?
            var count = 0
            var last = 0
            for step in 0..<200 {
                let client = clients.keys.sorted().randomElement(using: &random)
                switch (Int.random(in: 0..<6, using: &random), client) {
                case (0, _), (_, nil):
                    let demand = random.next() % 12 == 0 ? nil : Int.random(in: 0...2, using: &random)
                    let (new, action) = machine.addClient(demand: demand)
                    clients[new] = Expected(demand: demand)
                    if action == .start { (requested, last) = (demand.map { min($0, 1) }, 0) }
                case (1, let client?):
                    _ = machine.removeClient(client)
                    clients[client] = nil
                case (2, let client?):
                    _ = machine.request(1, by: client)
                    clients[client]?.demand? += 1
                case (3, _):
                    _ = machine.didReceive("\(step)", generation: machine.generation)
                    count += 1
                    last = count
                    requested = requested.map { max($0 - 1, 0) }
                case (4, _) where step % 20 == 0:
                    _ = machine.didFail(Refusal(), generation: machine.generation)
                    for client in machine.allClients {
                        XCTAssertTrue(isFailure(machine.outcome(for: client)))
                    }
                    clients = [:]
                case (_, let client?):
                    guard value(machine.outcome(for: client)) != nil else { continue }
                    clients[client]?.delivered = last
                    clients[client]?.demand? -= 1
                }
                let waits = clients.values.contains { $0.demand != 0 && $0.delivered >= last }
                let isUnlimited = clients.values.contains { $0.demand == nil }
                var expected = 0
                if !clients.isEmpty, requested != nil {
                    expected = isUnlimited ? .max : requested == 0 && waits ? 1 : 0
                }
                if expected != 0 { requested = isUnlimited ? nil : 1 }
                XCTAssertEqual(machine.upstreamRequest(), expected, "step \(step), VIGIL_SEED=\(seed)")
            }
        }
    }
}
