import Foundation
import Vigil
import VigilTesting
import XCTest

/// Tests with random statements and writes that results updated row by row equal fresh ones.
///
/// ``RandomTestSettings`` lists the settings; `VIGIL_SEED` is the seed of the first world.
final class ResultOracleTests: XCTestCase {
    private func run(keepsRows: Bool, units: Int) throws -> (worlds: Int, ResultTally) {
        var total = ResultTally()
        let name = keepsRows ? "kept rows" : "results"
        let (worlds, failures) = try OracleSetting.inRandomWorlds(name, keepsRows: keepsRows) { database in
            let run = try ResultRun(database)
            defer { total += run.tally }
            return try run.run(units: RandomTestSettings.isLong ? 200 : units, observationCount: 12)
        }
        print("\(name): \(worlds) worlds, \(total)")
        for failure in failures { XCTFail(failure) }
        return (worlds, total)
    }

    /// Rows of several statements in one fetch, of which a write may have changed few.
    func testKeptRowsEqualFreshRows() throws {
        let (_, total) = try run(keepsRows: true, units: 12)
        XCTAssertGreaterThan(total.updates, 0, "no rows are kept")
    }

    func testResultsEqualFreshRows() throws {
        let (worlds, total) = try run(keepsRows: false, units: 24)
        // How many there are depends on the seed: 100 to 800 in a world.
        XCTAssertGreaterThan(total.updates, 0, "no result is updated row by row")
        XCTAssertLessThan(total.permitted, max(20, total.queries / 100), "results that SQL leaves open")
        // In few worlds, there may be no such statement whose order is certain, or whose fetches are
        // expensive: a result is kept from then on. A seed had 0 or 49 updates by values.
        if worlds > 10 {
            XCTAssertGreaterThan(total.rowUpdates, 0, "no rows without groups are updated one by one")
            XCTAssertGreaterThan(
                total.linkedUpdates, 0, "no result is updated by the values of other tables")
        }
    }
}
