import Foundation
import Vigil
import XCTest

@testable import vigil_tool

final class FormatTests: XCTestCase {
    private let values = QueryResult(
        columns: ["a", "b"],
        rows: [
            [Int64.min.databaseValue, 0.1.databaseValue], [.null, 1e300.databaseValue],
            ["".databaseValue, 1.0.databaseValue],
            ["ü, \"日\"\n".databaseValue, Data([0, 255]).databaseValue],
            [Data().databaseValue, Double.infinity.databaseValue],
        ])

    func testJSONKeepsTypesAndExactNumbers() {
        XCTAssertEqual(
            JSONFormat().text(WatchReport(number: 7, result: values)),
            #"{"n":7,"rows":[{"a":-9223372036854775808,"b":0.1},{"a":null,"b":1e+300},{"a":"","b":1.0},"#
                + #"{"a":"ü, \"日\"\n","b":{"base64":"AP8="}},{"a":{"base64":""},"b":9e999}]}"# + "\n")
        XCTAssertEqual(JSONText.string("\u{0}\u{1f}\u{7f}\\/\r\t"), #""\u0000\u001f\u007f\\/\r\t""#)
    }

    func testJSONIsParsable() throws {
        let text = String((0..<0x300).compactMap(UnicodeScalar.init).map(Character.init))
        let result = QueryResult(columns: [text], rows: [[text.databaseValue]])
        let object = try JSONSerialization.jsonObject(
            with: Data(JSONFormat().text(WatchReport(number: 0, result: result)).utf8))
        let rows = (object as? [String: Any])?["rows"] as? [[String: String]]
        XCTAssertEqual(rows?.count, 1)
        XCTAssertEqual(rows?.first?[text], text)
    }

    /// SQLite has no such number, but servers have.
    func testNaNIsAString() throws {
        let result = QueryResult(columns: ["a"], rows: [[Double.nan.databaseValue]])
        let report = WatchReport(number: 0, result: result)
        let json = JSONFormat().text(report)
        XCTAssertEqual(json, #"{"n":0,"rows":[{"a":"NaN"}]}"# + "\n")
        XCTAssertNoThrow(try JSONSerialization.jsonObject(with: Data(json.utf8)))
        XCTAssertEqual(CSVFormat().text(report), "a\r\nNaN\r\n")
    }

    func testDuplicateColumnNamesAreNumbered() {
        let result = QueryResult(
            columns: ["a", "a", "a:1", "b", "a"], rows: [(1...5).map { $0.databaseValue }])
        XCTAssertEqual(result.uniqueColumns, ["a", "a:2", "a:1", "b", "a:3"])
        XCTAssertEqual(
            JSONFormat().text(WatchReport(number: 0, result: result)),
            #"{"n":0,"rows":[{"a":1,"a:2":2,"a:1":3,"b":4,"a:3":5}]}"# + "\n")
    }

    func testCSVDistinguishesNullFromEmptyText() {
        XCTAssertEqual(
            CSVFormat().text(WatchReport(number: 0, result: values)),
            "a,b\r\n-9223372036854775808,0.1\r\n,1e+300\r\n\"\",1.0\r\n\"ü, \"\"日\"\"\n\",x'00ff'\r\nx'',9e999\r\n"
        )
        XCTAssertEqual(
            CSVFormat().text(
                WatchReport(
                    number: 0, result: QueryResult(columns: ["a,b"], rows: [[.null], [1.databaseValue]]))),
            "\"a,b\"\r\n\"\"\r\n1\r\n")
    }

    func testTablesAlignTheirColumns() {
        XCTAssertEqual(
            TableFormat().text(WatchReport(number: 0, result: values)),
            """
            a                     b
            --------------------  --------
            -9223372036854775808  0.1
            NULL                  1e+300
                                  1.0
            ü, "日"\\n             x'00ff'
            x''                   inf

            """.replacingOccurrences(
                of: "b\n--------------------  --------", with: "b\n--------------------  -------"))
        let numbers = QueryResult(
            columns: ["number", "x"],
            rows: [[1.databaseValue, Data(count: 17).databaseValue], [.null, "\u{1b}[2J".databaseValue]])
        XCTAssertEqual(
            TableFormat().text(WatchReport(number: 0, result: numbers)),
            """
            number  x
            ------  -----------------------------------------------
                 1  x'00000000000000000000000000000000…' (17 bytes)
              NULL  \\u{1b}[2J

            """)
    }

    func testIdenticalResultsHaveSameColumnsValuesAndTypes() {
        let one = QueryResult(columns: ["a"], rows: [[1.databaseValue]])
        XCTAssertTrue(one.isIdentical(to: one))
        for other in [
            QueryResult(columns: ["b"], rows: [[1.databaseValue]]),
            QueryResult(columns: ["a"], rows: [[(1.0).databaseValue]]),
            QueryResult(columns: ["a"], rows: [[1.databaseValue], [1.databaseValue]]),
            QueryResult(columns: ["a"], rows: [["1".databaseValue]]),
            QueryResult(columns: ["a"], rows: [[.null]]),
        ] {
            XCTAssertFalse(one.isIdentical(to: other))
        }
        let composed = QueryResult(columns: ["a"], rows: [["\u{e9}".databaseValue]])
        let decomposed = QueryResult(columns: ["a"], rows: [["e\u{301}".databaseValue]])
        XCTAssertFalse(composed.isIdentical(to: decomposed))
    }

    // MARK: - Times and changes

    private let changes = WatchReport(
        number: 2, time: "2026-11-22T09:10:11.123Z",
        result: QueryResult(columns: ["a"], rows: [[1.databaseValue], [3.databaseValue]]),
        changes: RowChanges(
            from: QueryResult(columns: ["a"], rows: [[1.databaseValue], [2.databaseValue]]),
            to: QueryResult(columns: ["a"], rows: [[1.databaseValue], [3.databaseValue]])))

    func testTimesAndChangesArePrintedInEachFormat() {
        XCTAssertEqual(
            JSONFormat().text(changes),
            #"{"n":2,"time":"2026-11-22T09:10:11.123Z","deleted":[{"a":2}],"inserted":[{"a":3}]}"# + "\n")
        XCTAssertEqual(
            CSVFormat().text(changes),
            "time,change,a\r\n2026-11-22T09:10:11.123Z,-,2\r\n2026-11-22T09:10:11.123Z,+,3\r\n")
        XCTAssertEqual(
            TableFormat().text(changes),
            """
            2026-11-22T09:10:11.123Z
            change  a
            ------  -
            -       2
            +       3

            """)
    }

    func testTimesAreInUTCWithMilliseconds() {
        XCTAssertEqual(WatchReport.text(of: Date(timeIntervalSince1970: 0.25)), "1970-01-01T00:00:00.250Z")
    }

    private func changes(_ old: [DatabaseValue], _ new: [DatabaseValue], columns: [String] = ["a"])
        -> RowChanges
    {
        RowChanges(
            from: QueryResult(columns: ["a"], rows: old.map { [$0] }),
            to: QueryResult(columns: columns, rows: new.map { [$0] }))
    }

    func testChangesIgnoreOrderAndCountRepeatedRows() {
        let (one, two) = (1.databaseValue, 2.databaseValue)
        XCTAssertTrue(changes([one, two, one], [one, one, two]).isEmpty)
        let fewer = changes([one, two, one, one], [two, one])
        XCTAssertEqual(fewer.deleted, [[one], [one]])
        XCTAssertEqual(fewer.inserted, [])
        let typed = changes([one], [(1.0).databaseValue])
        XCTAssertEqual([typed.deleted.count, typed.inserted.count], [1, 1])
        let renamed = changes([one], [one, two], columns: ["b"])
        XCTAssertEqual(renamed.deleted, [])
        XCTAssertEqual(renamed.inserted, [[one], [two]])
    }

    func testLongTextIsPrintedInATable() {
        for text in [String(repeating: "x", count: 1_000_000), String(repeating: "日\n", count: 10_000)] {
            let result = QueryResult(columns: ["a", "b"], rows: [[text.databaseValue, 1.databaseValue]])
            let lines = TableFormat().text(WatchReport(number: 0, result: result)).split(separator: "\n")
            XCTAssertEqual(lines.count, 3)
            XCTAssertEqual(lines.last.map(String.init), TerminalText.safe(text) + "  1")
        }
    }

    /// For Swift, a quote and a combining mark are one character.
    func testAQuoteBeforeACombiningMarkIsDoubled() {
        let result = QueryResult(columns: ["a"], rows: [["x\"\u{301},y".databaseValue]])
        XCTAssertEqual(
            Array(CSVFormat().text(WatchReport(number: 0, result: result)).utf8),
            Array("a\r\n\"x\"\"\u{301},y\"\r\n".utf8))
    }
}
