import Vigil
import XCTest

private enum Color: String, DatabaseValueConvertible { case red, white }

final class SQLRequestTests: XCTestCase {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER, color TEXT);
                    INSERT INTO player VALUES (1, 'a', 10, 'red'), (2, 'b', 20, 'white'), (3, 'c', NULL, NULL);
                    """)
            try body(db)
        }
    }

    func testRequestWithoutTypeFetchesRows() throws {
        try inDatabase { db in
            let request = SQLRequest(sql: "SELECT id FROM player WHERE id > ?", arguments: [1])
            let rows: [Row] = try request.fetchAll(db)
            XCTAssertEqual(rows, [["id": 2], ["id": 3]])
            XCTAssertEqual(try request.fetchOne(db), ["id": 2])
            XCTAssertEqual(try request.fetchSet(db), Set(rows))
            XCTAssertEqual(try Array(request.fetchCursor(db).map { $0[0] as Int }), [2, 3])
            XCTAssertEqual(try SQLRequest(literal: "SELECT \(1) AS a").fetchOne(db), ["a": 1])
        }
    }

    func testValuesAreFetched() throws {
        try inDatabase { db in
            let request: SQLRequest<String> = "SELECT name FROM player WHERE id IN \([1, 3])"
            XCTAssertEqual(try request.fetchAll(db), ["a", "c"])
            XCTAssertEqual(try request.fetchOne(db), "a")
            XCTAssertEqual(try request.fetchSet(db), ["a", "c"])
            XCTAssertEqual(try Array(request.fetchCursor(db)), ["a", "c"])
            let colors: SQLRequest<Color> = "SELECT color FROM player WHERE color IS NOT NULL"
            XCTAssertEqual(try colors.fetchAll(db), [.red, .white])
            XCTAssertEqual(try colors.fetchOne(db), .red)
            XCTAssertEqual(try colors.fetchSet(db), [.red, .white])
            XCTAssertEqual(try Array(colors.fetchCursor(db)), [.red, .white])
        }
    }

    func testOptionalsDistinguishNullFromNoRow() throws {
        try inDatabase { db in
            let scores: SQLRequest<Int?> = "SELECT score FROM player"
            XCTAssertEqual(try scores.fetchAll(db), [10, 20, nil])
            let null: SQLRequest<Int?> = "SELECT score FROM player WHERE id = \(3)"
            XCTAssertEqual(try null.fetchOne(db), Int??.some(nil))
            let none: SQLRequest<Int?> = "SELECT score FROM player WHERE id = \(4)"
            XCTAssertEqual(try none.fetchOne(db), Int??.none)
            XCTAssertNil(try SQLRequest<Int>("SELECT score FROM player WHERE id = \(3)").fetchOne(db))
        }
    }

    func testRequestCanBeFetchedAsAnotherType() throws {
        try inDatabase { db in
            let request = SQLRequest<Row>("SELECT score, name FROM player WHERE id = 1")
            XCTAssertEqual(try Int.fetchOne(db, request), 10)
            XCTAssertEqual(try Int.fetchAll(db, request), [10])
            XCTAssertEqual(try Int.fetchSet(db, request), [10])
            XCTAssertEqual(try DatabaseValue.fetchAll(db, request), [10.databaseValue])
            XCTAssertEqual(try Row.fetchOne(db, request), ["score": 10, "name": "a"])
            XCTAssertEqual(try Array(Int.fetchCursor(db, request)), [10])
        }
    }

    func testFetchCountReturnsTheNumberOfRows() throws {
        try inDatabase { db in
            let request: SQLRequest<Row> = "SELECT * FROM player WHERE id <> \(2)"
            XCTAssertEqual(try request.fetchCount(db), 2)
        }
    }

    func testFetchCountIgnoresWhatFollowsAStatement() throws {
        try inDatabase { db in
            let endings = [
                ";", " ; ", ";;", "-- all", "\n-- all\n", "/* all */", "/* all", "; -- all",
                ";/* a; */ ;\n-- b",
                "\u{FEFF};",
            ]
            for ending in endings {
                let request = SQLRequest<Row>(
                    sql: "SELECT * FROM player WHERE name <> ? || '; -- x'" + ending, arguments: ["a"])
                XCTAssertEqual(try request.fetchCount(db), 3, ending)
                XCTAssertEqual(try AnyFetchRequest(request).fetchCount(db), 3, ending)
                let literal: SQLRequest<Row> =
                    "/* one */ SELECT * FROM player WHERE id <> \(2)\(sql: ending)"
                XCTAssertEqual(try literal.fetchCount(db), 2, ending)
                let nested: SQLRequest<Int> =
                    "SELECT COUNT(*) FROM player WHERE (id, name, score, color) IN (\(literal)) AND 1"
                XCTAssertEqual(try nested.fetchOne(db), 1, ending)
            }
            XCTAssertThrowsError(try SQLRequest<Row>("SELECT 1; SELECT 2").fetchCount(db))
        }
    }

    func testRegionContainsViewAndItsTables() throws {
        try inDatabase { db in
            try db.execute(sql: "CREATE VIEW best AS SELECT name FROM player")
            let request: SQLRequest<Row> = "SELECT name FROM best"
            XCTAssertEqual(try request.databaseRegion(db).description, "best(name),player(name)")
        }
    }

    func testAdapterOfRequestIsApplied() throws {
        try inDatabase { db in
            var request = SQLRequest(
                sql: "SELECT id, name FROM player WHERE id = 1", adapter: SuffixRowAdapter(fromIndex: 1))
            XCTAssertEqual(try request.fetchOne(db), ["name": "a"])
            request.adapter = nil
            XCTAssertEqual(try request.fetchOne(db), ["id": 1, "name": "a"])
        }
    }

    func testCachedRequestReusesItsStatement() throws {
        try inDatabase { db in
            func statement(cached: Bool, _ id: Int) throws -> Statement {
                try SQLRequest<Int>(literal: "SELECT score FROM player WHERE id = \(id)", cached: cached)
                    .makePreparedRequest(db).statement
            }
            let first = try statement(cached: true, 1)
            let second = try statement(cached: true, 2)
            XCTAssertTrue(first === second)
            XCTAssertEqual(try Int.fetchOne(second), 20)
            XCTAssertFalse(try statement(cached: false, 1) === second)
        }
    }

    func testCachedRequestCanBeFetchedWhileItsCursorIsIterated() throws {
        try inDatabase { db in
            let request = SQLRequest<Int>(sql: "SELECT id FROM player", cached: true)
            var pairs: [String] = []
            let outer = try request.fetchCursor(db)
            while let a = try outer.next() {
                for b in try request.fetchAll(db) { pairs.append("\(a)\(b)") }
            }
            XCTAssertEqual(pairs, ["11", "12", "13", "21", "22", "23", "31", "32", "33"])
        }
    }

    func testMissingArgumentsThrow() throws {
        try inDatabase { db in
            XCTAssertThrowsError(try SQLRequest<Int>(sql: "SELECT ?").fetchOne(db)) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
            }
        }
    }
}
