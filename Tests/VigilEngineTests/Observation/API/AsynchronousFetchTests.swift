import Dispatch
import Synchronization
import Vigil
import VigilTestSupport
import XCTest

/// Observations of regions with values that an asynchronous closure fetches.
final class AsynchronousFetchTests: XCTestCase {
    /// A fetch of the number of rows in `t`, by an access of its own.
    private final class Counts: Sendable {
        private let writer: any DatabaseWriter
        private let fetches = Mutex(0)

        init(_ writer: any DatabaseWriter) {
            self.writer = writer
        }

        var fetchCount: Int { fetches.withLock { $0 } }

        func fetch() async throws -> Int {
            fetches.withLock { $0 += 1 }
            return try await writer.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0 }
        }
    }

    private static let region = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))

    func testValuesFollowCommitsInTheRegion() async throws {
        try await onEachWriterAsync { writer in
            let counts = Counts(writer)
            try await writer.write { db in try db.execute(sql: "CREATE TABLE u(a)") }
            var values = Self.region.fetching(in: writer, fetch: counts.fetch)
                .values(bufferingPolicy: .bufferingNewest(1)).makeAsyncIterator()
            let first = try await values.next()
            XCTAssertEqual(first, 0)
            for expected in 1...5 {
                try await writer.write { db in try db.execute(sql: "INSERT INTO u VALUES (1)") }
                try await writer.write { db in try db.execute(sql: insertIntoT) }
                let value = try await values.next()
                XCTAssertEqual(value, expected)
            }
            XCTAssertEqual(counts.fetchCount, 6)
        }
    }

    func testClientsShareOneFetch() async throws {
        try await onEachWriterAsync { writer in
            let counts = Counts(writer)
            let shared = Self.region.fetching(in: writer, fetch: counts.fetch)
            var one = shared.values().makeAsyncIterator()
            var two = shared.values().makeAsyncIterator()
            for expected in 0...2 {
                let (first, second) = (try await one.next(), try await two.next())
                XCTAssertEqual(first, expected)
                XCTAssertEqual(second, expected)
                try await writer.write { db in try db.execute(sql: insertIntoT) }
            }
            XCTAssertLessThanOrEqual(counts.fetchCount, 4)
        }
    }

    func testAConsumerThatDoesNotReadCausesNoFetch() async throws {
        try await onEachWriterAsync { writer in
            let counts = Counts(writer)
            var values = Self.region.fetching(in: writer, fetch: counts.fetch)
                .values(bufferingPolicy: .bufferingNewest(1)).makeAsyncIterator()
            _ = try await values.next()
            // The buffer has room for one value.
            for _ in 0..<10 { try await writer.write { db in try db.execute(sql: insertIntoT) } }
            while try await values.next() != 10 {}
            // The first value, one in the buffer, the last one, and one more if the last commit was reported
            // after that fetch had begun.
            XCTAssertLessThanOrEqual(counts.fetchCount, 4)
        }
    }

    func testAnErrorOfTheFetchEndsTheObservation() async throws {
        struct Failure: Error {}
        try await onEachWriterAsync { writer in
            let fails = Mutex(true)
            let shared = Self.region.fetching(in: writer) {
                if fails.withLock({ $0 }) { throw Failure() }
                return 1
            }
            do {
                for try await _ in shared.values() { XCTFail("a value") }
                XCTFail("no error")
            } catch is Failure {}
            // The next client starts again.
            fails.withLock { $0 = false }
            var values = shared.values().makeAsyncIterator()
            let value = try await values.next()
            XCTAssertEqual(value, 1)
        }
    }

    func testAnInvalidRegionIsAnError() async throws {
        try await onEachWriterAsync { writer in
            let shared = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FRM t"))
                .fetching(in: writer) { 1 }
            do {
                for try await _ in shared.values() { XCTFail("a value") }
                XCTFail("no error")
            } catch let error as DatabaseError {
                XCTAssertEqual(error.resultCode, .SQLITE_ERROR)
            }
        }
    }

    func testAnErrorDuringADeliveryIsReportedAfterIt() async throws {
        struct Failure: Error {}
        /// A table that is observed once.
        final class Region: DatabaseRegionConvertible {
            private let isUsed = Mutex(false)

            func databaseRegion(_ db: Database) throws -> DatabaseRegion {
                let fails = isUsed.withLock { isUsed in
                    defer { isUsed = true }
                    return isUsed
                }
                if fails { throw Failure() }
                return DatabaseRegion(table: "t")
            }
        }
        try await onEachWriterAsync { writer in
            let events = Recorder<String>()
            let shared = DatabaseRegionObservation(tracking: Region())
                .fetching(in: writer, scheduling: ImmediateInlineScheduler()) { 1 }
            let client = shared.start(
                onError: { events.append($0 is Failure ? "failure" : "\($0)") },
                onChange: { _ in
                    events.append("begin")
                    do {
                        try writer.write { db in try db.execute(sql: insertIntoT) }
                        repeat {
                            try writer.barrierWriteWithoutTransaction { _ in }
                        } while !writer.observations.isEmpty
                    } catch {
                        XCTFail("\(error)")
                    }
                    events.append("end")
                })
            await events.reached { $0.count == 3 }
            XCTAssertEqual(events.all, ["begin", "end", "failure"])
            client.cancel()
        }
    }

    func testClosingTheDatabaseEndsTheSequence() async throws {
        try await onEachWriterAsync { writer in
            var values = Self.region.fetching(in: writer) { 1 }.values().makeAsyncIterator()
            let first = try await values.next()
            XCTAssertEqual(first, 1)
            try writer.close()
            let end = try await values.next()
            XCTAssertNil(end)
        }
    }

    func testTheEndOfTheLastClientCancelsTheFetch() async throws {
        try await onEachWriterAsync { writer in
            let events = Recorder<String>()
            let shared = Self.region.fetching(in: writer) {
                await withTaskCancellationHandler {
                    events.append("begin")
                    await events.reached { $0.contains("cancel") }
                } onCancel: {
                    events.append("cancel")
                }
            }
            let cancellable = shared.start(onError: { XCTFail("\($0)") }, onChange: { XCTFail("\($0)") })
            await events.reached { $0 == ["begin"] }
            cancellable.cancel()
            await events.reached { $0 == ["begin", "cancel"] }
        }
    }

    func testARunWaitsUntilACancelledOneHasReturned() async throws {
        try await onEachWriterAsync { writer in
            let (events, values) = (Recorder<String>(), Recorder<Int>())
            let goOn = Gate()
            let shared = Self.region.fetching(in: writer) {
                events.append("begin")
                await goOn.passed()
                events.append("end")
                return 1
            }
            for _ in 0..<3 {
                let client = shared.start(
                    onError: { XCTFail("\($0)") }, onChange: { _ in XCTFail("a value") })
                await events.reached { !$0.isEmpty }
                client.cancel()
            }
            let client = shared.start(onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
            // Otherwise its run begins during these writes.
            for _ in 0..<20 { try await writer.write { db in try db.execute(sql: insertIntoT) } }
            XCTAssertEqual(events.all, ["begin"])
            goOn.open()
            await values.reached { !$0.isEmpty }
            let runs = events.all
            XCTAssertEqual(runs, runs.indices.map { $0.isMultiple(of: 2) ? "begin" : "end" })
            client.cancel()
        }
    }

    /// Each commit is in the last value, wherever it falls.
    func testTheLastValueContainsAllCommits() async throws {
        try await onEachWriterAsync { writer in
            let counts = Counts(writer)
            let values = Recorder<Int>()
            let cancellable = Self.region.fetching(in: writer, fetch: counts.fetch)
                .start(onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
            for _ in 0..<RandomTestSettings.rounds(200) {
                try await writer.write { db in try db.execute(sql: insertIntoT) }
            }
            let count = RandomTestSettings.rounds(200)
            let all = await values.reached { $0.last == count }
            XCTAssertEqual(all, all.sorted())
            cancellable.cancel()
        }
    }
}
