import Foundation
import Vigil
import VigilTestSupport
import XCTest

@testable import VigilEngine

/// Settings that cannot be are errors, and neither end the process nor hang.
final class ConfigurationValidationTests: XCTestCase {
    private func assertRefused(
        _ option: String, line: UInt = #line, _ change: (inout Configuration) -> Void
    ) throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            change(&configuration)
            for open in [
                { try DatabaseQueue(configuration: configuration) as any DatabaseReader },
                { try DatabaseQueue(path: directory.file("a"), configuration: configuration) },
                { try DatabasePool(path: directory.file("b"), configuration: configuration) },
            ] {
                XCTAssertThrowsError(try open(), line: line) { error in
                    let error = error as? DatabaseError
                    XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE, line: line)
                    XCTAssertEqual(
                        error?.message?.hasPrefix("the option \(option) of the configuration cannot be "),
                        true,
                        "\(error?.message ?? "no message")", line: line)
                }
            }
        }
    }

    func testTimeoutsThatAreNotDurationsAreRefused() throws {
        for seconds in [TimeInterval.infinity, -.infinity, .nan, -1, -.leastNonzeroMagnitude] {
            try assertRefused("busyMode") { $0.busyMode = .timeout(seconds) }
        }
    }

    func testNumbersThatAreTooSmallAreRefused() throws {
        try assertRefused("maximumReaderCount") { $0.maximumReaderCount = 0 }
        try assertRefused("maximumReaderCount") { $0.maximumReaderCount = .min }
        try assertRefused("maximumKeptStatementCount") { $0.maximumKeptStatementCount = -1 }
        try assertRefused("maximumWriteRetryCount") { $0.maximumWriteRetryCount = -1 }
        try assertRefused("listVerificationInterval") { $0.listVerificationInterval = -1 }
        try assertRefused("label") { $0.label = "a\0b" }
    }

    func testExtremeSettingsArePossible() throws {
        for seconds in [0, TimeInterval.greatestFiniteMagnitude] {
            var configuration = Configuration()
            configuration.busyMode = .timeout(seconds)
            configuration.maximumReaderCount = .max
            configuration.maximumKeptStatementCount = .max
            configuration.maximumWriteRetryCount = .max
            configuration.listVerificationInterval = .max
            let directory = try TemporaryDirectory()
            let dbPool = try DatabasePool(path: directory.file("a"), configuration: configuration)
            try dbPool.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            XCTAssertEqual(try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 0)
        }
    }

    func testTheDelaysOfATimeoutAddUpToIt() {
        for timeout in [0, 0.0005, 0.01, 0.1, 3] {
            let delays = BusyDelays(timeout: timeout)
            var sum = 0.0
            var attempts = 0
            while let delay = delays.delay(afterAttempts: attempts) {
                XCTAssertGreaterThan(delay, 0)
                XCTAssertEqual(BusyDelays.elapsed(afterAttempts: attempts), sum, accuracy: 1e-9)
                sum += delay
                attempts += 1
            }
            XCTAssertEqual(sum, timeout, accuracy: 1e-9)
        }
    }

    func testIntervalsOfObservationsMayBeExtreme() throws {
        let values = Recorder<Int>()
        let dbQueue = try DatabaseQueue(configuration: Configuration())
        try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
        let counts = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
        }
        let tokens = [.seconds(Int64.min), .seconds(-1), .zero].flatMap { (interval: Duration) in
            [counts.throttled(interval), counts.debounced(interval)].map { observation in
                observation.start(
                    in: dbQueue, scheduling: .task, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            }
        }
        // Never fetched a second time.
        let rare = counts.throttled(.seconds(Int64.max)).start(
            in: dbQueue, scheduling: .task, onError: { XCTFail("\($0)") }, onChange: { _ in })
        values.wait(count: tokens.count)
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        values.wait(count: 2 * tokens.count)
        XCTAssertEqual(values.all.filter { $0 == 1 }.count, tokens.count)
        (tokens + [rare]).forEach { $0.cancel() }
    }

    func testABackupOfNoPagesPerStepIsRefused() throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { source in
            let copy = try DatabaseQueue(configuration: source.configuration)
            assertDatabaseError(
                .SQLITE_MISUSE, "a step of a backup must copy pages: a negative number copies all"
            ) {
                try source.backup(to: copy, pagesPerStep: 0)
            }
            for count in [CInt.min, -1, .max] { try source.backup(to: copy, pagesPerStep: count) }
            XCTAssertTrue(try copy.read { try $0.tableExists("t") })
        }
    }

    func testFunctionsThatTheLibraryRefusesAreNamed() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                for (count, name) in [(-1, "f"), (.min, "f"), (.max, "f"), (10_000, "f")] {
                    db.add(function: DatabaseFunction(name, argumentCount: count) { _ in 1 })
                    XCTAssertThrowsError(try db.execute(sql: "SELECT 1")) { error in
                        let error = error as? DatabaseError
                        XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE)
                        XCTAssertEqual(
                            error?.message?.hasPrefix(
                                "cannot change the function f: \(count) is not a number of arguments from 0 to 1"
                            ),
                            true, error?.message ?? "no message")
                    }
                }
                let name = String(repeating: "x", count: 256)
                db.add(function: DatabaseFunction(name) { _ in 1 })
                assertDatabaseError(
                    .SQLITE_MISUSE,
                    "cannot change the function \(name.dropLast()): its name has 256 bytes, and the maximum is 255"
                ) {
                    try db.execute(sql: "SELECT 1")
                }
            }
        }
    }
}
