import Dispatch
import Vigil
import VigilTestSupport
import VigilTesting
import XCTest

@testable import VigilEngine

/// A slow observation beside others in a pool. The test controls the time, and when the slow fetches end.
final class SlowNeighbourTests: XCTestCase {
    private final class Fixture: Sendable {
        let pool: DatabasePool
        let timer = StepTimer()
        /// Receives an element when a slow fetch begins.
        let begins = Recorder<Int>()
        let slowValues = Recorder<Int>()
        /// The time that slow fetches take, and whether they wait for ``gate``.
        let fetchTime = Recorder<Duration>()
        let waits = Recorder<Bool>()
        let gate = DispatchSemaphore(value: 0)

        init(_ backend: any StorageBackend, _ path: String, readers: Int) throws {
            var configuration = Configuration()
            configuration.maximumReaderCount = readers
            pool = try DatabasePool(
                backend: backend, location: .file(path: path), configuration: configuration, timer: timer)
            try pool.write { db in try db.execute(sql: tableT) }
        }

        func insert() throws {
            try pool.write { db in try db.execute(sql: insertIntoT) }
        }

        /// An observation whose fetches take the time that the test chooses.
        func slowObservation() -> ValueObservation<ValueReducers.Fetch<Int>> {
            var observation = ValueObservation.tracking { [self] db in
                let count = try countRows(db)
                begins.append(count)
                if waits.all.last == true { gate.wait() }
                if let time = fetchTime.all.last { timer.manual.advance(by: time) }
                return count
            }
            observation.options.timer = timer
            return observation
        }

        func startSlow(_ observation: ValueObservation<ValueReducers.Fetch<Int>>) -> AnyDatabaseCancellable {
            observation.start(
                in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: slowValues.append)
        }

        func startQuick(_ values: Recorder<Int>) -> AnyDatabaseCancellable {
            ValueObservation.tracking(countRows).start(
                in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: values.append)
        }
    }

    private func onEachPool(readers: ClosedRange<Int>, _ body: (Fixture) throws -> Void) throws {
        for (_, backend) in testedBackends {
            for count in readers {
                let directory = try TemporaryDirectory()
                try body(Fixture(backend, directory.file("db"), readers: count))
            }
        }
    }

    func testAnObservationWhoseFetchesAreSlowDelaysNoOther() throws {
        try onEachPool(readers: 2...5) { fixture in
            fixture.fetchTime.append(RoundPacing.slowFetch)
            let slow = fixture.startSlow(fixture.slowObservation())
            fixture.slowValues.wait(last: 0)
            let values = Recorder<Int>()
            let quick = fixture.startQuick(values)
            values.wait(last: 0)
            try fixture.pool.waitForFetches()
            fixture.waits.append(true)
            // No timer fires: it is known that the fetch is slow.
            for count in 1...3 {
                try fixture.insert()
                values.wait(last: count)
                fixture.begins.wait(count: 2)
            }
            XCTAssertEqual(fixture.slowValues.all, [0])
            fixture.waits.append(false)
            fixture.gate.signal()
            XCTAssertEqual(fixture.slowValues.wait(last: 3), [0, 1, 3])
            XCTAssertLessThanOrEqual(fixture.pool.readers.openCount, fixture.pool.readers.capacity)
            for cancellable in [slow, quick] { cancellable.cancel() }
        }
    }

    func testAFetchThatTurnsOutToBeSlowDelaysNoOther() throws {
        try onEachPool(readers: 2...5) { fixture in
            let (before, after) = (Recorder<Int>(), Recorder<Int>())
            let first = fixture.startQuick(before)
            before.wait(last: 0)
            let slow = fixture.startSlow(fixture.slowObservation())
            fixture.slowValues.wait(last: 0)
            let last = fixture.startQuick(after)
            after.wait(last: 0)
            try fixture.pool.waitForFetches()
            fixture.waits.append(true)
            try fixture.insert()
            fixture.begins.wait(last: 1)
            fixture.timer.manual.advance(by: RoundPacing.slowFetch)
            fixture.timer.manual.advance(by: RoundPacing.slowFetch)
            for values in [before, after] { values.wait(last: 1) }
            try fixture.insert()
            for values in [before, after] { values.wait(last: 2) }
            XCTAssertEqual(fixture.slowValues.all, [0])
            fixture.waits.append(false)
            fixture.gate.signal()
            XCTAssertEqual(fixture.slowValues.wait(last: 2), [0, 1, 2])
            for cancellable in [first, slow, last] { cancellable.cancel() }
        }
    }

    func testAnObservationThatStartsDoesNotWaitForASlowInitialFetch() throws {
        try onEachPool(readers: 2...2) { fixture in
            fixture.waits.append(true)
            let slow = fixture.startSlow(fixture.slowObservation())
            fixture.begins.wait(count: 1)
            let values = Recorder<Int>()
            let quick = fixture.startQuick(values)
            fixture.timer.manual.advance(by: RoundPacing.slowFetch)
            fixture.timer.manual.advance(by: RoundPacing.slowFetch)
            values.wait(last: 0)
            fixture.gate.signal()
            fixture.slowValues.wait(last: 0)
            for cancellable in [slow, quick] { cancellable.cancel() }
        }
    }

    func testEqualSlowObservationsShareAFetch() throws {
        try onEachPool(readers: 2...5) { fixture in
            fixture.fetchTime.append(RoundPacing.slowFetch)
            let observation = fixture.slowObservation()
            let cancellables = (1...10).map { _ in fixture.startSlow(observation) }
            fixture.slowValues.wait(count: 10)
            let initial = fixture.begins.all.count
            for count in 1...3 {
                // An observation that is still delivering would fetch later than the others.
                try fixture.pool.waitForFetches()
                try fixture.insert()
                fixture.slowValues.wait(count: 10 * (count + 1))
                XCTAssertEqual(fixture.begins.all.count, initial + count)
            }
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    func testWithOneReaderTheSlowFetchIsTheLast() throws {
        try onEachPool(readers: 1...1) { fixture in
            fixture.fetchTime.append(RoundPacing.slowFetch)
            let slow = fixture.startSlow(fixture.slowObservation())
            fixture.slowValues.wait(last: 0)
            let values = Recorder<Int>()
            let quick = fixture.startQuick(values)
            values.wait(last: 0)
            fixture.waits.append(true)
            try fixture.insert()
            values.wait(last: 1)
            fixture.begins.wait(last: 1)
            XCTAssertEqual(fixture.slowValues.all, [0])
            fixture.gate.signal()
            fixture.slowValues.wait(last: 1)
            for cancellable in [slow, quick] { cancellable.cancel() }
        }
    }

    func testASlowObservationThatIsCancelledReleasesItsReader() throws {
        try onEachPool(readers: 2...2) { fixture in
            fixture.fetchTime.append(RoundPacing.slowFetch)
            let slow = fixture.startSlow(fixture.slowObservation())
            fixture.slowValues.wait(last: 0)
            fixture.waits.append(true)
            try fixture.insert()
            fixture.begins.wait(last: 1)
            slow.cancel()
            fixture.gate.signal()
            try fixture.pool.barrierWriteWithoutTransaction { _ in }
            XCTAssertTrue(fixture.pool.readers.isUnused)
            XCTAssertEqual(fixture.slowValues.all, [0])
            try fixture.pool.close()
        }
    }
}
