import Foundation
import Vigil
import XCTest

/// The options `--diff` and `--timestamps` of `vigil watch`.
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

    func testShellsCanCompleteCommandsAndPaths() throws {
        for (shell, part) in [
            ("bash", "complete -o filenames"), ("zsh", "#compdef vigil"), ("fish", "complete -c 'vigil'"),
        ] {
            let ending = try ToolProcess.run(["--generate-completion-script", shell])
            XCTAssertEqual(ending.status, 0)
            XCTAssertTrue(ending.output.contains(part), ending.output)
            XCTAssertTrue(ending.output.contains("no-initial"), ending.output)
        }
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

    func testSQLMayBeginWithAComment() throws {
        try makeDatabase()
        let ending = try ToolProcess.run(
            ["watch", path, "-- all = every\nSELECT score FROM player", "--format", "csv", "--count", "1"])
        XCTAssertEqual(ending, .init(status: 0, output: "score\r\n41\r\n29\r\n", error: ""))
    }
}
