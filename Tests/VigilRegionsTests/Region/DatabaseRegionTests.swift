import VigilRegions
import VigilStorage
import XCTest

final class DatabaseRegionTests: XCTestCase {
    func testTheEmptyRegionIsEmpty() {
        XCTAssertTrue(DatabaseRegion().isEmpty)
        XCTAssertFalse(DatabaseRegion().isFullDatabase)
        XCTAssertEqual(DatabaseRegion().description, "empty")
        XCTAssertEqual(DatabaseRegion().tables, [])
    }

    func testTheFullDatabaseIsFull() {
        XCTAssertTrue(DatabaseRegion.fullDatabase.isFullDatabase)
        XCTAssertFalse(DatabaseRegion.fullDatabase.isEmpty)
        XCTAssertEqual(DatabaseRegion.fullDatabase.description, "full database")
    }

    func testATableWithoutColumnsOrRowsIsEmpty() {
        XCTAssertEqual(DatabaseRegion(table: "foo", columns: []), DatabaseRegion())
        XCTAssertEqual(DatabaseRegion(table: "foo", rowIds: []), DatabaseRegion())
    }

    func testTheDescriptionSortsTablesColumnsAndRows() {
        let region = DatabaseRegion(table: "foo", columns: ["b", "a"])
            .union(DatabaseRegion(table: "bar", rowIds: [10, 2, -1]))
            .union(DatabaseRegion(table: "baz"))
        XCTAssertEqual(region.description, "bar(*)[-1,2,10],baz(*),foo(a,b)")
        XCTAssertEqual(region.debugDescription, region.description)
    }

    func testTheDescriptionNamesOtherSchemas() {
        let region = DatabaseRegion(table: TableName(schema: "aux", name: "foo"))
            .union(DatabaseRegion(table: "foo"))
        XCTAssertEqual(region.description, "aux.foo(*),foo(*)")
    }

    func testEqualityIgnoresCase() {
        XCTAssertEqual(
            DatabaseRegion(table: "foo", columns: ["a", "B"]),
            DatabaseRegion(table: "FOO", columns: ["A", "b"]))
    }

    func testEqualityIsStructural() {
        let regions = [
            DatabaseRegion(), .fullDatabase, DatabaseRegion(table: "foo"),
            DatabaseRegion(table: "foo", columns: ["a", "b"]),
            DatabaseRegion(table: "foo", rowIds: [1]), DatabaseRegion(table: "bar"),
        ]
        for (i, one) in regions.enumerated() {
            for (j, two) in regions.enumerated() { XCTAssertEqual(one == two, i == j) }
        }
    }

    func testNamesKeepTheirSpelling() {
        XCTAssertEqual(DatabaseRegion(table: "Foo", columns: ["Bar"]).description, "Foo(Bar)")
    }

    func testTheSameNameInTwoSchemasIsTwoTables() {
        XCTAssertNotEqual(
            DatabaseRegion(table: "foo"),
            DatabaseRegion(table: TableName(schema: "aux", name: "foo")))
    }

    func testTablesContainTheirColumnsAndRows() {
        let region = DatabaseRegion(table: TableName(name: "foo"), columns: ["a"], rowIds: [1])
            .union(DatabaseRegion(table: "bar"))
        XCTAssertEqual(region.tables.map(\.table.name), ["bar", "foo"])
        XCTAssertEqual(region.tables.map(\.columns), [nil, ["a"]])
        XCTAssertEqual(region.tables.map(\.rowIDs), [nil, [1]])
        XCTAssertEqual(region.tables.map(\.description), ["bar(*)", "foo(a)[1]"])
    }
}
