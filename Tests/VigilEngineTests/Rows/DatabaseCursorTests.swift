import Vigil
import XCTest

final class DatabaseCursorTests: XCTestCase {
    private let numbers =
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT n FROM c"

    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
            try body(db)
        }
    }

    func testCursorDescribesItsStatement() throws {
        try inDatabase { db in
            let cursor = try String.fetchCursor(db, sql: "SELECT name FROM t WHERE id > ?", arguments: [1])
            XCTAssertEqual(cursor.sql, "SELECT name FROM t WHERE id > ?")
            XCTAssertEqual(cursor.arguments, [1])
            XCTAssertEqual(cursor.columnNames, ["name"])
            XCTAssertEqual(cursor.columnCount, 1)
            XCTAssertEqual(cursor.databaseRegion.description, "t(id,name)")
        }
    }

    func testFinishedCursorStaysFinished() throws {
        try inDatabase { db in
            let cursor = try Int.fetchCursor(db, sql: numbers)
            XCTAssertEqual(try Array(cursor), [1, 2, 3, 4, 5])
            XCTAssertNil(try cursor.next())
            XCTAssertNil(try cursor.next())
        }
    }

    func testFailedCursorIsFinished() throws {
        try inDatabase { db in
            let sql = "SELECT abs(n) FROM (SELECT 1 AS n UNION ALL SELECT -9223372036854775808)"
            let cursor = try Row.fetchCursor(db, sql: sql)
            XCTAssertEqual(try cursor.next()?[0] as Int?, 1)
            XCTAssertThrowsError(try cursor.next()) { error in
                XCTAssertEqual((error as? DatabaseError)?.sql, sql)
                XCTAssertEqual((error as? DatabaseError)?.message, "integer overflow")
            }
            XCTAssertNil(try cursor.next())
        }
    }

    func testCursorThrowsIfItsStatementIsRunAgain() throws {
        try inDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT ?")
            let misuses: [() throws -> Void] = [
                { _ = try Int.fetchOne(statement) }, { try statement.execute() },
                { try statement.setArguments([3, 4]) }, { statement.setUncheckedArguments([3]) },
            ]
            for misuse in misuses {
                let cursor = try Int.fetchCursor(statement, arguments: [1, 2])
                XCTAssertEqual(try cursor.next(), 1)
                try misuse()
                XCTAssertThrowsError(try cursor.next()) { error in
                    XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
                    XCTAssertEqual(
                        (error as? DatabaseError)?.message,
                        "the statement was run again, or given other arguments, while a cursor read its rows")
                }
                XCTAssertNil(try cursor.next())
            }
        }
    }

    func testReleasingOutdatedCursorDoesNotAffectTheNewRun() throws {
        try inDatabase { db in
            let statement = try db.makeStatement(sql: numbers)
            var old: FastDatabaseValueCursor<Int>? = try Int.fetchCursor(statement)
            XCTAssertEqual(try old?.next(), 1)
            let new = try Int.fetchCursor(statement)
            XCTAssertEqual(try new.next(), 1)
            old = nil
            XCTAssertEqual(try Array(new), [2, 3, 4, 5])
        }
    }

    func testReleasingCursorEndsItsRun() throws {
        try inDatabase { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
            var cursor: RowCursor? = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            XCTAssertNotNil(try cursor?.next())
            XCTAssertThrowsError(try db.execute(sql: "DROP TABLE t"), "a cursor reads the table")
            cursor = nil
            XCTAssertNoThrow(try db.execute(sql: "DROP TABLE t"))
        }
    }

    func testStatementDoesNotRunBeforeTheFirstElementIsRequested() throws {
        try XCTSkipIf(Database.sqliteLibVersionNumber < 3_035_000, "this library has no RETURNING")
        try inDatabase { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t(name) VALUES ('a') RETURNING id")
            let cursor = try Int.fetchCursor(statement)
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            XCTAssertEqual(try cursor.next(), 1)
        }
    }

    func testWriteThroughCursorIsObserved() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
        let values = Values<Int>()
        let cancellable =
            ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
            .start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) }
            )
        try dbQueue.write { db in
            let insert = try db.makeStatement(sql: "INSERT INTO t DEFAULT VALUES")
            XCTAssertNil(try Row.fetchCursor(insert).next())
        }
        try dbQueue.write { _ in }
        XCTAssertEqual(values.all, [0, 1])
        cancellable.cancel()
    }

    func testUnfinishedCursorPreventsClosing() throws {
        let dbQueue = try DatabaseQueue()
        var cursor: FastDatabaseValueCursor<Int>?
        try dbQueue.inDatabase { db in cursor = try Int.fetchCursor(db, sql: numbers) }
        XCTAssertThrowsError(try dbQueue.close()) { error in
            XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_BUSY)
        }
        try dbQueue.inDatabase { _ in XCTAssertEqual(try cursor?.next(), 1) }
        cursor = nil
        try dbQueue.close()
    }

    func testStatementWithoutRowsRunsAndReturnsNoValues() throws {
        try inDatabase { db in
            XCTAssertNil(try Int.fetchOne(db, sql: "INSERT INTO t(name) VALUES ('a')"))
            XCTAssertEqual(try Row.fetchAll(db, sql: "UPDATE t SET name = 'b'"), [])
            XCTAssertEqual(try String.fetchAll(db, sql: "SELECT name FROM t"), ["b"])
        }
    }
}
