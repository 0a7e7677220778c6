import VigilRegions
import VigilStorage
import XCTest

final class DatabaseRegionReadingTests: XCTestCase {
    func testAStatementReadsItsTablesAndColumns() {
        var access = StatementAccess()
        access.reads = [
            TableRead(TableName(name: "foo"), columns: ["id", "name"]),
            TableRead(TableName(schema: "aux", name: "bar")),
        ]
        XCTAssertEqual(DatabaseRegion(reading: access).description, "aux.bar(*),foo(id,name)")
    }

    func testAStatementThatReadsNothingHasAnEmptyRegion() {
        XCTAssertTrue(DatabaseRegion(reading: StatementAccess()).isEmpty)
    }

    func testAStatementWithUnknownReadsReadsTheFullDatabase() {
        var access = StatementAccess()
        access.reads = [TableRead(TableName(name: "foo"))]
        access.readsUnknown = true
        XCTAssertTrue(DatabaseRegion(reading: access).isFullDatabase)
    }

    func testAReadOfNoColumnsIsDescribedAsAReadOfAllColumns() {
        var access = StatementAccess()
        access.reads = [TableRead(TableName(name: "FOO"), columns: [])]
        XCTAssertEqual(DatabaseRegion(reading: access).description, "FOO(*)")
    }

    func testReadsOfOneTableAreMerged() {
        var access = StatementAccess()
        access.reads = [
            TableRead(TableName(name: "foo"), columns: ["a"]),
            TableRead(TableName(name: "FOO"), columns: ["b"]),
        ]
        XCTAssertEqual(DatabaseRegion(reading: access).description, "foo(a,b)")
    }
}
