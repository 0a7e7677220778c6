import XCTest

/// Mistakes that the oracle must find, so that it cannot go blind.
final class OracleCanaryTests: XCTestCase {
    private func assertFinds(
        _ mistake: Alteration, needsImages: Bool = false, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for setting in OracleSetting.all where !setting.isPool {
            // Without the values of changed rows, nobody asks for conditions.
            if needsImages, try !setting.reportsRowImages() { continue }
            var setting = setting
            setting.mistake = mistake
            var isFound = false
            for seed in UInt64(1)...60 where !isFound {
                isFound = try OracleRun(setting, seed: seed, queryCount: 25).run(units: 40) != nil
            }
            XCTAssertTrue(isFound, setting.description, file: file, line: line)
        }
    }

    func testLostChangesAreNoticed() throws { try assertFinds(.losesEveryTenthChange) }

    func testIgnoredOldValuesAreNoticed() throws { try assertFinds(.ignoresOldValues, needsImages: true) }

    func testAMissingAlternativeIsNoticed() throws {
        try assertFinds(.forgetsTheLastAlternative, needsImages: true)
    }

    func testAMissingValueOfAListIsNoticed() throws {
        try assertFinds(.forgetsTheLastOfAList, needsImages: true)
    }

    func testExcludedBoundsAreNoticed() throws { try assertFinds(.excludesBounds, needsImages: true) }

    func testMissingAffinitiesAreNoticed() throws { try assertFinds(.forgetsAffinities, needsImages: true) }

    func testAMissingColumnIsNoticed() throws { try assertFinds(.forgetsAColumn) }

    func testAMissingKeyIsNoticed() throws { try assertFinds(.forgetsNewKeys, needsImages: true) }

    func testAReleaseThatIsTakenForARollbackIsNoticed() throws {
        try assertFinds(.takesReleasesForRollbacks)
    }
}
