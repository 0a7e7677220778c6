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

    func testFailedCursorThrowsItsErrorAgain() throws {
        try inDatabase { db in
            let sql = "SELECT abs(n) FROM (SELECT 1 AS n UNION ALL SELECT -9223372036854775808)"
            let cursor = try Row.fetchCursor(db, sql: sql)
            XCTAssertEqual(try cursor.next()?[0] as Int?, 1)
            XCTAssertThrowsError(try cursor.next()) { error in
                XCTAssertEqual((error as? DatabaseError)?.sql, sql)
                XCTAssertEqual((error as? DatabaseError)?.message, "integer overflow")
            }
            assertDatabaseError(.SQLITE_ERROR, "integer overflow") { try cursor.next() }
            assertDatabaseError(.SQLITE_ERROR, "integer overflow") { try cursor.forEach { _ in } }
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
                        "the statement was executed again or received other arguments while its rows were read"
                    )
                }
                assertDatabaseError(.SQLITE_MISUSE) { try cursor.next() }
            }
        }
    }

    func testADerivedCursorThrowsItsErrorAgain() throws {
        try inDatabase { db in
            let sql = "SELECT abs(-9223372036854775808)"
            func check(_ cursor: some Cursor) {
                for _ in 1...3 {
                    assertDatabaseError(.SQLITE_ERROR, "integer overflow") { _ = try cursor.next() }
                }
            }
            let values = { try Int.fetchCursor(db, sql: sql) }
            check(try values().map { $0 })
            check(try values().filter { _ in true })
            check(try values().enumerated())
            check(try values().prefix(1))
            check(try values().prefix { _ in true })
            check(try values().dropFirst())
            check(try values().drop { _ in false })
            check(try values().flatMap { [$0] })
            check(AnyCursor(try values()))
            check(try String.fetchCursor(db, sql: sql))
            check(try Row.fetchCursor(db, sql: sql))
        }
    }

    func testACursorThatCannotBeginThrowsItsErrorAgain() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                let cursor = try Int.fetchCursor(db, sql: "SELECT 1")
                dbQueue.suspend()
                assertDatabaseError(.SQLITE_ABORT) { try cursor.next() }
                dbQueue.resume()
                assertDatabaseError(.SQLITE_ABORT) { try cursor.next() }
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

    /// The first step compiles the statement again.
    func testValuesAreThoseOfTheAdaptedColumnAfterAChangeOfTheSchema() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE m(a, b, c); INSERT INTO m VALUES (1, 2, 3);
                    CREATE TABLE t(a, b, c, d); INSERT INTO t VALUES (1, 2, 3, 4);
                    """)
            let adapter = ColumnMapping(["x": "b"])
            let statement = try db.makeStatement(sql: "SELECT * FROM m")
            let fast = try Int.fetchCursor(statement, adapter: adapter)
            try db.execute(sql: "DROP TABLE m; CREATE TABLE m(b, c); INSERT INTO m VALUES (2, 3)")
            XCTAssertEqual(try fast.next(), 2)
            XCTAssertNil(try fast.next())
            let decoded = try Decimal.fetchCursor(statement, adapter: adapter)
            try db.execute(sql: "DROP TABLE m; CREATE TABLE m(a, c, b); INSERT INTO m VALUES (1, 3, 2)")
            XCTAssertEqual(try decoded.next(), 2)
            XCTAssertNil(try decoded.next())

            let shorter = try db.makeStatement(sql: "SELECT * FROM t")
            let values = try Int.fetchCursor(shorter, adapter: SuffixRowAdapter(fromIndex: 2))
            try db.execute(sql: "DROP TABLE t; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            XCTAssertThrowsError(try values.next())
            XCTAssertThrowsError(try values.next(), "a failed cursor fails again")
        }
    }
}
