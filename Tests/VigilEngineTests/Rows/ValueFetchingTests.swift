import Vigil
import XCTest

private enum Color: String, DatabaseValueConvertible { case red, white }

final class ValueFetchingTests: XCTestCase {
    private let some = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 1"
    private let null = "SELECT NULL"
    private let none = "SELECT 1 WHERE 0"

    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase(body)
    }

    func testValuesOfTheFirstColumnAreFetched() throws {
        try inDatabase { db in
            XCTAssertEqual(try Int.fetchAll(db, sql: some), [1, 2, 1])
            XCTAssertEqual(try Int.fetchSet(db, sql: some), [1, 2])
            XCTAssertEqual(try Int.fetchOne(db, sql: some), 1)
            XCTAssertEqual(try Array(Int.fetchCursor(db, sql: some)), [1, 2, 1])
            XCTAssertEqual(try String.fetchAll(db, sql: "SELECT ?, 2", arguments: ["a"]), ["a"])
        }
    }

    func testTypesThatAreNotDecodedDirectlyAreFetched() throws {
        try inDatabase { db in
            let sql = "SELECT 'red' UNION ALL SELECT 'white'"
            XCTAssertEqual(try Color.fetchAll(db, sql: sql), [.red, .white])
            XCTAssertEqual(try Color.fetchSet(db, sql: sql), [.red, .white])
            XCTAssertEqual(try Color.fetchOne(db, sql: sql), .red)
            XCTAssertEqual(try Array(Color.fetchCursor(db, sql: sql)), [.red, .white])
            XCTAssertEqual(try Color?.fetchAll(db, sql: "\(sql) UNION ALL SELECT NULL"), [.red, .white, nil])
            XCTAssertThrowsError(try Color.fetchAll(db, sql: "SELECT 'blue'"))
        }
    }

    func testArraysHaveSpaceForTheRowsOfTheLastFetch() throws {
        try inDatabase { db in
            let statement = try db.makeStatement(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n
                    """)
            // Growing would double the space to 131,072 values or more.
            let spaces = [(90_000, 90_000...400_000), (90_000, 90_000...110_000), (10, 10...1_000)]
            for (count, space) in spaces {
                let values = try Int.fetchAll(statement, arguments: [count])
                XCTAssertEqual(values, Array(1...count))
                XCTAssertTrue(space.contains(values.capacity), "\(values.capacity) for \(count)")
            }
        }
    }

    func testStatementCanBeFetchedRepeatedly() throws {
        try inDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT :n UNION ALL SELECT :n + 1")
            XCTAssertEqual(try Int.fetchAll(statement, arguments: ["n": 1]), [1, 2])
            XCTAssertEqual(try Int.fetchAll(statement), [1, 2])
            XCTAssertEqual(try Int.fetchSet(statement, arguments: ["n": 5]), [5, 6])
            XCTAssertEqual(try Int.fetchOne(statement, arguments: [7]), 7)
            XCTAssertEqual(try DatabaseValue.fetchOne(statement), 7.databaseValue)
            XCTAssertEqual(try Row.fetchAll(statement, arguments: [8]).map { $0[0] as Int }, [8, 9])
            XCTAssertEqual(try Row.fetchOne(statement)?[0] as Int?, 8)
        }
    }

    func testFetchOneReturnsNilForNullAndForNoRow() throws {
        try inDatabase { db in
            XCTAssertNil(try Int.fetchOne(db, sql: null))
            XCTAssertNil(try Int.fetchOne(db, sql: none))
            XCTAssertNil(try Color.fetchOne(db, sql: null))
            XCTAssertNil(try Color.fetchOne(db, sql: none))
        }
    }

    func testFetchOneOfOptionalDistinguishesNullFromNoRow() throws {
        try inDatabase { db in
            XCTAssertEqual(try Int?.fetchOne(db, sql: null), Int??.some(nil))
            XCTAssertEqual(try Int?.fetchOne(db, sql: none), Int??.none)
            XCTAssertEqual(try Int?.fetchOne(db, sql: some), 1)
            XCTAssertEqual(try Color?.fetchOne(db, sql: null), Color??.some(nil))
            XCTAssertEqual(try Color?.fetchOne(db, sql: none), Color??.none)
        }
    }

    func testFetchedOptionalsIncludeNulls() throws {
        try inDatabase { db in
            let sql = "SELECT 1 UNION ALL SELECT NULL"
            XCTAssertEqual(try Int?.fetchAll(db, sql: sql), [1, nil])
            XCTAssertEqual(try Int?.fetchSet(db, sql: sql), [1, nil])
            XCTAssertEqual(try Array(Int?.fetchCursor(db, sql: sql)), [1, nil])
        }
    }

    func testNullThrowsUnlessTheTypeIsOptional() throws {
        try inDatabase { db in
            XCTAssertThrowsError(try Int.fetchAll(db, sql: "SELECT NULL AS a")) { error in
                XCTAssertEqual(
                    "\(error)",
                    #"could not decode Int from NULL - column: "a", column index: 0, sql: `SELECT NULL AS a`"#
                )
            }
            XCTAssertThrowsError(try Int.fetchSet(db, sql: null))
            XCTAssertThrowsError(try Int.fetchCursor(db, sql: null).next())
            XCTAssertThrowsError(try Color.fetchAll(db, sql: null))
        }
    }

    func testDatabaseValuesIncludeNulls() throws {
        try inDatabase { db in
            XCTAssertEqual(try DatabaseValue.fetchAll(db, sql: null), [.null])
            XCTAssertEqual(try DatabaseValue.fetchOne(db, sql: null), DatabaseValue.null)
            XCTAssertNil(try DatabaseValue.fetchOne(db, sql: none))
            XCTAssertEqual(try DatabaseValue.fetchSet(db, sql: some), [1.databaseValue, 2.databaseValue])
        }
    }

    func testFailedConversionThrows() throws {
        try inDatabase { db in
            for fetch in [
                { _ = try Int.fetchOne($0, sql: "SELECT 'x'") },
                { _ = try Int?.fetchAll($0, sql: "SELECT 'x'") },
            ]
                as [(Database) throws -> Void]
            {
                XCTAssertThrowsError(try fetch(db)) { XCTAssertTrue($0 is RowDecodingError, "\($0)") }
            }
        }
    }

    func testMissingArgumentsThrow() throws {
        try inDatabase { db in
            XCTAssertThrowsError(try Int.fetchOne(db, sql: "SELECT ?")) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
            }
        }
    }
}
