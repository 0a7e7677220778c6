import Dispatch
import Foundation
import Synchronization
import Vigil
import XCTest

#if canImport(Observation)
    import Observation
#endif

private let counts = ValueObservation.tracking { db in
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
}

final class LiveValueTests: XCTestCase {
    func testObservationStartsWithTheFirstReaderAndStopsWithTheLast() throws {
        try onEachWriterOnMainActor { writer in
            let live = LiveValue(counts, in: writer, scheduling: .immediate)
            XCTAssertNil(live.value)
            XCTAssertFalse(live.isLoading)
            XCTAssertEqual(writer.observations.count, 0)

            let first = live.addReader()
            XCTAssertEqual(live.value, 0)
            XCTAssertFalse(live.isLoading)
            let second = live.addReader()
            XCTAssertEqual(writer.observations.count, 1)
            first.cancel()
            XCTAssertEqual(writer.observations.count, 1)
            try writer.write { db in try db.execute(sql: insertIntoT) }
            waitUntil(live) { $0.value == 1 }

            second.cancel()
            XCTAssertEqual(writer.observations.count, 0)
            try writer.write { db in try db.execute(sql: insertIntoT) }
            XCTAssertEqual(live.value, 1)

            let third = live.addReader()
            XCTAssertEqual(live.value, 2)
            third.cancel()
        }
    }

    func testValueIsLoadingUntilItIsReceived() throws {
        try onEachWriterOnMainActor { writer in
            let live = LiveValue(counts, in: writer)
            let reader = live.addReader()
            XCTAssertTrue(live.isLoading)
            XCTAssertNil(live.value)
            waitUntil(live) { $0.value == 0 && !$0.isLoading }
            reader.cancel()
            let other = live.addReader()
            XCTAssertTrue(live.isLoading)
            other.cancel()
            XCTAssertFalse(live.isLoading)
        }
    }

    func testValueIsNotLoadingAfterTheDatabaseIsClosed() throws {
        for isShared in [false, true] {
            try onEachWriterOnMainActor { writer in
                let pause = ObservationPause()
                pause.pause()
                let paused = counts.pausable(by: pause)
                let live =
                    isShared
                    ? LiveValue(paused.shared(in: writer, scheduling: .mainQueue))
                    : LiveValue(paused, in: writer)
                let reader = live.addReader()
                XCTAssertTrue(live.isLoading)
                try writer.close()
                waitUntil(live) { !$0.isLoading }
                XCTAssertNil(live.value)
                XCTAssertNil(live.error)
                reader.cancel()
            }
        }
    }

    func testLiveValuesOfASharedObservationAreOneObservation() throws {
        try onEachWriterOnMainActor { writer in
            let fetches = Mutex(0)
            let observation = counts.handleEvents(willFetch: { fetches.withLock { $0 += 1 } })
            let shared = observation.shared(in: writer, scheduling: .mainQueue)
            let (first, second) = (LiveValue(shared), LiveValue(shared))
            let reader = first.addReader()
            waitUntil(first) { $0.value == 0 }
            let other = second.addReader()
            XCTAssertEqual(second.value, 0)
            XCTAssertEqual(fetches.withLock { $0 }, 1)
            XCTAssertEqual(writer.observations.count, 1)

            try writer.write { db in try db.execute(sql: insertIntoT) }
            waitUntil(first) { $0.value == 1 }
            waitUntil(second) { $0.value == 1 }
            XCTAssertEqual(fetches.withLock { $0 }, 2)

            try writer.write { db in try db.execute(sql: "DROP TABLE t") }
            waitUntil(first) { $0.error != nil }
            waitUntil(second) { $0.error != nil }
            try writer.write { db in try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
            first.retry()
            waitUntil(first) { $0.value == 0 && $0.error == nil }
            second.retry()
            waitUntil(second) { $0.value == 0 && $0.error == nil }
            XCTAssertEqual(writer.observations.count, 1)
            reader.cancel()
            XCTAssertEqual(writer.observations.count, 1)
            other.cancel()
            XCTAssertEqual(writer.observations.count, 0)
        }
    }

    /// The values of a shared observation with a queue of its own are received on the main actor, until the
    /// last reader is cancelled.
    func testSharedObservationMayDeliverElsewhere() throws {
        try onEachWriterOnMainActor { writer in
            let queue = DispatchQueue(label: "LiveValueTests.elsewhere")
            let shared = counts.shared(in: writer, scheduling: .async(onQueue: queue))
            let live = LiveValue(shared)
            let reader = live.addReader()
            XCTAssertTrue(live.isLoading)
            for count in 1...3 {
                try writer.write { db in try db.execute(sql: insertIntoT) }
                waitUntil(live) { $0.value == count }
            }
            // Keep the main queue busy until the next value waits for it.
            let delivered = DispatchSemaphore(value: 0)
            let other = shared.start(onError: { _ in }, onChange: { if $0 == 4 { delivered.signal() } })
            try writer.write { db in try db.execute(sql: insertIntoT) }
            XCTAssertEqual(delivered.wait(timeout: .now() + testTimeout), .success)
            queue.sync {}
            reader.cancel()
            let drained = XCTestExpectation(description: "drained")
            DispatchQueue.main.async { drained.fulfill() }
            XCTAssertEqual(XCTWaiter().wait(for: [drained], timeout: testTimeout), .completed)
            XCTAssertEqual(live.value, 3)
            other.cancel()
        }
    }

    func testErrorKeepsTheValueAndEndsTheObservationUntilItIsRetried() throws {
        try onEachWriterOnMainActor { writer in
            let live = LiveValue(counts, in: writer, scheduling: .immediate)
            let reader = live.addReader()
            try writer.write { db in try db.execute(sql: "DROP TABLE t") }
            waitUntil(live) { $0.error != nil }
            XCTAssertEqual(live.value, 0)
            XCTAssertFalse(live.isLoading)
            XCTAssertEqual(writer.observations.count, 0)

            try writer.write { db in
                try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
            }
            live.retry()
            XCTAssertNil(live.error)
            XCTAssertEqual(live.value, 1)
            reader.cancel()
        }
    }

    #if canImport(Observation)
        func testLiveValueMayBeRetriedWhileItStarts() throws {
            try onEachWriterOnMainActor { writer in
                let fails = Flag(true)
                let observation = ValueObservation.tracking { db in
                    if fails.value.withLock({ $0 }) { throw DatabaseError(message: "not yet") }
                    return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
                }
                let live = LiveValue(observation, in: writer, scheduling: .immediate)
                withObservationTracking {
                    _ = live.isLoading
                } onChange: {
                    // The value begins to load. The next change follows the error.
                    MainActor.assumeIsolated {
                        withObservationTracking {
                            _ = live.isLoading
                        } onChange: {
                            fails.value.withLock { $0 = false }
                            MainActor.assumeIsolated { live.retry() }
                        }
                    }
                }
                let reader = live.addReader()
                XCTAssertNil(live.error)
                XCTAssertEqual(live.value, 0)
                XCTAssertFalse(live.isLoading)
                XCTAssertEqual(writer.observations.count, 1)
                try writer.write { db in try db.execute(sql: insertIntoT) }
                waitUntil(live) { $0.value == 1 }
                reader.cancel()
                XCTAssertEqual(writer.observations.count, 0)
            }
        }
    #endif

    func testReadersMayBeReleasedOnOtherThreads() throws {
        try onEachWriterOnMainActor { writer in
            let live = LiveValue(counts, in: writer)
            let reader = live.addReader()
            XCTAssertTrue(live.isLoading)
            let removed = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                reader.cancel()
                removed.signal()
            }
            XCTAssertEqual(removed.wait(timeout: .now() + testTimeout), .success)
            XCTAssertEqual(writer.observations.count, 0)
            waitUntil(live) { !$0.isLoading }
            XCTAssertNil(live.value)
        }
    }

    func testTasksAreReadersUntilTheyAreCancelled() throws {
        try onEachWriterOnMainActor { writer in
            let live = LiveValue(counts, in: writer)
            let ended = XCTestExpectation(description: "ended")
            let task = Task { @MainActor in
                await live.keepUpdated()
                XCTAssertEqual(writer.observations.count, 0)
                ended.fulfill()
            }
            waitUntil(live) { $0.value == 0 }
            try writer.write { db in try db.execute(sql: insertIntoT) }
            waitUntil(live) { $0.value == 1 }
            XCTAssertEqual(writer.observations.count, 1)
            task.cancel()
            XCTAssertEqual(XCTWaiter().wait(for: [ended], timeout: testTimeout), .completed)
        }
    }
}
