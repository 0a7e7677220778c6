import Foundation
import Vigil
import XCTest

/// The options `--diff`, `--timestamps` and `--exec` of `vigil watch`.
final class CommandTests: ToolTestCase {
    private let players = "SELECT name, score FROM player ORDER BY id"

    func testOnlyChangedRowsArePrinted() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch(players, "--diff", "--format", "json", "--count", "2")
        XCTAssertEqual(
            try tool.line(),
            #"{"n":0,"deleted":[],"inserted":[{"name":"Ada","score":41},{"name":"Grace","score":29}]}"#)
        try write(dbQueue, "UPDATE player SET score = 42 WHERE id = 1; DELETE FROM player WHERE id = 2")
        XCTAssertEqual(
            try tool.line(),
            #"{"n":1,"deleted":[{"name":"Ada","score":41},{"name":"Grace","score":29}],"inserted":[{"name":"Ada","score":42}]}"#
        )
        XCTAssertEqual(try tool.end().status, 0)
    }

    func testChangesAreRelativeToHiddenInitialRows() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch(players, "--diff", "--format", "json", "--count", "1", "--no-initial")
        let other = try watch(players, "--format", "json")
        _ = try other.line()
        var score = 100
        while !tool.hasEnded {
            try write(dbQueue, "UPDATE player SET score = \(score) WHERE id = 1")
            _ = try other.line()
            score += 1
        }
        let ending = try tool.end()
        XCTAssertEqual(ending.status, 0)
        XCTAssertFalse(ending.output.contains("Grace"), ending.output)
        XCTAssertTrue(ending.output.hasPrefix(#"{"n":1,"deleted":[{"name":"Ada","#), ending.output)
    }

    func testTimestampsArePrinted() throws {
        try makeDatabase()
        let ending = try ToolProcess.run(
            ["watch", path, players, "--timestamps", "--format", "json", "--count", "1"])
        XCTAssertNotNil(
            ending.output.range(
                of: #"^\{"n":0,"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","rows":\["#,
                options: .regularExpression), ending.output)
    }

    func testCommandsReceiveResultsAsJSON() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch(
            "SELECT score FROM player WHERE id = 1", "--exec", "cat; echo done", "--count", "2")
        XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"score":41}]}"#)
        XCTAssertEqual(try tool.line(), "done")
        try write(dbQueue, "UPDATE player SET score = 42 WHERE id = 1")
        XCTAssertEqual(
            try tool.end(),
            .init(status: 0, output: #"{"n":1,"rows":[{"score":42}]}"# + "\ndone\n", error: ""))
    }

    func testCommandsNeedNotReadTheirInput() throws {
        let dbQueue = try makeDatabase()
        try dbQueue.write { db in
            try db.execute(
                sql: "UPDATE player SET name = ?", arguments: [String(repeating: "x", count: 1_000_000)])
        }
        let ending = try ToolProcess.run(
            ["watch", path, players, "--exec", "exec <&-; echo a", "--count", "1"])
        XCTAssertEqual(ending, .init(status: 0, output: "a\n", error: ""))
    }

    func testFailingCommandEndsTheWatch() throws {
        try makeDatabase()
        try assertFails(
            ["watch", path, players, "--exec", "exit 3"], with: "the command exited with status 3: exit 3")
        // Commands do not inherit the signals that the tool ignores.
        for signal in [SIGTERM, SIGPIPE] {
            try assertFails(
                ["watch", path, players, "--exec", "kill -\(signal) $$"],
                with: "the command was ended by signal \(signal): kill -\(signal) $$")
        }
    }

    func testInterruptedCommandEndsTheWatchWithoutAnError() throws {
        try makeDatabase()
        let ending = try ToolProcess.run(["watch", path, players, "--exec", "kill -\(SIGINT) $$", "--retry"])
        XCTAssertEqual(ending, .init(status: 0, output: "", error: ""))
    }

    func testRetryRunsTheCommandAgain() throws {
        try makeDatabase()
        let mark = folder.appendingPathComponent("mark").path
        let ending = try ToolProcess.run([
            "watch", path, "SELECT score FROM player WHERE id = 1", "--retry", "--count", "1", "--exec",
            "test -e '\(mark)' && cat || { touch '\(mark)'; exit 1; }",
        ])
        XCTAssertEqual(ending.status, 0)
        XCTAssertEqual(ending.output, #"{"n":0,"rows":[{"score":41}]}"# + "\n")
        XCTAssertTrue(
            ending.error.hasPrefix("vigil: note: trying again: the command exited with status 1"),
            ending.error)
    }

    func testEndOfTheWatchEndsTheCommand() throws {
        try makeDatabase()
        let tool = try watch(players, "--exec", "echo started; exec sleep 1000")
        XCTAssertEqual(try tool.line(), "started")
        tool.send(SIGTERM)
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
    }

    func testSQLMayBeginWithAComment() throws {
        try makeDatabase()
        let ending = try ToolProcess.run(
            ["watch", path, "-- all = every\nSELECT score FROM player", "--format", "csv", "--count", "1"])
        XCTAssertEqual(ending, .init(status: 0, output: "score\r\n41\r\n29\r\n", error: ""))
    }
}
