import MemoryBackend
import Vigil
import VigilStorage
import VigilTesting
import XCTest

final class MemoryBackendTests: XCTestCase {
    func testContract() {
        let contract = BackendContract(backend: MemoryBackend()) { .file(path: $0) }
        for failure in contract.runAll() { XCTFail("\(failure)") }
    }

    func testValuesAreObserved() throws {
        let dbQueue = try DatabaseQueue(
            backend: MemoryBackend(), location: .memory(name: nil), configuration: Configuration())
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER)")
        }
        var counts: [Int] = []
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        }
        let changed = expectation(description: "two values")
        changed.expectedFulfillmentCount = 2
        let cancellable = observation.start(in: dbQueue) { error in
            XCTFail("\(error)")
        } onChange: { count in
            counts.append(count ?? -1)
            changed.fulfill()
        }
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO player(score) VALUES (10)") }
        wait(for: [changed], timeout: 10)
        XCTAssertEqual(counts, [0, 1])
        cancellable.cancel()
    }
}
