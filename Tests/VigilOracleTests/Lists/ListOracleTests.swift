import Foundation
import Vigil
import VigilTesting
import XCTest

/// Tests with random queries and writes that observed lists always equal fresh rows in the promised order,
/// also in sections.
///
/// ``RandomTestSettings`` lists the settings; `VIGIL_SEED` is the seed of the first world.
final class ListOracleTests: XCTestCase {
    func testListsEqualFreshRows() throws {
        let units = RandomTestSettings.isLong ? 40 : 12
        var (total, compared) = (ListTally(), 0)
        let (worlds, failures) = try OracleSetting.inRandomWorlds("lists") { database in
            let run = try ListRun(database)
            defer {
                total += run.tally
                compared += run.comparedCount
            }
            return try run.run(units: units, listCount: 10)
        }
        print("lists: \(worlds) worlds, \(compared) lists compared, \(total)")
        for failure in failures { XCTFail(failure) }
        XCTAssertGreaterThan(total.rowFetches, worlds * 5, "too few lists are updated row by row")
        XCTAssertGreaterThan(total.linkedRowFetches, 0, "no list is updated by the values of other tables")
    }
}
