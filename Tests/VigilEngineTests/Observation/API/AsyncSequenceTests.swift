import Dispatch
import Vigil
import XCTest

/// Observations as asynchronous sequences.
final class AsyncSequenceTests: XCTestCase {
    private func onEachWriter(_ body: (any DatabaseWriter, Lines) async throws -> Void) async throws {
        try await onEachWriterAsync { writer in try await body(writer, Lines()) }
    }

    private static func write(_ writer: any DatabaseWriter, _ sql: String = insertIntoT) async throws {
        try await writer.write { db in try db.execute(sql: sql) }
    }

    /// Waits until the observation reports its cancellation.
    private func cancelled(_ events: Lines) async {
        // A value that was being fetched may still be reduced afterwards.
        await events.recorder.reached { $0.contains("cancel") }
    }

    func testValuesAreSnapshotsInCommitOrderAndLeavingTheLoopCancels() async throws {
        try await onEachWriter { writer, events in
            var values: [Int] = []
            for try await value in rowCounts.print(to: events).values(in: writer) {
                values.append(value)
                if value == 5 { break }
                try await Self.write(writer)
            }
            XCTAssertEqual(values.first, 0)
            XCTAssertEqual(values, values.sorted())
            XCTAssertEqual(values.last, 5)
            await cancelled(events)
            XCTAssertTrue(writer.observations.isEmpty)
        }
    }

    func testTheSchedulerMakesNoDifferenceToTheValues() async throws {
        try await onEachWriter { writer, _ in
            let queue = DispatchQueue(label: "values")
            for sequence in [
                rowCounts.values(in: writer),
                rowCounts.values(in: writer, scheduling: .async(onQueue: queue)),
                rowCounts.values(in: writer, scheduling: .async(onQueue: .main)),
            ] {
                try await Self.write(writer, "DELETE FROM t")
                var iterator = sequence.makeAsyncIterator()
                let first = try await iterator.next()
                XCTAssertEqual(first, 0)
                try await Self.write(writer)
                let second = try await iterator.next()
                XCTAssertEqual(second, 1)
            }
        }
    }

    func testAPrefixCancels() async throws {
        try await onEachWriter { writer, events in
            var values: [Int] = []
            for try await value in rowCounts.print(to: events).values(in: writer).prefix(3) {
                values.append(value)
                if values.count < 3 { try await Self.write(writer) }
            }
            XCTAssertEqual(values.count, 3)
            XCTAssertEqual(values, values.sorted())
            await cancelled(events)
        }
    }

    func testAPrefixUpToAConditionCancels() async throws {
        try await onEachWriter { writer, events in
            var values: [Int] = []
            let sequence = rowCounts.print(to: events).values(in: writer)
            for try await value in try sequence.prefix(while: { $0 < 3 }) {
                values.append(value)
                try await Self.write(writer)
            }
            XCTAssertEqual(values, values.sorted())
            XCTAssertTrue(values.allSatisfy { $0 < 3 })
            await cancelled(events)
        }
    }

    func testACancelledTaskEndsTheLoopWithoutAnError() async throws {
        try await onEachWriter { writer, events in
            let values = Recorder<Int>()
            let task = Task {
                for try await value in rowCounts.print(to: events).values(in: writer) { values.append(value) }
                return "ended"
            }
            await values.reached { $0 == [0] }
            task.cancel()
            let end = try await task.value
            XCTAssertEqual(end, "ended")
            await cancelled(events)
        }
    }

    func testATaskCancelledBeforehandEndsItsLoop() async throws {
        try await onEachWriter { writer, events in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                var count = 0
                for try await _ in rowCounts.print(to: events).values(in: writer) { count += 1 }
                return count
            }
            // A value that is already buffered may still be delivered.
            let count = try await task.value
            XCTAssertLessThanOrEqual(count, 1)
            await cancelled(events)
        }
    }

    func testAReleasedIteratorCancels() async throws {
        try await onEachWriter { writer, events in
            var iterator = Optional(rowCounts.print(to: events).values(in: writer).makeAsyncIterator())
            let first = try await iterator?.next()
            XCTAssertEqual(first, 0)
            iterator = nil
            await cancelled(events)
        }
    }

    func testAnErrorEndsTheSequence() async throws {
        try await onEachWriter { writer, _ in
            var values: [Int] = []
            do {
                for try await value in rowCounts.values(in: writer) {
                    values.append(value)
                    try await Self.write(writer, "DROP TABLE t")
                }
                XCTFail("it did not throw")
            } catch let error as DatabaseError {
                XCTAssertEqual(error.resultCode, .SQLITE_ERROR)
            }
            XCTAssertEqual(values, [0])
        }
    }

    func testAnIteratorReturnsNilAfterAnError() async throws {
        for policy in [AsyncValueObservation<Int>.BufferingPolicy.unbounded, .bufferingNewest(1)] {
            try await onEachWriter { writer, _ in
                var iterator = rowCounts.values(in: writer, bufferingPolicy: policy).makeAsyncIterator()
                _ = try await iterator.next()
                // The error may occur before or while it is awaited.
                let drop = Task { try await Self.write(writer, "DROP TABLE t") }
                do {
                    _ = try await iterator.next()
                    XCTFail("it did not throw")
                } catch {}
                for _ in 1...2 {
                    let value = try await iterator.next()
                    XCTAssertNil(value)
                }
                try await drop.value
            }
        }
    }

    /// Checks the fetches while no value is awaited, and the values that are awaited afterwards.
    private func lazily(
        _ writer: any DatabaseWriter, _ policy: AsyncValueObservation<Int>.BufferingPolicy
    ) async throws {
        let fetches = Recorder<Int>()
        var iterator = ValueObservation.tracking { db in
            let count = try countRows(db)
            fetches.append(count)
            return count
        }
        .values(in: writer, bufferingPolicy: policy).makeAsyncIterator()
        await fetches.reached { $0.count == 1 }
        for _ in 0..<5 { try await Self.write(writer) }
        var value = try await iterator.next()
        XCTAssertEqual(value, 0)
        await fetches.reached { $0.count == 2 }
        for _ in 0..<5 { try await Self.write(writer) }
        value = try await iterator.next()
        XCTAssertEqual(value, 5)
        value = try await iterator.next()
        XCTAssertEqual(value, 10)
        XCTAssertEqual(fetches.all, [0, 5, 10])
    }

    func testAPoolFetchesOnlyAwaitedValues() async throws {
        try await onEachWriter { writer, _ in
            guard writer is DatabasePool else { return }
            try await lazily(writer, .unbounded)
        }
    }

    func testAFullBufferPreventsFetches() async throws {
        try await onEachWriter { writer, _ in
            try await lazily(writer, .bufferingNewest(1))
            try await Self.write(writer, "DELETE FROM t")
            try await lazily(writer, .bufferingOldest(1))
        }
    }

    func testAQueueBuffersEachCommit() async throws {
        try await onEachWriter { writer, _ in
            let observation = writer is DatabasePool ? rowCounts.coalescing(.never) : rowCounts
            var iterator = observation.values(in: writer).makeAsyncIterator()
            for _ in 0..<5 { try await Self.write(writer) }
            for expected in 0...5 {
                let value = try await iterator.next()
                XCTAssertEqual(value, expected)
            }
        }
    }

    func testEachIterationStartsAnObservation() async throws {
        try await onEachWriter { writer, events in
            let sequence = rowCounts.print(to: events).values(in: writer)
            XCTAssertEqual(events.all, [])
            for expected in 0...1 {
                for try await value in sequence {
                    XCTAssertEqual(value, expected)
                    break
                }
                await cancelled(events)
                try await Self.write(writer)
            }
            XCTAssertEqual(events.all.filter { $0 == "start" }.count, 2)
        }
    }

    func testLoopsEndWhenTheDatabaseIsClosed() async throws {
        try await onEachWriter { writer, _ in
            let values = Recorder<Int>()
            let task = Task {
                for try await value in rowCounts.values(in: writer) { values.append(value) }
            }
            await values.reached { $0 == [0] }
            try await Self.write(writer)
            await values.reached { $0 == [0, 1] }
            try writer.close()
            try await task.value
        }
    }

    func testLoopsOverUnchangingDatabasesEndWhenTheyAreClosed() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("database.sqlite")
        var configuration = Configuration()
        configuration.backend = try XCTUnwrap(testedBackends.first).backend
        let pool = try DatabasePool(path: path, configuration: configuration)
        try await pool.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
        var readOnly = configuration
        readOnly.readonly = true
        let readers: [any DatabaseReader] = [
            try DatabaseQueue(path: path, configuration: readOnly),
            try DatabasePool(path: path, configuration: readOnly), try pool.makeSnapshot(),
        ]
        for reader in readers {
            let values = Recorder<Int>()
            let task = Task {
                for try await value in rowCounts.values(in: reader) { values.append(value) }
            }
            await values.reached { $0 == [0] }
            try reader.close()
            try await task.value
        }
    }

    func testABufferWithoutRoomDropsTheValuesThatAreNotAwaited() async throws {
        try await onEachWriter { writer, _ in
            let values = UncheckedSendable(
                rowCounts.values(in: writer, bufferingPolicy: .bufferingNewest(0)).makeAsyncIterator())
            // The initial value is fetched before this write on a queue, and dropped.
            try await Self.write(writer)
            let next = Task {
                var values = values.value
                return try await values.next()
            }
            let writes = Task {
                for _ in 0..<10_000 where !Task.isCancelled {
                    try await Self.write(writer)
                    await Task.yield()
                }
                // None of them was delivered.
                next.cancel()
            }
            let value = try await next.value
            writes.cancel()
            XCTAssertNotNil(value)
            // The last write may have been cancelled.
            _ = await writes.result
        }
    }
}
