import VigilStorage
import XCTest

final class SQLScannerTests: XCTestCase {
    private func tokens(_ sql: String) -> [SQLToken] {
        var scanner = SQLScanner(sql)
        var tokens: [SQLToken] = []
        while let token = scanner.next() { tokens.append(token) }
        return tokens
    }

    private func kinds(_ sql: String) -> [SQLToken.Kind] { tokens(sql).map(\.kind) }

    func testTokensAreSplitAsSQLiteDoes() {
        let sql = "SELECT a.\"b\",c->>'$.d'||x'00ff' FROM t WHERE e<>?12 AND f>=:g AND h=$i::j(k)+1.5e-3;"
        XCTAssertEqual(
            tokens(sql).map(\.text),
            [
                "SELECT", "a", ".", "\"b\"", ",", "c", "->>", "'$.d'", "||", "x'00ff'", "FROM", "t", "WHERE",
                "e", "<>",
                "?12", "AND", "f", ">=", ":g", "AND", "h", "=", "$i::j(k)", "+", "1.5e-3", ";",
            ])
    }

    func testRangesAreTheUTF8BytesOfTheTokens() {
        let sql = "é /* ü */ = 'ö' -- end"
        for token in tokens(sql) {
            XCTAssertEqual(String(decoding: Array(sql.utf8)[token.range], as: UTF8.self), token.text)
        }
        XCTAssertEqual(tokens(sql).map(\.text), ["é", "=", "'ö'"])
    }

    func testScanningCanBeginInTheMiddle() {
        var scanner = SQLScanner("ab; cd", fromUTF8Offset: 3)
        XCTAssertEqual(scanner.next()?.text, "cd")
        XCTAssertNil(scanner.next()?.text)
        var beyond = SQLScanner("ab", fromUTF8Offset: 9)
        XCTAssertNil(beyond.next()?.text)
    }

    func testContentsHaveNoQuotes() {
        XCTAssertEqual(
            tokens("'it''s' \"a\"\"b\" `c``d` [e\"f] '''' '' x'0A' g 'h\"\"i'").map(\.content),
            ["it's", "a\"b", "c`d", "e\"f", "'", "", "0A", "g", "h\"\"i"])
    }

    func testTokensThatAreNotClosedAreIllegal() {
        for sql in [
            "'a", "\"a", "`a", "[a", "x'0", "x'0'", "'a''", "1a", "0xg", "$a(b", ":", "#", "!", "\u{b}",
        ] {
            XCTAssertEqual(kinds(sql).first, .illegal, sql)
        }
    }

    func testKinds() {
        let sql = "a \"b\" 'c' 1 x'00' ? + \u{feff}"
        XCTAssertEqual(
            kinds(sql), [.word, .quotedName, .string, .number, .blob, .parameter, .symbol, .byteOrderMark])
    }

    func testCommentsAreWhiteSpace() {
        XCTAssertEqual(tokens("a--b\nc/*d*/e/*f").map(\.text), ["a", "c", "e"])
        XCTAssertEqual(tokens("/*/a*/b").map(\.text), ["b"])
    }

    func testAVerticalTabIsWhiteSpaceAfterASpaceOnly() {
        XCTAssertEqual(kinds(" \u{b}a"), [.word])
        XCTAssertEqual(kinds("\u{b}a"), [.illegal, .word])
    }
}
