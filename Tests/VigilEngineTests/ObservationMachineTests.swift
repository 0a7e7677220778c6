import XCTest

@testable import VigilEngine

final class ObservationMachineTests: XCTestCase {
    /// Returns a coalescing observation that has fetched and delivered its first value.
    private func observing(isThrottled: Bool = false, demand: Int? = nil) -> ObservationMachine {
        var machine = ObservationMachine(isThrottled: isThrottled, demand: demand)
        XCTAssertTrue(machine.start())
        XCTAssertTrue(machine.willFetch())
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: isThrottled))
        XCTAssertFalse(machine.didDeliver())
        return machine
    }

    /// Runs a scheduled fetch and delivers its value. Returns whether to fetch again.
    private func fetch(_ machine: inout ObservationMachine) -> Bool {
        XCTAssertTrue(machine.willFetch())
        XCTAssertNotEqual(machine.didFetch(), .drop)
        return machine.didDeliver()
    }

    func testAnObservationStartsOnceAndFetches() {
        var machine = ObservationMachine()
        XCTAssertTrue(machine.start())
        XCTAssertFalse(machine.start())
        XCTAssertEqual(machine.activity, .wanted)
        XCTAssertTrue(machine.willFetch())
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: false))
        XCTAssertFalse(machine.didDeliver())
        XCTAssertEqual(machine.activity, .none)
        XCTAssertFalse(machine.willFetch(), "no fetch is scheduled")
    }

    func testCommitsDuringAFetchCauseOneMoreFetch() {
        var machine = ObservationMachine()
        _ = machine.start()
        XCTAssertTrue(machine.willFetch())
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: false))
        XCTAssertTrue(machine.didDeliver())
        XCTAssertFalse(fetch(&machine))
        XCTAssertTrue(machine.didMatchCommit())
    }

    func testCommitsBeforeTheFetchBeginsCauseNoOtherFetch() {
        var machine = observing()
        XCTAssertTrue(machine.didMatchCommit())
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertFalse(fetch(&machine))
    }

    func testNothingIsFetchedUntilTheConsumerTakesTheValue() {
        var machine = observing()
        XCTAssertTrue(machine.didMatchCommit())
        XCTAssertTrue(machine.willFetch())
        _ = machine.didFetch()
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertTrue(machine.didDeliver(), "the last value is never lost")
        XCTAssertFalse(fetch(&machine))
    }

    func testEachCommitIsFetchedWithoutCoalescing() {
        var machine = ObservationMachine(mode: .eachCommit)
        XCTAssertTrue(machine.start())
        XCTAssertTrue(machine.didMatchCommit())
        XCTAssertTrue(machine.didMatchCommit())
        for _ in 0..<3 {
            XCTAssertTrue(machine.willFetch())
            XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: false))
            XCTAssertFalse(machine.didDeliver())
        }
    }

    func testThrottlingAndDemandExcludeFetchingEachCommit() {
        XCTAssertEqual(ObservationMachine(mode: .eachCommit, isThrottled: true).mode, .coalescing)
        XCTAssertEqual(ObservationMachine(mode: .eachCommit, demand: 1).mode, .coalescing)
    }

    // MARK: - Throttling

    func testAThrottledObservationFetchesAtBothEndsOfTheInterval() {
        var machine = observing(isThrottled: true)
        XCTAssertFalse(machine.didMatchCommit(), "the pause after the first fetch")
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertTrue(machine.throttlingIntervalDidEnd())
        XCTAssertTrue(machine.willFetch())
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: true))
        XCTAssertFalse(machine.didDeliver())
        XCTAssertFalse(machine.throttlingIntervalDidEnd(), "no commit during the interval")
        XCTAssertTrue(machine.didMatchCommit(), "fetches immediately after an interval without commits")
    }

    func testASlowConsumerOutlastsThePause() {
        var machine = observing(isThrottled: true)
        _ = machine.didMatchCommit()
        XCTAssertTrue(machine.throttlingIntervalDidEnd())
        XCTAssertTrue(machine.willFetch())
        _ = machine.didFetch()
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertFalse(machine.throttlingIntervalDidEnd(), "the consumer has not returned")
        XCTAssertTrue(machine.didDeliver())
    }

    // MARK: - Pausing

    func testAPausedObservationFetchesOnceWhenItIsResumed() {
        var machine = observing()
        XCTAssertFalse(machine.setPaused(true))
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertTrue(machine.setPaused(false))
        XCTAssertFalse(fetch(&machine))
        XCTAssertFalse(machine.setPaused(true))
        XCTAssertFalse(machine.setPaused(false), "no commit during the pause")
    }

    func testAPausedObservationOfEachCommitFetchesOnceWhenItIsResumed() {
        var machine = ObservationMachine(mode: .eachCommit)
        XCTAssertFalse(machine.setPaused(true))
        XCTAssertFalse(machine.start(), "it starts when it is resumed")
        XCTAssertTrue(machine.setPaused(false))
        XCTAssertTrue(machine.willFetch())
        _ = machine.didFetch()
        XCTAssertFalse(machine.setPaused(true))
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertTrue(machine.setPaused(false))
        XCTAssertTrue(machine.willFetch())
        XCTAssertFalse(machine.setPaused(true))
        XCTAssertFalse(machine.setPaused(false))
    }

    func testAScheduledFetchDoesNotBeginDuringAPause() {
        for mode in [ObservationMachine.Mode.eachCommit, .coalescing] {
            var machine = ObservationMachine(mode: mode)
            XCTAssertTrue(machine.start())
            XCTAssertFalse(machine.setPaused(true))
            XCTAssertFalse(machine.willFetch())
            XCTAssertTrue(machine.setPaused(false))
            XCTAssertTrue(machine.willFetch())
        }
    }

    // MARK: - Demand

    func testWithoutDemandNothingStarts() {
        var machine = ObservationMachine(demand: 0)
        XCTAssertFalse(machine.start())
        XCTAssertTrue(machine.request(1))
        XCTAssertTrue(machine.willFetch())
    }

    func testFetchesDoNotExceedTheDemand() {
        var machine = observing(demand: 2)
        XCTAssertTrue(machine.didMatchCommit())
        XCTAssertFalse(fetch(&machine))
        XCTAssertEqual(machine.demand, 0)
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertFalse(machine.didMatchCommit())
        XCTAssertTrue(machine.request(1), "a commit without demand is pending")
        XCTAssertFalse(fetch(&machine))
        XCTAssertFalse(machine.request(1), "no commit without demand")
        XCTAssertTrue(machine.didMatchCommit())
    }

    func testADroppedValueConsumesNoDemand() {
        var machine = observing(demand: 2)
        XCTAssertTrue(machine.didMatchCommit())
        XCTAssertTrue(machine.willFetch())
        _ = machine.didFetch()
        XCTAssertFalse(machine.didReduceToNothing())
        XCTAssertEqual(machine.demand, 1)
        XCTAssertTrue(machine.didMatchCommit())
    }

    func testOverflowingDemandIsUnlimited() {
        var machine = observing(demand: 2)
        XCTAssertFalse(machine.request(.max))
        XCTAssertNil(machine.demand)
        XCTAssertFalse(machine.request(1))
    }

    // MARK: - End

    func testNothingHappensBeforeTheStartAndAfterTheEnd() {
        for mode in [ObservationMachine.Mode.eachCommit, .coalescing] {
            var machine = ObservationMachine(mode: mode)
            XCTAssertFalse(machine.didMatchCommit())
            XCTAssertFalse(machine.willFetch())
            _ = machine.start()
            XCTAssertTrue(machine.willFetch())
            XCTAssertTrue(machine.cancel())
            XCTAssertFalse(machine.cancel())
            XCTAssertEqual(machine.didFetch(), .drop)
            XCTAssertFalse(machine.didDeliver())
            XCTAssertFalse(machine.didReduceToNothing())
            XCTAssertFalse(machine.didMatchCommit())
            XCTAssertFalse(machine.willFetch())
            XCTAssertFalse(machine.throttlingIntervalDidEnd())
            XCTAssertFalse(machine.setPaused(true))
            XCTAssertFalse(machine.setPaused(false))
            XCTAssertFalse(machine.request(1))
            XCTAssertFalse(machine.didFail())
            XCTAssertFalse(machine.start())
        }
    }

    func testAnErrorIsDeliveredOnceAndEndsTheObservation() {
        var machine = ObservationMachine()
        _ = machine.start()
        XCTAssertTrue(machine.willFetch())
        XCTAssertTrue(machine.didFail())
        XCTAssertTrue(machine.isEnded)
        XCTAssertFalse(machine.didFail())
        XCTAssertFalse(machine.cancel())
    }
}
