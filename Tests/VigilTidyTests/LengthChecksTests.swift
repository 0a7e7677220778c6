import XCTest

final class LengthChecksTests: XCTestCase {
    private func source(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/VigilStorage/a.swift", text: text)
    }

    private func names(_ text: String) -> [String] {
        functions(in: source(text)).map { "\($0.name) \($0.firstLine)-\($0.lastLine)" }
    }

    func testAFileAboveTheLimitIsReported() {
        let limit = String(repeating: "\n", count: Limit.linesOfASource)
        XCTAssertEqual(fileLengthFindings(source(limit)), [])
        XCTAssertEqual(
            fileLengthFindings(source(limit + "\n")).map(\.message),
            ["the file has 501 lines, more than 500"])
    }

    func testTestFilesHaveAHigherLimit() {
        let text = String(repeating: "\n", count: Limit.linesOfATest)
        XCTAssertEqual(fileLengthFindings(SourceFile(path: "Tests/A/a.swift", text: text)), [])
        XCTAssertEqual(fileLengthFindings(SourceFile(path: "Tests/A/a.swift", text: text + "\n")).count, 1)
    }

    func testALongFunctionIsReported() {
        let body = String(repeating: "\n", count: Limit.linesOfAFunction - 1)
        XCTAssertEqual(functionLengthFindings(source("func f() {\(body)}")), [])
        XCTAssertEqual(
            functionLengthFindings(source("\nfunc f() {\n\(body)}")).map(\.description),
            ["Sources/VigilStorage/a.swift:2: f has 61 lines, more than 60"])
    }

    func testEveryKindOfBodyIsMeasured() {
        XCTAssertEqual(
            names(
                """
                struct A {
                    init?(a: Int = { 1 }()) {
                        self.init()
                    }
                    subscript(i: Int) -> Int {
                        i
                    }
                    var b: Int {
                        1
                    }
                    static func == (a: A, b: A) -> Bool
                    where A: B {
                        true
                    }
                    deinit {
                    }
                }
                """),
            ["init 2-4", "subscript 5-7", "b 8-10", "func 11-14", "deinit 15-16"])
    }

    func testProtocolRequirementsHaveNoBody() {
        XCTAssertEqual(
            names(
                """
                protocol A {
                    func a() -> Int
                    func b(
                        c: Int
                    ) throws
                    var d: Int { get }
                    init()
                }
                extension A {
                    func e() {
                    }
                }
                """),
            ["d 6-6", "e 10-11"])
    }

    func testStoredVariablesHaveNoBody() {
        XCTAssertEqual(names("var a = 1\nif b {\n}\n"), [])
        XCTAssertEqual(names("let a = b.init(c) { }"), [])
    }

    func testBracesInStringsAndCommentsAreIgnored() {
        XCTAssertEqual(names("func a() {\n\"{\"\n}\nfunc b() {\n// {\n}"), ["a 1-3", "b 4-6"])
    }
}
