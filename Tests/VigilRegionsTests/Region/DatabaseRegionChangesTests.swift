import VigilRegions
import VigilStorage
import XCTest

final class DatabaseRegionChangesTests: XCTestCase {
    private let foo = TableName(name: "foo")
    private let columns = DatabaseRegion(table: "foo", columns: ["a", "b"])
    private let rows = DatabaseRegion(table: "foo", rowIds: [1, 2])

    func testNothingModifiesTheEmptyRegion() {
        XCTAssertFalse(DatabaseRegion().isModified(by: .insert("foo", 1)))
        XCTAssertFalse(DatabaseRegion().isModified(by: ChangeSet.wholeDatabase))
    }

    // MARK: Rows of a write

    func testARegionIncludesItsRows() {
        XCTAssertTrue(rows.includesRow(.integer(1), of: foo))
        XCTAssertFalse(rows.includesRow(.integer(3), of: foo))
        XCTAssertTrue(columns.includesRow(.integer(3), of: foo))
        XCTAssertTrue(DatabaseRegion.fullDatabase.includesRow(.integer(3), of: foo))
    }

    func testARegionIncludesRowsOfTablesThatItDoesNotName() {
        XCTAssertTrue(rows.includesRow(.integer(3), of: TableName(name: "foo_content")))
    }

    func testAKeyThatIsNotARowIDMayIdentifyAnyRow() {
        XCTAssertTrue(rows.includesRow(.unknown, of: foo))
        XCTAssertTrue(rows.includesRow(.values([.text("x")]), of: foo))
    }

    // MARK: Changes of rows

    func testAChangeOfARowModifiesRegionsThatContainTheRow() {
        XCTAssertTrue(rows.isModified(by: .insert("foo", 1)))
        XCTAssertTrue(rows.isModified(by: .delete("foo", 2)))
        XCTAssertTrue(rows.isModified(by: .update("foo", 2, ["x"])))
        XCTAssertFalse(rows.isModified(by: .update("foo", 3)))
        XCTAssertTrue(columns.isModified(by: .insert("foo", 3)))
        XCTAssertFalse(columns.isModified(by: .update("foo", 3, ["x"])))
        XCTAssertFalse(columns.isModified(by: .insert("bar", 3)))
    }

    func testAChangeOfTheRowIDModifiesTheOldAndTheNewRow() {
        XCTAssertTrue(rows.isModified(by: .update("foo", 1, to: 9, ["id"])))
        XCTAssertTrue(rows.isModified(by: .update("foo", 9, to: 1, ["id"])))
    }

    func testAnUpdateThatChangesNothingModifiesNothing() {
        for region in [columns, rows, .fullDatabase] {
            XCTAssertFalse(region.isModified(by: .update("foo", 1, [])))
        }
    }

    func testAColumnThatWasNotComparedMayHaveChangedWithItsRow() {
        var update = RowChangeSummary.update("foo", 1)
        update.updatedColumns = .some(ColumnSet(["x"]), compared: ColumnSet(["x", "a"]))
        XCTAssertTrue(columns.isModified(by: update))
        XCTAssertFalse(DatabaseRegion(table: "foo", columns: ["a"]).isModified(by: update))
    }
}
