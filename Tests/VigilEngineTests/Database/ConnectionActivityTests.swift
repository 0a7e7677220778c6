import Foundation
import XCTest

@testable import VigilEngine

final class ConnectionActivityTests: XCTestCase {
    private final class Statement {}

    private typealias Activity = ConnectionActivity<Statement>

    func testWritesFailUntilTheLastReadOnlyBlockEnds() {
        var activity = Activity()
        XCTAssertFalse(activity.isReadOnly)
        activity.readOnlyBlockDidBegin()
        activity.readOnlyBlockDidBegin()
        activity.readOnlyBlockDidEnd()
        XCTAssertTrue(activity.isReadOnly)
        activity.readOnlyBlockDidEnd()
        XCTAssertFalse(activity.isReadOnly)
    }

    func testATransactionIsLostOnlyInsideItsBlock() {
        var activity = Activity()
        XCTAssertFalse(activity.isTransactionLost(isInTransaction: false))
        activity.transactionBlockDidBegin()
        XCTAssertFalse(activity.isTransactionLost(isInTransaction: true))
        XCTAssertTrue(activity.isTransactionLost(isInTransaction: false))
        activity.transactionBlockDidEnd()
        XCTAssertFalse(activity.isTransactionLost(isInTransaction: false))
    }

    func testWorkAfterAStatementDoesNotBelongToTheBlock() {
        var activity = Activity()
        activity.transactionBlockDidBegin()
        activity.transactionBlockDidBegin()
        let blocks = activity.leaveTransactionBlocks()
        XCTAssertFalse(activity.isTransactionLost(isInTransaction: false))
        // An observer runs a transaction of its own.
        activity.transactionBlockDidBegin()
        XCTAssertTrue(activity.isTransactionLost(isInTransaction: false))
        activity.transactionBlockDidEnd()
        activity.returnToTransactionBlocks(blocks)
        XCTAssertTrue(activity.isTransactionLost(isInTransaction: false))
        activity.transactionBlockDidEnd()
        activity.transactionBlockDidEnd()
        XCTAssertFalse(activity.isTransactionLost(isInTransaction: false))
    }

    func testAStatementIsAnnouncedAgainAfterAnotherOneInterruptedIt() {
        var activity = Activity()
        let (outer, inner) = (Statement(), Statement())
        activity.didAnnounce(outer)
        let first = activity.willStep(outer)
        XCTAssertNil(first.interrupted)
        XCTAssertFalse(first.needsAnnouncement)
        let second = activity.willStep(inner)
        XCTAssertTrue(second.interrupted === outer)
        XCTAssertTrue(second.needsAnnouncement)
        activity.didAnnounce(inner)
        activity.didStep(second.interrupted)
        activity.didAnnounce(outer)
        activity.didStep(first.interrupted)
        let third = activity.willStep(outer)
        XCTAssertNil(third.interrupted)
        XCTAssertFalse(third.needsAnnouncement)
    }

    func testWithoutAnnouncementsEachStepNeedsOne() {
        var activity = Activity()
        let statement = Statement()
        activity.didAnnounce(statement)
        activity.didAnnounce(nil)
        XCTAssertTrue(activity.willStep(statement).needsAnnouncement)
    }

    func testWritingStatementsAreCounted() {
        var activity = Activity()
        activity.writingStatementDidBegin()
        activity.writingStatementDidBegin()
        XCTAssertEqual(activity.writingStatementCount, 2)
        activity.writingStatementDidEnd()
        activity.writingStatementDidEnd()
        XCTAssertEqual(activity.writingStatementCount, 0)
    }

    func testATransactionMayHaveChangesAfterAWriteOrIfRowsWereCounted() {
        var activity = Activity()
        XCTAssertTrue(activity.mayHaveChanges(totalChangesCount: 5), "no transaction is known")
        activity.willRunWrite()
        activity.transactionDidBegin(OpenTransaction(date: .success(.distantPast), changesBefore: 5))
        XCTAssertFalse(activity.mayHaveChanges(totalChangesCount: 5))
        XCTAssertTrue(
            activity.mayHaveChanges(totalChangesCount: 6), "an extension of the library has written")
        activity.willRunWrite()
        XCTAssertTrue(activity.mayHaveChanges(totalChangesCount: 5))
        activity.transactionDidEnd(byCommitting: false)
        activity.transactionDidBegin(OpenTransaction(date: .success(.distantPast), changesBefore: 5))
        XCTAssertFalse(activity.mayHaveChanges(totalChangesCount: 5))
    }

    func testTheDateOfATransactionThatTheClockHasEndedIsDropped() {
        var activity = Activity()
        let transaction = OpenTransaction(date: .success(.distantPast), changesBefore: 0)
        activity.transactionDidBegin(transaction)
        activity.transactionDidEnd(byCommitting: false)
        activity.setDate(transaction)
        XCTAssertNil(activity.openTransaction)
        activity.transactionDidBegin(transaction)
        activity.setDate(OpenTransaction(date: .success(.distantFuture), changesBefore: 0))
        XCTAssertEqual(try? activity.openTransaction?.date.get(), .distantFuture)
    }
}
