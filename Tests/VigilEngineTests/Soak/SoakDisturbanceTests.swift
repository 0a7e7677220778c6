import Foundation
import Synchronization
import Vigil
import VigilTestSupport
import VigilTesting
import XCTest

/// Databases that are disturbed: one round of each kind, or more for `Scripts/soak`.
final class SoakDisturbanceTests: XCTestCase {
    /// Runs rounds until the time is up, or a single one in the test suite.
    private func soak(
        _ name: String, _ round: (String, any StorageBackend, inout SplitMix64) throws -> [String]
    ) throws {
        let seed = RandomTestSettings.seed
        print("soak, \(name): VIGIL_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        let end = Date() + (RandomTestSettings.soakSeconds ?? 0) / 3
        var rounds = 0
        repeat {
            for (backendName, backend) in testedBackends {
                rounds += 1
                let problems = try round(backendName, backend, &random)
                guard problems.isEmpty else {
                    return XCTFail(
                        "round \(rounds) on \(backendName), VIGIL_SEED=\(seed): "
                            + problems.prefix(10).joined(separator: "\n"))
                }
            }
        } while Date() < end
        print("soak, \(name): \(rounds) rounds")
    }

    private func configuration(_ backend: any StorageBackend) -> Configuration {
        var configuration = Configuration()
        configuration.backend = backend
        return configuration
    }

    // MARK: - Aborted transactions and suspension

    func testAbortedTransactionsLeaveNoChangesDuringSuspensions() throws {
        try soak("aborts") { _, backend, random in
            let directory = try TemporaryDirectory()
            let configuration = configuration(backend)
            let path = directory.file("db")
            let isPool = random.chance(2)
            let writer: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: path, configuration: configuration)
                : try DatabaseQueue(path: path, configuration: configuration)
            try writer.write { db in try db.execute(sql: SoakDisturbanceRound.schema) }
            let round = SoakDisturbanceRound(writer, seed: random.next())
            let observation = round.observe()
            guard round.run(timeout: 2 * testTimeout) else { return ["no progress"] }
            let ledger = round.ledger.withLock { $0 }
            var problems = ledger.problems
            let (rows, total) = try writer.read { db in
                (
                    Set(try Int.fetchAll(db, sql: "SELECT id FROM t")),
                    try Int.fetchOne(db, sql: "SELECT n FROM total")
                )
            }
            if let error = ledger.observationError {
                // A pool fetches on its readers, which are not suspended.
                if isPool { problems.append("the observation ended: \(error)") }
            } else if !eventually({ round.values.all.last == total }) {
                problems.append("the last value is \(round.values.all.last ?? -1), not \(total ?? -1)")
            }
            observation.cancel()
            let lost = ledger.acknowledged.subtracting(rows)
            if !lost.isEmpty { problems.append("lost: \(lost.sorted())") }
            let refused = rows.intersection(ledger.refused)
            if !refused.isEmpty { problems.append("stored although refused: \(refused.sorted())") }
            if total != rows.count { problems.append("\(rows.count) rows, but a total of \(total ?? -1)") }
            try writer.close()
            return problems
        }
    }

    // MARK: - Killed writers

    func testWatchersSurviveKilledWriters() throws {
        #if os(Linux)
            try soak("killed writers") { name, backend, random in
                let directory = try TemporaryDirectory()
                let path = directory.file("db")
                let mode = random.chance(2) ? CrashTests.Mode.wal : .delete
                var configuration = configuration(backend)
                configuration.foreignChanges = .observed
                let watcher: any DatabaseWriter =
                    mode == .wal
                    ? try DatabasePool(path: path, configuration: configuration)
                    : try DatabaseQueue(path: path, configuration: configuration)
                try watcher.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE t(id INTEGER PRIMARY KEY, content); CREATE TABLE total(n INTEGER);
                            INSERT INTO total VALUES (0)
                            """)
                }
                let values = Values<Int>()
                let error = Mutex<String?>(nil)
                let observation = ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT n FROM total") ?? -1
                }.start(
                    in: watcher, scheduling: .inline,
                    onError: { failure in error.withLock { $0 = "\(failure)" } }, onChange: values.append)
                var problems: [String] = []
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let count = Int.random(in: 1...30, using: &random)
                    let acknowledged = try CrashTests.killWriter(path, name, mode, afterCommits: count)
                    let (ids, total) = try watcher.read { db in
                        (
                            try Int.fetchAll(db, sql: "SELECT id FROM t"),
                            try Int.fetchOne(db, sql: "SELECT n FROM total")
                        )
                    }
                    let lost = Set(acknowledged).subtracting(ids)
                    if !lost.isEmpty { problems.append("\(mode): lost \(lost.sorted())") }
                    if total != ids.count { problems.append("\(mode): a read saw only half of a write") }
                    if !eventually({ values.all.last == total || error.withLock { $0 } != nil }) {
                        problems.append(
                            "\(mode): the last value is \(values.all.last ?? -1), not \(total ?? -1)")
                    }
                }
                if let error = error.withLock({ $0 }) { problems.append("\(mode): ended with \(error)") }
                observation.cancel()
                let integrity = try watcher.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
                if integrity != "ok" { problems.append("\(mode): \(integrity ?? "no answer")") }
                try watcher.close()
                return problems
            }
        #else
            throw XCTSkip.needsSeparateExecutable
        #endif
    }

    // MARK: - Replaced files

    func testReplacedFilesEndTheirWatchersAndLoseNoCommit() throws {
        try soak("replaced files") { _, backend, random in
            let directory = try TemporaryDirectory()
            let path = directory.file("db")
            var problems: [String] = []
            let count = RandomTestSettings.soakSeconds != nil ? Int.random(in: 1...4, using: &random) : 1
            try Self.make(path, rows: 0, configuration(backend))
            for number in 1...count {
                var watching = configuration(backend)
                watching.foreignChanges = .observed
                let watcher = try DatabaseQueue(path: path, configuration: watching)
                let ended = Mutex<String?>(nil)
                let values = Values<Int>()
                let observation = ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                }.start(
                    in: watcher, scheduling: .inline,
                    onError: { error in ended.withLock { $0 = "\(error)" } }, onChange: values.append)
                if !eventually({ !values.all.isEmpty }) { problems.append("no initial value") }
                try Self.make(directory.file("new"), rows: number * 1000, configuration(backend))
                guard rename(directory.file("new"), path) == 0 else { return ["rename: \(errno)"] }
                problems += try Self.write(path, configuration(backend))
                if !eventually({ ended.withLock { $0 } != nil }) {
                    problems.append("an observation of a replaced file did not end")
                }
                let foreign = values.all.filter { $0 >= number * 1000 }
                if !foreign.isEmpty { problems.append("values of the new file: \(foreign)") }
                observation.cancel()
                try? watcher.close()
            }
            return problems
        }
    }

    private static func make(_ path: String, rows: Int, _ configuration: Configuration) throws {
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, content)")
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
                    INSERT INTO t(content) SELECT 'x' FROM n WHERE ? > 0
                    """, arguments: [rows, rows])
        }
        try dbQueue.close()
    }

    /// Commits to the file that replaced another, and returns the problems that it found.
    private static func write(_ path: String, _ configuration: Configuration) throws -> [String] {
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        var problems: [String] = []
        for number in 1...30 {
            do {
                try dbQueue.write { db in
                    try db.execute(sql: "INSERT INTO t(content) VALUES (?)", arguments: [number])
                }
            } catch {
                problems.append("a commit to the new file failed: \(error)")
            }
        }
        let integrity = try dbQueue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        if integrity != "ok" { problems.append(integrity ?? "no answer") }
        try dbQueue.close()
        return problems
    }
}
