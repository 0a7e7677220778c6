import Logging
import Synchronization
import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// The log entries of observations.
final class ObservationLogTests: XCTestCase {
    private struct Entry: Sendable {
        let level: Logger.Level
        let message: String
        let label: String?
    }

    private func onEachLoggedFixture(_ body: (ObservationFixture, Recorder<Entry>) throws -> Void) throws {
        let entries = Recorder<Entry>()
        var configuration = Configuration()
        configuration.logger = Logger(label: "test") { _ in
            RecordingLogHandler { entry in
                let label = entry.metadata?["observation"].map { "\($0)" }
                entries.append(Entry(level: entry.level, message: entry.message, label: label))
            }
        }
        try onEachFixture(WriterKind.allCases, Scheduling.allCases, configuration) { fixture in
            try body(fixture, entries)
        }
    }

    func testThereIsNoLoggerByDefault() {
        XCTAssertNil(Configuration().logger)
    }

    func testTheLogContainsTheActivityOfAnObservationAndItsReason() throws {
        try onEachLoggedFixture { fixture, entries in
            let before = entries.all.count
            let observed = fixture.observe(rowCounts.labeled("rows"))
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
            observed.cancel()
            let log = entries.all.dropFirst(before).filter { $0.label == "rows" }
            XCTAssertTrue(log.allSatisfy { $0.level == .debug })
            let messages = log.map(\.message).map { $0.hasPrefix("fetched in") ? "fetched" : $0 }
            XCTAssertEqual(messages.count, 6, "\(messages)")
            XCTAssertEqual(messages.prefix(3), ["started", "fetched", "tracks t(*)"])
            XCTAssertTrue(messages.dropFirst(3).first?.hasPrefix("commit ") ?? false, "\(messages)")
            XCTAssertEqual(messages.suffix(2), ["fetched", "cancelled"])
        }
    }

    func testTheFirstSlowFetchOfAQueueIsAWarning() throws {
        try onEachLoggedFixture { fixture, entries in
            let before = entries.all.count
            let timer = ManualClock()
            let times = Mutex<[Duration]>([.milliseconds(100), .milliseconds(101), .seconds(2)])
            var observation = ValueObservation.tracking { db in
                timer.advance(by: times.withLock { $0.isEmpty ? .zero : $0.removeFirst() })
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
            }.labeled("slow")
            observation.options.timer = timer
            let observed = fixture.observe(observation)
            observed.expect([0])
            for count in 1...3 {
                try fixture.insert()
                observed.expect(Array(0...count))
            }
            let warnings = entries.all.dropFirst(before).filter { $0.level == .warning }
            XCTAssertEqual(warnings.map(\.label), fixture.isPool ? [] : ["slow"])
            XCTAssertEqual(
                warnings.first?.message.hasPrefix("a fetch took 0.101 seconds: each write "),
                fixture.isPool ? nil : true)
        }
    }

    func testAFailureIsAnError() throws {
        try onEachLoggedFixture { fixture, entries in
            let before = entries.all.count
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.writer.commit("DROP TABLE t")
            observed.errors.wait(count: 1)
            let errors = entries.all.dropFirst(before).filter { $0.level == .error && $0.label != nil }
            XCTAssertEqual(
                errors.map(\.message),
                ["failed: SQLite error 1: no such table: t - while executing `SELECT COUNT(*) FROM t`"])
        }
    }

    func testAFailureWithAKnownRemedyIsLoggedWithIt() throws {
        try onEachLoggedFixture { fixture, entries in
            let before = entries.all.count
            let observed = fixture.observe(
                ValueObservation.tracking { db in try db.execute(sql: insertIntoT) }.map { 0 })
            observed.errors.wait(count: 1)
            let errors = entries.all.dropFirst(before).filter { $0.level == .error && $0.label != nil }
            XCTAssertEqual(
                errors.map(\.message),
                [
                    """
                    failed: SQLite error 8: attempt to write a readonly database (use write instead of read, \
                    or requiresWriteAccess in an observation) - while executing `\(insertIntoT)`
                    """
                ])
        }
    }

    func testNoValueIsEverInTheLog() throws {
        let secret = "s3cr3t"
        try onEachLoggedFixture { fixture, entries in
            let all = SQLRequest<String>(
                sql: "SELECT a FROM t WHERE a >= ?", arguments: StatementArguments([secret]))
            let interpolated = SQLRequest<String>("SELECT a FROM t WHERE a >= \(secret)")
            let observed = [all, interpolated].map { fixture.observe(ValueObservation.trackingAll($0)) }
            for observation in observed { observation.expect([[]]) }
            let insert = "INSERT INTO t(a) VALUES (?)"
            try fixture.writer.write { db in try db.execute(sql: insert, arguments: [secret]) }
            for observation in observed { observation.expect([[], [secret]]) }
            let failing = fixture.observe(
                ValueObservation.tracking { db in
                    try Int.fetchOne(
                        db, sql: "SELECT abs(-9223372036854775808) FROM t WHERE a = ?", arguments: [secret])
                })
            failing.errors.wait(count: 1)
            let missing = fixture.observe(
                ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT ? FROM missing", arguments: [secret])
                })
            missing.errors.wait(count: 1)
            XCTAssertFalse("\(failing.errors.all)\(missing.errors.all)".contains(secret))
            for entry in entries.all {
                XCTAssertFalse("\(entry)".contains(secret), "\(entry)")
            }
        }
    }
}
