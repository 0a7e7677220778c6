import XCTest

@testable import VigilEngine

final class ObservationMachineTests: XCTestCase {
    func testItStartsOnceAndFetches() {
        var machine = ObservationMachine()
        XCTAssertTrue(machine.start())
        XCTAssertFalse(machine.start())
        XCTAssertEqual(machine.didFetch(), .deliver(fetchAgain: false))
        XCTAssertEqual(machine.phase, .observing)
    }

    func testCommitsDuringAFetchLeadToOneMore() {
        var machine = ObservationMachine()
        _ = machine.start()
        XCTAssertFalse(machine.commitTouchedRegion())
        XCTAssertFalse(machine.commitTouchedRegion())
        XCTAssertEqual(machine.didFetch(), .deliver(fetchAgain: true))
        XCTAssertEqual(machine.phase, .fetching(isStale: false))
        XCTAssertEqual(machine.didFetch(), .deliver(fetchAgain: false))
        XCTAssertTrue(machine.commitTouchedRegion())
    }

    func testNothingHappensBeforeTheStartAndAfterTheEnd() {
        var machine = ObservationMachine()
        XCTAssertFalse(machine.commitTouchedRegion())
        _ = machine.start()
        XCTAssertTrue(machine.cancel())
        XCTAssertFalse(machine.cancel())
        XCTAssertEqual(machine.didFetch(), .drop)
        XCTAssertFalse(machine.commitTouchedRegion())
        XCTAssertFalse(machine.didFail())
        XCTAssertFalse(machine.start())
    }

    func testAnErrorIsToldOnceAndEndsIt() {
        var machine = ObservationMachine()
        _ = machine.start()
        XCTAssertTrue(machine.didFail())
        XCTAssertFalse(machine.didFail())
        XCTAssertEqual(machine.didFetch(), .drop)
        XCTAssertTrue(machine.isEnded)
    }
}
