import Foundation
import Vigil
import XCTest

/// A stream that collects what is written to it.
final class TextCollector: TextOutputStream {
    private(set) var text = ""

    func write(_ string: String) { text += string }
}

/// Returns what a dump writes.
func dumped(_ dump: (TextCollector) throws -> Void) rethrows -> String {
    let collector = TextCollector()
    try dump(collector)
    return collector.text
}

final class DumpFormatTests: XCTestCase {
    private let values = """
        SELECT 1 AS a, -1.5 AS b, 'it''s "so"' AS c, NULL AS d, X'C3A9' AS e, X'80' AS f
        UNION ALL SELECT 2, 100.0, '', NULL, X'', X'69BF8A9CD9F04777BD1193451D84CBCF'
        """

    private func check(
        _ format: some DumpFormat, _ sql: String, _ expected: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                let output = try dumped { try db.dumpSQL(SQL(sql: sql), format: format, to: $0) }
                XCTAssertEqual(output, expected, file: file, line: line)
            }
        }
    }

    func testDebugFormatWritesReadableBlobs() throws {
        try check(
            .debug(), values,
            """
            1|-1.5|it's "so"||é|X'80'
            2|100.0||||69BF8A9C-D9F0-4777-BD11-93451D84CBCF

            """)
    }

    func testListFormatWritesBlobsAsText() throws {
        try check(.list(), values.components(separatedBy: ", X'80'")[0] + " ", "1|-1.5|it's \"so\"||é\n")
    }

    func testQuoteFormatWritesLiterals() throws {
        try check(
            .quote(), values,
            """
            1,-1.5,'it''s "so"',NULL,X'C3A9',X'80'
            2,100.0,'',NULL,X'',X'69BF8A9CD9F04777BD1193451D84CBCF'

            """)
    }

    func testJSONFormatWritesAnArrayOfObjects() throws {
        try check(
            .json(), values,
            """
            [{"a":1,"b":-1.5,"c":"it's \\"so\\"","d":null,"e":"w6k=","f":"gA=="},
            {"a":2,"b":100,"c":"","d":null,"e":"","f":"ab+KnNnwR3e9EZNFHYTLzw=="}]

            """)
        try check(.json(), "SELECT 1 AS a, 'x/y' AS a", "[{\"a\":1,\"a\":\"x/y\"}]\n")
        try check(
            .json(), "SELECT 9e999 AS a, 9223372036854775807 AS b",
            "[{\"a\":\"inf\",\"b\":9223372036854775807}]\n")
    }

    func testPrettyJSONHasALinePerKey() throws {
        let encoder = JSONDumpFormat.defaultEncoder
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
        try check(
            .json(encoder: encoder), "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, NULL",
            """
            [
              {
                "a":1,
                "b":"x"
              },
              {
                "a":2,
                "b":null
              }
            ]

            """)
    }

    func testLineFormatWritesALinePerValue() throws {
        try check(
            .line(), "SELECT 1 AS a, 'x' AS long UNION ALL SELECT 2, NULL",
            """
               a = 1
            long = x

               a = 2
            long =\(" ")

            """)
        try check(.line(nullValue: "NULL"), "SELECT NULL AS a", "a = NULL\n")
    }

    func testResultsOfSeveralStatementsFollowEachOther() throws {
        let sql = """
            CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y');
            SELECT * FROM t ORDER BY a; SELECT b FROM t ORDER BY b DESC; SELECT a FROM t WHERE 0
            """
        try check(.debug(), sql, "1|x\n2|y\ny\nx\n")
        try check(
            .json(), sql,
            "[{\"a\":1,\"b\":\"x\"},\n{\"a\":2,\"b\":\"y\"}]\n[{\"b\":\"y\"},\n{\"b\":\"x\"}]\n[]\n")
        try check(.line(), sql, "a = 1\nb = x\n\na = 2\nb = y\n\nb = y\n\nb = x\n")
    }

    func testHeadersAndSeparatorsAreWritten() throws {
        let sql = "SELECT 1 AS a, NULL AS 'b''c'"
        try check(.debug(header: true, separator: " / ", nullValue: "-"), sql, "a / b'c\n1 / -\n")
        try check(.list(header: true, separator: ";", nullValue: "NULL"), sql, "a;b'c\n1;NULL\n")
        try check(.quote(header: true, separator: "; "), sql, "'a'; 'b''c'\n1; NULL\n")
        try check(.debug(header: true), sql + " WHERE 0", "")
        try check(.list(header: true), sql + " WHERE 0", "")
        try check(.quote(header: true), sql + " WHERE 0", "")
        try check(.json(), sql + " WHERE 0", "[]\n")
    }

    func testAllColumnsAreDumped() throws {
        let sql = "SELECT 1 AS vigil_teamId, 2 AS a"
        try check(.debug(header: true), sql, "vigil_teamId|a\n1|2\n")
        try check(.json(), sql, "[{\"vigil_teamId\":1,\"a\":2}]\n")
    }

    func testFormatsCanBeDefined() throws {
        struct Names: DumpFormat {
            var count = 0

            mutating func writeRow(_ db: Database, row: Row, to stream: inout DumpStream) throws {
                count += 1
                stream.write("\(row["name"] as String)\n")
            }

            mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
                stream.write("\(count) rows of \(statement.columnNames)\n")
                stream.margin()
            }
        }
        try check(
            Names(), "SELECT 'Ann' AS name UNION ALL SELECT 'Bob'; SELECT 1 AS name WHERE 0",
            "Ann\nBob\n2 rows of [\"name\"]\n\n0 rows of [\"name\"]\n")
    }

    func testErrorsOfStatementsAreThrown() throws {
        try onEachQueue { dbQueue in
            assertDatabaseError(.SQLITE_ERROR, "no such table: absent") {
                try dbQueue.dumpSQL("SELECT * FROM absent", to: TextCollector())
            }
        }
    }
}
