import Foundation
import Vigil
import XCTest

@testable import vigil_tool

/// Tests that characters that control a terminal never reach it, regardless of their source.
final class TerminalInjectionTests: ToolTestCase {
    private struct NoTerminal: Error {}

    /// C0, DEL, C1, line separators, characters that change the direction of the text, and invisible ones.
    private static let obeyed =
        [
            0x00, 0x07, 0x08, 0x1b, 0x7f, 0x80, 0x85, 0x9b, 0x9d, 0x061c, 0x200e, 0x200f, 0x2028, 0x2029,
            0x202a,
        ]
        + [
            0x202e, 0x2066, 0x2069, 0xad, 0x034f, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x3164,
            0xfe0f,
            0xfeff, 0xfff9, 0xe0001, 0xe0041, 0xe0100,
        ]
    private static let hostile =
        "\n\r\t" + String(String.UnicodeScalarView(obeyed.compactMap(Unicode.Scalar.init)))
    /// The hostile text without NUL, which terminates SQL and arguments.
    private let hostile = TerminalInjectionTests.hostile.filter { $0 != "\0" }

    private func makeHostileDatabase() throws {
        let dbQueue = try makeDatabase(journalMode: "DELETE")
        try dbQueue.write { db in
            try db.execute(sql: #"CREATE TABLE "t\#(hostile)" ("c\#(hostile)" TEXT)"#)
            try db.execute(sql: #"INSERT INTO "t\#(hostile)" VALUES (?)"#, arguments: ["v" + Self.hostile])
        }
        try dbQueue.close()
    }

    /// Returns everything that the tool writes to a terminal on standard output and standard error.
    private func terminalOutput(_ arguments: [String]) throws -> String {
        var (master, slave): (Int32, Int32) = (0, 0)
        guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw NoTerminal() }
        let terminal = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        let slaveHandle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        let tool = try ToolProcess(
            arguments, environment: ["TERM": "dumb"], to: slaveHandle, errorsTo: slaveHandle)
        _ = try tool.end()
        var data = Data()
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        // The tool has ended, so that its output is complete.
        while poll(&request, 1, 0) == 1, let byte = try terminal.read(upToCount: 1), !byte.isEmpty {
            data += byte
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func assertHarmless(_ text: String, _ part: String, line: UInt = #line) {
        for scalar in text.unicodeScalars where scalar != "\n" && scalar != "\r" {
            XCTAssertFalse(
                TerminalText.mayControlTerminal(scalar),
                "U+\(String(scalar.value, radix: 16)) in \(text.debugDescription)",
                line: line)
        }
        XCTAssertTrue(text.contains(part), "\(text.debugDescription) lacks \(part)", line: line)
    }

    func testFormatsAndErrorsEscapeTextForTerminals() throws {
        try makeHostileDatabase()
        let table = #""t\#(hostile)""#
        for format in ["csv", "json", "table"] {
            let shown = try terminalOutput(
                ["watch", path, "SELECT * FROM \(table)", "--format", format, "--count", "1"])
            assertHarmless(shown, format == "json" ? #"\u001b"# : #"\u{1b}"#)
            assertHarmless(shown, format == "json" ? #"\u202e"# : #"\u{202e}"#)
            assertHarmless(shown, format == "json" ? #"\udb40\udc41"# : #"\u{e0041}"#)
        }
        for json in [[], ["--json"]] {
            assertHarmless(
                try terminalOutput(
                    ["explain", path, "SELECT * FROM \(table) WHERE lower(1) = '\(hostile)'"] + json),
                json.isEmpty ? #"\u{9b}"# : #"\u009b"#)
        }
        for command in ["watch", "explain"] {
            assertHarmless(
                try terminalOutput([command, path, #"SELECT * FROM "no\#(hostile)""#]), #"\u{1b}"#)
            assertHarmless(try terminalOutput([command, path + hostile, "SELECT 1"]), #"\u{1b}"#)
        }
        assertHarmless(
            try terminalOutput(["watch", path, "SELECT 1", "--key-env", "A" + hostile]), #"\u{1b}"#)
        assertHarmless(try terminalOutput(["watch", path, "SELECT 1", "--\u{1b}[2J"]), #"\u{1b}"#)
    }

    func testEmojiAreNotEscaped() {
        for text in ["👩🏽‍🚀", "❤️", "❤️‍🔥", "1️⃣", "🏳️‍🌈", "👨‍👩‍👧‍👦", "☺︎", "日本語", "Ａ", "नमस्ते"] {
            XCTAssertEqual(TerminalText.safe(text), text)
        }
        for (text, shown) in [
            ("a\u{200d}b", #"a\u{200d}b"#), ("a\u{fe0f}", #"a\u{fe0f}"#), ("\u{fe0f}", #"\u{fe0f}"#),
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\u{fe0f}"), ("❤\u{200d}", #"❤\u{200d}"#),
            ("🏴\u{e0067}\u{e007f}", #"🏴\u{e0067}\u{e007f}"#), ("1\u{200d}2", #"1\u{200d}2"#),
        ] {
            XCTAssertEqual(TerminalText.safe(text), shown)
        }
    }

    func testExplainEscapesLineBreaks() throws {
        try makeHostileDatabase()
        let ending = try ToolProcess.run(["explain", path, #"SELECT * FROM "t\#(hostile)""#])
        XCTAssertEqual(ending.output.split(separator: "\n").count, 4, ending.output)
        assertHarmless(ending.output, #"t\n\r\t"#)
    }

    func testCSVInPipesIsExact() throws {
        try makeHostileDatabase()
        let ending = try ToolProcess.run(
            ["watch", path, #"SELECT * FROM "t\#(hostile)""#, "--format", "csv", "--count", "1"])
        XCTAssertEqual(
            Array(ending.output.unicodeScalars),
            Array("\"c\(hostile)\"\r\n\"v\(Self.hostile)\"\r\n".unicodeScalars))
    }

    func testJSONDecodesToTheExactText() throws {
        try makeHostileDatabase()
        let ending = try ToolProcess.run(
            [
                "watch", path, #"SELECT "c\#(hostile)" AS a FROM "t\#(hostile)""#, "--format", "json",
                "--count", "1",
            ])
        struct Result: Decodable { let rows: [[String: String]] }
        let result = try JSONDecoder().decode(Result.self, from: Data(ending.output.utf8))
        XCTAssertEqual(
            result.rows.first?["a"].map { Array($0.unicodeScalars) }, Array("v\(Self.hostile)".unicodeScalars)
        )
    }
}
