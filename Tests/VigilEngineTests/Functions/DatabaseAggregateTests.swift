import Foundation
import Vigil
import XCTest

final class DatabaseAggregateTests: XCTestCase {
    private struct Joined: DatabaseAggregate {
        private var texts: [String] = []

        mutating func step(_ dbValues: [DatabaseValue]) throws {
            guard let text = String.fromDatabaseValue(dbValues[0]) else {
                throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "not a text")
            }
            texts.append(text)
        }

        func finalize() throws -> (any DatabaseValueConvertible)? {
            if texts.contains("last") { throw DatabaseError(resultCode: .SQLITE_RANGE, message: "too late") }
            return texts.joined(separator: "+")
        }
    }

    private let schema = """
        CREATE TABLE player(team TEXT, name TEXT);
        INSERT INTO player VALUES ('red', 'a'), ('blue', 'b'), ('red', 'c');
        """

    private func onEachQueueWithAggregate(_ body: (Database) throws -> Void) throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.write { db in
                db.add(function: DatabaseFunction("joined", argumentCount: 1, aggregate: Joined.self))
                try body(db)
            }
        }
    }

    func testEachGroupIsAggregatedSeparately() throws {
        try onEachQueueWithAggregate { db in
            let sql = "SELECT joined(name) FROM player GROUP BY team ORDER BY team"
            XCTAssertEqual(try String.fetchAll(db, sql: sql), ["b", "a+c"])
            XCTAssertEqual(
                try String.fetchOne(db, sql: "SELECT joined(name) || joined(team) FROM player"),
                "a+b+cred+blue+red")
        }
    }

    func testEmptyGroupIsAggregated() throws {
        try onEachQueueWithAggregate { db in
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT joined(name) FROM player WHERE 0"), "")
        }
    }

    func testErrorOfAggregateFailsTheStatement() throws {
        try onEachQueueWithAggregate { db in
            assertDatabaseError(.SQLITE_MISMATCH, "not a text") {
                try db.execute(sql: "SELECT joined(rowid) FROM player")
            }
            assertDatabaseError(.SQLITE_RANGE, "too late") { try db.execute(sql: "SELECT joined('last')") }
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT joined('x')"), "x")
        }
    }

    func testGroupsAreReleasedWhenStatementIsAbandoned() throws {
        final class Counter: @unchecked Sendable {
            // Guard: used only on the thread of the test.
            nonisolated(unsafe) static var living = 0
            init() { Counter.living += 1 }
            deinit { Counter.living -= 1 }
        }
        struct Counting: DatabaseAggregate {
            private let counter = Counter()
            mutating func step(_ dbValues: [DatabaseValue]) {}
            func finalize() -> (any DatabaseValueConvertible)? { Counter.living }
        }
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.read { db in
                db.add(function: DatabaseFunction("counting", argumentCount: 1, aggregate: Counting.self))
                let cursor = try Row.fetchCursor(
                    db, sql: "SELECT counting(name) FROM player GROUP BY team ORDER BY team")
                XCTAssertEqual(try cursor.next()?[0], 1)
            }
            XCTAssertEqual(Counter.living, 0)
        }
    }
}
