import XCTest

@testable import VigilSQLite

/// The decisions of ``LogMachine``, step by step.
final class LogMachineTests: XCTestCase {
    private var machine = LogMachine()

    override func setUp() { machine = LogMachine() }

    private func know(_ header: WALIndexHeader?) {
        machine.didMark(header)
        machine.didSkip()
    }

    private func decide(at mark: WALIndexHeader?) -> LogMachine.Decision {
        machine.didMark(mark)
        return machine.decide()
    }

    private func assertLost(
        _ decision: LogMachine.Decision, _ reason: String, line: UInt = #line
    ) {
        XCTAssertEqual(decision, .lost(reason), line: line)
    }

    func testCommitsAfterTheKnownStateAreRead() {
        know(.at(commit: 10, frame: 40))
        XCTAssertEqual(
            decide(at: .at(commit: 12, frame: 47)),
            .read(.init(salts: .first, base: 40, end: 47, commits: 2)))
        machine.didReport()
        XCTAssertEqual(machine.decide(), .nothing)
        XCTAssertEqual(machine.known, machine.mark)
    }

    func testWithoutCommitsThereIsNothingToRead() {
        know(.at(commit: 10, frame: 40))
        XCTAssertEqual(decide(at: .at(commit: 10, frame: 40)), .nothing)
    }

    func testWithoutALogCommitsAreLost() {
        know(.at(commit: 10, frame: 40))
        assertLost(decide(at: nil), "the write-ahead log cannot be read")
    }

    func testTheFirstStateIsNotKnown() {
        assertLost(decide(at: .at(commit: 1, frame: 1)), "the state before the commit is not known")
    }

    func testASkipWithoutAMarkKeepsTheKnownState() {
        know(.at(commit: 10, frame: 40))
        know(nil)
        XCTAssertEqual(machine.known, .at(commit: 10, frame: 40))
    }

    func testALogThatRestartedOnceIsReadFromItsBeginning() {
        know(.at(commit: 10, frame: 40))
        XCTAssertEqual(
            decide(at: .at(commit: 11, frame: 3, restarts: 1)),
            .read(.init(salts: .salts(after: 1), base: 0, end: 3, commits: 1)))
    }

    func testALogThatRestartedTwiceMayHideCommits() {
        know(.at(commit: 10, frame: 40))
        assertLost(decide(at: .at(commit: 11, frame: 3, restarts: 2)), "the log restarted several times")
    }

    func testACommitBeforeARestartIsMissingInTheNewLog() {
        know(.at(commit: 10, frame: 40))
        // The new log has one frame, and the header counts two commits.
        assertLost(decide(at: .at(commit: 12, frame: 1, restarts: 1)), "commits are missing in the log")
    }

    func testAnEmptyLogMayHaveAnySalts() {
        know(.at(commit: 10, frame: 0))
        XCTAssertEqual(
            decide(at: .at(commit: 11, frame: 3, restarts: 77)),
            .read(.init(salts: .salts(after: 77), base: 0, end: 3, commits: 1)))
    }

    func testACounterThatBeginsAgainIsLost() {
        // A connection that recovers the index of the log begins to count at 0.
        know(.at(commit: 10, frame: 40))
        assertLost(decide(at: .at(commit: 0, frame: 40)), "commits are missing in the log")
        assertLost(decide(at: .at(commit: 1, frame: 41)), "commits are missing in the log")
    }

    func testALogThatBecameShorterIsLost() {
        know(.at(commit: 10, frame: 40))
        assertLost(decide(at: .at(commit: 11, frame: 39)), "commits are missing in the log")
    }

    func testTooManyCommitsOrBytesAreNotRead() {
        know(.at(commit: 10, frame: 40))
        let commits = LogMachine.commitLimit
        guard case .read = decide(at: .at(commit: 10 + commits, frame: 40 + commits)) else {
            return XCTFail("within the limit")
        }
        assertLost(decide(at: .at(commit: 11 + commits, frame: 41 + commits)), "too many commits at once")
        let frames = UInt32(LogMachine.byteLimit / 4096)
        guard case .read = decide(at: .at(commit: 11, frame: 40 + frames)) else {
            return XCTFail("within the limit")
        }
        assertLost(decide(at: .at(commit: 11, frame: 41 + frames)), "too many commits at once")
    }

    func testACounterMayPassItsMaximum() {
        know(.at(commit: .max, frame: 40))
        XCTAssertEqual(
            decide(at: .at(commit: 1, frame: 42)),
            .read(.init(salts: .first, base: 40, end: 42, commits: 2)))
    }

    private func isIntact(
        _ now: WALIndexHeader?, copied: UInt32, reads: LogMachine.FileReads? = nil
    ) -> Bool {
        LogMachine.isIntact(.first, base: 40, now: now, copied: copied, reads: reads)
    }

    func testAnyPageIsIntactUntilACheckpointGoesBeyondTheKnownState() {
        let now = WALIndexHeader.at(commit: 12, frame: 47)
        XCTAssertTrue(isIntact(now, copied: 0))
        XCTAssertTrue(isIntact(now, copied: 40))
        XCTAssertFalse(isIntact(now, copied: 41))
        XCTAssertFalse(isIntact(nil, copied: 0))
        XCTAssertFalse(isIntact(.at(commit: 12, frame: 47, restarts: 1), copied: 0))
    }

    func testAPageOfTheFileIsIntactUntilACheckpointCopiesItsNextFrame() {
        let now = WALIndexHeader.at(commit: 12, frame: 47)
        var reads = LogMachine.FileReads()
        for frame in UInt32(41)...45 { reads.didFind(frame, of: frame == 44 ? 7 : 9) }
        // No page of the file was read: all of them were in the log.
        XCTAssertTrue(isIntact(now, copied: 47, reads: reads))
        reads.didRead(3)
        reads.didRead(7)
        XCTAssertTrue(isIntact(now, copied: 43, reads: reads))
        XCTAssertFalse(isIntact(now, copied: 44, reads: reads))
        XCTAssertFalse(isIntact(now, copied: 45, reads: reads))
    }

    func testAPageOfTheFileMayBeInFramesThatWereNotRead() {
        var reads = LogMachine.FileReads()
        reads.didFind(41, of: 9)
        reads.didRead(3)
        let now = WALIndexHeader.at(commit: 12, frame: 47)
        XCTAssertTrue(isIntact(now, copied: 41, reads: reads))
        XCTAssertFalse(isIntact(now, copied: 42, reads: reads))
        XCTAssertFalse(isIntact(.at(commit: 12, frame: 47, restarts: 1), copied: 0, reads: reads))
    }
}
