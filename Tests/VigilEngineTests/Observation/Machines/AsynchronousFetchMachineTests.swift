import VigilTestSupport
import XCTest

@testable import VigilEngine

final class AsynchronousFetchMachineTests: XCTestCase {
    func testItFetchesAfterTheRegistrationAndAfterCommits() {
        var machine = AsynchronousFetchMachine(demand: nil)
        XCTAssertTrue(machine.didChange())
        XCTAssertFalse(machine.didDeliver())
        XCTAssertTrue(machine.didChange())
    }

    func testCommitsDuringAFetchCauseOneMore() {
        var machine = AsynchronousFetchMachine(demand: nil)
        XCTAssertTrue(machine.didChange())
        for _ in 0..<3 { XCTAssertFalse(machine.didChange()) }
        XCTAssertTrue(machine.didDeliver())
        XCTAssertFalse(machine.didDeliver())
    }

    func testNothingIsFetchedWithoutDemand() {
        var machine = AsynchronousFetchMachine(demand: 0)
        XCTAssertFalse(machine.didChange())
        XCTAssertTrue(machine.request(1))
        XCTAssertFalse(machine.didDeliver())
        XCTAssertFalse(machine.didChange())
        XCTAssertTrue(machine.request(2))
        XCTAssertFalse(machine.didDeliver())
        XCTAssertTrue(machine.didChange())
        XCTAssertFalse(machine.request(.max))
        XCTAssertFalse(machine.request(.max))
        XCTAssertFalse(machine.didDeliver())
        XCTAssertTrue(machine.didChange())
    }

    func testAnEndedObservationFetchesNothing() {
        var machine = AsynchronousFetchMachine(demand: nil)
        XCTAssertTrue(machine.didChange())
        machine.end()
        XCTAssertTrue(machine.isEnded)
        XCTAssertFalse(machine.didChange())
        XCTAssertFalse(machine.didDeliver())
        XCTAssertFalse(machine.request(1))
    }

    /// The last commit is in the last fetch, and the consumer receives no more values than it accepts.
    func testRandomEvents() {
        let first = RandomTestSettings.seed
        for seed in first..<(first + UInt64(RandomTestSettings.rounds(50))) {
            var random = SeededRandom(seed: seed)
            var machine = AsynchronousFetchMachine(demand: random.once(in: 2) ? nil : 0)
            var (accepted, delivered, commits, fetched) = (0, 0, 0, -1)
            var running: Int?
            let isUnlimited = machine.didChange()
            if isUnlimited { running = commits }
            for _ in 0..<100 {
                let begins: Bool
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    commits += 1
                    begins = machine.didChange()
                case 1:
                    accepted += 1
                    begins = machine.request(1)
                default:
                    guard let value = running else { continue }
                    (running, fetched) = (nil, value)
                    delivered += 1
                    begins = machine.didDeliver()
                }
                if begins {
                    XCTAssertNil(running, "seed \(seed)")
                    running = commits
                }
                if !isUnlimited { XCTAssertLessThanOrEqual(delivered, accepted, "seed \(seed)") }
            }
            // Deliver what is missing.
            if machine.request(10) { running = commits }
            while let value = running {
                (running, fetched) = (nil, value)
                if machine.didDeliver() { running = commits }
            }
            XCTAssertEqual(fetched, commits, "seed \(seed)")
        }
    }
}
