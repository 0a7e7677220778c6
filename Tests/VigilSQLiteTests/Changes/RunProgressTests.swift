import VigilStorage
import XCTest

@testable import VigilSQLite

final class RunProgressTests: XCTestCase {
    private let a = TableName(name: "a")
    private let b = TableName(name: "b")

    func testEffectsLastUntilTheNextOuterRun() {
        var runs = RunProgress()
        runs.didBegin(isVacuum: false)
        runs.didDeleteRow(of: a)
        runs.didReportCoarsely(b)
        runs.rowsMayMove(in: a)
        runs.didEnd()
        XCTAssertTrue(runs.deletedRows(of: a))
        XCTAssertFalse(runs.deletedRows(of: b))
        XCTAssertTrue(runs.wasReportedCoarsely(b))
        XCTAssertTrue(runs.mayHaveMoved(.update, in: a))
        XCTAssertFalse(runs.mayHaveMoved(.delete, in: a))
        runs.didBegin(isVacuum: false)
        XCTAssertFalse(runs.deletedRows(of: a))
        XCTAssertFalse(runs.wasReportedCoarsely(b))
        XCTAssertFalse(runs.mayHaveMoved(.update, in: a))
    }

    func testANestedRunKeepsTheEffectsOfTheOuterOne() {
        var runs = RunProgress()
        runs.didBegin(isVacuum: false)
        XCTAssertFalse(runs.hasNestedRun)
        runs.didDeleteRow(of: a)
        runs.didBegin(isVacuum: false)
        XCTAssertTrue(runs.hasNestedRun)
        XCTAssertEqual(runs.depth, 2)
        XCTAssertTrue(runs.deletedRows(of: a))
        runs.didEnd()
        XCTAssertTrue(runs.hasNestedRun, "it has run during the outer one")
        runs.didEnd()
        runs.didBegin(isVacuum: false)
        XCTAssertFalse(runs.hasNestedRun)
    }

    func testDeletionsOutsideOfRunsAreNotNoted() {
        var runs = RunProgress()
        runs.didDeleteRow(of: a)
        XCTAssertFalse(runs.deletedRows(of: a))
    }

    func testRowsThatAVacuumCopiesDoNotCount() {
        var runs = RunProgress()
        runs.didBegin(isVacuum: true)
        XCTAssertTrue(runs.isVacuuming)
        runs.didEnd()
        XCTAssertFalse(runs.isVacuuming)
    }
}
