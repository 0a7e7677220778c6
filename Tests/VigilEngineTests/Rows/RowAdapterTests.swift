import Vigil
import XCTest

final class RowAdapterTests: XCTestCase {
    private let sql = "SELECT 1 AS a, 2 AS b, 3 AS c"

    private func fetch(_ adapter: any RowAdapter) throws -> Row? {
        try DatabaseQueue().inDatabase { db in try Row.fetchOne(db, sql: sql, adapter: adapter) }
    }

    func testColumnMappingKeepsTheOrderOfTheRow() throws {
        let row = try XCTUnwrap(fetch(ColumnMapping(["z": "A", "y": "c", "x": "b"])))
        XCTAssertEqual(row, ["z": 1, "x": 2, "y": 3])
        XCTAssertEqual(row["Y"] as Int, 3)
        XCTAssertFalse(row.hasColumn("a"))
        XCTAssertEqual(row.unadapted, ["a": 1, "b": 2, "c": 3])
    }

    func testSuffixesAndRangesSelectColumns() throws {
        XCTAssertEqual(try fetch(SuffixRowAdapter(fromIndex: 1)), ["b": 2, "c": 3])
        XCTAssertEqual(try fetch(SuffixRowAdapter(fromIndex: 3)), [:])
        XCTAssertEqual(try fetch(RangeRowAdapter(1..<2)), ["b": 2])
        XCTAssertEqual(try fetch(RangeRowAdapter(0...1)), ["a": 1, "b": 2])
        XCTAssertEqual(try fetch(EmptyRowAdapter()), [:])
    }

    func testColumnsAreRenamed() throws {
        XCTAssertEqual(try fetch(RenameColumnAdapter { $0 + $0 }), ["aa": 1, "bb": 2, "cc": 3])
    }

    func testAdapterThatNeedsMissingColumnsThrows() throws {
        for (adapter, message) in [
            (SuffixRowAdapter(fromIndex: 4), "the adapter selects the columns 4..<4, but the row has 3"),
            (RangeRowAdapter(2..<5), "the adapter selects the columns 2..<5, but the row has 3"),
            (ColumnMapping(["x": "d"]), "cannot map x to the column d: the row has only a, b, c"),
        ] as [(any RowAdapter, String)] {
            XCTAssertThrowsError(try fetch(adapter)) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
                XCTAssertEqual((error as? DatabaseError)?.message, message)
            }
        }
    }

    func testValuesAreReadFromTheFirstAdaptedColumn() throws {
        try DatabaseQueue().inDatabase { db in
            XCTAssertEqual(try Int.fetchOne(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 1)), 2)
            XCTAssertEqual(
                try DatabaseValue.fetchAll(db, sql: sql, adapter: ColumnMapping(["x": "c"])),
                [3.databaseValue])
            XCTAssertThrowsError(try Int.fetchOne(db, sql: sql, adapter: EmptyRowAdapter()))
        }
    }

    func testScopesAreRows() throws {
        let row = try XCTUnwrap(
            fetch(
                ScopeAdapter([
                    "ab": RangeRowAdapter(0..<2), "c": ColumnMapping(["id": "c"]),
                    "none": EmptyRowAdapter(),
                ])))
        XCTAssertEqual(row.count, 3)
        XCTAssertEqual(row.scopes.names, ["ab", "c", "none"])
        XCTAssertEqual(row.scopes["ab"], ["a": 1, "b": 2])
        XCTAssertEqual(row.scopes["c"]?["id"] as Int?, 3)
        XCTAssertEqual(row.scopes["none"]?.containsNonNullValue, false)
        XCTAssertNil(row.scopes["d"])
        XCTAssertEqual(row.scopes.map(\.name), ["ab", "c", "none"])
        XCTAssertTrue(row.unscoped.scopes.isEmpty)
        XCTAssertNotEqual(row.unscoped, row)
        XCTAssertEqual(row.unscoped, ["a": 1, "b": 2, "c": 3])
    }

    func testScopesSelectFromColumnsThatTheBaseRemoves() throws {
        let adapter = SuffixRowAdapter(fromIndex: 2).addingScopes(["first": RangeRowAdapter(0..<1)])
        let row = try XCTUnwrap(fetch(adapter.addingScopes(["second": RangeRowAdapter(1..<2)])))
        XCTAssertEqual(row.unscoped, ["c": 3])
        XCTAssertEqual(row.scopes["first"], ["a": 1])
        XCTAssertEqual(row.scopes["second"], ["b": 2])
        XCTAssertTrue(row.containsNonNullValue)
    }

    func testScopesTreeFindsTheLeastNestedScope() throws {
        let deep = RangeRowAdapter(0..<1).addingScopes(["x": RangeRowAdapter(1..<2), "y": EmptyRowAdapter()])
        let row = try XCTUnwrap(fetch(ScopeAdapter(["deep": deep, "x": RangeRowAdapter(2..<3)])))
        XCTAssertEqual(row.scopesTree.names, ["deep", "x", "y"])
        XCTAssertEqual(row.scopesTree["x"], ["c": 3])
        XCTAssertEqual(row.scopesTree["deep"]?.scopes["x"], ["b": 2])
        XCTAssertEqual(row.scopesTree["y"], [:])
        XCTAssertNil(row.scopesTree["z"])
    }

    func testChainedAdapterAdaptsAdaptedColumns() throws {
        let first = SuffixRowAdapter(fromIndex: 1).addingScopes(["lost": RangeRowAdapter(0..<1)])
        let row = try fetch(ChainedAdapter(first: first, second: ColumnMapping(["x": "c"])))
        XCTAssertEqual(row, ["x": 3])
        XCTAssertEqual(row?.unadapted, ["a": 1, "b": 2, "c": 3])
        XCTAssertThrowsError(try fetch(ChainedAdapter(first: first, second: ColumnMapping(["x": "a"]))))
    }

    func testRowsCanBeSplitByColumnCounts() throws {
        let adapters = splittingRowAdapters(columnCounts: [1, 1])
        XCTAssertEqual(try adapters.map(fetch), [["a": 1], ["b": 2], ["c": 3]])
        XCTAssertEqual(try splittingRowAdapters(columnCounts: []).map(fetch), [["a": 1, "b": 2, "c": 3]])
    }

    func testCursorsApplyAdapters() throws {
        try DatabaseQueue().inDatabase { db in
            let sql = "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4"
            let rows = try Row.fetchCursor(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 1))
            XCTAssertEqual(try Array(rows.map { $0[0] as Int }), [2, 4])
            XCTAssertEqual(rows.columnNames, ["a", "b"])
        }
    }

    func testDebugDescriptionShowsScopesAndUnadaptedRow() throws {
        let adapter = ScopeAdapter(
            base: RangeRowAdapter(0..<1),
            scopes: ["x": RangeRowAdapter(1..<2).addingScopes(["y": RangeRowAdapter(2..<3)])])
        XCTAssertEqual(
            try fetch(adapter)?.debugDescription,
            """
            ▿ [a:1]
              unadapted: [a:1 b:2 c:3]
              - x: [b:2]
                - y: [c:3]
            """)
    }
}
