import XCTest

@testable import VigilEngine

final class TransactionTrackerTests: XCTestCase {
    private var tracker = TransactionTracker()

    private func end(open: Bool, failed: Bool = false, changes: Bool = false) -> TransactionTracker.Outcome {
        tracker.statementDidEnd(isInTransaction: open, failed: failed, hasChanges: changes)
    }

    func testACommitIsOnlyBelievedWhenTheTransactionIsOver() {
        XCTAssertEqual(end(open: true), .unchanged)
        tracker.willCommit()
        XCTAssertEqual(end(open: true, failed: true), .unchanged, "busy: the transaction is still open")
        tracker.willCommit()
        XCTAssertEqual(end(open: false), .committed)
        XCTAssertEqual(end(open: false), .unchanged)
    }

    func testAnEmptyTransactionIsCommittedWithoutAWord() {
        XCTAssertEqual(end(open: true), .unchanged)
        XCTAssertEqual(end(open: false), .committed)
    }

    func testARollbackByTheLibraryItself() {
        XCTAssertEqual(end(open: true), .unchanged)
        tracker.didRollback()
        XCTAssertEqual(end(open: false, failed: true), .rolledBack)
    }

    func testACommitThatIsVetoedIsARollback() {
        tracker.willCommit()
        tracker.didRollback()
        XCTAssertEqual(end(open: false, failed: true), .rolledBack)
    }

    func testASingleStatementCommitsOrLeavesNothing() {
        tracker.willCommit()
        XCTAssertEqual(end(open: false), .committed)
        tracker.didRollback()
        XCTAssertEqual(end(open: false, failed: true), .statementUndone)
    }

    func testAStatementThatFailedHalfWayMayHaveCommitted() {
        tracker.willCommit()
        XCTAssertEqual(end(open: false, failed: true, changes: true), .committed)
    }

    func testChangesThatNobodyAnnouncedAsACommitAreOne() {
        XCTAssertEqual(end(open: false, changes: true), .committed)
        XCTAssertEqual(end(open: false, failed: true, changes: true), .statementUndone)
    }
}
