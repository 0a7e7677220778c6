import Dispatch
import Synchronization
import Vigil
import XCTest

@testable import VigilEngine

/// Cancelled observations deliver nothing and leave nothing behind.
final class ObservationCancellationTests: XCTestCase {
    /// Waits until all pending callbacks have run.
    private func drain(_ fixture: ObservationFixture) throws {
        // Fetches complete first, then callbacks.
        fixture.writer.writeWithoutTransaction { _ in }
        if let pool = fixture.writer as? DatabasePool { try pool.barrierWriteWithoutTransaction { _ in } }
        fixture.drain(self)
    }

    private func observerCount(_ writer: any DatabaseWriter) throws -> Int? {
        writer.writeWithoutTransaction { db in db.coordinator?.observerCount }
    }

    func testCancellingInsideACallbackSuppressesCommittedValues() throws {
        try onEachFixture { fixture in
            let observed = Mutex<Observed<Int>?>(nil)
            let (begun, goOn) = (Gate(), Gate())
            let isMain = fixture.scheduling.isMain
            let counts = Recorder<Int>()
            let cancellable = fixture.start(rowCounts) { value in
                counts.append(value)
                guard value == 1 else { return }
                if !isMain {
                    begun.open()
                    goOn.wait()
                }
                observed.withLock { $0 }?.cancel()
            }
            observed.withLock { observed in observed = Observed { _, _ in cancellable } }
            counts.wait(for: 0)
            try fixture.insert()
            if !isMain {
                begun.wait()
                try fixture.insert(2)
                goOn.open()
            } else {
                // The test blocks the main queue, so all commits precede the first callback.
                if !fixture.isPool { try fixture.insert(2) }
            }
            counts.wait(for: 1)
            try fixture.insert()
            try drain(fixture)
            XCTAssertEqual(counts.all, [0, 1])
            observed.withLock { $0 = nil }
        }
    }

    func testAReleasedObservationDeliversNothing() throws {
        try onEachFixture { fixture in
            var observed = Optional(fixture.observe(rowCounts))
            let values = try XCTUnwrap(observed?.values)
            values.wait(for: 0)
            observed = nil
            try fixture.insert()
            try drain(fixture)
            XCTAssertEqual(values.all, [0])
            XCTAssertEqual(try observerCount(fixture.writer), 0)
        }
    }

    func testAnObserverReleasedWithItsRoundMayStartAnother() throws {
        try onEachPoolFixture([.queue]) { fixture, pool in
            let queue = fixture.queue
            let (isFetching, mayEnd) = (Gate(), Gate())
            let (counts, others) = (Recorder<Int>(), Recorder<AnyDatabaseCancellable>())
            var owned = Optional(
                ReleaseNotice {
                    others.append(
                        rowCounts.start(
                            in: pool, scheduling: .async(onQueue: queue), onError: { XCTFail("\($0)") },
                            onChange: { counts.append($0) }))
                })
            let cancellable = ValueObservation.tracking { [owned] db in
                defer { withExtendedLifetime(owned) {} }
                isFetching.open()
                mayEnd.wait()
                return try countRows(db)
            }.start(
                in: pool, scheduling: .async(onQueue: queue), onError: { XCTFail("\($0)") },
                onChange: { XCTFail("\($0)") })
            owned = nil
            isFetching.wait()
            cancellable.cancel()
            mayEnd.open()
            let started = others.wait(count: 1)
            counts.wait(for: 0)
            started.first?.cancel()
        }
    }

    func testCancellationSuppressesPendingNotifications() throws {
        try onEachFixture(WriterKind.allCases, [.immediate, .queue, .mainActor]) { fixture in
            let observed = fixture.observe(rowCounts)
            observed.values.wait(for: 0)
            fixture.queue.suspend()
            try fixture.insert(3)
            observed.cancel()
            fixture.queue.resume()
            try fixture.insert()
            try drain(fixture)
            XCTAssertEqual(observed.values.all, [0])
        }
    }

    func testCancellingDuringTheFetchSuppressesItsValue() throws {
        try onEachFixture { fixture in
            let (fetching, goOn) = (Gate(), Gate())
            let events = Lines()
            let observed = fixture.observe(
                rowCounts(fetching: fetching, goOn: goOn).print(to: events))
            observed.expect([0])
            // On a queue, the thread that commits also fetches.
            let writer = fixture.writer
            let written = expectation(description: "written")
            DispatchQueue.global().async {
                assertNoError { try writer.commit(insertIntoT) }
                written.fulfill()
            }
            fetching.wait()
            observed.cancel()
            goOn.open()
            wait(for: [written], timeout: testTimeout)
            try drain(fixture)
            XCTAssertEqual(observed.values.all, [0])
            XCTAssertEqual(events.all.suffix(2), ["fetch", "cancel"])
        }
    }

    func testCancellingInAnOperatorSuppressesTheValue() throws {
        try onEachFixture { fixture in
            let cancellable = Mutex<AnyDatabaseCancellable?>(nil)
            let mapped = Recorder<Int>()
            let values = Recorder<Int>()
            let started = fixture.start(
                rowCounts.map { count -> Int in
                    if count == 1 { cancellable.withLock { $0 }?.cancel() }
                    mapped.append(count)
                    return count
                },
                onChange: { values.append($0) })
            cancellable.withLock { $0 = started }
            values.wait(for: 0)
            try fixture.insert()
            mapped.wait(for: 1)
            try fixture.insert()
            try drain(fixture)
            XCTAssertEqual(values.all, [0])
            cancellable.withLock { $0 = nil }
        }
    }

    func testACancelledObservationIsRemovedFromTheDatabase() throws {
        try onEachFixture { fixture in
            let events = Lines()
            for observation in [rowCounts, rowCounts.coalescing(.never), rowCounts.throttled(.seconds(100))] {
                let observed = fixture.observe(observation.print(to: events))
                observed.values.wait(count: 1)
                try fixture.insert()
                XCTAssertEqual(fixture.writer.observations.count, 1)
                observed.cancel()
                observed.cancel()
                XCTAssertTrue(fixture.writer.observations.isEmpty)
                try drain(fixture)
                XCTAssertEqual(try observerCount(fixture.writer), 0)
            }
            XCTAssertEqual(events.all.filter { $0 == "cancel" }.count, 3)
        }
    }

    func testARegionObservationCancelledBeforeTheFirstChangeIsNotNotified() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let delivered = Values<Bool>()
            let cancellable = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
                .start(
                    in: fixture.writer, onError: { XCTFail("\($0)") },
                    onChange: { _ in delivered.append(true) }
                )
            cancellable.cancel()
            try fixture.insert()
            XCTAssertEqual(delivered.all, [])
            XCTAssertEqual(try observerCount(fixture.writer), 0)
        }
    }

    func testCancellingInterruptsALongFetchOfAPool() throws {
        try onEachPoolFixture { fixture, pool in
            for startsLong in [true, false] where !(startsLong && fixture.scheduling == .immediate) {
                try fixture.writer.commit("DELETE FROM t")
                let (begun, ended) = (Gate(), Gate())
                let long = fixture.observe(
                    ValueObservation.tracking { db -> Int in
                        let count = try countRows(db)
                        guard startsLong || count == 1 else { return count }
                        defer { ended.open() }
                        begun.open()
                        return try Int.fetchOne(db, sql: endlessQuery) ?? -1
                    })
                if !startsLong {
                    long.expect([0])
                    try fixture.insert()
                }
                begun.wait()
                long.cancel()
                ended.wait()
                // The reader was returned and is usable.
                try pool.barrierWriteWithoutTransaction { _ in }
                XCTAssertEqual(try pool.read(countRows), startsLong ? 0 : 1)
                XCTAssertEqual(long.errors.all.count, 0)
            }
        }
    }

    func testOtherFetchesOfTheSameRoundAreNotInterrupted() throws {
        try onEachPoolFixture { fixture, _ in
            let begun = Gate()
            let long = fixture.observe(
                ValueObservation.tracking { db -> Int in
                    let count = try countRows(db)
                    guard count == 1 else { return count }
                    begun.open()
                    return try Int.fetchOne(db, sql: endlessQuery) ?? -1
                })
            let short = fixture.observe(rowCounts)
            long.expect([0])
            short.expect([0])
            try fixture.insert()
            begun.wait()
            long.cancel()
            short.expect([0, 1])
            try fixture.insert()
            short.expect([0, 1, 2])
        }
    }
}
