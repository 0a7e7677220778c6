import Vigil
import XCTest

@testable import VigilEngine

/// Throttled observations.
final class ThrottleTests: XCTestCase {
    private func throttled(_ timer: ManualTimer) -> ValueObservation<ValueReducers.Fetch<Int>> {
        var observation = rowCounts.throttled(.milliseconds(16))
        observation.options.timer = timer
        return observation
    }

    func testOnlyTheFirstCommitIsFetchedBeforeTheIntervalEnds() throws {
        try onEachStage { stage in
            let timer = ManualTimer()
            let observed = stage.observe(throttled(timer))
            observed.expect([0])
            // The interval of the initial value is running.
            try stage.insert(3)
            XCTAssertEqual(observed.values.all, [0])
            timer.fire()
            observed.expect([0, 3])
            try stage.insert(2)
            timer.fire()
            observed.expect([0, 3, 5])
            // An interval without commits.
            timer.fire()
            XCTAssertEqual(timer.runningCount, 0)
            try stage.insert()
            observed.expect([0, 3, 5, 6])
            XCTAssertEqual(Set(timer.delays), [.milliseconds(16)])
        }
    }

    func testTheLastValueIsNeverLost() throws {
        try onEachStage { stage in
            let timer = ManualTimer()
            let observed = stage.observe(throttled(timer))
            observed.expect([0])
            for last in 1...20 {
                try stage.insert()
                timer.fire()
                let values = observed.values.wait(for: last)
                XCTAssertEqual(values, Array(0...last))
            }
        }
    }

    func testThrottlingOutranksEachCommit() throws {
        try onEachStage { stage in
            let timer = ManualTimer()
            let observed = stage.observe(throttled(timer).coalescing(.never))
            observed.expect([0])
            try stage.insert(3)
            timer.fire()
            observed.expect([0, 3])
        }
    }

    func testTheIntervalMayEndAfterTheObservation() throws {
        try onEachStage { stage in
            let timer = ManualTimer()
            let fetches = FetchCount()
            let observed = stage.observe(throttled(timer).handleEvents(willFetch: { fetches.add() }))
            observed.expect([0])
            try stage.insert()
            observed.cancel()
            timer.fire()
            stage.writer.writeWithoutTransaction { _ in }
            XCTAssertEqual(fetches.count, 1)
            XCTAssertEqual(observed.values.all, [0])
        }
    }

    func testAnObservationIsThrottledByTheSystemClock() throws {
        try onEachStage(WriterKind.allCases, [.queue]) { stage in
            let observed = stage.observe(rowCounts.throttled(.milliseconds(1)))
            observed.expect([0])
            for last in 1...3 {
                try stage.insert()
                observed.values.wait(for: last)
            }
        }
    }

    func testAThrottledSharedObservationFetchesForAllClientsWhenTheIntervalEnds() throws {
        try onEachStage { stage in
            let timer = ManualTimer()
            let shared = stage.share(throttled(timer))
            let clients = [shared.observe(), shared.observe()]
            for client in clients { client.expect([0]) }
            try stage.insert(3)
            timer.fire()
            for client in clients { client.expect([0, 3]) }
        }
    }
}
