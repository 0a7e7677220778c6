import XCTest

/// Tests that the oracle of lists detects planted mistakes.
final class ListCanaryTests: XCTestCase {
    /// - Parameter needsHook: Whether to skip libraries that report no row images, where the mistake is rarely visible.
    private func assertFinds(
        _ mistake: Alteration, from seed: UInt64 = 1, needsHook: Bool = false,
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for setting in OracleSetting.all where !setting.isPool {
            if needsHook, try !setting.reportsRowImages() { continue }
            var setting = setting
            setting.mistake = mistake
            var isFound = false
            for seed in seed..<seed + 60 where !isFound {
                isFound = try ListRun(setting, seed: seed).run(units: 40, listCount: 12) != nil
                if isFound { print("canary: found in world \(seed), \(setting.description)") }
            }
            XCTAssertTrue(isFound, setting.description, file: file, line: line)
        }
    }

    func testUnwatchedTablesAreDetected() throws { try assertFinds(.forgetsWatchedTables) }

    func testFollowedOptionalTablesAreDetected() throws { try assertFinds(.followsOptionalTables) }

    func testIgnoredCaseIsDetected() throws { try assertFinds(.ignoresCase, from: 3, needsHook: true) }

    func testMisplacedNullsAreDetected() throws { try assertFinds(.misplacesNulls) }

    func testDroppedChangesAreDetected() throws { try assertFinds(.losesEveryTenthChange) }

    func testMissingRowIDIsDetected() throws { try assertFinds(.forgetsNewKeys, needsHook: true) }
}
