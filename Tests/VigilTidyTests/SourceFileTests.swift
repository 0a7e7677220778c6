import XCTest

final class SourceFileTests: XCTestCase {
    private func code(_ text: String) -> String {
        String(decoding: SourceFile(path: "Sources/A/b.swift", text: text).code, as: UTF8.self)
    }

    func testCommentsAreBlanked() {
        XCTAssertEqual(code("a // b\nc"), "a     \nc")
        XCTAssertEqual(code("a /* b /* c */\nd */ e"), "a             \n     e")
    }

    func testTheContentsOfStringsAreBlanked() {
        XCTAssertEqual(code(#"a("b)", c)"#), #"a("  ", c)"#)
        XCTAssertEqual(code(#"a("b\"c")d"#), #"a("    ")d"#)
        XCTAssertEqual(code("\"\"\"\n\"x\" //\n\"\"\" y"), "\"\"\"\n      \n\"\"\" y")
        XCTAssertEqual(code(##"#"a"b\"#c"##), ##"#"    "#c"##)
    }

    func testInterpolationsAreCode() {
        XCTAssertEqual(code(#""a\(b("c"))d"e"#), #"" \(b(" ")) "e"#)
        XCTAssertEqual(code(##"#"a\(b)\#(c)"#"##), ##"#"     \#(c)"#"##)
    }

    func testCodeHasTheLengthOfTheText() {
        let text = "let é = \"ü\" // ß\n"
        XCTAssertEqual(code(text).utf8.count, text.utf8.count)
    }

    func testMatchesHaveLinesAndGroups() {
        let file = SourceFile(path: "Sources/A/b.swift", text: "// x1\n\nx2 \"x3\"\nx4")
        XCTAssertEqual(file.matches(#"x(\d)"#).map(\.line), [3, 4])
        XCTAssertEqual(file.matches(#"x(\d)"#).map(\.text), ["2", "4"])
    }

    func testTheModuleIsTheFolderUnderSourcesOrTests() {
        XCTAssertEqual(SourceFile(path: "Sources/A/B/c.swift", text: "").module, "A")
        XCTAssertEqual(SourceFile(path: "Tests/A/c.swift", text: "").module, "A")
        XCTAssertNil(SourceFile(path: "Package.swift", text: "").module)
    }

    func testATrailingNewlineDoesNotBeginALine() {
        XCTAssertEqual(SourceFile(path: "a", text: "").lineCount, 0)
        XCTAssertEqual(SourceFile(path: "a", text: "b\n").lineCount, 1)
        XCTAssertEqual(SourceFile(path: "a", text: "b\nc").lineCount, 2)
    }
}
