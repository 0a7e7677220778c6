import XCTest

final class ScriptChecksTests: XCTestCase {
    private func findings(_ answer: ScriptAnswer) -> [Finding] {
        scriptFindings(SourceFile(path: "Scripts/a", text: ""), answer: answer)
    }

    func testAScriptThatPrintsItsUsageIsNotReported() {
        XCTAssertEqual(
            findings(ScriptAnswer(isExecutable: true, status: 0, output: "Usage: Scripts/a\n")), [])
    }

    func testAScriptThatDoesNotPrintItsUsageIsReported() {
        XCTAssertEqual(findings(ScriptAnswer(isExecutable: false)).count, 1)
        XCTAssertEqual(
            findings(ScriptAnswer(isExecutable: true, status: 1, output: "Usage: Scripts/a\n")).count, 1)
        XCTAssertEqual(findings(ScriptAnswer(isExecutable: true, status: 0, output: "Hello")).count, 1)
    }

    func testTheCheckRunsTheScript() throws {
        let setUp = try XCTUnwrap(Tree.current.files.first { $0.path == "Scripts/setup" })
        let answer = ScriptAnswer(of: setUp, in: .current)
        XCTAssertTrue(answer.isExecutable)
        XCTAssertEqual(answer.status, 0)
        XCTAssertTrue(answer.output.contains("--help"))
    }
}
