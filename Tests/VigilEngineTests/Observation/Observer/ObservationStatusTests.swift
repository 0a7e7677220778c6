import Vigil
import XCTest

/// The status of running observations.
final class ObservationStatusTests: XCTestCase {
    func testObservationsAreListedInTheOrderOfTheirStartsUntilTheyEnd() throws {
        try onEachFixture { fixture in
            XCTAssertTrue(fixture.writer.observations.isEmpty)
            let observed = ["a", "b", "c"].map { fixture.observe(rowCounts.labeled($0)) }
            XCTAssertEqual(fixture.writer.observations.map(\.label), ["a", "b", "c"])
            observed[1].cancel()
            XCTAssertEqual(fixture.writer.observations.map(\.label), ["a", "c"])
            observed[0].values.wait(count: 1)
            try fixture.writer.commit("DROP TABLE t")
            for index in [0, 2] { observed[index].errors.wait(count: 1) }
            XCTAssertTrue(fixture.writer.observations.isEmpty)
        }
    }

    func testTheStatusCountsFetchesAndValues() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(+a) FROM t") ?? 0 }
                    .coalescing(.never).removeDuplicates())
            observed.expect([0])
            try fixture.writer.commit("INSERT INTO t(a) VALUES (1)")
            observed.expect([0, 1])
            try fixture.writer.commit("INSERT INTO t(a) VALUES (0)")
            try fixture.writer.commit("INSERT INTO t(a) VALUES (2)")
            observed.expect([0, 1, 2])
            let status = try XCTUnwrap(fixture.writer.observations.first)
            XCTAssertEqual(status.label, "Int")
            XCTAssertEqual(status.region, DatabaseRegion(table: "t", columns: ["a"]))
            XCTAssertEqual(status.changeCount, 3)
            XCTAssertEqual(status.fetchCount, 4)
            XCTAssertEqual(status.sharedFetchCount, 0)
            XCTAssertEqual(status.notificationCount, 3)
            XCTAssertEqual(status.skippedCount, 1)
            XCTAssertGreaterThan(status.fetchTime, .zero)
            XCTAssertEqual(status.lastCommit, status.lastTrigger?.commit)
        }
    }

    /// Returns a callback that records values, and does not return from the value 1 before `taken` is open.
    private func hold(
        _ values: Recorder<Int>, _ delivering: Gate, until taken: Gate
    ) -> @Sendable (Int) -> Void {
        { value in
            values.append(value)
            guard value == 1 else { return }
            delivering.open()
            taken.wait()
        }
    }

    func testThePhaseNamesWhatAnObservationWaitsFor() throws {
        try onEachPoolFixture([.queue]) { fixture, _ in
            let (fetching, goOn) = (Gate(), Gate())
            let (delivering, taken) = (Gate(), Gate())
            let values = Recorder<Int>()
            let observation = ValueObservation.tracking { db -> Int in
                let count = try countRows(db)
                if count == 1 {
                    fetching.open()
                    goOn.wait()
                }
                return count
            }
            let cancellable = fixture.start(observation, onChange: hold(values, delivering, until: taken))
            values.wait(for: 0)
            fixture.queue.sync {}
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.observing])
            try fixture.insert()
            fetching.wait()
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.fetching])
            goOn.open()
            delivering.wait()
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.delivering])
            taken.open()
            fixture.queue.sync {}
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.observing])
            cancellable.cancel()
        }
    }

    func testAnObservationOfEachCommitDeliversUntilItsLastConsumerHasReturned() throws {
        try onEachFixture([.memory], [.queue]) { fixture in
            let (delivering, taken) = (Gate(), Gate())
            let values = Recorder<Int>()
            let observation = ValueObservation.tracking { db in try countRows(db) }
            let cancellable = fixture.start(observation, onChange: hold(values, delivering, until: taken))
            values.wait(for: 0)
            fixture.queue.sync {}
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.observing])
            try fixture.insert()
            delivering.wait()
            // The second delivery waits for the first one.
            try fixture.insert()
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.delivering])
            taken.open()
            fixture.queue.sync {}
            XCTAssertEqual(values.all, [0, 1, 2])
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.observing])
            cancellable.cancel()
        }
    }

    func testAnObservationOfEachCommitWaitsForItsFirstFetch() throws {
        try onEachFixture([.memory], [.queue]) { fixture in
            let (written, fetching, goOn) = (Gate(), Gate(), Gate())
            fixture.writer.asyncWriteWithoutTransaction { _ in written.wait() }
            let observed = fixture.observe(
                ValueObservation.tracking { db -> Int in
                    fetching.open()
                    goOn.wait()
                    return try countRows(db)
                })
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.waitingToFetch])
            written.open()
            fetching.wait()
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.fetching])
            goOn.open()
            observed.expect([0])
            fixture.queue.sync {}
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.observing])
            observed.cancel()
        }
    }

    func testAPausedObservationIsPaused() throws {
        try onEachFixture(WriterKind.allCases, [.immediate, .queue]) { fixture in
            let pause = ObservationPause(isPaused: true)
            let observed = fixture.observe(rowCounts.pausable(by: pause))
            XCTAssertEqual(fixture.writer.observations.map(\.phase), [.paused])
            XCTAssertNil(fixture.writer.observations[0].region)
            pause.resume()
            observed.expect([0])
        }
    }

    func testConstantReadersListTheirObservations() throws {
        try onEachPoolFixture { fixture, pool in
            let snapshot = try pool.makeSnapshot()
            let observed = fixture.observe(rowCounts.labeled("snapshot"), in: snapshot)
            observed.expect([0])
            XCTAssertEqual(snapshot.observations.map(\.label), ["snapshot"])
            XCTAssertTrue(pool.observations.isEmpty)
            observed.cancel()
            XCTAssertTrue(snapshot.observations.isEmpty)
        }
    }

    func testAWrappedReaderListsTheObservationsOfItsBase() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts)
            XCTAssertEqual(AnyDatabaseReader(fixture.writer).observations.count, 1)
            XCTAssertEqual(AnyDatabaseWriter(fixture.writer).observations.count, 1)
            observed.cancel()
        }
    }

    func testAClosedDatabaseListsNone() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
            try fixture.writer.close()
            XCTAssertTrue(fixture.writer.observations.isEmpty)
            XCTAssertEqual(observed.errors.all.count, 0)
        }
    }
}
