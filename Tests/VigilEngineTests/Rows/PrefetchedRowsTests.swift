import Vigil
import XCTest

final class PrefetchedRowsTests: XCTestCase {
    func testNewRowHasNoPrefetchedRows() {
        let row: Row = ["a": 1]
        XCTAssertTrue(row.prefetchedRows.isEmpty)
        XCTAssertNil(row.prefetchedRows["medals"])
        XCTAssertEqual(row.prefetchedRows.keys, [])
    }

    func testKeyFindsTheLeastNestedRows() {
        let row: Row = ["a": 1]
        row.prefetchedRows.setRows([["m": 1]], forKeyPath: ["team", "medals"])
        XCTAssertNil(row.prefetchedRows["team"])
        XCTAssertEqual(row.prefetchedRows["medals"], [["m": 1]])
        row.prefetchedRows.setRows([], forKeyPath: ["medals"])
        XCTAssertEqual(row.prefetchedRows["medals"], [])
        XCTAssertEqual(row.prefetchedRows.keys, ["medals"])
        XCTAssertFalse(row.prefetchedRows.isEmpty)
    }

    func testScopesHaveTheirPrefetchedRows() throws {
        let fetched = try DatabaseQueue().inDatabase { db in
            try Row.fetchOne(
                db, sql: "SELECT 1 AS a, 2 AS b",
                adapter: ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 1)]))
        }
        let row = try XCTUnwrap(fetched)
        row.prefetchedRows.setRows([["m": 1]], forKeyPath: ["team", "medals"])
        XCTAssertEqual(row.scopes["team"]?.prefetchedRows["medals"], [["m": 1]])
        XCTAssertTrue(row.unscoped.prefetchedRows.isEmpty)
        XCTAssertEqual(
            row.debugDescription,
            """
            ▿ [a:1 b:2]
              unadapted: [a:1 b:2]
              - team: [b:2]
                + medals: 1 row
              + medals: 1 row
            """)
    }

    func testEqualityComparesPrefetchedRows() {
        let row: Row = ["a": 1]
        let same: Row = ["a": 1]
        row.prefetchedRows.setRows([["m": 1]], forKeyPath: ["medals"])
        XCTAssertNotEqual(row, same)
        same.prefetchedRows.setRows([["m": 1]], forKeyPath: ["medals"])
        XCTAssertEqual(row, same)
    }
}
