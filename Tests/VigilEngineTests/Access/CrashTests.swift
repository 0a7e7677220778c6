import Foundation
import Vigil
import VigilTestSupport
import VigilTesting
import XCTest

/// Kills a process that writes, and examines the remaining database.
///
/// The process runs the test executable itself, with an environment that makes ``testWriterThatIsKilled()``
/// write.
final class CrashTests: XCTestCase {
    private static let pathVariable = "VIGIL_CRASH_PATH"
    private static let backendVariable = "VIGIL_CRASH_BACKEND"
    private static let modeVariable = "VIGIL_CRASH_MODE"
    private static let acknowledgement = "committed "
    private static let kills = RandomTestSettings.rounds(13)

    enum Mode: String, CaseIterable {
        case wal, delete
    }

    func testEveryAcknowledgedCommitSurvivesTheProcess() throws {
        #if os(Linux)
            let seed = RandomTestSettings.seed
            print("crash: VIGIL_SEED=\(seed)")
            var random = SplitMix64(seed: seed)
            let combinations = testedBackends.count * Mode.allCases.count
            for (name, backend) in testedBackends {
                for mode in Mode.allCases {
                    let directory = try TemporaryDirectory()
                    let path = directory.file("db")
                    var acknowledged: [Int] = []
                    for _ in 0..<(Self.kills + combinations - 1) / combinations {
                        let count = Int.random(in: 1...30, using: &random)
                        acknowledged += try Self.killWriter(path, name, mode, afterCommits: count)
                        try check(path, backend, mode, acknowledged, "\(name), \(mode), VIGIL_SEED=\(seed)")
                    }
                }
            }
        #else
            throw XCTSkip.needsSeparateExecutable
        #endif
    }

    /// Kills a writer that prints its commits to its standard output, and returns those commits.
    static func killWriter(
        _ path: String, _ backend: String, _ mode: Mode, afterCommits count: Int
    ) throws -> [Int] {
        let text = try Process.running(
            "VigilEngineTests.CrashTests/testWriterThatIsKilled",
            environment: [pathVariable: path, backendVariable: backend, modeVariable: mode.rawValue]
        ).runAndKill(after: count, messages: acknowledgement)
        // An incomplete last line is ignored.
        return text.components(separatedBy: "\n").dropLast().compactMap { line in
            line.hasPrefix(acknowledgement) ? Int(line.dropFirst(acknowledgement.count)) : nil
        }
    }

    private func check(
        _ path: String, _ backend: any StorageBackend, _ mode: Mode, _ acknowledged: [Int], _ context: String
    ) throws {
        let writer = try open(path, backend, mode)
        try writer.read { db in
            let ids = try Int.fetchAll(db, sql: "SELECT id FROM t ORDER BY id")
            let lost = Set(acknowledged).subtracting(ids)
            XCTAssertTrue(lost.isEmpty, "lost \(lost.sorted()): \(context)")
            // Only whole transactions are stored.
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT n FROM total"), ids.count, context)
            XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA integrity_check"), "ok", context)
        }
        let found = try writer.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        XCTAssertEqual(found, mode.rawValue, context)
        try writer.close()
    }

    private func open(_ path: String, _ backend: any StorageBackend, _ mode: Mode) throws
        -> any DatabaseWriter
    {
        var configuration = Configuration()
        configuration.backend = backend
        // Another process may be reading.
        configuration.busyMode = .timeout(10)
        return switch mode {
        case .wal: try DatabasePool(path: path, configuration: configuration)
        case .delete: try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// Does nothing, except in the process that is killed.
    func testWriterThatIsKilled() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment[Self.pathVariable],
            let backend = testedBackends.first(where: { $0.name == environment[Self.backendVariable] })?
                .backend,
            let mode = environment[Self.modeVariable].flatMap(Mode.init)
        else { return }
        let writer = try open(path, backend, mode)
        let first = try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, content);
                    CREATE TABLE IF NOT EXISTS total(n INTEGER);
                    INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT * FROM total);
                    """)
            return try Int.fetchOne(db, sql: "SELECT COALESCE(MAX(id), 0) + 1 FROM t") ?? 1
        }
        // The process ends even if it is not killed.
        for id in first..<first + 100_000 {
            try writer.write { db in
                try db.execute(
                    sql: "INSERT INTO t VALUES (?, randomblob(1 + abs(random() % 9000)))", arguments: [id])
                try db.execute(sql: "UPDATE total SET n = n + 1")
            }
            FileHandle.standardOutput.write(Data("\(Self.acknowledgement)\(id)\n".utf8))
        }
    }
}
