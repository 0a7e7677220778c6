import Foundation
import VigilRandomSQL
import VigilTesting
import XCTest

/// Tests with random queries and writes that the last delivered value always equals a fresh fetch.
///
/// ``RandomTestSettings`` lists the settings; `VIGIL_SEED` is the seed of the first world.
/// `VIGIL_HAZARDS`, such as `oddNames,movedRows`, sets the hazards of all worlds.
final class OracleTests: XCTestCase {
    /// Returns the hazards of a world. About half of the worlds have some.
    private static func hazards(_ seed: UInt64) -> [Hazard] {
        if let names = ProcessInfo.processInfo.environment["VIGIL_HAZARDS"] {
            return names.split(separator: ",").compactMap { Hazard(rawValue: String($0)) }
        }
        var random = SplitMix64(seed: seed)
        return random.chance(2) ? Array(Hazard.allCases.shuffled(using: &random).prefix(2)) : []
    }

    /// Returns the information that a world is observed with. Long runs observe every tenth world with less
    /// information too, to measure its benefit, and the test suite only with one kind of it.
    private static func knowledge(_ worlds: UInt64, _ seed: UInt64) -> [OracleSetting.Knowledge] {
        guard worlds.isMultiple(of: 10) else { return [.conditions] }
        if RandomTestSettings.isLong { return [.columns, .images, .conditions] }
        return [seed.isMultiple(of: 2) ? .images : .columns, .conditions]
    }

    func testLastValueEqualsFreshFetch() throws {
        let (first, start) = (RandomTestSettings.seed, Date())
        // The test suite needs one world, because each is observed on every backend.
        let units = RandomTestSettings.soakSeconds == nil ? RandomTestSettings.rounds(10) : 40
        print("oracle: VIGIL_SEED=\(first)")
        var (total, precision) = (OracleTallies(), [String: OracleTallies]())
        var (worlds, failures) = (UInt64(0), [String]())
        while failures.count < 3, RandomTestSettings.goesOn(after: Int(worlds), of: 1, since: start) {
            for setting in OracleSetting.all {
                let seed = first &+ worlds
                let others = Self.knowledge(worlds, seed)
                for knowledge in others {
                    let hasFeed = setting.isPool && seed % 4 == 2 && others.count == 1
                    var setting = hasFeed ? setting.withFeed() : setting
                    setting.knowledge = knowledge
                    setting.hasOtherWriter = setting.isPool && seed % 8 == 1
                    setting.hazards = Self.hazards(seed)
                    let counts = OracleSetting.keptStatementCounts
                    setting.keptStatementCount = counts[Int(seed % UInt64(counts.count))]
                    let queryCount = setting.hazards.isEmpty ? 25 : 9
                    let run = try OracleRun(setting, seed: seed, queryCount: queryCount)
                    if let failure = try run.run(units: units) { failures.append(failure) }
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
        }
        print("oracle: \(worlds) worlds, \(total)")
        print("oracle: \(total.lists)")
        for (name, tally) in precision.sorted(by: { $0.key < $1.key }) { print("oracle: \(name): \(tally)") }
        for failure in failures { XCTFail(failure) }
        XCTAssertGreaterThan(total.all.needed, total.all.commits / 20, "too few commits change a result")
    }
}
