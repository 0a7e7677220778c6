import VigilRegions
import VigilStorage
import XCTest

final class DatabaseRegionAlgebraTests: XCTestCase {
    private let a = DatabaseRegion(table: "foo", columns: ["a"])
    private let ab = DatabaseRegion(table: "foo", columns: ["a", "b"])
    private let bc = DatabaseRegion(table: "foo", columns: ["b", "c"])
    private let rows = DatabaseRegion(table: "foo", rowIds: [1, 2])
    private let bar = DatabaseRegion(table: "bar")
    private let a1 = region(columns: ["a"], rowIds: [1])
    private let b2 = region(columns: ["b"], rowIds: [2])

    private static func region(columns: Set<String>, rowIds: Set<Int64>) -> DatabaseRegion {
        DatabaseRegion(table: TableName(name: "foo"), columns: columns, rowIds: rowIds)
    }

    // MARK: Names

    func testTablesWithEquivalentNamesStayDistinct() {
        let (one, two) = (DatabaseRegion(table: "\u{E9}"), DatabaseRegion(table: "e\u{301}"))
        for (first, second) in [(one, two), (two, one)] {
            let both = first.union(second)
            XCTAssertEqual(both.union(first), both)
            XCTAssertEqual(second.union(first), both)
            XCTAssertEqual(both.intersection(first), first)
            XCTAssertEqual(both.intersection(second), second)
            XCTAssertTrue(first.intersection(second).isEmpty)
        }
    }

    // MARK: Union

    func testAUnionUnitesColumns() {
        XCTAssertEqual(ab.union(bc).description, "foo(a,b,c)")
    }

    func testAUnionUnitesRows() {
        let more = DatabaseRegion(table: "foo", rowIds: [2, 3])
        XCTAssertEqual(rows.union(more).description, "foo(*)[1,2,3]")
    }

    func testInAUnionAllAbsorbsColumnsAndRowsSeparately() {
        XCTAssertEqual(ab.union(rows).description, "foo(*)")
        XCTAssertEqual(a1.union(rows).description, "foo(*)[1,2]")
        XCTAssertEqual(a1.union(ab).description, "foo(a,b)")
    }

    func testAUnionMayBeWiderThanNeeded() {
        XCTAssertEqual(a1.union(b2).description, "foo(a,b)[1,2]")
    }

    func testAUnionCollectsTables() {
        XCTAssertEqual(ab.union(bar).description, "bar(*),foo(a,b)")
        XCTAssertEqual(bar.union(ab), ab.union(bar))
    }

    func testAUnionIgnoresCaseAndKeepsTheFirstSpelling() {
        let other = DatabaseRegion(table: "FOO", columns: ["A", "B"])
        XCTAssertEqual(a.union(other).description, "foo(B,a)")
    }

    func testTheFullDatabaseAbsorbsInAUnion() {
        XCTAssertTrue(ab.union(.fullDatabase).isFullDatabase)
        XCTAssertTrue(DatabaseRegion.fullDatabase.union(ab).isFullDatabase)
        XCTAssertTrue(DatabaseRegion.fullDatabase.union(DatabaseRegion()).isFullDatabase)
    }

    func testTheEmptyRegionIsNeutralInAUnion() {
        XCTAssertEqual(ab.union(DatabaseRegion()), ab)
        XCTAssertEqual(DatabaseRegion().union(ab), ab)
    }

    func testFormUnionIsUnionInPlace() {
        var region = ab
        region.formUnion(bar)
        XCTAssertEqual(region, ab.union(bar))
    }

    // MARK: Intersection

    func testAnIntersectionKeepsCommonColumns() {
        XCTAssertEqual(ab.intersection(bc).description, "foo(b)")
    }

    func testAnIntersectionNarrowsColumnsAndRowsSeparately() {
        XCTAssertEqual(ab.intersection(rows).description, "foo(a,b)[1,2]")
        XCTAssertEqual(rows.intersection(ab).description, "foo(a,b)[1,2]")
    }

    func testATableWithoutCommonColumnsDisappearsFromAnIntersection() {
        XCTAssertTrue(a1.intersection(b2).isEmpty)
        XCTAssertTrue(a.intersection(DatabaseRegion(table: "foo", columns: ["c"])).isEmpty)
    }

    func testATableWithoutCommonRowsDisappearsFromAnIntersection() {
        XCTAssertTrue(rows.intersection(DatabaseRegion(table: "foo", rowIds: [3])).isEmpty)
    }

    func testATableOfOneSideDisappearsFromAnIntersection() {
        XCTAssertEqual(ab.union(bar).intersection(bar), bar)
        XCTAssertTrue(ab.intersection(bar).isEmpty)
    }

    func testTheFullDatabaseIsNeutralInAnIntersection() {
        XCTAssertEqual(ab.intersection(.fullDatabase), ab)
        XCTAssertEqual(DatabaseRegion.fullDatabase.intersection(ab), ab)
    }

    func testTheEmptyRegionAbsorbsInAnIntersection() {
        XCTAssertTrue(ab.intersection(DatabaseRegion()).isEmpty)
        XCTAssertTrue(DatabaseRegion.fullDatabase.intersection(DatabaseRegion()).isEmpty)
    }

    func testAnIntersectionIgnoresCase() {
        let other = DatabaseRegion(table: "FOO", columns: ["B"])
        XCTAssertEqual(ab.intersection(other).description, "foo(b)")
    }
}
