import VigilRandomSQL
import XCTest

/// Tests that the oracle detects planted mistakes in worlds with the corresponding hazard.
final class HazardCanaryTests: XCTestCase {
    private func assertFinds(
        _ mistake: Alteration, with hazard: Hazard, from seed: UInt64 = 1,
        where exists: (OracleSetting) throws -> Bool = { _ in true }, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        for setting in OracleSetting.all where !setting.isPool {
            guard try setting.exists(hazard), try exists(setting) else { continue }
            var setting = setting
            setting.mistake = mistake
            setting.hazards = [hazard]
            var isFound = false
            for seed in seed..<seed + 60 where !isFound {
                isFound = try OracleRun(setting, seed: seed, queryCount: 4).run(units: 40) != nil
                if isFound { print("canary: found in world \(seed), \(setting.description)") }
            }
            XCTAssertTrue(isFound, setting.description, file: file, line: line)
        }
    }

    func testDroppedTriggerDeletionsAreDetected() throws {
        try assertFinds(.forgetsDeletionsOfTriggers, with: .deletingTriggers)
    }

    func testDroppedChangesOfFailedStatementsAreDetected() throws {
        try assertFinds(.forgetsChangesOfFailedStatements, with: .failingTriggers)
    }

    func testIgnoredVirtualTableReadsAreDetected() throws {
        try assertFinds(.forgetsWhatVirtualTablesRead, with: .fullText)
    }

    func testIgnoredAttachedDatabasesAreDetected() throws {
        try assertFinds(.forgetsAttachedDatabases, with: .attachedDatabases)
    }

    func testKeptReportsOfTextsAreDetectedWhenDatabasesAreAttached() throws {
        try assertFinds(.keepsReportsOfTexts, with: .attachedDatabases, from: 4)
    }

    func testConditionsThatFailingRowsDoNotMeetAreDetected() throws {
        try assertFinds(.keepsConditionsOfFailingRows, with: .failingFetches, from: 22)
    }

    func testDroppedCommitErrorsAreDetected() throws {
        try assertFinds(.dropsErrorsOfReturning, with: .partialReturning)
    }

    func testSharedStatementsOfCanonicallyEqualTextsAreDetected() throws {
        try assertFinds(.cachesByCanonicalText, with: .oddNames)
    }

    func testMergedNamesAreDetected() throws { try assertFinds(.normalizesNames, with: .oddNames) }

    func testAlternativesLostAfterByteOrderMarksAreDetected() throws {
        // An older library takes U+FEFF for a letter, so that the statements do not compile.
        try assertFinds(
            .losesAlternativesBehindOddSpaces, with: .oddNames, where: { try $0.takesByteOrderMarksForSpace })
    }

    func testIgnoredRowIDChangesAreDetected() throws { try assertFinds(.forgetsMovedRows, with: .movedRows) }

    func testHiddenAbortsAreDetected() throws {
        try assertFinds(.hidesAbortedTransactions, with: .abortedBlocks)
    }
}
