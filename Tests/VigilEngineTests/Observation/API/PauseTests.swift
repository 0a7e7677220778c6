import Vigil
import XCTest

/// Observations that are paused while their values are not needed.
final class PauseTests: XCTestCase {
    private let observations = [
        rowCounts, rowCounts.coalescing(.never), ValueObservation.trackingConstantRegion(countRows),
        ValueObservation.tracking(region: DatabaseRegion(table: "t"), fetch: countRows),
    ]

    private func onEachObservation(
        _ body: (
            ObservationFixture, ValueObservation<ValueReducers.Trace<ValueReducers.Fetch<Int>>>, FetchCount
        ) throws ->
            Void
    ) throws {
        try onEachFixture { fixture in
            for observation in observations {
                try fixture.writer.commit("DELETE FROM t")
                let fetches = FetchCount()
                try body(fixture, observation.handleEvents(willFetch: { fetches.add() }), fetches)
            }
        }
    }

    func testAPausedObservationFetchesTheNewestValueWhenResumed() throws {
        try onEachObservation { fixture, observation, fetches in
            let pause = ObservationPause()
            let observed = fixture.observe(observation.pausable(by: pause))
            observed.expect([0])
            pause.pause()
            pause.pause()
            XCTAssertTrue(pause.isPaused)
            try fixture.insert(3)
            XCTAssertEqual(fetches.count, 1)
            pause.resume()
            observed.expect([0, 3])
            XCTAssertEqual(fetches.count, 2)
            try fixture.insert()
            observed.expect([0, 3, 4])
        }
    }

    func testAPauseWithoutACommitFetchesNothing() throws {
        try onEachObservation { fixture, observation, fetches in
            let pause = ObservationPause()
            let observed = fixture.observe(observation.pausable(by: pause))
            observed.expect([0])
            for _ in 0..<3 {
                pause.pause()
                pause.resume()
            }
            try fixture.insert()
            observed.expect([0, 1])
            XCTAssertEqual(fetches.count, 2)
        }
    }

    func testAnObservationStartedPausedDeliversItsInitialValueWhenResumed() throws {
        try onEachObservation { fixture, observation, fetches in
            let pause = ObservationPause(isPaused: true)
            let observed = fixture.observe(observation.pausable(by: pause))
            try fixture.insert(2)
            XCTAssertEqual(fetches.count, 0)
            XCTAssertEqual(observed.values.all, [])
            pause.resume()
            observed.expect([2])
            try fixture.insert()
            observed.expect([2, 3])
        }
    }

    func testAPausedObservationCanBeCancelled() throws {
        try onEachObservation { fixture, observation, fetches in
            let pause = ObservationPause()
            let observed = fixture.observe(observation.pausable(by: pause))
            observed.expect([0])
            pause.pause()
            try fixture.insert()
            observed.cancel()
            pause.resume()
            fixture.writer.writeWithoutTransaction { _ in }
            XCTAssertEqual(fetches.count, 1)
            XCTAssertTrue(fixture.writer.observations.isEmpty)
        }
    }

    func testClosingTheDatabaseEndsObservationsStartedPaused() throws {
        try onEachFixture { fixture in
            let pause = ObservationPause(isPaused: true)
            let observed = observations.map { fixture.observe($0.pausable(by: pause)) }
            XCTAssertEqual(fixture.writer.observations.count, observations.count)
            try fixture.writer.close()
            XCTAssertTrue(fixture.writer.observations.isEmpty)
            pause.resume()
            for observed in observed {
                XCTAssertTrue(observed.values.all.isEmpty)
                XCTAssertTrue(observed.errors.all.isEmpty)
            }
        }
    }

    func testOnePauseCanHoldManyObservations() throws {
        try onEachFixture { fixture in
            let pause = ObservationPause()
            let observed = observations.map { fixture.observe($0.pausable(by: pause)) }
            let free = fixture.observe(rowCounts)
            for observation in observed { observation.expect([0]) }
            free.expect([0])
            pause.pause()
            try fixture.insert(1)
            free.expect([0, 1])
            for observation in observed { XCTAssertEqual(observation.values.all, [0]) }
            pause.resume()
            for observation in observed { observation.expect([0, 1]) }
        }
    }

    func testTheStatusOfAPausedObservationIsPaused() throws {
        try onEachFixture { fixture in
            let pause = ObservationPause()
            let observed = fixture.observe(rowCounts.pausable(by: pause).labeled("players"))
            observed.expect([0])
            pause.pause()
            try fixture.insert()
            let status = try XCTUnwrap(fixture.writer.observations.first)
            XCTAssertEqual(status.label, "players")
            XCTAssertEqual(status.notificationCount, 1)
            pause.resume()
            observed.expect([0, 1])
        }
    }
}
