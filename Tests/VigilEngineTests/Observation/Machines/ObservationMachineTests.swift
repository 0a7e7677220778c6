import XCTest

@testable import VigilEngine

final class ObservationMachineTests: XCTestCase {
    /// Returns a coalescing observation that has fetched and delivered its first value.
    private func observing(isThrottled: Bool = false, demand: Int? = nil) -> ObservationMachine {
        var machine = ObservationMachine(isThrottled: isThrottled, demand: demand)
        XCTAssertEqual(machine.start(), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: isThrottled))
        XCTAssertEqual(machine.didDeliver(), .none)
        return machine
    }

    /// Runs a scheduled fetch and delivers its value. Returns what follows.
    private func fetch(_ machine: inout ObservationMachine) -> ObservationMachine.Action {
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertNotEqual(machine.didFetch(), .drop)
        return machine.didDeliver()
    }

    func testAnObservationStartsOnceAndFetches() {
        var machine = ObservationMachine()
        XCTAssertEqual(machine.start(), .scheduleFetch)
        XCTAssertEqual(machine.start(), .none)
        XCTAssertEqual(machine.state, .scheduled)
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: false))
        XCTAssertEqual(machine.didDeliver(), .none)
        XCTAssertEqual(machine.state, .waiting)
        XCTAssertEqual(machine.willFetch(), .skip, "no fetch is scheduled")
    }

    func testCommitsDuringAFetchCauseOneMoreFetch() {
        var machine = ObservationMachine()
        _ = machine.start()
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: false))
        XCTAssertEqual(machine.didDeliver(), .scheduleFetch)
        XCTAssertEqual(fetch(&machine), .none)
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
    }

    func testCommitsBeforeTheFetchBeginsCauseNoOtherFetch() {
        var machine = observing()
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(fetch(&machine), .none)
    }

    func testNothingIsFetchedUntilTheConsumerTakesTheValue() {
        var machine = observing()
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
        _ = machine.didFetch()
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.didDeliver(), .scheduleFetch, "the last value is never lost")
        XCTAssertEqual(fetch(&machine), .none)
    }

    func testEachCommitIsFetchedWithoutCoalescing() {
        var machine = ObservationMachine(mode: .eachCommit)
        XCTAssertEqual(machine.start(), .scheduleFetch)
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
        for _ in 0..<3 {
            XCTAssertEqual(machine.willFetch(), .fetch)
            XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: false))
            XCTAssertEqual(machine.didDeliver(), .none)
        }
    }

    func testThrottlingAndDemandExcludeFetchingEachCommit() {
        XCTAssertEqual(ObservationMachine(mode: .eachCommit, isThrottled: true).mode, .coalescing)
        XCTAssertEqual(ObservationMachine(mode: .eachCommit, demand: 1).mode, .coalescing)
    }

    // MARK: - Throttling

    func testAThrottledObservationFetchesAtBothEndsOfTheInterval() {
        var machine = observing(isThrottled: true)
        XCTAssertEqual(machine.didMatchCommit(), .none, "the pause after the first fetch")
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.throttlingIntervalDidEnd(), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: true))
        XCTAssertEqual(machine.didDeliver(), .none)
        XCTAssertEqual(machine.throttlingIntervalDidEnd(), .none, "no commit during the interval")
        XCTAssertEqual(
            machine.didMatchCommit(), .scheduleFetch, "fetches immediately after an interval without commits")
    }

    func testASlowConsumerOutlastsThePause() {
        var machine = observing(isThrottled: true)
        _ = machine.didMatchCommit()
        XCTAssertEqual(machine.throttlingIntervalDidEnd(), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
        _ = machine.didFetch()
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.throttlingIntervalDidEnd(), .none, "the consumer has not returned")
        XCTAssertEqual(machine.didDeliver(), .scheduleFetch)
    }

    // MARK: - Pausing

    func testAPausedObservationFetchesOnceWhenItIsResumed() {
        var machine = observing()
        XCTAssertEqual(machine.setPaused(true), .none)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.setPaused(false), .scheduleFetch)
        XCTAssertEqual(fetch(&machine), .none)
        XCTAssertEqual(machine.setPaused(true), .none)
        XCTAssertEqual(machine.setPaused(false), .none, "no commit during the pause")
    }

    func testAPausedObservationOfEachCommitFetchesOnceWhenItIsResumed() {
        var machine = ObservationMachine(mode: .eachCommit)
        XCTAssertEqual(machine.setPaused(true), .none)
        XCTAssertEqual(machine.start(), .none, "it starts when it is resumed")
        XCTAssertEqual(machine.setPaused(false), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
        _ = machine.didFetch()
        XCTAssertEqual(machine.setPaused(true), .none)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.setPaused(false), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertEqual(machine.setPaused(true), .none)
        XCTAssertEqual(machine.setPaused(false), .none)
    }

    func testAScheduledFetchDoesNotBeginDuringAPause() {
        for mode in [ObservationMachine.Mode.eachCommit, .coalescing] {
            var machine = ObservationMachine(mode: mode)
            XCTAssertEqual(machine.start(), .scheduleFetch)
            XCTAssertEqual(machine.setPaused(true), .none)
            XCTAssertEqual(machine.willFetch(), .skip)
            XCTAssertEqual(machine.setPaused(false), .scheduleFetch)
            XCTAssertEqual(machine.willFetch(), .fetch)
        }
    }

    // MARK: - Demand

    func testWithoutDemandNothingStarts() {
        var machine = ObservationMachine(demand: 0)
        XCTAssertEqual(machine.start(), .none)
        XCTAssertEqual(machine.request(1), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
    }

    func testFetchesDoNotExceedTheDemand() {
        var machine = observing(demand: 2)
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
        XCTAssertEqual(fetch(&machine), .none)
        XCTAssertEqual(machine.demand, 0)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.didMatchCommit(), .none)
        XCTAssertEqual(machine.request(1), .scheduleFetch, "a commit without demand is pending")
        XCTAssertEqual(fetch(&machine), .none)
        XCTAssertEqual(machine.request(1), .none, "no commit without demand")
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
    }

    func testADroppedValueConsumesNoDemand() {
        var machine = observing(demand: 2)
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
        _ = machine.didFetch()
        XCTAssertEqual(machine.didReduceToNothing(), .none)
        XCTAssertEqual(machine.demand, 1)
        XCTAssertEqual(machine.didMatchCommit(), .scheduleFetch)
    }

    func testOverflowingDemandIsUnlimited() {
        var machine = observing(demand: 2)
        XCTAssertEqual(machine.request(.max), .none)
        XCTAssertNil(machine.demand)
        XCTAssertEqual(machine.request(1), .none)
    }

    // MARK: - End

    func testNothingHappensBeforeTheStartAndAfterTheEnd() {
        for mode in [ObservationMachine.Mode.eachCommit, .coalescing] {
            var machine = ObservationMachine(mode: mode)
            XCTAssertEqual(machine.didMatchCommit(), .none)
            XCTAssertEqual(machine.willFetch(), .skip)
            _ = machine.start()
            XCTAssertEqual(machine.willFetch(), .fetch)
            XCTAssertTrue(machine.cancel())
            XCTAssertFalse(machine.cancel())
            XCTAssertEqual(machine.didFetch(), .drop)
            XCTAssertEqual(machine.didDeliver(), .none)
            XCTAssertEqual(machine.didReduceToNothing(), .none)
            XCTAssertEqual(machine.didMatchCommit(), .none)
            XCTAssertEqual(machine.willFetch(), .unregister)
            XCTAssertEqual(machine.throttlingIntervalDidEnd(), .none)
            XCTAssertEqual(machine.setPaused(true), .none)
            XCTAssertEqual(machine.setPaused(false), .none)
            XCTAssertEqual(machine.request(1), .none)
            XCTAssertFalse(machine.didFail())
            XCTAssertEqual(machine.start(), .none)
        }
    }

    func testAnErrorIsDeliveredOnceAndEndsTheObservation() {
        var machine = ObservationMachine()
        _ = machine.start()
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertTrue(machine.didFail())
        XCTAssertTrue(machine.isEnded)
        XCTAssertFalse(machine.didFail())
        XCTAssertFalse(machine.cancel())
    }

    func testAPostponedFetchIsNeededUntilALaterOneBegins() {
        for mode in [ObservationMachine.Mode.eachCommit, .coalescing] {
            var machine = ObservationMachine(mode: mode)
            XCTAssertEqual(machine.start(), .scheduleFetch)
            XCTAssertEqual(machine.willFetch(), .fetch)
            XCTAssertFalse(machine.needsPostponedFetch)
            XCTAssertTrue(machine.didNotFetch())
            XCTAssertTrue(machine.needsPostponedFetch)
            XCTAssertEqual(machine.willFetch(), .fetch)
            _ = machine.didFetch()
            XCTAssertFalse(machine.needsPostponedFetch)
        }
    }

    func testAnyNumberOfValuesMayWaitForTheirDelivery() {
        var machine = ObservationMachine(mode: .eachCommit)
        _ = machine.start()
        for _ in 0...Int(UInt16.max) { _ = machine.didFetch() }
        XCTAssertEqual(machine.deliveryCount, 65_536)
    }
}
