import XCTest

/// Applies the rules to the package. Other test classes test the rules themselves.
final class TidyTests: XCTestCase {
    func testLayersImportOnlyWhatTheTableAllows() { check(.layers) }
    func testFilesAreShort() { check(.fileLength) }
    func testFunctionsAreShort() { check(.functionLength) }
    func testThereAreNoBannedTokens() { check(.bannedToken) }
    func testOnlyDriversHaveTraitConditions() { check(.traitCondition) }
    func testOnlyDriversKnowTheWordsOfOneDialect() { check(.dialectWord) }
    func testUncheckedSendableTypesNameTheirGuardAndAreCounted() { check(.uncheckedSendable) }
    func testUncheckedAccessesStateTheirReasonAndAreCounted() { check(.uncheckedAccess) }
    func testTypeNamesAreSpecific() { check(.typeName) }
    func testNoFileMentionsTheWorkplace() { check(.workplaceWord) }
    func testScriptsAreExecutableAndPrintHelp() { check(.script) }
    func testSamplesOfThePagesAreSnippets() { check(.sample) }
    func testProseIsPlainEnglish() { check(.language) }

    func testParametersHaveLabels() { check(.parameterLabels) }
    func testTypesHaveFewStoredVariables() { check(.storedVariables) }
    func testFoldersHoldSeveralFilesAndFewFilesAreShort() { check(.folder) }
    func testTheAuthorOfABackendReadsFewProtocols() { check(.backendAPI) }
    func testCommentsAreNarrow() { check(.commentWidth) }

    func testEveryExceptionIsNeededAndHasAReason() {
        let findings = Rule.allCases.flatMap(\.findingsInPackage)
        for exception in tidyExceptions {
            XCTAssertFalse(exception.reason.isEmpty, "\(exception.path): an exception without a reason")
            XCTAssertTrue(
                findings.contains(where: exception.excuses),
                "\(exception.path): nothing to excuse (\(exception.rule) \(exception.message))")
        }
    }

    func testTheTreeContainsTheFilesOfThePackage() {
        let paths = Tree.current.files.map(\.path)
        XCTAssertTrue(paths.contains("Tests/VigilTidyTests/TidyTests.swift"))
        XCTAssertTrue(paths.contains("Package.swift"))
        XCTAssertTrue(paths.contains(".ci/run"))
        XCTAssertFalse(paths.contains { $0.contains(".build/") })
    }

    func testEveryRuleFindsItsViolation() {
        let bad = """
            import Foundation
            #if SQLCipher
            #endif
            final class RowHelper: @unchecked Sendable {
                func a() { try! b() \(String(repeating: "\n", count: Limit.linesOfASource)) }
            }
            // \("/wo" + "rk/")
            // Start \("an" + "ew").
            public enum Ungrouped { static let sql = "PRAGMA a" }
            func b(_ a: Int, _ b: Int, _ c: Int) {}
            struct A {
            \(String(repeating: "var a = 1\n", count: Limit.storedVariables + 1))}
            // \(String(repeating: "wide ", count: Limit.columnsOfAComment))
            """
        let protocols = String(repeating: "public protocol A {}\n", count: Limit.publicBackendProtocols + 1)
        let tree = Tree(
            root: Tree.current.root,
            files: [
                SourceFile(path: "Sources/VigilRegions/bad.swift", text: bad),
                SourceFile(path: "Sources/VigilStorage/bad.swift", text: protocols),
                SourceFile(path: "Scripts/missing", text: ""),
                SourceFile(path: "README.md", text: "```swift\nprint(1)\n```\n"),
            ])
        for rule in Rule.allCases {
            XCTAssertFalse(rule.findings(in: tree).isEmpty, "\(rule) finds nothing")
        }
    }

    private func check(_ rule: Rule, line: UInt = #line) {
        let findings = rule.findingsInPackage.filter { finding in
            !tidyExceptions.contains { $0.excuses(finding) }
        }
        for finding in findings { XCTFail(finding.description, line: line) }
    }
}
