import Foundation
import VigilTestSupport
import XCTest

@testable import VigilPostgres

/// Random schedules of the feed machine on a model server: late visibility, in any order; streams that begin
/// while commits are not visible; losses and restarts; changes of the publication.
final class FeedScheduleTests: XCTestCase {
    private static let count = 300

    func testNoCommitIsMissedInAnySchedule() {
        let (begin, start) = (RandomTestSettings.seed, Date())
        var (rounds, precise, coarse) = (0, 0, 0)
        while RandomTestSettings.goesOn(after: rounds, of: Self.count, since: start) {
            let seed = begin &+ UInt64(rounds)
            var world = FeedWorld(seed: seed)
            world.run(steps: 120)
            rounds += 1
            precise += world.preciseReportCount
            coarse += world.databaseReportCount
            if let problem = world.problem { return XCTFail("\(problem), VIGIL_SEED=\(seed)") }
        }
        XCTAssertGreaterThan(precise, rounds)
        print("schedules: \(rounds) of feeds, \(precise) reports of tables, \(coarse) of the database")
    }

    /// The same checks find each bug, which shows that they are effective.
    func testEachBugOfAFeedIsFound() {
        let begin = RandomTestSettings.seed
        for bug in FeedWorld.Bug.allCases {
            let isFound = (0..<UInt64(20_000)).contains { number in
                var world = FeedWorld(seed: begin &+ number, bug: bug)
                world.run(steps: 120)
                return world.problem != nil
            }
            XCTAssertTrue(isFound, "\(bug) was not found, VIGIL_SEED=\(begin)")
        }
    }
}
