import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// Throttled observations.
final class ThrottleTests: XCTestCase {
    private func throttled(_ timer: ManualClock) -> ValueObservation<ValueReducers.Fetch<Int>> {
        var observation = rowCounts.throttled(.milliseconds(16))
        observation.options.timer = timer
        return observation
    }

    func testOnlyTheFirstCommitIsFetchedBeforeTheIntervalEnds() throws {
        try onEachFixture { fixture in
            let timer = ManualClock()
            let observed = fixture.observe(throttled(timer))
            observed.expect([0])
            // The interval of the initial value is running.
            try fixture.insert(3)
            XCTAssertEqual(observed.values.all, [0])
            timer.fire()
            observed.expect([0, 3])
            try fixture.insert(2)
            timer.fire()
            observed.expect([0, 3, 5])
            // An interval without commits.
            timer.fire()
            XCTAssertEqual(timer.pendingCount, 0)
            try fixture.insert()
            observed.expect([0, 3, 5, 6])
            XCTAssertEqual(Set(timer.delays), [.milliseconds(16)])
        }
    }

    func testTheLastValueIsNeverLost() throws {
        try onEachFixture { fixture in
            let timer = ManualClock()
            let observed = fixture.observe(throttled(timer))
            observed.expect([0])
            for last in 1...20 {
                try fixture.insert()
                timer.fire()
                let values = observed.values.wait(for: last)
                XCTAssertEqual(values, Array(0...last))
            }
        }
    }

    func testThrottlingOutranksEachCommit() throws {
        try onEachFixture { fixture in
            let timer = ManualClock()
            let observed = fixture.observe(throttled(timer).coalescing(.never))
            observed.expect([0])
            try fixture.insert(3)
            timer.fire()
            observed.expect([0, 3])
        }
    }

    func testTheIntervalMayEndAfterTheObservation() throws {
        try onEachFixture { fixture in
            let timer = ManualClock()
            let fetches = FetchCount()
            let observed = fixture.observe(throttled(timer).handleEvents(willFetch: { fetches.add() }))
            observed.expect([0])
            try fixture.insert()
            observed.cancel()
            timer.fire()
            fixture.writer.writeWithoutTransaction { _ in }
            XCTAssertEqual(fetches.count, 1)
            XCTAssertEqual(observed.values.all, [0])
        }
    }

    func testAnObservationIsThrottledByTheSystemClock() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let observed = fixture.observe(rowCounts.throttled(.milliseconds(1)))
            observed.expect([0])
            for last in 1...3 {
                try fixture.insert()
                observed.values.wait(for: last)
            }
        }
    }

    func testAThrottledSharedObservationFetchesForAllClientsWhenTheIntervalEnds() throws {
        try onEachFixture { fixture in
            let timer = ManualClock()
            let shared = fixture.share(throttled(timer))
            let clients = [shared.observe(), shared.observe()]
            for client in clients { client.expect([0]) }
            try fixture.insert(3)
            timer.fire()
            for client in clients { client.expect([0, 3]) }
        }
    }
}
