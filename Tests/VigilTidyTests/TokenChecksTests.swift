import XCTest

final class TokenChecksTests: XCTestCase {
    private func lines(_ text: String, path: String = "Sources/VigilEngine/a.swift") -> [Int] {
        bannedTokenFindings(SourceFile(path: path, text: text)).map(\.line)
    }

    func testBannedTokensAreReportedWithTheirLines() {
        for text in [
            "try! a()", "a as! B", "fatalError()", "Swift.fatalError (\"\")", "print(a)", "Swift.print(a)",
            "precondition(a)", "Swift.precondition (a, b)", "preconditionFailure(\"a\")",
            "debugPrint(a)", "@testable import A", "Thread.sleep(forTimeInterval: 1)", "usleep(1)",
            "sleep(1)",
            "nanosleep(a, b)", "try await Task.sleep(for: a)", "try await Task<Never, Never>.sleep(for: a)",
            "// TO" + "DO: later", "let a = \"FIX" + "ME\"",
        ] {
            XCTAssertEqual(lines("\n" + text), [2], text)
        }
    }

    func testSimilarCodeIsNotReported() {
        for text in [
            "try a()", "a as? B", "// print(a) or try! b()", "a(\"print(b)\")", "writer.print(a)",
            "func print(a: A) {}", "reprint(a)", "clock.sleep(until: a)", "func sleep(until: A) {}",
            "asleep(a)",
            "has!", "trap(unless: a, \"b\")", "dispatchPrecondition(a)", "/// - Precondition: (a)",
        ] {
            XCTAssertEqual(lines(text), [], text)
        }
    }

    func testTheToolMayPrint() {
        XCTAssertEqual(lines("print(a)", path: "Tool/Sources/vigil-tool/a.swift"), [])
        XCTAssertEqual(lines("try! a()", path: "Tool/Sources/vigil-tool/a.swift"), [1])
    }

    func testTestsMayTrapButNotSleep() {
        XCTAssertEqual(lines("try! print(a as! B)", path: "Tests/A/a.swift"), [])
        XCTAssertEqual(lines("Thread.sleep(forTimeInterval: 1)", path: "Tests/A/a.swift"), [1])
        XCTAssertEqual(lines("usleep(1)\nawait Task.sleep(for: a)", path: "Tests/A/a.swift"), [1, 2])
    }

    func testUnfinishedWorkIsAlsoReportedInC() {
        XCTAssertEqual(lines("/* TO" + "DO */", path: "Sources/CVigilSQLite/a.c"), [1])
    }

    func testOnlyDriversHaveTraitConditions() {
        for text in ["#if SQLCipher", "  #elseif os(Linux) && SQLite", "#if !SQLCipher"] {
            for (module, count) in [("VigilEngine", 1), ("VigilSQLite", 0), ("Vigil", 0), ("vigil-tool", 0)] {
                let file = SourceFile(path: "Sources/\(module)/a.swift", text: text)
                XCTAssertEqual(traitConditionFindings(file).count, count, "\(module): \(text)")
            }
            XCTAssertEqual(traitConditionFindings(SourceFile(path: "Tests/A/a.swift", text: text)), [])
        }
        let other = SourceFile(path: "Sources/VigilEngine/a.swift", text: "#if canImport(VigilSQLite)")
        XCTAssertEqual(traitConditionFindings(other), [])
    }

    func testVagueTypeNamesAreReported() {
        for (text, count) in [
            ("final class ObservationManager {", 1), ("enum SQLUtils {", 1), ("struct RowImpl: Row {", 1),
            ("protocol Helper", 1), ("struct ManagerOfRows {", 0), ("let a = FileManager.default", 0),
        ] {
            let file = SourceFile(path: "Sources/VigilEngine/a.swift", text: text)
            XCTAssertEqual(typeNameFindings(file).count, count, text)
        }
    }

    func testTheWorkplaceIsReportedInAnyFile() {
        for word in ["farm" + "-a", "cd /wo" + "rk/main", "see shared" + "/DESIGN.md"] {
            XCTAssertEqual(
                workplaceWordFindings(SourceFile(path: "README.md", text: "a\n\(word)")).map(\.line), [2])
        }
        XCTAssertEqual(workplaceWordFindings(SourceFile(path: "README.md", text: "It does its work.")), [])
    }
}
