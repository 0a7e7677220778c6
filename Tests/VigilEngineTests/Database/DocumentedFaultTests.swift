import Vigil
import VigilTesting
import XCTest

/// The test in the article *Testing with the simulated backend*, which a tidy test compares with this file.
final class DocumentedFaultTests: XCTestCase {
    func testAFailedCommitLeavesNothingBehind() throws {
        let faults = SimulatedFaults()
        let dbQueue = try DatabaseQueue(
            backend: SimulatedBackend(faults: faults), location: .memory(name: nil),
            configuration: Configuration())
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER)")
        }

        faults.add(.failingCommit(faults.counts.commits + 1))
        XCTAssertThrowsError(
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player(score) VALUES (10)")
            })

        XCTAssertEqual(faults.strikes.map(\.kind), [.failingCommit(.ioError, rollsBack: false)])
        let count = try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }
        XCTAssertEqual(count, 0)
    }
}
