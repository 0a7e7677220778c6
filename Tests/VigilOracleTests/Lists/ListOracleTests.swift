import Foundation
import Vigil
import VigilTesting
import XCTest

/// Tests with random queries and writes that observed lists always equal fresh rows in the promised order.
///
/// ``RandomTestSettings`` lists the settings; `VIGIL_SEED` is the seed of the first world.
final class ListOracleTests: XCTestCase {
    func testListsEqualFreshRows() throws {
        let (first, start) = (RandomTestSettings.seed, Date())
        print("lists: VIGIL_SEED=\(first)")
        let units = RandomTestSettings.soakSeconds == nil ? 20 : 40
        var (total, compared) = (ListTally(), 0)
        var (worlds, failures) = (UInt64(0), [String]())
        while failures.count < 3, RandomTestSettings.goesOn(after: Int(worlds), of: 1, since: start) {
            for setting in OracleSetting.all {
                let seed = first &+ worlds
                var setting = setting
                setting.hasOtherWriter = setting.isPool && seed % 3 == 1
                setting.keptStatementCount = OracleSetting.keptStatementCounts[Int(seed % 3)]
                let run = try ListRun(setting, seed: seed)
                if let failure = try run.run(units: units, listCount: 10) { failures.append(failure) }
                total += run.tally
                compared += run.comparedCount
            }
            worlds += 1
        }
        print("lists: \(worlds) worlds, \(compared) lists compared, \(total)")
        for failure in failures { XCTFail(failure) }
        XCTAssertGreaterThan(total.rowFetches, Int(worlds) * 5, "too few lists are updated row by row")
        XCTAssertGreaterThan(total.linkedRowFetches, 0, "no list is updated by the values of other tables")
    }
}
