import Foundation
import Vigil
import VigilTesting
import XCTest

/// Tests with random statements and writes that results updated row by row equal fresh ones.
///
/// ``RandomTestSettings`` lists the settings; `VIGIL_SEED` is the seed of the first world.
final class ResultOracleTests: XCTestCase {
    func testResultsEqualFreshRows() throws {
        let (first, start) = (RandomTestSettings.seed, Date())
        print("results: VIGIL_SEED=\(first)")
        let units = RandomTestSettings.soakSeconds == nil ? 40 : 80
        var total = ResultTally()
        var (worlds, failures) = (UInt64(0), [String]())
        while failures.count < 3, RandomTestSettings.goesOn(after: Int(worlds), of: 1, since: start) {
            for setting in OracleSetting.all {
                let seed = first &+ worlds
                var setting = setting
                setting.hasOtherWriter = setting.isPool && seed % 3 == 1
                setting.keptStatementCount = OracleSetting.keptStatementCounts[Int(seed % 3)]
                let run = try ResultRun(setting, seed: seed)
                if let failure = try run.run(units: units, observationCount: 12) { failures.append(failure) }
                total += run.tally
            }
            worlds += 1
        }
        print("results: \(worlds) worlds, \(total)")
        for failure in failures { XCTFail(failure) }
        // How many there are depends on the seed: 200 to 1,400 in a world.
        XCTAssertGreaterThan(total.updates, 0, "no result is updated row by row")
        XCTAssertGreaterThan(total.linkedUpdates, 0, "no result is updated by the values of other tables")
    }
}
