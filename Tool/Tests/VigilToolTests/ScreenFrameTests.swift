import Vigil
import XCTest

@testable import vigil_tool

final class ScreenFrameTests: XCTestCase {
    private func lines(_ result: QueryResult, columns: Int, rows: Int, changes: Int = 0) -> [String] {
        ScreenFrame(sql: "SELECT *\n  FROM t", result: result, changes: changes, time: "12:34:56")
            .lines(size: .init(columns: columns, rows: rows), style: .plain)
    }

    private let players = QueryResult(
        columns: ["id", "name"], rows: (1...9).map { [$0.databaseValue, "player \($0)".databaseValue] })

    func testResultThatFitsIsShownCompletely() {
        XCTAssertEqual(
            lines(
                QueryResult(columns: ["id", "name"], rows: [[1.databaseValue, "Ada".databaseValue]]),
                columns: 80, rows: 24),
            [
                "SELECT * FROM t", "", "id  name", "──  ────", " 1  Ada", "",
                "1 row · no update since 12:34:56",
            ])
    }

    func testNotesAreEscaped() {
        let frame = ScreenFrame(
            sql: "SELECT 1", result: players, changes: 0, time: "12:34:56", note: "trying again: \u{1b}[2J")
        XCTAssertEqual(
            frame.lines(size: .init(columns: 80, rows: 24), style: .plain).last,
            #"trying again: \u{1b}[2J · 9 rows · no update since 12:34:56"#)
    }

    func testRowsThatDoNotFitAreCounted() {
        let lines = lines(players, columns: 80, rows: 9, changes: 2)
        XCTAssertEqual(lines.count, 9)
        XCTAssertEqual(lines.last, "9 rows, the first 3 shown · 2 updates, the last at 12:34:56")
    }

    func testLinesFitTheTerminal() {
        let wide = QueryResult(
            columns: (0..<12).map { "column \($0)" },
            rows: [(0..<12).map { String(repeating: "日本", count: $0).databaseValue }])
        for result in [players, wide, QueryResult(columns: [""], rows: [])] {
            for columns in 1...120 {
                for line in lines(result, columns: columns, rows: 24) {
                    XCTAssertLessThanOrEqual(TerminalText.width(line), columns, line)
                }
            }
        }
        for rows in 1...12 { XCTAssertLessThanOrEqual(lines(players, columns: 20, rows: rows).count, rows) }
    }

    func testWidestColumnsAreTruncatedFirst() {
        let result = QueryResult(
            columns: ["id", "a"], rows: [[1.databaseValue, String(repeating: "x", count: 50).databaseValue]])
        XCTAssertEqual(lines(result, columns: 12, rows: 24)[4], " 1  xxxxxxx…")
    }

    func testColumnsThatDoNotFitAreOmitted() {
        let result = QueryResult(
            columns: ["first", "second", "third"],
            rows: [["aaaaaa".databaseValue, "bbbbbb".databaseValue, "cccccc".databaseValue]])
        XCTAssertEqual(
            lines(result, columns: 15, rows: 24)[2...4],
            ["first  seco…  …", "─────  ─────  ─", "aaaa…  bbbb…  …"])
    }

    func testTextIsMeasuredInCells() {
        for (text, width) in [
            ("a", 1), ("ü", 1), ("e\u{301}", 1), ("日本", 4), ("👍🏽", 2), ("❤️", 2), ("\u{200b}", 0), ("…", 1),
        ] {
            XCTAssertEqual(TerminalText.width(text), width, text)
        }
        XCTAssertEqual(TerminalText.cut("日本語", to: 4), "日…")
        XCTAssertEqual(TerminalText.cut("abc", to: 3), "abc")
        XCTAssertEqual(TerminalText.safe("a\u{1b}[2J\u{202e}\n", longest: .max), "a\\u{1b}[2J\\u{202e}\\n")
    }

    func testWidthsDoNotDependOnOtherCharacters() {
        // With a character that is measured as a grapheme, all characters are.
        let invisible = "\u{200b}"
        for scalar in (0x20..<0xE000 as Range<UInt32>).compactMap(Unicode.Scalar.init) {
            let text = "\(scalar)\(scalar)a"
            XCTAssertEqual(
                TerminalText.width(text), TerminalText.width(text + invisible),
                "U+\(String(scalar.value, radix: 16))")
        }
    }

    func testCharactersThatControlTerminalsHaveTheseProperties() {
        for scalar in (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let isControl: Bool =
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default:
                    scalar.properties.isBidiControl || scalar.properties.isDefaultIgnorableCodePoint
                        || 0xFFF9...0xFFFB ~= scalar.value
                }
            if TerminalText.mayControlTerminal(scalar) != isControl {
                XCTFail("U+\(String(scalar.value, radix: 16))")
            }
        }
    }
}
