import Foundation
import VigilRandomSQL
import VigilTesting
import XCTest

/// Whatever is observed, and whatever happens to it: the last value that was told is what a fresh fetch gives.
///
/// `VIGIL_SEED` begins with the world of that seed, `VIGIL_SOAK_SECONDS` says how long to go on to others.
/// `VIGIL_HAZARDS`, such as `oddNames,movedRows`, gives all worlds these hazards.
final class OracleTests: XCTestCase {
    /// Every other world has some hazards.
    private static func hazards(_ seed: UInt64) -> [Hazard] {
        if let names = ProcessInfo.processInfo.environment["VIGIL_HAZARDS"] {
            return names.split(separator: ",").compactMap { Hazard(rawValue: String($0)) }
        }
        var random = SplitMix64(seed: seed)
        return random.chance(2) ? Array(Hazard.allCases.shuffled(using: &random).prefix(2)) : []
    }

    func testNothingIsMissed() throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["VIGIL_SOAK_SECONDS"].flatMap { TimeInterval($0) } ?? 4
        let first = environment["VIGIL_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999_999)
        print("oracle: VIGIL_SEED=\(first)")
        let end = Date() + seconds
        var (total, precision) = (OracleTallies(), [String: OracleTallies]())
        var (worlds, failures) = (UInt64(0), [String]())
        repeat {
            for setting in OracleSetting.all {
                // Each tenth world is observed with less knowledge too, to see what it is good for.
                let seed = first &+ worlds
                let others: [OracleSetting.Knowledge] =
                    worlds.isMultiple(of: 10) ? [.columns, .images, .conditions] : [.conditions]
                for knowledge in others {
                    var setting = setting
                    setting.knowledge = knowledge
                    setting.hasOtherWriter = setting.isPool && seed % 8 == 1
                    setting.hazards = Self.hazards(seed)
                    let queryCount = setting.hazards.isEmpty ? 25 : 9
                    let run = try OracleRun(setting, seed: seed, queryCount: queryCount)
                    if let failure = try run.run(units: 40) { failures.append(failure) }
                    total += run.tallies
                    if run.isBroken {
                        print("oracle: \(setting.description), seed \(seed): the library broke its file")
                    }
                    if others.count > 1, setting.hazards.isEmpty {
                        precision[setting.description, default: OracleTallies()] += run.tallies
                    }
                }
            }
            worlds += 1
        } while Date() < end && failures.count < 3
        print("oracle: \(worlds) worlds, \(total)")
        for (name, tally) in precision.sorted(by: { $0.key < $1.key }) { print("oracle: \(name): \(tally)") }
        for failure in failures { XCTFail(failure) }
        XCTAssertGreaterThan(total.all.needed, total.all.commits / 10, "too little happens to tell anything")
    }
}
