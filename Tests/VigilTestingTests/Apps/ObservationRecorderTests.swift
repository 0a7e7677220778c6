import Dispatch
import Foundation
import Vigil
import VigilTesting
import XCTest

final class ObservationRecorderTests: XCTestCase {
    private let counter = FetchCounter()
    private let faults = StatementFaults()

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.observationMonitor = counter
        faults.add(to: &configuration)
        return configuration
    }

    private func makeDatabases() throws -> [any DatabaseWriter] {
        let path = NSTemporaryDirectory() + "vigil-recorder-\(UUID().uuidString)"
        addTeardownBlock {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        let databases: [any DatabaseWriter] = [
            try DatabaseQueue(configuration: configuration),
            try DatabasePool(path: path, configuration: configuration),
        ]
        for database in databases {
            try database.write { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
                try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY)")
            }
        }
        return databases
    }

    private let names = ValueObservation.tracking { db in
        try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
    }

    private func insert(_ name: String, _ database: any DatabaseWriter) async throws {
        try await database.write { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
        }
    }

    /// Records an observation until its failure. Its second value is not delivered before a signal.
    private func recordFailure(
        in database: any DatabaseWriter, after isReducible: DispatchSemaphore
    ) async throws -> ObservationRecorder<[String]> {
        let recorder = names.map { names in
            if names == ["Ada"] { isReducible.wait() }
            return names
        }.record(in: database)
        _ = try await recorder.next()
        try await insert("Ada", database)
        faults.fail(containing: "SELECT name")
        try await insert("Barbara", database)
        return recorder
    }

    /// Returns the description of the error that an expectation throws.
    private func failure(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    func testValuesAreReturnedInTheirOrder() async throws {
        for database in try makeDatabases() {
            let recorder = names.record(in: database)
            let first = try await recorder.next()
            XCTAssertEqual(first, [])
            try await insert("Ada", database)
            let second = try await recorder.next()
            XCTAssertEqual(second, ["Ada"])
            try await insert("Barbara", database)
            let third = try await recorder.value(3)
            XCTAssertEqual(third, ["Ada", "Barbara"])
            let again = try await recorder.next()
            XCTAssertEqual(again, third)
            try await recorder.expectNoValue()
            XCTAssertEqual(recorder.values, [[], ["Ada"], ["Ada", "Barbara"]])
        }
    }

    func testAnUnrelatedWriteDeliversNothing() async throws {
        for database in try makeDatabases() {
            let recorder = names.record(in: database)
            _ = try await recorder.next()
            for _ in 0..<50 {
                try await database.write { db in try db.execute(sql: "INSERT INTO note DEFAULT VALUES") }
                try await recorder.expectNoValue()
            }
            // Otherwise the expectation fails.
            for round in 0..<50 {
                try await insert("Ada", database)
                let message = await failure { try await recorder.expectNoValue() }
                XCTAssertTrue(
                    message?.hasPrefix("1 values instead of none: [[") == true, message ?? "round \(round)")
                _ = try await recorder.next()
            }
        }
    }

    func testAMissingValueAndACancellationAreErrors() async throws {
        let database = try makeDatabases()[0]
        let recorder = names.record(in: database)
        _ = try await recorder.next()
        let late = await failure { _ = try await recorder.next(within: .milliseconds(1)) }
        XCTAssertEqual(late, "no value within 0.001 seconds: 1 values instead of 2")
        let first = await failure { _ = try await recorder.value(0) }
        XCTAssertEqual(first, "the first value has the number 1")
        try await insert("Ada", database)
        let value = try await recorder.next()
        XCTAssertEqual(value, ["Ada"], "it was not returned before")
        let task = Task { try await recorder.value(9) }
        task.cancel()
        let cancelled = await failure { _ = try await task.value }
        XCTAssertEqual(cancelled, "CancellationError()")
        let waiting = Task { try await recorder.value(9) }
        recorder.cancel()
        let ended = await failure { _ = try await waiting.value }
        XCTAssertEqual(ended, "the recorder was cancelled")
        XCTAssertEqual(recorder.values, [[], ["Ada"]])
        XCTAssertEqual(database.observations.count, 0)
    }

    func testACancelledRecorderHasNoErrorAndNoValue() async throws {
        for database in try makeDatabases() {
            let recorder = names.record(in: database)
            _ = try await recorder.next()
            recorder.cancel()
            try await insert("Ada", database)
            try await recorder.expectNoValue()
            XCTAssertNil(recorder.error)
        }
    }

    func testTheEndOfARecorderEndsTheObservation() async throws {
        let database = try makeDatabases()[0]
        var recorder: ObservationRecorder? = names.record(in: database)
        _ = try await recorder?.next()
        XCTAssertEqual(database.observations.count, 1)
        // The recorder is in use until the callback has returned.
        try await database.observationsDidSettle()
        recorder = nil
        XCTAssertEqual(database.observations.count, 0)
    }

    func testValuesAndErrorsOfAFailedObservationAreAwaited() async throws {
        let database = try makeDatabases()[0]
        let isReducible = DispatchSemaphore(value: 0)
        let recorder = try await recordFailure(in: database, after: isReducible)
        XCTAssertEqual(database.observations.count, 0)
        let busy = await failure { try await database.observationsDidSettle(within: .zero) }
        XCTAssertTrue(busy?.hasPrefix("an observation is still delivering") == true, busy ?? "settled")
        isReducible.signal()
        let ended = await failure { try await recorder.expectNoValue() }
        XCTAssertTrue(ended?.contains("SQLite error 10") == true, ended ?? "no error")
        XCTAssertEqual(recorder.values, [[], ["Ada"]])
    }

    func testACancelledObservationIsNotAwaitedAfterItsFailure() async throws {
        let database = try makeDatabases()[0]
        let isReducible = DispatchSemaphore(value: 0)
        let recorder = try await recordFailure(in: database, after: isReducible)
        recorder.cancel()
        try await database.observationsDidSettle()
        isReducible.signal()
        XCTAssertEqual(recorder.values, [[]])
    }

    func testTheFirstValueInAWrappedReaderIsAwaited() async throws {
        for database in try makeDatabases() {
            for _ in 0..<20 {
                let reader = AnyDatabaseReader(database)
                let recorder = names.removeDuplicates().record(in: reader)
                try await reader.observationsDidSettle()
                XCTAssertEqual(recorder.values, [[]])
            }
        }
    }

    func testFetchesAreCounted() async throws {
        for database in try makeDatabases() {
            // Of three observations, two are equal. On a pool, a slow fetch is not shared.
            let count = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
            }
            let recorders = (0..<(database is DatabaseQueue ? 2 : 1)).map { _ in names.record(in: database) }
            let other = count.record(in: database)
            for recorder in recorders { _ = try await recorder.next() }
            _ = try await other.next()
            try await counter.expect(2, in: database) { try await insert("Ada", database) }
            try await counter.expect(0, in: database) {
                try await database.write { db in try db.execute(sql: "INSERT INTO note DEFAULT VALUES") }
            }
            let message = await failure {
                try await counter.expect(1, in: database) { try await insert("Barbara", database) }
            }
            XCTAssertEqual(message, "2 fetches instead of 1", "\(database)")
        }
    }

    func testAClockEndsAnInterval() async throws {
        for database in try makeDatabases() {
            let clock = ManualClock()
            let recorder = names.debounced(.seconds(5)).timed(by: clock).record(in: database)
            _ = try await recorder.next()
            try await insert("Ada", database)
            try await insert("Barbara", database)
            try await recorder.expectNoValue()
            clock.advance(by: .seconds(5))
            let value = try await recorder.next()
            XCTAssertEqual(value, ["Ada", "Barbara"])
        }
    }

    func testTheChosenStatementFails() async throws {
        for database in try makeDatabases() {
            let recorder = names.record(in: database)
            _ = try await recorder.next()
            faults.fail(2, containing: "INSERT", with: DatabaseError(resultCode: .SQLITE_FULL))
            let message = await failure {
                try await database.write { db in
                    for name in ["Ada", "Barbara"] {
                        try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
                    }
                }
            }
            XCTAssertTrue(message?.contains("SQLite error 13") == true, message ?? "no error")
            XCTAssertTrue(message?.contains("INSERT INTO player") == true, message ?? "no error")
            try await recorder.expectNoValue()
            try await insert("Ada", database)
            let value = try await recorder.next()
            XCTAssertEqual(value, ["Ada"], "only one statement fails, and its transaction was rolled back")

            faults.fail(containing: "SELECT name")
            try await insert("Barbara", database)
            let ended = await failure { _ = try await recorder.next() }
            XCTAssertTrue(ended?.contains("SQLite error 10") == true, ended ?? "no error")
        }
        XCTAssertEqual(faults.failureCount, 4)
    }
}
