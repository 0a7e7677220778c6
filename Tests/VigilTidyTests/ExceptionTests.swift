import XCTest

final class ExceptionTests: XCTestCase {
    private let finding = Finding(
        rule: .bannedToken, path: "Sources/VigilEngine/a.swift", line: 3, message: "as! traps")

    func testAnExceptionExcusesItsRuleInItsFile() {
        XCTAssertTrue(
            TidyException(rule: .bannedToken, path: finding.path, reason: "a").excuses(finding))
        XCTAssertTrue(
            TidyException(rule: .bannedToken, path: finding.path, message: "as!", reason: "a")
                .excuses(finding))
    }

    func testAnExceptionExcusesNoOtherFindings() {
        XCTAssertFalse(TidyException(rule: .layers, path: finding.path, reason: "a").excuses(finding))
        XCTAssertFalse(
            TidyException(rule: .bannedToken, path: "Sources/VigilEngine/b.swift", reason: "a")
                .excuses(finding))
        XCTAssertFalse(
            TidyException(rule: .bannedToken, path: finding.path, message: "try!", reason: "a")
                .excuses(finding))
    }
}
