import Foundation
import Vigil
import VigilTesting
import XCTest

/// Tests with random queries and writes that observed lists always equal fresh rows in the promised order.
///
/// `VIGIL_SEED` is the seed of the first world, `VIGIL_SOAK_SECONDS` the duration of the test in seconds.
final class ListOracleTests: XCTestCase {
    func testListsEqualFreshRows() throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["VIGIL_SOAK_SECONDS"].flatMap { TimeInterval($0) } ?? 4
        let first = environment["VIGIL_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999_999)
        print("lists: VIGIL_SEED=\(first)")
        let end = Date() + seconds
        let units = environment["VIGIL_SOAK_SECONDS"] == nil ? 20 : 40
        var (total, compared) = (ListTally(), 0)
        var (worlds, failures) = (UInt64(0), [String]())
        repeat {
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
        } while Date() < end && failures.count < 3
        print("lists: \(worlds) worlds, \(compared) lists compared, \(total)")
        for failure in failures { XCTFail(failure) }
        XCTAssertGreaterThan(total.rowFetches, Int(worlds) * 5, "too few lists are updated row by row")
    }
}
