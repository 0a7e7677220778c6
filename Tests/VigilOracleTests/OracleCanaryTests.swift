import XCTest

/// Tests that the oracle detects planted mistakes.
final class OracleCanaryTests: XCTestCase {
    /// - Parameters:
    ///   - seed: The seed of the first world. Some mistakes only affect rare queries.
    ///   - needsHook: Whether to skip settings in which triggers supply the values, where the mistake is rare.
    private func assertFinds(
        _ mistake: Alteration, from seed: UInt64 = 104, needsHook: Bool = false,
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for setting in OracleSetting.all where !setting.isPool {
            if needsHook, try !setting.reportsRowImages() { continue }
            var setting = setting
            setting.mistake = mistake
            var isFound = false
            for seed in seed..<seed + 60 where !isFound {
                isFound = try OracleRun(setting, seed: seed, queryCount: 25).run(units: 40) != nil
                if isFound { print("canary: found in world \(seed), \(setting.description)") }
            }
            XCTAssertTrue(isFound, setting.description, file: file, line: line)
        }
    }

    func testAFeedThatReportsInvisibleCommitsIsDetected() throws {
        for setting in OracleSetting.all where setting.isPool {
            let setting = setting.withFeed(reportsInvisibleCommits: true)
            let isFound = try (104..<164).contains { seed in
                try OracleRun(setting, seed: seed, queryCount: 25).run(units: 40) != nil
            }
            XCTAssertTrue(isFound, setting.description)
        }
    }

    func testDroppedChangesAreDetected() throws { try assertFinds(.losesEveryTenthChange, from: 108) }

    func testIgnoredOldValuesAreDetected() throws { try assertFinds(.ignoresOldValues) }

    func testMissingAlternativeIsDetected() throws {
        try assertFinds(.forgetsTheLastAlternative, from: 108, needsHook: true)
    }

    func testMissingListValueIsDetected() throws {
        try assertFinds(.forgetsTheLastOfAList, from: 112, needsHook: true)
    }

    func testExcludedBoundsAreDetected() throws {
        try assertFinds(.excludesBounds, from: 111, needsHook: true)
    }

    func testMissingAffinitiesAreDetected() throws { try assertFinds(.forgetsAffinities) }

    func testMissingColumnIsDetected() throws { try assertFinds(.forgetsAColumn, from: 103) }

    func testMissingRowIDIsDetected() throws { try assertFinds(.forgetsNewKeys, from: 140, needsHook: true) }

    func testReleaseTreatedAsRollbackIsDetected() throws {
        try assertFinds(.takesReleasesForRollbacks)
    }
}
