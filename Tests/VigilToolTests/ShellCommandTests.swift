import Foundation
import Vigil
import XCTest

@testable import vigil_tool

/// The option `--exec` of `vigil watch`.
final class ShellCommandTests: ToolTestCase {
    private let players = "SELECT name, score FROM player ORDER BY id"

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
        for signal in [SIGTERM, SIGPIPE, SIGINT] {
            try assertFails(
                ["watch", path, players, "--exec", "kill -\(signal) $$"],
                with: "the command was ended by signal \(signal): kill -\(signal) $$")
        }
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

    func testCommandThatCannotBeStartedIsACommandFailure() {
        // Longer than the arguments of a program may be.
        let command = ShellCommand(String(repeating: " ", count: 16_000_000) + "true")
        XCTAssertThrowsError(try command.run(input: "")) { error in
            XCTAssertEqual(
                "\((error as? CommandFailure)?.description ?? "\(error)")",
                "cannot run the command: \(String(cString: strerror(E2BIG)))")
        }
    }

    func testTerminatedCommandDoesNotStart() throws {
        let mark = folder.appendingPathComponent("mark").path
        let command = ShellCommand("touch '\(mark)'")
        command.terminate()
        XCTAssertThrowsError(try command.run(input: "")) { XCTAssertTrue($0 is CommandFailure) }
        XCTAssertFalse(FileManager.default.fileExists(atPath: mark))
    }

    func testEndOfTheWatchEndsAllProcessesOfTheCommand() throws {
        try makeDatabase()
        for signal in [SIGINT, SIGTERM, SIGQUIT] {
            // The second process keeps the output open.
            let tool = try watch(players, "--exec", "echo started; sleep 1000; echo 'not ended'")
            XCTAssertEqual(try tool.line(), "started")
            tool.send(signal)
            XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
        }
    }

    func testEndOfTheWatchEndsProcessesThatTheCommandStartsAfterTheSignal() throws {
        try makeDatabase()
        // The last process keeps the output open.
        let tool = try watch(
            players, "--exec", "trap 'sleep 1000 & exit' TERM; echo started; sleep 1000 & wait")
        XCTAssertEqual(try tool.line(), "started")
        tool.send(SIGTERM)
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
    }

    func testIgnoredSignalsOfEndedProcessesDoNotHideFailures() throws {
        try makeDatabase()
        let tool = try ToolProcess(
            ["watch", path, players, "--exec", "exit 3"],
            launcher: ["/bin/sh", "-c", "trap '' CHLD; exec \"$@\"", "sh"])
        XCTAssertEqual(
            try tool.end(),
            .init(
                status: 1, output: "", error: "vigil: error: the command exited with status 3: exit 3\n"))
    }

    func testCommandIgnoresHangUpsIfTheToolDoes() throws {
        try makeDatabase()
        let tool = try ToolProcess(
            ["watch", path, players, "--count", "1", "--exec", "kill -HUP $$; echo running"],
            launcher: ["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"])
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "running\n", error: ""))
    }

    #if os(Linux)
        func testWatchEndsWhenReaderClosesOutputThoughTheCommandRuns() throws {
            try makeDatabase()
            let pipe = Pipe()
            let tool = try ToolProcess(
                ["watch", path, players, "--exec", "trap '' TERM; exec 2>&-; echo $$; exec sleep 1000"],
                to: pipe.fileHandleForWriting)
            let reader = pipe.fileHandleForReading
            var text = ""
            while !text.hasSuffix("\n"), let byte = try reader.read(upToCount: 1), !byte.isEmpty {
                text += String(decoding: byte, as: UTF8.self)
            }
            let command = try XCTUnwrap(pid_t(text.dropLast()))
            var isEnded = false
            defer { if !isEnded { kill(command, SIGKILL) } }
            try reader.close()
            // `Process` does not notice the end of the tool while the command has inherited its descriptors.
            try waitUntil(tool.processIdentifier, hasState: "Z")
            kill(command, SIGKILL)
            isEnded = true
            XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
        }

        func testCommandStopsAndContinuesWithTheTool() throws {
            try makeDatabase()
            let tool = try watch(players, "--exec", "echo $$; exec sleep 1000")
            let command = try XCTUnwrap(pid_t(tool.line()))
            tool.send(SIGTSTP)
            try waitUntil(command, hasState: "T")
            try waitUntil(tool.processIdentifier, hasState: "T")
            tool.send(SIGCONT)
            try waitUntil(command, hasState: "SRD")
            tool.send(SIGTERM)
            XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
        }

        /// Waits until a process is in one of the given states.
        private func waitUntil(_ process: pid_t, hasState states: String) throws {
            let deadline = Date(timeIntervalSinceNow: ToolProcess.timeout)
            while Date() < deadline {
                let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
                // The state follows the name of the program, which is in parentheses.
                let state = text.split(separator: ")").last?.dropFirst().first
                if let state, states.contains(state) { return }
                sched_yield()
            }
            throw ToolProcess.TooLate()
        }
    #endif
}
