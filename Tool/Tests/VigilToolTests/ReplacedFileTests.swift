import Foundation
import Vigil
import XCTest

/// Tests of a watch while other programs replace or delete the database file, or are killed.
final class ReplacedFileTests: ToolTestCase {
    private let count = "SELECT COUNT(*) AS n FROM player"

    /// Replaces the watched database by a new one, as a deployment does.
    private func replaceDatabase(journalMode: String) throws {
        let newPath = folder.appendingPathComponent("new.db").path
        var configuration = Configuration()
        configuration.busyMode = .timeout(ToolProcess.timeout)
        let dbQueue = try DatabaseQueue(path: newPath, configuration: configuration)
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = \(journalMode)")
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score)")
        }
        try dbQueue.close()
        XCTAssertEqual(rename(newPath, path), 0)
    }

    private func openWriter() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(ToolProcess.timeout)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private func assertIntegrity(line: UInt = #line) throws {
        try openWriter().read { db in
            XCTAssertEqual(try String.fetchAll(db, sql: "PRAGMA integrity_check"), ["ok"], line: line)
        }
    }

    func testReplacedFileEndsWatch() throws {
        for mode in ["DELETE", "WAL"] {
            try makeDatabase(journalMode: mode).close()
            let tool = try watch(count, "--format", "json")
            XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"n":2}]}"#)
            try replaceDatabase(journalMode: mode)
            let message =
                "vigil: error: the database file was replaced by another file while it was open: \(path)\n"
            XCTAssertEqual(try tool.end(), .init(status: 1, output: "", error: message), mode)
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    func testDeletedFileEndsWatchAndIsNotCreated() throws {
        for mode in ["DELETE", "WAL"] {
            try makeDatabase(journalMode: mode).close()
            let tool = try watch(count, "--format", "json")
            XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"n":2}]}"#)
            try FileManager.default.removeItem(atPath: path)
            let message =
                "vigil: error: the database file was deleted or moved while it was open: \(path)\n"
            XCTAssertEqual(try tool.end(), .init(status: 1, output: "", error: message), mode)
            XCTAssertFalse(FileManager.default.fileExists(atPath: path), mode)
        }
    }

    func testRetryWaitsForDeletedFileAndOpensIt() throws {
        try makeDatabase(journalMode: "DELETE").close()
        let tool = try watch(count, "--format", "json", "--retry", "--count", "2")
        XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"n":2}]}"#)
        try FileManager.default.removeItem(atPath: path)
        try replaceDatabase(journalMode: "DELETE")
        XCTAssertEqual(try tool.line(), #"{"n":1,"rows":[{"n":0}]}"#)
        let ending = try tool.end()
        XCTAssertEqual(ending.status, 0)
        XCTAssertTrue(
            ending.error.hasPrefix("vigil: note: waiting for the database: the database file was "),
            ending.error)
    }

    func testCommitsDuringWatchSucceedWhileFileIsReplaced() throws {
        for mode in ["DELETE", "TRUNCATE"] {
            try makeDatabase(journalMode: mode).close()
            let tool = try watch(count, "--format", "json", "--retry")
            _ = try tool.line()
            var failures: [any Error] = []
            for _ in 0..<20 {
                try replaceDatabase(journalMode: mode)
                let dbQueue = try openWriter()
                for _ in 0..<5 {
                    do {
                        try write(dbQueue, "INSERT INTO player (score) VALUES (1)")
                    } catch {
                        failures.append(error)
                    }
                }
                try dbQueue.close()
            }
            XCTAssertTrue(failures.isEmpty, "\(mode): \(failures)")
            while !(try tool.line()).hasSuffix(#""rows":[{"n":5}]}"#) {}
            // Only the last file is watched now.
            try write(try openWriter(), "DELETE FROM player WHERE id < 5")
            while !(try tool.line()).hasSuffix(#""rows":[{"n":1}]}"#) {}
            tool.send(SIGTERM)
            XCTAssertEqual(try tool.end().status, 0)
            try assertIntegrity()
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    /// While a connection has the old file open, a file with a write-ahead log must not be put in its place:
    /// SQLite would read the old log, which has the same name, as part of the new file. The old file is
    /// therefore deleted first, and the new one follows when the tool has closed it.
    func testCommitsDuringWatchSucceedWhileFileWithLogIsReplaced() throws {
        let writer = try makeDatabase()
        let errors = CollectedOutput()
        let tool = try ToolProcess(
            ["watch", path, count, "--format", "json", "--retry"], errorsTo: errors.pipe.fileHandleForWriting)
        errors.collect()
        var dbQueue = writer
        for rows in 3..<8 {
            while !(try tool.line()).hasSuffix(#""rows":[{"n":\#(rows - 1)}]}"#) {}
            try FileManager.default.removeItem(atPath: path)
            // The tool has closed the old file when it looks for a new one.
            while !(try errors.line()).contains("no such file") {}
            try dbQueue.close()
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try replaceDatabase(journalMode: "WAL")
            dbQueue = try openWriter()
            for _ in 0..<rows { try write(dbQueue, "INSERT INTO player (score) VALUES (1)") }
        }
        while !(try tool.line()).hasSuffix(#""rows":[{"n":7}]}"#) {}
        tool.send(SIGTERM)
        XCTAssertEqual(try tool.end().status, 0)
        try assertIntegrity()
        try dbQueue.close()
    }

    /// Without an error, the tool would never print another result: it would read the deleted log.
    func testDeletedLogEndsWatchOrIsOpenedAgain() throws {
        for retries in [false, true] {
            try makeDatabase().close()
            let tool = try ToolProcess(
                ["watch", path, count, "--format", "json"] + (retries ? ["--retry"] : []))
            XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"n":2}]}"#)
            for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
            if retries {
                let other = try openWriter()
                try write(other, "DELETE FROM player WHERE id = 1")
                XCTAssertEqual(try tool.line(), #"{"n":1,"rows":[{"n":1}]}"#)
                tool.send(SIGTERM)
                XCTAssertEqual(try tool.end().status, 0)
                try other.close()
            } else {
                let ending = try tool.end()
                XCTAssertEqual(ending.status, 1)
                XCTAssertTrue(
                    ending.error.contains("the write-ahead log was deleted or replaced"), ending.error)
            }
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    #if os(Linux)
        func testKilledWritersDuringWatchPreserveIntegrity() throws {
            for mode in ["DELETE", "WAL"] {
                try makeDatabase(journalMode: mode).close()
                let tool = try watch(count, "--format", "json")
                _ = try tool.line()
                var rows = 2
                for _ in 0..<5 {
                    XCTAssertEqual(try WritingProcess.run(path, committing: nil), 0)
                    XCTAssertEqual(try WritingProcess.run(path, committing: 10), 10, mode)
                    rows += 10
                }
                while !(try tool.line()).hasSuffix(#""rows":[{"n":\#(rows)}]}"#) {}
                tool.send(SIGTERM)
                XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""), mode)
                try assertIntegrity()
                try FileManager.default.removeItem(at: folder)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
        }

        func testKilledWriterOfReplacedFilePreservesIntegrity() throws {
            try makeDatabase(journalMode: "DELETE").close()
            let tool = try watch(count, "--format", "json", "--retry")
            _ = try tool.line()
            for _ in 0..<5 {
                try replaceDatabase(journalMode: "DELETE")
                XCTAssertEqual(try WritingProcess.run(path, committing: nil), 0)
                XCTAssertEqual(try WritingProcess.run(path, committing: 10), 10)
                try assertIntegrity()
            }
            while !(try tool.line()).hasSuffix(#""rows":[{"n":10}]}"#) {}
            tool.send(SIGTERM)
            XCTAssertEqual(try tool.end().status, 0)
        }
    #endif
}
