import XCTest

@testable import VigilSQLite

/// The decisions of ``LogGrowth``, step by step.
final class LogGrowthTests: XCTestCase {
    private var growth = LogGrowth()

    override func setUp() { growth = LogGrowth() }

    private func waits(frame: UInt32, copied: UInt32, restarts: UInt32 = 0) -> Bool {
        growth.waitsForReaders(.at(commit: 1, frame: frame, restarts: restarts), copied: copied)
    }

    func testWithoutCheckpointsALogDoesNotWait() {
        for frame in stride(from: UInt32(100), to: 90_000, by: 1000) {
            XCTAssertFalse(waits(frame: frame, copied: 0))
        }
    }

    func testALogThatBeginsAgainAfterALargeTransactionDoesNotWait() {
        for restarts in 0..<UInt32(10) {
            XCTAssertFalse(waits(frame: 0, copied: 0, restarts: restarts))
            XCTAssertFalse(waits(frame: 5000, copied: 5000, restarts: restarts))
        }
    }

    func testALogWaitsIfItContinuesAfterACheckpoint() {
        XCTAssertFalse(waits(frame: 1001, copied: 1001), "the next commit begins again")
        XCTAssertFalse(waits(frame: 1200, copied: 1198), "there may be several writers")
        XCTAssertTrue(waits(frame: 1300, copied: 1298))
        XCTAssertFalse(waits(frame: 1, copied: 0, restarts: 1))
        XCTAssertFalse(waits(frame: 1062, copied: 807, restarts: 1), "a snapshot ended the checkpoint")
        XCTAssertTrue(waits(frame: 1438, copied: 807, restarts: 1))
        XCTAssertFalse(waits(frame: 1, copied: 0, restarts: 1))
        XCTAssertFalse(waits(frame: 1300, copied: 1300, restarts: 1))
        XCTAssertTrue(waits(frame: 1600, copied: 1600, restarts: 1))
    }

    func testALogThatRestsDoNotHelpIsLeftAloneUntilItHasTwiceTheLength() {
        XCTAssertFalse(waits(frame: 1001, copied: 1000))
        for number in 0..<UInt32(LogGrowth.restLimit) {
            XCTAssertTrue(waits(frame: 1300 + number, copied: 1000))
        }
        XCTAssertFalse(waits(frame: 1500, copied: 1000))
        XCTAssertFalse(waits(frame: 2999, copied: 1000))
        for number in 0..<UInt32(LogGrowth.restLimit) {
            XCTAssertTrue(waits(frame: 3000 + number, copied: 1000))
        }
        XCTAssertFalse(waits(frame: 4000, copied: 1000))
        XCTAssertFalse(waits(frame: 7999, copied: 1000))
        XCTAssertTrue(waits(frame: 8000, copied: 1000))
    }
}
