import Dispatch
import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// Observations of a server whose connections are lost.
final class LostConnectionTests: XCTestCase {
    private let counting = "SELECT COUNT(*) FROM t"

    private func count(_ sql: String) -> ValueObservation<ValueReducers.Fetch<Int>> {
        .tracking { db in try Int.fetchOne(db, sql: sql) ?? -1 }
    }

    func testAFetchIsRepeatedAfterGrowingPauses() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(count(counting))
            observed.expect([0])
            fixture.server.loseConnection(ofStatementsWith: counting, count: 9)
            try fixture.insert()
            let pauses = (1...9).map { fixture.endPause($0) }
            XCTAssertEqual(pauses, [20, 40, 80, 160, 320, 640, 1280, 2000, 2000].map { .milliseconds($0) })
            observed.expect([0, 1])
            // The next outage begins with a short pause.
            fixture.server.loseConnection(ofStatementsWith: counting, count: 1)
            try fixture.insert()
            XCTAssertEqual(fixture.endPause(10), .milliseconds(20))
            observed.expect([0, 1, 2])
        }
    }

    func testOtherObservationsOfTheRoundFetchToo() throws {
        try onEachServer { fixture in
            let fragile = "SELECT COUNT(*) AS fragile FROM t"
            let observed = [counting, fragile, counting].map { fixture.observe(count($0)) }
            for observed in observed { observed.expect([0]) }
            for round in 1...5 {
                fixture.server.loseConnection(ofStatementsWith: fragile, count: 1)
                try fixture.insert()
                fixture.endPause(round)
                for observed in observed { observed.expect(Array(0...round)) }
            }
        }
    }

    func testAnInitialFetchIsRepeated() throws {
        try onEachServer { fixture in
            fixture.server.loseConnection(ofStatementsWith: counting, count: 2)
            let observed = fixture.observe(count(counting), .async(onQueue: .global()))
            fixture.endPause(1)
            fixture.endPause(2)
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
        }
    }

    func testAnInitialFetchDoesNotWaitForTheEndOfAnOutage() throws {
        try onEachServer { fixture in
            fixture.server.loseConnection(ofStatementsWith: counting, count: 1)
            let waiting = fixture.observe(count(counting), .async(onQueue: .global()))
            fixture.timer.scheduled.wait(count: 1)
            let other = fixture.observe(count("SELECT COUNT(*) FROM other"), .async(onQueue: .global()))
            other.expect([0])
            XCTAssertEqual(waiting.values.all, [])
            fixture.timer.manual.fire()
            waiting.expect([0])
        }
    }

    func testAnImmediateStartFails() throws {
        try onEachServer { fixture in
            fixture.server.loseConnection(ofStatementsWith: counting, count: 1)
            let observed = fixture.observe(count(counting), immediately)
            XCTAssertEqual(observed.values.all, [])
            XCTAssertEqual(
                observed.errors.all.map { ($0 as? DatabaseError)?.extendedResultCode }, [.CONNECTION_LOST])
        }
    }

    func testASnapshotThatCannotBeTakenIsRepeated() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(count(counting))
            observed.expect([0])
            fixture.server.loseConnection(ofStatementsWith: "beginSnapshot", count: 2)
            try fixture.insert()
            fixture.endPause(1)
            fixture.endPause(2)
            observed.expect([0, 1])
        }
    }

    func testDemandIsKept() throws {
        try onEachServer { fixture in
            fixture.server.loseConnection(ofStatementsWith: counting, count: 1)
            let values = Recorder<Int>()
            let subscription = count(counting).subscription(
                in: fixture.dbPool, scheduling: .inline,
                onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
            subscription.request(1)
            fixture.endPause(1)
            XCTAssertEqual(values.wait(count: 1), [0])
            subscription.cancel()
        }
    }

    func testClosingThePoolEndsAnOutage() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(count(counting))
            observed.expect([0])
            fixture.server.loseConnection(ofStatementsWith: counting, count: 1)
            try fixture.insert()
            fixture.timer.scheduled.wait(count: 1)
            try fixture.dbPool.close()
            fixture.timer.manual.fire()
            XCTAssertEqual(observed.errors.all.count, 0)
            XCTAssertEqual(fixture.dbPool.observations.count, 0)
        }
    }

    func testAnAccessFailsAndTheNextOneSucceeds() throws {
        try onEachServer { fixture in
            fixture.server.loseConnection(ofStatementsWith: "INSERT", count: 1)
            XCTAssertThrowsError(try fixture.insert()) { error in
                XCTAssertEqual((error as? DatabaseError)?.extendedResultCode, .CONNECTION_LOST)
            }
            try fixture.insert()
            let count = try fixture.dbPool.read { db in try Int.fetchOne(db, sql: counting) }
            XCTAssertEqual(count, 1)
        }
    }
}
