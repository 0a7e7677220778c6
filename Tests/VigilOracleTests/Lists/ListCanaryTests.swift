import XCTest

/// Tests that the oracle of lists detects planted mistakes.
final class ListCanaryTests: XCTestCase {
    /// - Parameter needsHook: Whether to skip libraries that report no row images, where the mistake is rarely visible.
    private func assertFinds(
        _ mistake: Alteration, from seed: UInt64 = 1, needsHook: Bool = false,
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        try assertOracleFinds(mistake, from: seed, needsHook: needsHook, file: file, line: line) {
            try ListRun($0, seed: $1, hasThrottledLists: false).run(units: 40, listCount: 12)
        }
    }

    func testUnwatchedTablesAreDetected() throws { try assertFinds(.forgetsWatchedTables) }

    func testFollowedOptionalTablesAreDetected() throws { try assertFinds(.followsOptionalTables, from: 2) }

    func testIgnoredCaseIsDetected() throws { try assertFinds(.ignoresCase, from: 42, needsHook: true) }

    func testMisplacedNullsAreDetected() throws { try assertFinds(.misplacesNulls) }

    func testDroppedChangesAreDetected() throws { try assertFinds(.losesEveryTenthChange) }

    func testMissingRowIDIsDetected() throws { try assertFinds(.forgetsNewKeys, from: 7, needsHook: true) }
}
