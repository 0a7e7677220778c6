import Vigil
import XCTest

/// Conditions also match row values that are reported only on request.
final class RequestedRowImagesTests: XCTestCase {
    func testAChangedRowOutsideTheConditionCausesNoFetch() throws {
        let schema = """
            CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER, score INTEGER);
            INSERT INTO player VALUES (1, 5, 10), (2, 6, 20);
            """
        try onEachQueue(schema: schema) { dbQueue in
            let fetches = FetchCount()
            let cancellable = ValueObservation.tracking { db in
                fetches.add()
                return try Int.fetchAll(db, sql: "SELECT score FROM player WHERE team = 5")
            }.start(in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { _ in })
            wait(for: [fetches.reach(1, self)], timeout: 5)
            try dbQueue.write { db in
                try db.execute(sql: "UPDATE player SET score = 21 WHERE id = 2")
                try db.execute(sql: "INSERT INTO player VALUES (3, 6, 30)")
                try db.execute(sql: "DELETE FROM player WHERE id = 3")
            }
            XCTAssertEqual(fetches.count, 1)
            try dbQueue.write { db in try db.execute(sql: "UPDATE player SET team = 5 WHERE id = 2") }
            XCTAssertEqual(fetches.count, 2)
            try dbQueue.write { db in try db.execute(sql: "UPDATE player SET team = 6 WHERE id = 1") }
            XCTAssertEqual(fetches.count, 3)
            cancellable.cancel()
        }
    }

    func testConditionsAreIgnoredWhenNoOpUpdatesCount() throws {
        let schema = """
            CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER, score INTEGER);
            INSERT INTO player VALUES (1, 5, 10), (2, 6, 20);
            """
        var configuration = Configuration()
        configuration.ignoresNoOpUpdates = false
        try onEachQueue(configuration, schema: schema) { dbQueue in
            let fetches = FetchCount()
            let cancellable = ValueObservation.tracking { db in
                fetches.add()
                return try Int.fetchAll(db, sql: "SELECT score FROM player WHERE team = 5")
            }.start(in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { _ in })
            try dbQueue.write { db in try db.execute(sql: "UPDATE player SET score = 21 WHERE id = 2") }
            XCTAssertEqual(fetches.count, 2)
            cancellable.cancel()
        }
    }
}
