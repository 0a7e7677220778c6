import XCTest

@testable import VigilEngine

final class TransactionTrackerTests: XCTestCase {
    private var tracker = TransactionTracker()

    private func end(open: Bool, failed: Bool = false, changes: Bool = false) -> TransactionTracker.Outcome {
        tracker.statementDidEnd(isInTransaction: open, failed: failed, hasChanges: changes)
    }

    func testACommitCountsOnlyOnceTheTransactionHasEnded() {
        XCTAssertEqual(end(open: true), .unchanged)
        tracker.willCommit()
        XCTAssertEqual(end(open: true, failed: true), .unchanged, "busy: the transaction is still open")
        tracker.willCommit()
        XCTAssertEqual(end(open: false), .committed)
        XCTAssertEqual(end(open: false), .unchanged)
    }

    func testAnEmptyTransactionCommitsWithoutReports() {
        XCTAssertEqual(end(open: true), .unchanged)
        XCTAssertEqual(end(open: false), .committed)
    }

    func testARollbackByTheLibraryEndsTheTransaction() {
        XCTAssertEqual(end(open: true), .unchanged)
        tracker.didRollback()
        XCTAssertEqual(end(open: false, failed: true), .rolledBack)
    }

    func testAVetoedCommitIsARollback() {
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

    func testAPartlyFailedStatementMayHaveCommitted() {
        tracker.willCommit()
        XCTAssertEqual(end(open: false, failed: true, changes: true), .committed)
    }

    func testUnreportedChangesAreCommittedUnlessTheStatementFailed() {
        XCTAssertEqual(end(open: false, changes: true), .committed)
        XCTAssertEqual(end(open: false, failed: true, changes: true), .statementUndone)
    }
}
