import Vigil
import XCTest

/// The rows of a cursor remember which columns were requested by name, and in which order.
final class ColumnLookupsTests: XCTestCase {
    private static let sql = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
        SELECT i AS a, i * 2 AS b, i * 3 AS aColumnWithALongName1, i * 4 AS aColumnWithALongName2, i * 5 AS a FROM n
        """

    private func forEachRow(_ body: (Int, Row) throws -> Void) throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let rows = try Row.fetchCursor(db, sql: Self.sql)
                var number = 0
                while let row = try rows.next() {
                    number += 1
                    try body(number, row)
                }
                XCTAssertEqual(number, 50)
            }
        }
    }

    func testEachRowMayBeAskedForOtherColumns() throws {
        let names = ["a", "b", "aColumnWithALongName1", "aColumnWithALongName2"]
        try forEachRow { number, row in
            for request in 0..<number % 7 {
                let position = (number * 5 + request * request * 3) % 4
                XCTAssertEqual(row[names[position]] as Int, number * (position + 1), names[position])
            }
        }
    }

    func testNamesThatAreMadeForEachRequestFindTheirColumns() throws {
        // A string that is made for a request is often stored where the one of the previous request was.
        try forEachRow { number, row in
            XCTAssertEqual(
                row["aColumnWithALongName" + "\(number % 2 + 1)"] as Int, number * (number % 2 + 3))
            XCTAssertNil(row["aColumnWithALongName" + "\(number % 2 + 3)"] as Int?)
        }
    }

    func testMissingColumnsStayMissing() throws {
        try forEachRow { number, row in
            XCTAssertNil(row["c"] as Int?)
            XCTAssertFalse(row.hasColumn("c"))
            XCTAssertEqual(row["b"] as Int, number * 2)
            XCTAssertThrowsError(try row.decode(Int.self, forColumn: "aColumnWithALongName3")) { error in
                XCTAssertTrue("\(error)".contains("\"aColumnWithALongName3\""), "\(error)")
            }
        }
    }

    func testARowCanBeAskedManyTimes() throws {
        try forEachRow { number, row in
            for _ in 0..<200 {
                XCTAssertEqual(row["A"] as Int, number)
                XCTAssertEqual(row["B"] as Int, number * 2)
            }
        }
    }

    func testNamesWithEquivalentCharactersAreDifferentColumns() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let rows = try Row.fetchCursor(
                    db, sql: "SELECT 1 AS \"\u{E9}\", 2 AS \"e\u{301}\" UNION ALL SELECT 3, 4")
                for (first, second) in [(1, 2), (3, 4)] {
                    let row = try XCTUnwrap(rows.next())
                    XCTAssertEqual(row["\u{E9}"] as Int, first)
                    XCTAssertEqual(row["e\u{301}"] as Int, second)
                }
            }
        }
    }

    func testTheColumnsOfTwoCursorsOverOneStatementAreThoseOfTheStatement() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let statement = try db.makeStatement(sql: "SELECT 1 AS a, 2 AS b")
                for _ in 1...2 {
                    let plain = try Row.fetchCursor(statement)
                    let first = try XCTUnwrap(plain.next())
                    XCTAssertEqual(first["a"] as Int, 1)
                    XCTAssertTrue(first.hasColumn("b"))
                    let adapted = try Row.fetchCursor(statement, adapter: ColumnMapping(["a": "b"]))
                    let second = try XCTUnwrap(adapted.next())
                    XCTAssertEqual(second["a"] as Int, 2)
                    XCTAssertFalse(second.hasColumn("b"))
                }
            }
        }
    }

    func testARowCanBeReadMoreOftenThanRequestsAreRemembered() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let columns = (0..<300).map { "\($0) AS column\($0)" }.joined(separator: ", ")
                let rows = try Row.fetchCursor(db, sql: "SELECT \(columns) UNION ALL SELECT \(columns)")
                while let row = try rows.next() {
                    for number in (0..<300).reversed() {
                        XCTAssertEqual(row["column\(number)"] as Int, number)
                        XCTAssertFalse(row.hasColumn("other\(number)"))
                    }
                }
            }
        }
    }

    func testColumnsAreFoundAfterTheSchemaChanged() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
                let statement = try db.makeStatement(sql: "SELECT * FROM t")
                XCTAssertEqual(try Row.fetchCursor(statement).map { $0["b"] as Int }.next(), 2)
                try db.execute(sql: "DROP TABLE t; CREATE TABLE t(b, c, a); INSERT INTO t VALUES (3, 4, 5)")
                XCTAssertEqual(try Row.fetchCursor(statement).map { $0["b"] as Int }.next(), 3)
                let rows = try Row.fetchCursor(statement)
                XCTAssertEqual(try rows.next()?["a"] as Int?, 5)
            }
        }
    }
}
