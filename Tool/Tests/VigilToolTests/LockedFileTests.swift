import Foundation
import Vigil
import XCTest

/// The tool says what it waits for while another process locks the file.
final class LockedFileTests: ToolTestCase {
    private var note: String {
        "vigil: note: waiting for up to 10 seconds, because another process holds an exclusive lock on \(path)"
    }

    /// Reads the first line that the tool writes to standard error.
    private func firstLine(_ pipe: Pipe) throws -> String {
        var line = Data()
        while let byte = try pipe.fileHandleForReading.read(upToCount: 1), !byte.isEmpty,
            byte.first != UInt8(ascii: "\n")
        {
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Runs the tool on a locked file, and ends the lock when the tool has written a note.
    private func run(_ arguments: [String]) throws -> ToolProcess.Ending {
        let dbQueue = try makeDatabase(journalMode: "DELETE")
        let errors = Pipe()
        let tool = try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            let tool = try ToolProcess(arguments, errorsTo: errors.fileHandleForWriting)
            XCTAssertEqual(try firstLine(errors), note)
            try db.execute(sql: "COMMIT")
            return tool
        }
        return try tool.end()
    }

    func testWatchWritesANoteAndContinues() throws {
        let ending = try run(
            ["watch", path, "SELECT COUNT(*) AS n FROM player", "--format", "json", "--count", "1"])
        XCTAssertEqual(ending, .init(status: 0, output: "{\"n\":0,\"rows\":[{\"n\":2}]}\n", error: ""))
    }

    func testExplainWritesANoteAndContinues() throws {
        let ending = try run(["explain", path, "SELECT name FROM player"])
        XCTAssertEqual(ending.status, 0)
        XCTAssertTrue(ending.output.hasPrefix("player: column name; all rows\n"), ending.output)
    }
}
