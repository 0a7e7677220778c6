import Foundation
import VigilSQLite
import VigilStorage
import XCTest

/// Commits of other processes, found in the write-ahead log: this executable, the `sqlite3` shell, and
/// Python. Some of them are killed while they write.
final class ForeignProcessTests: XCTestCase {
    private static let pathVariable = "VIGIL_FOREIGN_PATH"
    private static let seedVariable = "VIGIL_FOREIGN_SEED"

    func testMirrorsOfTheCommitsOfOtherProcessesEqualTheirTables() throws {
        #if os(Linux)
            var random = SeededRandom.seeded()
            let begin = Date()
            var (round, precise) = (0, 0)
            while RandomTestSettings.goesOn(after: round, of: 1, since: begin) {
                precise += try mirror(&random, "seed \(random.seed), round \(round)")
                if testRun?.failureCount != 0 { return }
                round += 1
            }
            if RandomTestSettings.soakSeconds != nil { print("\(round) rounds, \(precise) precise reports") }
        #else
            throw XCTSkip.needsSeparateExecutable
        #endif
    }

    #if os(Linux)
        /// Returns the number of checks that found rows.
        private func mirror(_ random: inout SeededRandom, _ message: String) throws -> Int {
            let directory = try TemporaryDirectory()
            let path = directory.file("shared.db")
            let creator = try openPageTestConnection(path)
            try creator.run("PRAGMA page_size = \(random.pick([512, 1024, 4096, 65536]))")
            try creator.run("PRAGMA auto_vacuum = \(random.pick([0, 1, 2]))")
            try creator.run("PRAGMA journal_mode = wal")
            try creator.run(PageWriter.schema)
            let followed = try FollowedDatabase(path, tables: ["a", "b", "k", "p", "w"])
            try followed.connection.run("PRAGMA busy_timeout = 30000")
            var writers = try [
                startSelf(path, directory, &random), startSelf(path, directory, &random),
                startShell(path, directory, &random),
                startPython(path, directory, &random),
            ].compactMap { $0 }
            var kills = 0
            while writers.contains(where: \.isRunning) {
                // Without commits, the last comparison is still valid.
                if try followed.check() { try followed.compare(message) }
                if testRun?.failureCount != 0 { break }
                guard kills < 3, followed.counts.precise > 20 * (kills + 1) else { continue }
                kills += 1
                kill(writers[0].processIdentifier, SIGKILL)
                writers[0].waitUntilExit()
                writers[0] = try startSelf(path, directory, &random)
            }
            for writer in writers {
                if testRun?.failureCount != 0 { kill(writer.processIdentifier, SIGKILL) }
                writer.waitUntilExit()
                XCTAssertEqual(writer.terminationStatus, 0, "\(message), \(writer.executableURL as Any)")
            }
            if testRun?.failureCount != 0 {
                print(try String(contentsOfFile: directory.file("output"), encoding: .utf8))
            }
            for _ in 0..<2 { try followed.check() }
            try followed.compare(message)
            if ProcessInfo.processInfo.environment["VIGIL_VERBOSE"] != nil {
                print(
                    message, kills, followed.counts,
                    Dictionary(followed.reasons.map { ($0, 1) }, uniquingKeysWith: +))
            }
            // How many of the concurrent commits were precise depends on the machine; this one must be.
            try creator.run("PRAGMA wal_autocheckpoint = 0")
            try creator.run("INSERT OR REPLACE INTO a VALUES (1000, 'last', 1)")
            try followed.check()
            XCTAssertEqual(followed.events, ["insert a"], "\(message): \(followed.reasons)")
            try followed.compare(message)
            let result = try followed.connection.run("PRAGMA integrity_check")
            XCTAssertEqual(result, [[.text("ok")]], message)
            return followed.counts.precise
        }

        private func startSelf(
            _ path: String, _ directory: TemporaryDirectory, _ random: inout SeededRandom
        ) throws -> Process {
            let process = Process.running(
                "VigilSQLiteTests.ForeignProcessTests/testWriter",
                environment: [
                    Self.pathVariable: path,
                    Self.seedVariable: "\(UInt64.random(in: 0...(.max), using: &random))",
                ])
            // Shown if the process fails.
            let output = open(directory.file("output"), O_WRONLY | O_CREAT | O_APPEND, 0o644)
            process.standardOutput = FileHandle(fileDescriptor: output, closeOnDealloc: true)
            try process.run()
            return process
        }

        private func startShell(
            _ path: String, _ directory: TemporaryDirectory, _ random: inout SeededRandom
        ) throws -> Process? {
            try start(["sqlite3", "-bail", path], directory.file("shell.sql"), &random)
        }

        private func startPython(
            _ path: String, _ directory: TemporaryDirectory, _ random: inout SeededRandom
        ) throws -> Process? {
            let program = """
                import sqlite3, sys
                if sqlite3.sqlite_version_info < (3, 31):  # generated columns
                    sys.exit()
                db = sqlite3.connect(sys.argv[1], isolation_level=None)
                for line in sys.stdin:
                    db.execute(line)
                """
            return try start(["python3", "-c", program, path], directory.file("python.sql"), &random)
        }

        /// Starts a program that reads statements, unless it is not installed.
        private func start(
            _ arguments: [String], _ script: String, _ random: inout SeededRandom
        ) throws -> Process? {
            var source = PageWriter(random: random)
            try source.script(60).write(toFile: script, atomically: false, encoding: .utf8)
            random = source.random
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            let programs = folders.map { "\($0)/\(arguments[0])" }
            guard let program = programs.first(where: FileManager.default.isExecutableFile) else {
                return nil
            }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = Array(arguments.dropFirst())
            process.standardInput = FileHandle(forReadingAtPath: script)
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            return process
        }
    #endif

    /// Does nothing, except in a process that writes.
    func testWriter() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment[Self.pathVariable],
            let seed = environment[Self.seedVariable].flatMap(UInt64.init)
        else { return }
        let connection = try openPageTestConnection(path)
        try connection.run("PRAGMA busy_timeout = 30000")
        try connection.run("PRAGMA synchronous = off")
        var writer = PageWriter(random: SeededRandom(seed: seed))
        try connection.run("PRAGMA wal_autocheckpoint = \(writer.random.pick([20, 200, 1000]))")
        for _ in 0..<100 {
            try writer.commit(to: connection)
            if writer.random.once(in: 30) { try? writer.checkpoint(connection) }
        }
    }
}
