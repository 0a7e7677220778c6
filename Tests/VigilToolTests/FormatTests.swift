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
            JSONFormat().text(values, number: 7),
            #"{"n":7,"rows":[{"a":-9223372036854775808,"b":0.1},{"a":null,"b":1e+300},{"a":"","b":1.0},"#
                + #"{"a":"ü, \"日\"\n","b":{"base64":"AP8="}},{"a":{"base64":""},"b":9e999}]}"# + "\n")
        XCTAssertEqual(JSONText.string("\u{0}\u{1f}\u{7f}\\/\r\t"), #""\u0000\u001f\u007f\\/\r\t""#)
    }

    func testJSONIsParsable() throws {
        let text = String((0..<0x300).compactMap(UnicodeScalar.init).map(Character.init))
        let result = QueryResult(columns: [text], rows: [[text.databaseValue]])
        let object = try JSONSerialization.jsonObject(with: Data(JSONFormat().text(result, number: 0).utf8))
        let rows = (object as? [String: Any])?["rows"] as? [[String: String]]
        XCTAssertEqual(rows?.count, 1)
        XCTAssertEqual(rows?.first?[text], text)
    }

    func testDuplicateColumnNamesAreNumbered() {
        let result = QueryResult(
            columns: ["a", "a", "a:1", "b", "a"], rows: [(1...5).map { $0.databaseValue }])
        XCTAssertEqual(result.uniqueColumns, ["a", "a:2", "a:1", "b", "a:3"])
        XCTAssertEqual(
            JSONFormat().text(result, number: 0),
            #"{"n":0,"rows":[{"a":1,"a:2":2,"a:1":3,"b":4,"a:3":5}]}"# + "\n")
    }

    func testCSVDistinguishesNullFromEmptyText() {
        XCTAssertEqual(
            CSVFormat().text(values, number: 0),
            "a,b\r\n-9223372036854775808,0.1\r\n,1e+300\r\n\"\",1.0\r\n\"ü, \"\"日\"\"\n\",x'00ff'\r\nx'',9e999\r\n"
        )
        XCTAssertEqual(
            CSVFormat().text(QueryResult(columns: ["a,b"], rows: [[.null], [1.databaseValue]]), number: 0),
            "\"a,b\"\r\n\"\"\r\n1\r\n")
    }

    func testTablesAlignTheirColumns() {
        XCTAssertEqual(
            TableFormat().text(values, number: 0),
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
            TableFormat().text(numbers, number: 0),
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
}
