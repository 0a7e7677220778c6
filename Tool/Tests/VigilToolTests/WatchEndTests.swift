import Foundation
import XCTest

final class WatchEndTests: ToolTestCase {
    private let query = "SELECT name FROM player WHERE id = 1"
    private let rows = #"{"n":0,"rows":[{"name":"Ada"}]}"#

    func testInterruptAndTerminationEndWatchSuccessfully() throws {
        try makeDatabase()
        for signal in [SIGINT, SIGTERM] {
            let tool = try watch(query, "--format", "json")
            XCTAssertEqual(try tool.line(), rows)
            tool.send(signal)
            XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
        }
    }

    func testWatchEndsAfterDuration() throws {
        try makeDatabase()
        let start = ContinuousClock.now
        let ending = try ToolProcess.run(["watch", path, query, "--format", "json", "--for", "1"])
        // On a slow machine, the duration may end before the first result arrives.
        if !ending.output.isEmpty { XCTAssertEqual(ending.output, rows + "\n") }
        XCTAssertEqual(ending.status, 0)
        XCTAssertEqual(ending.error, "")
        XCTAssertGreaterThan(ContinuousClock.now - start, .seconds(1))
    }

    func testWatchEndsWhenReaderClosesOutput() throws {
        try makeDatabase()
        let pipe = Pipe()
        let tool = try ToolProcess(["watch", path, query, "--format", "json"], to: pipe.fileHandleForWriting)
        XCTAssertEqual(
            try pipe.fileHandleForReading.read(upToCount: rows.utf8.count + 1)?.count, rows.utf8.count + 1)
        try pipe.fileHandleForReading.close()
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
    }

    func testBlockedReaderDoesNotPreventEnd() throws {
        try makeDatabase()
        // The output exceeds the capacity of a pipe that is not read.
        let pipe = Pipe()
        let tool = try ToolProcess(
            ["watch", path, "SELECT hex(zeroblob(100000)) FROM player"], to: pipe.fileHandleForWriting)
        XCTAssertEqual(try pipe.fileHandleForReading.read(upToCount: 8)?.count, 8)
        tool.send(SIGTERM)
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
    }
}
