import Foundation
import Vigil
import XCTest

final class RowLifetimeTests: XCTestCase {
    private let letters = "SELECT 1 AS n, 'one' AS t, x'01' AS b UNION ALL SELECT 2, 'two', x'0202'"

    func testCursorReusesItsRow() throws {
        try DatabaseQueue().inDatabase { db in
            let rows = try Row.fetchCursor(db, sql: letters)
            let first = try XCTUnwrap(rows.next())
            let second = try XCTUnwrap(rows.next())
            XCTAssertTrue(first === second)
            XCTAssertEqual(first["n"] as Int, 2)
        }
    }

    func testCopyOutlivesCursorAndDatabase() throws {
        var copies: [Row] = []
        try DatabaseQueue().inDatabase { db in
            let rows = try Row.fetchCursor(db, sql: letters)
            while let row = try rows.next() { copies.append(row.copy()) }
        }
        XCTAssertEqual(
            copies, [["n": 1, "t": "one", "b": Data([1])], ["n": 2, "t": "two", "b": Data([2, 2])]])
        XCTAssertTrue(copies[0].copy() === copies[0])
    }

    func testFetchedRowsOutliveTheDatabase() throws {
        let (all, one, set) = try DatabaseQueue().inDatabase { db in
            (
                try Row.fetchAll(db, sql: letters), try Row.fetchOne(db, sql: letters),
                try Row.fetchSet(db, sql: letters + " UNION ALL " + letters)
            )
        }
        XCTAssertEqual(all.map { $0["t"] as String }, ["one", "two"])
        XCTAssertEqual(one?["t"] as String?, "one")
        XCTAssertEqual(set, Set(all))
        XCTAssertEqual(set.count, 2)
    }

    func testScopesRetainTheirRow() throws {
        let scoped = try DatabaseQueue().inDatabase { db -> Row? in
            let adapter = ScopeAdapter(["text": RangeRowAdapter(1..<2)])
            return try Row.fetchOne(db, sql: letters, adapter: adapter)?.scopes["text"]
        }
        XCTAssertEqual(scoped, ["t": "one"])
        XCTAssertEqual(scoped?.unadapted["n"] as Int?, 1)
    }

    func testEmptyTextAndBytesAreCopied() throws {
        let row = try DatabaseQueue().inDatabase { db in
            try Row.fetchOne(db, sql: "SELECT '' AS t, zeroblob(0) AS b, NULL AS n, 'a' || char(0) AS z")
        }
        XCTAssertEqual(row, ["t": "", "b": Data(), "n": nil, "z": "a\0"])
    }

    func testColumnsRenamedByAnotherConnectionHaveTheirNewNames() throws {
        try XCTSkipIf(Database.sqliteLibVersionNumber < 3_025_000, "this library cannot rename columns")
        let path = NSTemporaryDirectory() + "vigil-\(UUID().uuidString).sqlite"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (one, other) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
        try one.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            XCTAssertEqual(try Row.fetchAll(statement), [["a": 1, "b": 2]])
            try other.inDatabase { db in try db.execute(sql: "ALTER TABLE t RENAME COLUMN a TO c") }
            XCTAssertEqual(try Row.fetchAll(statement), [["c": 1, "b": 2]])
            try other.inDatabase { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN d DEFAULT 3") }
            XCTAssertEqual(
                try Row.fetchOne(statement, adapter: SuffixRowAdapter(fromIndex: 1)), ["b": 2, "d": 3])
        }
    }

    /// The memory of its values is freed with the run of the statement.
    func testARowOfAReleasedCursorHasNoValues() throws {
        let sql = "SELECT 'hello world, a long text' || n AS t, n FROM (\(letters))"
        let texts = "SELECT printf('%.*c', 100, 'z')"
        try onEachQueue(schema: "") { dbQueue in
            try dbQueue.inDatabase { db in
                let released = try XCTUnwrap(Row.fetchCursor(db, sql: sql).next())
                _ = try String.fetchAll(db, sql: texts)
                XCTAssertNil(released["t"] as String?)
                XCTAssertNil(released.copy()["t"] as String?)

                let rows = try Row.fetchCursor(db, sql: sql)
                var last: Row?
                while let row = try rows.next() { last = row }
                _ = try String.fetchAll(db, sql: texts)
                XCTAssertNil(last?["t"] as String?)

                let statement = try db.makeStatement(sql: sql)
                let run = try Row.fetchCursor(statement)
                let current = try XCTUnwrap(run.next())
                XCTAssertEqual(current["n"], 1)
                let again = try Row.fetchCursor(statement)
                XCTAssertNil(current["n"] as Int?)
                withExtendedLifetime((rows, run, again)) {}
            }
        }
    }

    func testARowOfAStatementThatWritesAgainHasNoValues() throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            try dbQueue.inDatabase { db in
                guard db.supports(.returning) else { return }
                let statement = try db.makeStatement(
                    sql: "INSERT INTO t VALUES ('hello world, a long text' || ?) RETURNING a")
                let rows = try Row.fetchCursor(statement, arguments: ["one"])
                let row = try XCTUnwrap(rows.next())
                XCTAssertEqual(row["a"], "hello world, a long textone")
                try statement.execute(arguments: ["two"])
                _ = try String.fetchAll(db, sql: "SELECT printf('%.*c', 100, 'z')")
                XCTAssertNil(row["a"] as String?)
                withExtendedLifetime(rows) {}
            }
        }
    }
}
