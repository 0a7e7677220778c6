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

    func testValuesAreObserved() async throws {
        let dbQueue = try DatabaseQueue(
            backend: MemoryBackend(), location: .memory(name: nil), configuration: Configuration())
        try await dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER)")
        }
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        }
        var counts: [Int?] = []
        for try await count in observation.values(in: dbQueue) {
            counts.append(count)
            if counts.count == 2 { break }
            try await dbQueue.write { db in try db.execute(sql: "INSERT INTO player(score) VALUES (10)") }
        }
        XCTAssertEqual(counts, [0, 1])
    }
}
