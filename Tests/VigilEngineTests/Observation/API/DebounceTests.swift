import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// The state machines of debounced observations, step by step.
final class DebounceMachineTests: XCTestCase {
    private let start = ContinuousClock.now
    private let interval = Duration.milliseconds(100)

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    func testTheTimerOfASingleCommitFiresOnce() {
        var machine = DebounceMachine()
        XCTAssertEqual(machine.didMatchCommit(at: time(0), interval: interval), interval)
        XCTAssertNil(machine.timerDidFire(at: time(100), interval: interval))
        XCTAssertEqual(machine.didMatchCommit(at: time(101), interval: interval), interval)
    }

    func testACommitDelaysTheEndByTheMissingTime() {
        var machine = DebounceMachine()
        XCTAssertEqual(machine.didMatchCommit(at: time(0), interval: interval), interval)
        XCTAssertNil(machine.didMatchCommit(at: time(30), interval: interval), "one timer is running")
        XCTAssertNil(machine.didMatchCommit(at: time(70), interval: interval))
        XCTAssertEqual(machine.timerDidFire(at: time(100), interval: interval), .milliseconds(70))
        XCTAssertNil(machine.didMatchCommit(at: time(150), interval: interval))
        XCTAssertEqual(machine.timerDidFire(at: time(170), interval: interval), .milliseconds(80))
        XCTAssertNil(machine.timerDidFire(at: time(250), interval: interval))
    }

    func testALateTimerEndsTheInterval() {
        var machine = DebounceMachine()
        _ = machine.didMatchCommit(at: time(0), interval: interval)
        _ = machine.didMatchCommit(at: time(50), interval: interval)
        XCTAssertNil(machine.timerDidFire(at: time(400), interval: interval))
    }

    func testATimerWithoutACommitEndsNothing() {
        var machine = DebounceMachine()
        XCTAssertNil(machine.timerDidFire(at: time(0), interval: interval))
    }

    // MARK: - Fetching

    /// Returns a debounced observation that has delivered its initial value.
    private func observing() -> ObservationMachine {
        var machine = ObservationMachine(isDebounced: true)
        XCTAssertEqual(machine.start(), .scheduleFetch, "the initial value is not debounced")
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: false))
        XCTAssertEqual(machine.didDeliver(), .none)
        XCTAssertFalse(machine.isSettling)
        return machine
    }

    func testACommitIsFetchedWhenTheIntervalEnds() {
        var machine = observing()
        XCTAssertEqual(machine.didMatchCommit(), .startDebounceInterval)
        XCTAssertTrue(machine.isSettling)
        XCTAssertEqual(machine.didMatchCommit(), .startDebounceInterval)
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: false))
        XCTAssertEqual(machine.didDeliver(), .none)
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .none, "nothing has changed")
    }

    func testACommitBeforeAScheduledFetchBeginsPostponesIt() {
        var machine = observing()
        _ = machine.didMatchCommit()
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .scheduleFetch)
        XCTAssertEqual(machine.didMatchCommit(), .startDebounceInterval)
        XCTAssertEqual(machine.willFetch(), .skip, "another interval has begun")
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .scheduleFetch)
        XCTAssertEqual(machine.willFetch(), .fetch)
    }

    func testACommitDuringAFetchBeginsAnInterval() {
        var machine = observing()
        _ = machine.didMatchCommit()
        _ = machine.debounceIntervalDidEnd()
        XCTAssertEqual(machine.willFetch(), .fetch)
        XCTAssertEqual(machine.didMatchCommit(), .startDebounceInterval)
        _ = machine.didFetch()
        XCTAssertEqual(machine.didDeliver(), .none, "the interval is running")
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .scheduleFetch)
    }

    func testTheIntervalMayEndBeforeTheConsumerReturns() {
        var machine = observing()
        _ = machine.didMatchCommit()
        _ = machine.debounceIntervalDidEnd()
        _ = machine.willFetch()
        _ = machine.didFetch()
        _ = machine.didMatchCommit()
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .none, "the consumer has not returned")
        XCTAssertEqual(machine.didDeliver(), .scheduleFetch)
    }

    func testAnIntervalThatEndsDuringAPauseIsFetchedAfterIt() {
        var machine = observing()
        _ = machine.didMatchCommit()
        _ = machine.setPaused(true)
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .none)
        XCTAssertEqual(machine.setPaused(false), .scheduleFetch)
    }

    func testCommitsDuringAPauseDelayTheFetchSoItIsNotDisarmed() {
        var machine = observing()
        _ = machine.setPaused(true)
        _ = machine.didMatchCommit()
        XCTAssertFalse(machine.mayDisarm)
        _ = machine.debounceIntervalDidEnd()
        XCTAssertFalse(machine.mayDisarm)
    }

    func testAThrottledAndDebouncedObservationWaitsForBothIntervals() {
        var machine = ObservationMachine(isThrottled: true, isDebounced: true)
        _ = machine.start()
        _ = machine.willFetch()
        XCTAssertEqual(machine.didFetch(), .deliver(startsThrottlingInterval: true))
        _ = machine.didDeliver()
        _ = machine.didMatchCommit()
        XCTAssertEqual(machine.throttlingIntervalDidEnd(), .none)
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .scheduleFetch)
    }

    func testDebouncingExcludesFetchingEachCommit() {
        XCTAssertEqual(ObservationMachine(mode: .eachCommit, isDebounced: true).mode, .coalescing)
    }

    func testAnEndedObservationDoesNotFetch() {
        var machine = observing()
        _ = machine.didMatchCommit()
        XCTAssertTrue(machine.cancel())
        XCTAssertEqual(machine.debounceIntervalDidEnd(), .none)
    }
}

/// Debounced observations.
final class DebounceTests: XCTestCase {
    private func debounced(_ timer: ManualClock) -> ValueObservation<ValueReducers.Fetch<Int>> {
        var observation = rowCounts.debounced(.milliseconds(100))
        observation.options.timer = timer
        return observation
    }

    func testABurstOfCommitsIsFetchedOnceAfterIt() throws {
        try onEachFixture { fixture in
            let timer = ManualClock()
            let fetches = FetchCount()
            let observed = fixture.observe(debounced(timer).handleEvents(willFetch: { fetches.add() }))
            observed.expect([0])
            for _ in 0..<5 {
                try fixture.insert()
                timer.advance(by: .milliseconds(60))
            }
            XCTAssertEqual(observed.values.all, [0])
            XCTAssertEqual(fetches.count, 1)
            timer.advance(by: .milliseconds(40))
            observed.expect([0, 5])
            XCTAssertEqual(fetches.count, 2)
            XCTAssertEqual(timer.pendingCount, 0)
            try fixture.insert()
            timer.advance(by: .milliseconds(99))
            XCTAssertEqual(observed.values.all, [0, 5])
            timer.advance(by: .milliseconds(1))
            observed.expect([0, 5, 6])
        }
    }

    func testOtherCommitsDoNotProlongTheInterval() throws {
        try onEachFixture(schema: tableT + "CREATE TABLE u(a);") { fixture in
            let timer = ManualClock()
            let observed = fixture.observe(debounced(timer))
            observed.expect([0])
            try fixture.insert()
            timer.advance(by: .milliseconds(60))
            try fixture.writer.commit("INSERT INTO u VALUES (1)")
            timer.advance(by: .milliseconds(40))
            observed.expect([0, 1])
        }
    }

    func testTheIntervalMayEndAfterTheObservation() throws {
        try onEachFixture { fixture in
            let timer = ManualClock()
            let observed = fixture.observe(debounced(timer))
            observed.expect([0])
            try fixture.insert()
            observed.cancel()
            timer.advance(by: .seconds(1))
            try fixture.writer.barrierWriteWithoutTransaction { _ in }
            fixture.drain(self)
            XCTAssertEqual(observed.values.all, [0])
        }
    }

    func testAnObservationIsDebouncedByTheSystemClock() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let observed = fixture.observe(rowCounts.debounced(.milliseconds(1)))
            observed.expect([0])
            for last in 1...3 {
                try fixture.insert()
                observed.values.wait(for: last)
            }
        }
    }
}
