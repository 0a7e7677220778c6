import Synchronization
import VigilStorage
import VigilTesting
import XCTest

/// Records the entries that callbacks append.
final class Log: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func append(_ line: String) { state.withLock { $0.append(line) } }
}

final class SimulatedFaultsTests: XCTestCase {
    private let location = StorageLocation.file(path: "players")

    private func open(
        _ faults: SimulatedFaults, busyHandler: (@Sendable (Int) -> Bool)? = nil
    ) throws -> (any StorageConnection, RecordingSink) {
        var options = StorageOptions()
        options.busyHandler = busyHandler
        let connection = try SimulatedBackend(faults: faults).open(location, options: options)
        try connection.run("CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a')")
        let sink = RecordingSink()
        connection.report(to: sink, interest: .transactions)
        return (connection, sink)
    }

    func testPointsAreCounted() throws {
        let faults = SimulatedFaults()
        let (connection, _) = try open(faults)
        let before = faults.counts
        try connection.run("BEGIN; INSERT INTO t VALUES (2, 'b'), (3, 'c'); DELETE FROM t; COMMIT")
        XCTAssertEqual(faults.counts.steps - before.steps, 4)
        XCTAssertEqual(faults.counts.writes - before.writes, 5)
        XCTAssertEqual(faults.counts.locks - before.locks, 1)
        XCTAssertEqual(faults.counts.commits - before.commits, 1)
        XCTAssertEqual(faults.strikes, [])
    }

    func testLockIsRefused() throws {
        let faults = SimulatedFaults()
        let log = Log()
        let (connection, _) = try open(faults) { attempts in
            log.append("\(attempts)")
            return attempts < 1
        }
        let next = faults.counts.locks + 1
        faults.add(.busy(atLock: next))
        XCTAssertNil(connection.code("INSERT INTO t VALUES (2, 'b')"))
        XCTAssertEqual(log.lines, ["0"])
        for number in [next + 2, next + 3] { faults.add(.busy(atLock: number)) }
        XCTAssertEqual(connection.code("INSERT INTO t VALUES (3, 'c')"), .busy)
        XCTAssertEqual(log.lines, ["0", "0", "1"])
        XCTAssertEqual(faults.strikes.map(\.number), [next, next + 2, next + 3])
    }

    func testInputErrorRollsBack() throws {
        let faults = SimulatedFaults()
        let (connection, sink) = try open(faults)
        try connection.run("BEGIN; INSERT INTO t VALUES (2, 'b')")
        faults.add(.ioError(atStep: faults.counts.steps + 1))
        XCTAssertEqual(connection.code("SELECT id FROM t"), .ioError)
        XCTAssertFalse(connection.isInTransaction)
        XCTAssertEqual(sink.lines, ["rollback"])
        XCTAssertEqual(try connection.integers("SELECT id FROM t"), [1])
    }

    func testFailingCommitLeavesTheTransactionOpen() throws {
        let faults = SimulatedFaults()
        let (connection, sink) = try open(faults)
        faults.add(.failingCommit(faults.counts.commits + 1, code: .busy))
        try connection.run("BEGIN; INSERT INTO t VALUES (2, 'b')")
        XCTAssertEqual(connection.code("COMMIT"), .busy)
        XCTAssertTrue(connection.isInTransaction)
        try connection.run("COMMIT")
        XCTAssertEqual(sink.lines, ["commit?", "commit?"])
        XCTAssertEqual(try connection.integers("SELECT id FROM t"), [1, 2])
    }

    func testFailingCommitIsRolledBack() throws {
        let faults = SimulatedFaults()
        let (connection, sink) = try open(faults)
        faults.add(.failingCommit(faults.counts.commits + 1, rollsBack: true))
        faults.add(.failingCommit(faults.counts.commits + 2))
        try connection.run("SAVEPOINT a; INSERT INTO t VALUES (2, 'b')")
        XCTAssertEqual(connection.code("RELEASE a"), .ioError)
        XCTAssertFalse(connection.isInTransaction)
        XCTAssertEqual(connection.code("INSERT INTO t VALUES (2, 'b')"), .ioError)
        XCTAssertFalse(connection.isInTransaction)
        XCTAssertEqual(sink.lines, ["commit?", "rollback", "commit?", "rollback"])
        XCTAssertEqual(try connection.integers("SELECT id FROM t"), [1])
    }

    func testFullDiskRollsBack() throws {
        let faults = SimulatedFaults()
        let (connection, sink) = try open(faults)
        faults.add(.diskFull(atWrite: faults.counts.writes + 3))
        try connection.run("BEGIN; INSERT INTO t VALUES (2, 'b')")
        XCTAssertEqual(connection.code("INSERT INTO t VALUES (3, 'c'), (4, 'd')"), .full)
        XCTAssertFalse(connection.isInTransaction)
        XCTAssertEqual(sink.lines, ["rollback"])
        XCTAssertNil(connection.code("INSERT INTO t VALUES (5, 'e')"))
        XCTAssertEqual(try connection.integers("SELECT id FROM t"), [1, 5])
    }

    func testSlowStepCanBeInterrupted() throws {
        let faults = SimulatedFaults()
        let (connection, sink) = try open(faults)
        let interrupter = connection.interrupter
        try connection.run("BEGIN; DELETE FROM t")
        faults.add(.slowStep(faults.counts.steps + 2) { interrupter.interrupt() })
        try connection.withStatement("SELECT name FROM sqlite_master LIMIT 0") { statement in
            XCTAssertFalse(try statement.step())
            XCTAssertThrowsError(try statement.step()) {
                XCTAssertEqual(($0 as? StorageError)?.code, .interrupt)
            }
        }
        XCTAssertTrue(connection.isInTransaction, "a read that is interrupted leaves the transaction open")
        XCTAssertEqual(sink.lines, [])
    }

    func testSlowStepInterleavesConnections() throws {
        let faults = SimulatedFaults()
        let backend = SimulatedBackend(faults: faults)
        let a = try backend.open(location, options: StorageOptions())
        try a.run("CREATE TABLE t(id INTEGER PRIMARY KEY)")
        let log = Log()
        let location = location
        faults.add(
            .slowStep(faults.counts.steps + 2) {
                let b = try? backend.open(location, options: StorageOptions())
                log.append("\((try? b?.integers("SELECT id FROM t")) ?? [])")
            })
        try a.run("BEGIN; INSERT INTO t VALUES (1); COMMIT")
        XCTAssertEqual(log.lines, ["[]"])
    }

    // MARK: Random faults

    /// Runs writes under random faults, and returns their outcomes and the faults that occurred.
    private func history(seed: UInt64) throws -> (outcomes: [Int32], strikes: [SimulatedFaults.Strike]) {
        let faults = SimulatedFaults(seed: seed)
        let (connection, _) = try open(faults)
        let rules: [SimulatedFaults.Rule] = [
            .random(.busy, probability: 0.1), .random(.ioError, probability: 0.1),
            .random(.failingCommit(.ioError, rollsBack: true), probability: 0.1),
            .random(.diskFull, probability: 0.1),
        ]
        for rule in rules { faults.add(rule) }
        let outcomes = (2..<200).map { connection.code("INSERT INTO t VALUES (\($0), 'x')")?.rawValue ?? 0 }
        faults.removeAllRules()
        let succeeded = outcomes.count { $0 == 0 }
        XCTAssertEqual(
            try connection.integers("SELECT COUNT(*) FROM t"), [Int64(succeeded + 1)], "seed \(seed)")
        return (outcomes, faults.strikes)
    }

    func testSameSeedGivesTheSameFaults() throws {
        let first = try history(seed: 42)
        let second = try history(seed: 42)
        XCTAssertEqual(first.outcomes, second.outcomes)
        XCTAssertEqual(first.strikes, second.strikes)
        XCTAssertEqual(Set(first.strikes.map(\.kind)).count, 4)
        XCTAssertNotEqual(first.outcomes, try history(seed: 43).outcomes)
    }

    func testRandomNumbersMatchTheReference() {
        var random = SplitMix64(seed: 1_234_567)
        XCTAssertEqual(random.next(), 6_457_827_717_110_365_317)
        XCTAssertEqual(random.next(), 3_203_168_211_198_807_973)
    }
}
