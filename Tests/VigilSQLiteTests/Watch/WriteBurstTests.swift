import XCTest

@testable import VigilSQLite

/// The decisions of ``WriteBurst`` and ``ReadPace``, step by step.
final class WriteBurstTests: XCTestCase {
    private func interval(_ burst: inout WriteBurst, isReported: Bool) -> WriteBurst.Change? {
        if isReported { burst.didReceiveReport() }
        return burst.intervalDidEnd()
    }

    func testWritesAreReportedUntilTheyContinue() {
        var burst = WriteBurst()
        for _ in 0..<3 {
            for _ in 1..<WriteBurst.length { XCTAssertNil(interval(&burst, isReported: true)) }
            XCTAssertNil(interval(&burst, isReported: false), "a pause")
            XCTAssertFalse(burst.isMuted)
        }
    }

    func testWritesThatContinueAreReportedFromTimeToTime() {
        var burst = WriteBurst()
        for _ in 0..<3 {
            for _ in 1..<WriteBurst.length { XCTAssertNil(interval(&burst, isReported: true)) }
            XCTAssertEqual(interval(&burst, isReported: true), .mute)
            for _ in 1..<WriteBurst.mutedLength {
                XCTAssertTrue(burst.isMuted)
                XCTAssertNil(interval(&burst, isReported: false))
            }
            XCTAssertEqual(interval(&burst, isReported: false), .report)
            XCTAssertFalse(burst.isMuted)
        }
    }

    func testReportsWhileWritesAreMutedChangeNothing() {
        var burst = WriteBurst()
        for _ in 0..<WriteBurst.length { _ = interval(&burst, isReported: true) }
        for _ in 1..<WriteBurst.mutedLength { XCTAssertNil(interval(&burst, isReported: true)) }
        XCTAssertEqual(interval(&burst, isReported: true), .report)
    }

    func testTheEndOfTheTimeWithoutReportsIsNotForgotten() {
        var burst = WriteBurst()
        burst.willReport()
        XCTAssertNil(interval(&burst, isReported: false))
        for _ in 0..<WriteBurst.length { _ = interval(&burst, isReported: true) }
        XCTAssertTrue(burst.isMuted)
        burst.willReport()
        XCTAssertTrue(burst.isMuted)
        XCTAssertEqual(interval(&burst, isReported: false), .report)
    }

    func testTheBatchesOfACommitAreReadAtOnce() {
        var pace = ReadPace()
        var now = ContinuousClock.now
        for _ in 0..<10 {
            for _ in 1..<ReadPace.batchLimit {
                pace.didRead(isQuiet: false, at: now)
                XCTAssertFalse(pace.rests)
            }
            now += DirectoryWatch.pauseBetweenReads
        }
    }

    func testFurtherBatchesAccumulateUntilAnIntervalIsQuiet() {
        var pace = ReadPace()
        let now = ContinuousClock.now
        for _ in 0..<ReadPace.batchLimit { pace.didRead(isQuiet: false, at: now) }
        for number in 1...5 {
            XCTAssertTrue(pace.rests)
            pace.didRead(isQuiet: false, at: now + DirectoryWatch.pauseBetweenReads * number)
        }
        pace.didRead(isQuiet: true, at: now + .seconds(1))
        XCTAssertFalse(pace.rests)
        pace.didRead(isQuiet: false, at: now + .seconds(2))
        XCTAssertFalse(pace.rests, "the first batch after a quiet time")
    }
}
