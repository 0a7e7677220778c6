import Foundation
import Vigil
import XCTest

/// Changes that a function makes through the calling connection are reported like any other change.
final class FunctionWritesTests: XCTestCase {
    private let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER, name TEXT);
        CREATE TABLE log(entry TEXT);
        INSERT INTO player VALUES (1, 10, 'a'), (2, 20, 'b');
        """

    /// Returns the observed values of a query: the initial one, and one for each commit of `body`.
    private func values(
        of sql: String, in dbQueue: DatabaseQueue, _ body: (Database) throws -> Void
    ) throws -> [[String]] {
        let values = Values<[String]>()
        let cancellable =
            ValueObservation
            .tracking { db in try String.fetchAll(db, sql: sql) }
            .start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) }
            )
        try dbQueue.inDatabase { db in
            nonisolated(unsafe) let unsafeDB = db
            db.add(
                function: DatabaseFunction("note", argumentCount: 1) { arguments in
                    try unsafeDB.execute(sql: "INSERT INTO log VALUES (?)", arguments: [arguments[0]])
                    return arguments[0]
                })
            try body(db)
        }
        try dbQueue.read { _ in }
        cancellable.cancel()
        return values.all
    }

    func testFunctionWriteInsideAQueryIsCommitted() throws {
        try onEachQueue(schema: schema) { dbQueue in
            let values = try values(of: "SELECT entry FROM log", in: dbQueue) { db in
                XCTAssertEqual(try String.fetchOne(db, sql: "SELECT note('x')"), "x")
            }
            XCTAssertEqual(values, [[], ["x"]])
        }
    }

    func testFunctionWritesInsideAWriteAreCommittedWithIt() throws {
        try onEachQueue(schema: schema) { dbQueue in
            let values = try values(
                of: "SELECT entry FROM log UNION ALL SELECT name FROM player WHERE name LIKE 'z%' ORDER BY 1",
                in: dbQueue
            ) { db in
                try db.execute(sql: "UPDATE player SET name = 'z' || note(name)")
            }
            XCTAssertEqual(values, [[], ["a", "b", "za", "zb"]])
        }
    }

    func testChangesOfCallingStatementAreReportedAfterFunctionWrites() throws {
        var configuration = Configuration()
        // Updates are then matched only by the columns that the statement assigns to.
        configuration.ignoresNoOpUpdates = false
        try onEachQueue(configuration, schema: schema) { dbQueue in
            let values = try values(of: "SELECT name FROM player", in: dbQueue) { db in
                nonisolated(unsafe) let unsafeDB = db
                db.add(
                    function: DatabaseFunction("tick", argumentCount: 0) { _ in
                        try unsafeDB.execute(sql: "UPDATE player SET score = score + 1 WHERE id = 99")
                        return "z"
                    })
                try db.execute(sql: "UPDATE player SET name = tick() WHERE id = 1")
            }
            XCTAssertEqual(values, [["a", "b"], ["z", "b"]])
        }
    }

    func testFunctionWritesAreRolledBackWithTheTransaction() throws {
        try onEachQueue(schema: schema) { dbQueue in
            let values = try values(of: "SELECT entry FROM log", in: dbQueue) { db in
                db.add(
                    function: DatabaseFunction("fail", argumentCount: 0) { _ in
                        throw DatabaseError(message: "no")
                    })
                XCTAssertThrowsError(
                    try db.inTransaction {
                        try db.execute(sql: "SELECT note('lost')")
                        try db.execute(sql: "SELECT fail()")
                        return .commit
                    })
                try db.execute(sql: "INSERT INTO log VALUES ('kept')")
            }
            XCTAssertEqual(values, [[], ["kept"]])
        }
    }

    func testStatementIsAbortedIfItsFunctionRollsBack() throws {
        try onEachQueue(schema: schema) { dbQueue in
            let values = try values(of: "SELECT name FROM player", in: dbQueue) { db in
                nonisolated(unsafe) let unsafeDB = db
                db.add(
                    function: DatabaseFunction("clash", argumentCount: 0) { _ in
                        try? unsafeDB.execute(sql: "INSERT OR ROLLBACK INTO player(id) VALUES (1)")
                        return 1
                    })
                for begin in ["", "BEGIN"] {
                    try db.execute(sql: begin)
                    for sql in [
                        "DELETE FROM player WHERE clash()", "UPDATE player SET name = 'z' WHERE clash()",
                    ] {
                        XCTAssertThrowsError(try db.execute(sql: sql)) { error in
                            XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_ABORT)
                        }
                        XCTAssertFalse(db.isInsideTransaction)
                    }
                }
                XCTAssertEqual(try String.fetchAll(db, sql: "SELECT name FROM player"), ["a", "b"])
                try db.execute(sql: "UPDATE player SET name = 'c' WHERE id = 2")
            }
            XCTAssertEqual(values, [["a", "b"], ["a", "c"]])
        }
    }
}
