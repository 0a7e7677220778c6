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
        XCTAssertTrue(machine.addClient().starts)
        XCTAssertFalse(machine.addClient().starts)
        XCTAssertEqual(machine.generation, 1)
        XCTAssertEqual(machine.allClients.count, 2)
    }

    func testTheEndOfTheObservationRemovesItsClientsAndTheNextRestartsIt() {
        var machine = Machine(extent: .observationLifetime)
        _ = machine.addClient()
        XCTAssertTrue(machine.didReceive("one", generation: 1))
        XCTAssertEqual(machine.didEnd(generation: 1).count, 1)
        XCTAssertEqual(machine.didEnd(generation: 1), [])
        XCTAssertEqual(machine.allClients, [])
        let (client, starts) = machine.addClient()
        XCTAssertTrue(starts)
        XCTAssertNil(machine.outcome(for: client))
        XCTAssertEqual(machine.didEnd(generation: 1), [], "the end of the previous start")
    }

    func testEachClientReceivesEachValueOnce() {
        var machine = Machine(extent: .whileObserved)
        let (one, two) = (machine.addClient().client, machine.addClient().client)
        XCTAssertNil(machine.outcome(for: one))
        XCTAssertTrue(machine.didReceive("a", generation: 1))
        XCTAssertEqual(value(machine.outcome(for: one)), "a")
        XCTAssertNil(machine.outcome(for: one))
        // The other client missed the value, and only receives the last one.
        XCTAssertTrue(machine.didReceive("b", generation: 1))
        XCTAssertEqual(value(machine.outcome(for: two)), "b")
        XCTAssertEqual(value(machine.outcome(for: one)), "b")
        let late = machine.addClient().client
        XCTAssertEqual(value(machine.outcome(for: late)), "b")
    }

    func testWhileObservedTheLastClientEndsItAndTheNextRestartsIt() {
        var machine = Machine(extent: .whileObserved)
        let (one, two) = (machine.addClient().client, machine.addClient().client)
        XCTAssertTrue(machine.didReceive("a", generation: 1))
        XCTAssertFalse(machine.removeClient(one))
        XCTAssertTrue(machine.removeClient(two))
        XCTAssertFalse(machine.removeClient(two))
        let (next, starts) = machine.addClient()
        XCTAssertTrue(starts)
        XCTAssertNil(machine.outcome(for: next))
        XCTAssertFalse(machine.didReceive("b", generation: 1), "a value of the previous start")
        XCTAssertFalse(machine.didFail(Refusal(), generation: 1))
        XCTAssertTrue(machine.didReceive("c", generation: 2))
        XCTAssertEqual(value(machine.outcome(for: next)), "c")
    }

    func testForItsLifetimeItContinuesWithoutClients() {
        var machine = Machine(extent: .observationLifetime)
        let one = machine.addClient().client
        XCTAssertFalse(machine.removeClient(one))
        XCTAssertTrue(machine.didReceive("a", generation: 1))
        let (next, starts) = machine.addClient()
        XCTAssertFalse(starts)
        XCTAssertEqual(value(machine.outcome(for: next)), "a")
    }

    func testForItsLifetimeAnErrorReachesEachClientOnceAndStays() {
        var machine = Machine(extent: .observationLifetime)
        let (one, two) = (machine.addClient().client, machine.addClient().client)
        XCTAssertTrue(machine.didFail(Refusal(), generation: 1))
        XCTAssertFalse(machine.didFail(Refusal(), generation: 1))
        XCTAssertFalse(machine.didReceive("a", generation: 1))
        for client in [one, two] {
            XCTAssertTrue(isFailure(machine.outcome(for: client)))
            XCTAssertNil(machine.outcome(for: client))
        }
        let (next, starts) = machine.addClient()
        XCTAssertFalse(starts)
        XCTAssertTrue(isFailure(machine.outcome(for: next)))
    }

    func testWhileObservedTheNextClientAfterAnErrorRestartsItBeforeTheOthersReceiveTheError() {
        var machine = Machine(extent: .whileObserved)
        let (one, two) = (machine.addClient().client, machine.addClient(demand: 1).client)
        XCTAssertTrue(machine.didFail(Refusal(), generation: 1))
        XCTAssertTrue(isFailure(machine.outcome(for: one)))
        let (retrying, starts) = machine.addClient(demand: 1)
        XCTAssertTrue(starts)
        XCTAssertTrue(machine.didReceive("a", generation: 2))
        XCTAssertFalse(machine.request(1, by: two))
        XCTAssertTrue(isFailure(machine.outcome(for: two)), "not a value of the next start")
        XCTAssertEqual(value(machine.outcome(for: retrying)), "a")
        XCTAssertEqual(machine.allClients, [retrying])
    }

    func testAClientThatAwaitsItsErrorDoesNotKeepTheNextStartRunning() {
        var machine = Machine(extent: .whileObserved)
        let failed = machine.addClient().client
        XCTAssertTrue(machine.didFail(Refusal(), generation: 1))
        let next = machine.addClient(demand: 1).client
        XCTAssertEqual(machine.upstreamRequest(), 0, "only the next client counts")
        XCTAssertTrue(machine.removeClient(next))
        XCTAssertFalse(machine.removeClient(failed))
        XCTAssertEqual(machine.didEnd(generation: 2), [])
    }

    func testAfterAnErrorARemovedClientLetsTheNextOneRestart() {
        var machine = Machine(extent: .whileObserved)
        let one = machine.addClient().client
        XCTAssertTrue(machine.didFail(Refusal(), generation: 1))
        XCTAssertFalse(machine.removeClient(one), "the observation has already ended")
        XCTAssertTrue(machine.addClient().starts)
    }

    // MARK: - Demand

    func testAClientReceivesNoMoreValuesThanItRequested() {
        var machine = Machine(extent: .whileObserved)
        let client = machine.addClient(demand: 1).client
        XCTAssertFalse(machine.request(1, by: client), "no value has arrived")
        XCTAssertTrue(machine.didReceive("a", generation: 1))
        XCTAssertEqual(value(machine.outcome(for: client)), "a")
        XCTAssertTrue(machine.didReceive("b", generation: 1))
        XCTAssertEqual(value(machine.outcome(for: client)), "b")
        XCTAssertTrue(machine.didReceive("c", generation: 1))
        XCTAssertNil(machine.outcome(for: client))
        XCTAssertTrue(machine.didReceive("d", generation: 1))
        XCTAssertNil(machine.outcome(for: client))
        XCTAssertTrue(machine.request(1, by: client))
        XCTAssertEqual(value(machine.outcome(for: client)), "d", "the newest value")
        XCTAssertTrue(machine.request(1, by: client))
        XCTAssertNil(machine.outcome(for: client), "the client has received it")
    }

    func testTheDemandOfAClientBecomesUnlimitedWhenItOverflows() {
        var machine = Machine(extent: .whileObserved)
        let client = machine.addClient(demand: 2).client
        XCTAssertFalse(machine.request(.max, by: client))
        XCTAssertFalse(machine.request(1, by: client))
        for text in ["a", "b", "c"] {
            XCTAssertTrue(machine.didReceive(text, generation: 1))
            XCTAssertEqual(value(machine.outcome(for: client)), text)
        }
    }

    func testAnErrorNeedsNoDemand() {
        var machine = Machine(extent: .whileObserved)
        let client = machine.addClient(demand: 0).client
        XCTAssertTrue(machine.didFail(Refusal(), generation: 1))
        XCTAssertTrue(isFailure(machine.outcome(for: client)))
        XCTAssertFalse(machine.request(1, by: client))
    }

    func testTheObservationIsAskedForValuesThatAClientAwaits() {
        var machine = Machine(extent: .whileObserved)
        let one = machine.addClient(demand: 2).client
        XCTAssertEqual(machine.upstreamDemand, 1)
        XCTAssertEqual(machine.upstreamRequest(), 0, "the first value is requested by the start")
        XCTAssertTrue(machine.didReceive("a", generation: 1))
        XCTAssertEqual(machine.upstreamRequest(), 0, "the client has not received the value")
        _ = machine.outcome(for: one)
        XCTAssertEqual(machine.upstreamRequest(), 1)
        XCTAssertEqual(machine.upstreamRequest(), 0)
        XCTAssertTrue(machine.didReceive("b", generation: 1))
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
}
