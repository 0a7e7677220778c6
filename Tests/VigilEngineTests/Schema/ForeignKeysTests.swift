import Foundation
import Vigil
import XCTest

final class ForeignKeysTests: XCTestCase {
    private let schema = """
        CREATE TABLE team(id INTEGER PRIMARY KEY);
        CREATE TABLE place(x, y, PRIMARY KEY (x, y));
        CREATE TABLE player(
            id INTEGER PRIMARY KEY, team REFERENCES Team, px, py, coach REFERENCES player(id),
            FOREIGN KEY (py, px) REFERENCES place(y, x));
        """

    /// Disables foreign keys, so that they can be violated.
    private func onEachQueue(_ body: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try onEachQueue(configuration, schema: schema) { dbQueue in try dbQueue.inDatabase(body) }
    }

    func testForeignKeysMapColumnsToReferencedColumns() throws {
        try onEachQueue { db in
            let keys = try db.foreignKeys(on: "PLAYER").sorted { $0.originColumns[0] < $1.originColumns[0] }
            XCTAssertEqual(keys.map(\.destinationTable), ["player", "place", "Team"])
            XCTAssertEqual(keys.map(\.originColumns), [["coach"], ["py", "px"], ["team"]])
            XCTAssertEqual(keys.map(\.destinationColumns), [["id"], ["y", "x"], ["id"]])
            XCTAssertEqual(Set(keys.map(\.id)).count, 3)
            XCTAssertEqual(try db.foreignKeys(on: "team").count, 0)
        }
    }

    func testTablesOfAttachedDatabaseReferToTablesOfThatDatabase() throws {
        try onEachQueue { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.team(code TEXT PRIMARY KEY);
                    CREATE TABLE other.member(team REFERENCES team);
                    """)
            XCTAssertEqual(try db.foreignKeys(on: "member").first?.destinationColumns, ["code"])
        }
    }

    func testViolationsAreReturnedInOrder() throws {
        try onEachQueue { db in
            XCTAssertNil(try db.foreignKeyViolations().next())
            try db.checkForeignKeys()
            try db.execute(sql: "INSERT INTO player(id, team) VALUES (1, NULL), (2, 8), (3, 9)")
            var violations: [ForeignKeyViolation] = []
            try db.foreignKeyViolations().forEach { violations.append($0) }
            XCTAssertEqual(violations.map(\.originTable), ["player", "player"])
            XCTAssertEqual(violations.map(\.originRowID), [2, 3])
            XCTAssertEqual(violations.map(\.destinationTable), ["Team", "Team"])
            XCTAssertEqual(
                violations.map(\.description).first,
                "FOREIGN KEY constraint violation - from player to Team, in rowid 2")
            try db.checkForeignKeys(in: "team")
            XCTAssertNil(try db.foreignKeyViolations(in: "team", in: "main").next())
        }
    }

    func testErrorContainsColumnsAndRow() throws {
        try onEachQueue { db in
            try db.execute(sql: "INSERT INTO player(id, team) VALUES (2, 8)")
            for check in [{ try db.checkForeignKeys() }, { try db.checkForeignKeys(in: "PLAYER") }] {
                assertDatabaseError(
                    .SQLITE_CONSTRAINT_FOREIGNKEY,
                    "FOREIGN KEY constraint violation - from player(team) to Team(id), "
                        + "in [id:2 team:8 px:NULL py:NULL coach:NULL]"
                ) { try check() }
            }
        }
    }

    func testViolationsAreDescribedByTheTableOfTheirDatabase() throws {
        try onEachQueue { db in
            try db.execute(
                sql: """
                    INSERT INTO player(id, team) VALUES (2, 8);
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.team(code TEXT PRIMARY KEY);
                    CREATE TABLE other.player(code TEXT PRIMARY KEY REFERENCES team) WITHOUT ROWID;
                    INSERT INTO other.player VALUES ('x');
                    CREATE TEMP TABLE player(id INTEGER PRIMARY KEY, x);
                    INSERT INTO temp.player VALUES (2, 'temporary');
                    """)
            assertDatabaseError(
                .SQLITE_CONSTRAINT_FOREIGNKEY,
                "FOREIGN KEY constraint violation - from player(team) to Team(id), "
                    + "in [id:2 team:8 px:NULL py:NULL coach:NULL]"
            ) { try db.checkForeignKeys() }
            let violation = try XCTUnwrap(db.foreignKeyViolations(in: "player", in: "other").next())
            XCTAssertNil(violation.originRowID)
            XCTAssertEqual(
                try violation.failureDescription(db),
                "FOREIGN KEY constraint violation - from player(code) to team(code)")
        }
    }

    func testATransactionThatIsLeftOpenDoesNotDisableForeignKeys() throws {
        struct Failure: Error {}
        try onEachQueue(Configuration(), schema: schema) { dbQueue in
            try dbQueue.inDatabase { db in
                assertDatabaseError(
                    .SQLITE_MISUSE,
                    "a transaction was left open while foreign keys were not enforced, and was rolled back: "
                        + "commit it before the block ends"
                ) {
                    try db.withoutForeignKeys {
                        try db.beginTransaction()
                        try db.execute(sql: "INSERT INTO player(id, team) VALUES (1, 9)")
                    }
                }
                XCTAssertFalse(db.isInsideTransaction)
                XCTAssertThrowsError(
                    try db.withoutForeignKeys {
                        try db.beginTransaction()
                        throw Failure()
                    }
                ) { XCTAssertTrue($0 is Failure) }
                XCTAssertFalse(db.isInsideTransaction)
                XCTAssertTrue(try db.enforcesForeignKeys())
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player"), 0)
            }
        }
    }

    func testAnInterruptionDoesNotDisableForeignKeys() throws {
        try onEachQueue(Configuration(), schema: schema) { dbQueue in
            try dbQueue.inDatabase { db in
                // While the cursor is running, the interruption lasts.
                let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
                XCTAssertEqual(try cursor.next(), 1)
                try db.withoutForeignKeys { dbQueue.interrupt() }
                assertDatabaseError(.SQLITE_INTERRUPT) { _ = try cursor.next() }
                XCTAssertTrue(try db.enforcesForeignKeys())
            }
        }
    }

    func testViolationsInTablesWithoutRowIDAreReturned() throws {
        try onEachQueue { db in
            try db.execute(
                sql: """
                    CREATE TABLE w(id TEXT PRIMARY KEY REFERENCES team) WITHOUT ROWID;
                    INSERT INTO w VALUES ('x');
                    """)
            let violation = try XCTUnwrap(db.foreignKeyViolations(in: "w").next())
            XCTAssertNil(violation.originRowID)
            XCTAssertEqual(
                try violation.failureDescription(db),
                "FOREIGN KEY constraint violation - from w(id) to team(id)")
        }
    }
}
