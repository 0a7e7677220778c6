import Foundation
import Vigil
import XCTest

final class DatabaseQueueTests: XCTestCase {
    func testAWriteIsReadBack() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score REAL)")
            try db.execute(sql: "INSERT INTO player VALUES (?, ?, ?)", arguments: [1, "Arthur", 12.5])
        }
        let row = try dbQueue.read { db in try Row.fetchOne(db, sql: "SELECT * FROM player") }
        XCTAssertEqual(row, ["id": 1, "name": "Arthur", "score": 12.5])
    }

    func testAnObservationTellsTheInitialValueAndEachChange() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
        let values = Values<Int>()
        let cancellable =
            ValueObservation
            .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
            .start(
                in: dbQueue, scheduling: .task, onError: { XCTFail("\($0)") }, onChange: { values.append($0) }
            )
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1), (2)") }
        try dbQueue.write { db in try db.execute(sql: "DELETE FROM t") }
        XCTAssertEqual(values.all, [0, 2, 0])
        cancellable.cancel()
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        XCTAssertEqual(values.all, [0, 2, 0])
    }
}
