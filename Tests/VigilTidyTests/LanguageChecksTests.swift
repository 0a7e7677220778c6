import XCTest

final class LanguageChecksTests: XCTestCase {
    private func phrases(_ text: String, path: String = "Sources/VigilEngine/a.swift") -> [String] {
        wordings(in: SourceFile(path: path, text: text)).map(\.phrase)
    }

    /// Returns a comment. The slashes are not written in the tests, so that other tools do not count them.
    private func comment(_ text: String) -> String { String(repeating: "/", count: 3) + " " + text }

    func testPhrasesInCommentsAreReported() {
        for (text, phrase) in [
            ("It tells the observer.", "tells"), ("Nobody waits.", "Nobody"), ("to whom it belongs", "whom"),
            ("What was read.", "What"), ("There is no reader, it is no reader.", "is no r"),
            ("The same, with a limit.", "The same,"), ("It goes on.", "goes on"), ("It begins anew.", "anew"),
            ("a row of the own table", "of the own"), ("`nil` if there is none", "if there is none"),
            ("the names and those of others", "those of"),
        ] {
            XCTAssertEqual(phrases(comment(text)), [phrase], text)
            XCTAssertEqual(phrases("let a = 1  " + comment(text)), [phrase], text)
        }
    }

    func testOtherTextIsNotReported() {
        for text in [
            "Returns what was read.", "a person who reads", "the same value twice, the same, again",
            "It is no longer true.", "if there is no key",
        ] {
            XCTAssertEqual(phrases(comment(text)), [], text)
        }
        XCTAssertEqual(phrases(comment("It depends on\n") + comment("what was read.")), [])
        for code in ["func tell() {}", "let nobody = 1", "let a = \"anew\""] {
            XCTAssertEqual(phrases(code), [], code)
        }
    }

    func testMessagesOfSourcesAreReported() {
        XCTAssertEqual(phrases(#"throw A("start anew, \"nobody\" waits")"#), ["anew", "nobody"])
        XCTAssertEqual(phrases("let a = \"seldom \(comment("anew"))\""), ["seldom", "anew"])
        XCTAssertEqual(phrases(#"XCTFail("start anew")"#, path: "Tests/VigilEngineTests/a.swift"), [])
    }

    func testNamesOfTestsAreReported() {
        let path = "Tests/VigilEngineTests/a.swift"
        XCTAssertEqual(phrases("func " + "testWhoReadsIsTold() {}", path: path).count, 2)
        XCTAssertEqual(phrases("func testTheWholeTableIsStale() {}", path: path), [])
    }

    func testDocumentsAndArticlesAreReported() {
        for path in ["README.md", "Sources/Vigil/Vigil.docc/Vigil.md"] {
            XCTAssertEqual(phrases("a\nby itself", path: path), ["by itself"])
        }
    }

    func testACountMustEqualItsLimit() {
        let files = [SourceFile(path: "README.md", text: "anew\nanew\n")]
        XCTAssertEqual(languageFindings(in: files, limits: [.documents: 2]), [])
        XCTAssertEqual(languageFindings(in: files, limits: [.documents: 1]).map(\.line), [1, 2])
        XCTAssertEqual(
            languageFindings(in: files, limits: [.documents: 3]).map(\.message),
            ["documents: lower the limit from 3 to 2"])
    }

    func testRelativeClausesAreCounted() {
        let file = SourceFile(
            path: "Sources/VigilEngine/a.swift",
            text: comment("Rows that match.\n") + "let that = whose.which")
        XCTAssertEqual(relativeClauseFindings(in: [file], limit: 334), [])
        XCTAssertEqual(relativeClauseFindings(in: [file], limit: 333).count, 1)
    }

    func testAWideCommentIsReported() {
        func findings(_ text: String) -> Int {
            commentWidthFindings(SourceFile(path: "Sources/VigilEngine/a.swift", text: text)).count
        }
        let words = String(repeating: "a ", count: Limit.columnsOfAComment / 2 - 2) + "a"
        XCTAssertEqual(findings("    " + comment(String(words))), 1)
        XCTAssertEqual(findings(comment(String(words.dropLast(2)))), 0)
        XCTAssertEqual(findings(comment(String(repeating: "a", count: 200))), 0)
    }
}
