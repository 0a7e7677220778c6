import Vigil
import XCTest

/// Observations that are paused while their values are not needed.
final class PauseTests: XCTestCase {
    private let observations = [
        rowCounts, rowCounts.coalescing(.never), ValueObservation.trackingConstantRegion(countRows),
        ValueObservation.tracking(region: DatabaseRegion(table: "t"), fetch: countRows),
    ]

    private func onEachObservation(
        _ body: (Stage, ValueObservation<ValueReducers.Trace<ValueReducers.Fetch<Int>>>, FetchCount) throws ->
            Void
    ) throws {
        try onEachStage { stage in
            for observation in observations {
                try stage.writer.commit("DELETE FROM t")
                let fetches = FetchCount()
                try body(stage, observation.handleEvents(willFetch: { fetches.add() }), fetches)
            }
        }
    }

    func testAPausedObservationFetchesTheNewestValueWhenResumed() throws {
        try onEachObservation { stage, observation, fetches in
            let pause = ObservationPause()
            let observed = stage.observe(observation.pausable(by: pause))
            observed.expect([0])
            pause.pause()
            pause.pause()
            XCTAssertTrue(pause.isPaused)
            try stage.insert(3)
            XCTAssertEqual(fetches.count, 1)
            pause.resume()
            observed.expect([0, 3])
            XCTAssertEqual(fetches.count, 2)
            try stage.insert()
            observed.expect([0, 3, 4])
        }
    }

    func testAPauseWithoutACommitFetchesNothing() throws {
        try onEachObservation { stage, observation, fetches in
            let pause = ObservationPause()
            let observed = stage.observe(observation.pausable(by: pause))
            observed.expect([0])
            for _ in 0..<3 {
                pause.pause()
                pause.resume()
            }
            try stage.insert()
            observed.expect([0, 1])
            XCTAssertEqual(fetches.count, 2)
        }
    }

    func testAnObservationStartedPausedDeliversItsInitialValueWhenResumed() throws {
        try onEachObservation { stage, observation, fetches in
            let pause = ObservationPause(isPaused: true)
            let observed = stage.observe(observation.pausable(by: pause))
            try stage.insert(2)
            XCTAssertEqual(fetches.count, 0)
            XCTAssertEqual(observed.values.all, [])
            pause.resume()
            observed.expect([2])
            try stage.insert()
            observed.expect([2, 3])
        }
    }

    func testAPausedObservationCanBeCancelled() throws {
        try onEachObservation { stage, observation, fetches in
            let pause = ObservationPause()
            let observed = stage.observe(observation.pausable(by: pause))
            observed.expect([0])
            pause.pause()
            try stage.insert()
            observed.cancel()
            pause.resume()
            stage.writer.writeWithoutTransaction { _ in }
            XCTAssertEqual(fetches.count, 1)
            XCTAssertTrue(stage.writer.observations.isEmpty)
        }
    }

    func testOnePauseCanHoldManyObservations() throws {
        try onEachStage { stage in
            let pause = ObservationPause()
            let observed = observations.map { stage.observe($0.pausable(by: pause)) }
            let free = stage.observe(rowCounts)
            for observation in observed { observation.expect([0]) }
            free.expect([0])
            pause.pause()
            try stage.insert(1)
            free.expect([0, 1])
            for observation in observed { XCTAssertEqual(observation.values.all, [0]) }
            pause.resume()
            for observation in observed { observation.expect([0, 1]) }
        }
    }

    func testTheStatusOfAPausedObservationIsPaused() throws {
        try onEachStage { stage in
            let pause = ObservationPause()
            let observed = stage.observe(rowCounts.pausable(by: pause).labeled("players"))
            observed.expect([0])
            pause.pause()
            try stage.insert()
            let status = try XCTUnwrap(stage.writer.observations.first)
            XCTAssertEqual(status.label, "players")
            XCTAssertEqual(status.notificationCount, 1)
            pause.resume()
            observed.expect([0, 1])
        }
    }
}
