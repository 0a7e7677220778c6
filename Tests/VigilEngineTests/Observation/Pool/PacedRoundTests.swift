import Dispatch
import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// Rounds of a pool that give way to reads. The test controls the time.
final class PacedRoundTests: XCTestCase {
    /// A pool with an observation of `t` whose fetches take the time that the test chooses.
    private struct Fixture {
        let pool: DatabasePool
        let timer: StepTimer
        let values = Recorder<Int>()
        let fetchTime: Recorder<Duration>

        func insert() throws {
            try pool.write { db in try db.execute(sql: insertIntoT) }
        }

        func observe() -> AnyDatabaseCancellable {
            ValueObservation
                .tracking { [timer, fetchTime] db in
                    if let time = fetchTime.all.last { timer.manual.advance(by: time) }
                    return try countRows(db)
                }
                .start(in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: values.append)
        }

        /// Runs long rounds beside a read until the rounds pause. Returns the number of rows.
        ///
        /// - Parameter body: runs during the read. The pause may end with it.
        func beginPause(_ body: () throws -> Void = {}) throws -> Int {
            let count = RoundPacing.unpacedRounds + 1
            fetchTime.append(.milliseconds(20))
            try pool.read { _ in
                for number in 1...count {
                    try insert()
                    values.wait(last: number)
                }
                timer.scheduled.wait(count: 1)
                try body()
            }
            fetchTime.append(.zero)
            return count
        }
    }

    private func onEachFixture(readers: Int, _ body: (Fixture) throws -> Void) throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.maximumReaderCount = readers
            let timer = StepTimer()
            let pool = try DatabasePool(
                backend: backend, location: .file(path: directory.file("db")), configuration: configuration,
                timer: timer)
            try pool.write { db in try db.execute(sql: tableT) }
            try body(Fixture(pool: pool, timer: timer, fetchTime: Recorder()))
        }
    }

    /// Runs a test while an observation is running that has delivered its initial value.
    private func onEachObservation(readers: Int, _ body: (Fixture) throws -> Void) throws {
        try onEachFixture(readers: readers) { fixture in
            let cancellable = fixture.observe()
            fixture.values.wait(last: 0)
            try body(fixture)
            cancellable.cancel()
        }
    }

    func testAnIsolatedCommitIsFetchedWithoutATimer() throws {
        for readers in 1...2 {
            try onEachObservation(readers: readers) { fixture in
                for count in 1...5 {
                    try fixture.pool.read { _ in }
                    try fixture.insert()
                    fixture.values.wait(last: count)
                }
                XCTAssertEqual(fixture.timer.scheduled.all, [])
            }
        }
    }

    func testARoundBeginsWhenTheReadsAreOver() throws {
        for readers in 1...2 {
            try onEachObservation(readers: readers) { fixture in
                try fixture.pool.read { _ in
                    try fixture.insert()
                    // The round waits, and leaves the last reader to other reads. It may begin after the end
                    // of the initial one.
                    fixture.timer.scheduled.wait(count: 1)
                    XCTAssertEqual(fixture.values.all, [0])
                }
                fixture.values.wait(last: 1)
                XCTAssertLessThanOrEqual(fixture.pool.readers.openCount, readers)
            }
        }
    }

    func testARoundTakesTheLastReaderWhenAValueIsTooOld() throws {
        try onEachObservation(readers: 2) { fixture in
            try fixture.pool.read { _ in
                try fixture.insert()
                fixture.timer.scheduled.wait(count: 1)
                fixture.timer.manual.advance(by: RoundPacing.maximumAge)
                fixture.values.wait(last: 1)
            }
        }
    }

    func testAReadThatHoldsTheOnlyReaderCanWaitForAValue() throws {
        try onEachObservation(readers: 1) { fixture in
            try fixture.pool.read { _ in
                try fixture.insert()
                fixture.timer.scheduled.wait(count: 1)
                fixture.timer.manual.advance(by: RoundPacing.maximumAge)
                fixture.timer.manual.advance(by: RoundPacing.maximumWait)
                fixture.values.wait(last: 1)
            }
            try fixture.pool.barrierWriteWithoutTransaction { _ in }
            XCTAssertLessThanOrEqual(fixture.pool.readers.openCount, 1, "the pool has grown")
        }
    }

    func testAnInitialFetchTakesTheLastReader() throws {
        try onEachFixture(readers: 2) { fixture in
            try fixture.pool.read { _ in
                let cancellable = fixture.observe()
                fixture.values.wait(last: 0)
                cancellable.cancel()
            }
        }
    }

    func testCommitsDuringAPauseAreFetchedTogetherAfterIt() throws {
        try onEachObservation(readers: 3) { fixture in
            let count = try fixture.beginPause()
            try fixture.insert()
            try fixture.insert()
            XCTAssertEqual(fixture.values.all.last, count)
            fixture.timer.manual.advance(by: RoundPacing.maximumAge)
            fixture.values.wait(last: count + 2)
            XCTAssertFalse(fixture.values.all.contains(count + 1))
        }
    }

    func testSuspensionEndsAPause() throws {
        try onEachObservation(readers: 3) { fixture in
            let count = try fixture.beginPause()
            try fixture.insert()
            fixture.pool.suspend()
            fixture.values.wait(last: count + 1)
            fixture.pool.resume()
        }
    }

    func testClosingEndsAPauseAndReleasesTheObservation() throws {
        try onEachObservation(readers: 3) { fixture in
            let count = try fixture.beginPause()
            try fixture.insert()
            try fixture.pool.close()
            XCTAssertEqual(fixture.pool.observations.count, 0)
            fixture.timer.manual.advance(by: RoundPacing.maximumAge)
            XCTAssertEqual(fixture.values.all.last, count)
        }
    }

    func testACancelledObservationReceivesNothingAfterAPause() throws {
        try onEachFixture(readers: 3) { fixture in
            let cancellable = fixture.observe()
            fixture.values.wait(last: 0)
            var count = 0
            _ = try fixture.beginPause {
                try fixture.insert()
                cancellable.cancel()
                // If the machine is slow, another reader may have fetched the row before.
                count = fixture.values.all.count
            }
            fixture.timer.manual.advance(by: RoundPacing.maximumAge)
            try fixture.pool.barrierWriteWithoutTransaction { _ in }
            XCTAssertEqual(fixture.values.all.count, count)
        }
    }

    func testARoundThatIsLateDuringABarrierDoesNotWaitForTheReadsAfterIt() throws {
        try onEachObservation(readers: 1) { fixture in
            let reading = Recorder<Int>()
            let isOver = DispatchSemaphore(value: 0)
            try fixture.pool.barrierWriteWithoutTransaction { db in
                try db.execute(sql: insertIntoT)
                fixture.timer.scheduled.wait(count: 1)
                fixture.pool.asyncRead { _ in
                    reading.append(1)
                    isOver.wait()
                }
                fixture.timer.manual.advance(by: RoundPacing.maximumAge)
                fixture.timer.manual.advance(by: RoundPacing.maximumWait)
            }
            // The read holds the only reader.
            reading.wait(count: 1)
            XCTAssertEqual(fixture.values.all, [0])
            fixture.timer.manual.advance(by: RoundPacing.maximumWait)
            fixture.values.wait(last: 1)
            isOver.signal()
        }
    }
}
