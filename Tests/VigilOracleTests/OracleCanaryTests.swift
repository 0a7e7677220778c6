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
        try assertOracleFinds(mistake, from: seed, needsHook: needsHook, file: file, line: line) {
            try OracleRun($0, seed: $1, queryCount: 25).run(units: 40)
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

/// Tests that an oracle detects a mistake in one of 60 worlds, with each setting of a queue.
///
/// - Parameters:
///   - seed: The seed of the first world.
///   - needsHook: Whether to skip settings in which triggers supply the values.
///   - run: Returns what the oracle has found.
func assertOracleFinds(
    _ mistake: Alteration, from seed: UInt64, needsHook: Bool, file: StaticString, line: UInt,
    _ run: (OracleSetting, UInt64) throws -> String?
) throws {
    for setting in OracleSetting.all where !setting.isPool {
        if needsHook, try !setting.reportsRowImages() { continue }
        var setting = setting
        setting.mistake = mistake
        let found = try (seed..<seed + 60).first { try run(setting, $0) != nil }
        if let found { print("canary: found in world \(found), \(setting.description)") }
        XCTAssertNotNil(found, setting.description, file: file, line: line)
    }
}
