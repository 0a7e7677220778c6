import VigilRegions
import XCTest

@testable import VigilEngine

final class WriterFetchMachineTests: XCTestCase {
    private typealias Machine = WriterFetchMachine<String>

    private let (one, two) = (ObserverID(1), ObserverID(2))

    func testACommitOutsideFetchesHasNoOwner() {
        var machine = Machine()
        XCTAssertFalse(machine.isFetching)
        XCTAssertNil(machine.didCommit())
        XCTAssertFalse(machine.willNotify())
    }

    func testACommitDuringAFetchBelongsToItsObserver() {
        var machine = Machine()
        machine.willFetch(one)
        XCTAssertEqual(machine.didCommit(), one)
        XCTAssertFalse(machine.didFetch())
        XCTAssertNil(machine.didCommit())
    }

    func testNotificationsArePostponedUntilNoFetchRuns() {
        var machine = Machine()
        machine.willFetch(one)
        machine.postpone("a")
        machine.willFetch(two)
        machine.postpone("b")
        _ = machine.didFetch()
        XCTAssertFalse(machine.willNotify())
        _ = machine.didFetch()
        XCTAssertTrue(machine.willNotify())
        XCTAssertEqual(machine.next(), "a")
        XCTAssertEqual(machine.next(), "b")
        XCTAssertNil(machine.next())
        XCTAssertFalse(machine.willNotify())
    }

    func testAFetchDuringANotificationPostponesItsOwnToTheSameRound() {
        var machine = Machine()
        machine.willFetch(one)
        machine.postpone("a")
        _ = machine.didFetch()
        XCTAssertTrue(machine.willNotify())
        XCTAssertEqual(machine.next(), "a")
        machine.willFetch(two)
        machine.postpone("b")
        _ = machine.didFetch()
        XCTAssertFalse(machine.willNotify(), "notifications nest")
        XCTAssertEqual(machine.next(), "b")
        XCTAssertNil(machine.next())
    }

    func testCommitsByTransactionObserversDoNotBelongToTheFetch() {
        var machine = Machine()
        machine.willFetch(one)
        XCTAssertEqual(machine.didCommit(), one)
        machine.willNotifyTransactionObservers()
        XCTAssertTrue(machine.isFetching)
        XCTAssertNil(machine.didCommit())
        machine.didNotifyTransactionObservers()
        XCTAssertEqual(machine.didCommit(), one)
        XCTAssertTrue(machine.didFetch())
    }

    func testACommitOfANestedFetchBelongsToThatFetch() {
        var machine = Machine()
        machine.willFetch(one)
        machine.willFetch(nil)
        XCTAssertNil(machine.didCommit())
        XCTAssertFalse(machine.didFetch())
        XCTAssertTrue(machine.didFetch())
    }
}
