import Vigil
import XCTest

/// The first value of an observation, awaited.
final class FirstValueTests: XCTestCase {
    private struct Refusal: Error {}

    func testTheFirstValueIsReturnedAndTheObservationEnds() async throws {
        try await onEachWriterAsync { writer in
            let events = Lines()
            let first = try await rowCounts.print(to: events).first(in: writer)
            XCTAssertEqual(first, 0)
            await events.recorder.reached { $0.contains("cancel") }
            XCTAssertEqual(events.all.filter { $0 == "fetch" }.count, 1)
            try await writer.write { db in try db.execute(sql: insertIntoT) }
            let next = try await rowCounts.map { "\($0)" }.first(in: writer)
            XCTAssertEqual(next, "1")
        }
    }

    func testItWaitsForAValueThatIsDelivered() async throws {
        try await onEachWriterAsync { writer in
            let started = Gate()
            let task = Task {
                try await rowCounts.skippingInitialValue()
                    .handleEvents(willTrackRegion: { _ in started.open() })
                    .first(in: writer)
            }
            await started.passed()
            try await writer.write { db in try db.execute(sql: insertIntoT) }
            let first = try await task.value
            XCTAssertEqual(first, 1)
        }
    }

    func testAnErrorOfTheObservationIsThrown() async throws {
        try await onEachWriterAsync { writer in
            do {
                _ = try await rowCounts.map { _ -> Int in throw Refusal() }.first(in: writer)
                XCTFail("it did not throw")
            } catch is Refusal {}
        }
    }

    func testACancelledTaskThrows() async throws {
        try await onEachWriterAsync { writer in
            let started = Gate()
            let task = Task {
                try await rowCounts.skippingInitialValue()
                    .handleEvents(willTrackRegion: { _ in started.open() })
                    .first(in: writer)
            }
            await started.passed()
            task.cancel()
            await assertCancelled(task)
        }
    }

    func testClosingTheDatabaseThrows() async throws {
        try await onEachWriterAsync { writer in
            let started = Gate()
            let task = Task {
                try await rowCounts.skippingInitialValue()
                    .handleEvents(willTrackRegion: { _ in started.open() })
                    .first(in: writer)
            }
            await started.passed()
            try writer.close()
            await assertAsyncError(.SQLITE_MISUSE) { try await task.value }
        }
    }
}
