import Foundation
import Synchronization
import VigilTesting
import XCTest

/// Runs observations of simulated databases, with threads and faults, in hundreds of short rounds.
///
/// A seed repeats the decisions of a round, but not the order of its threads.
final class DriverScheduleTests: XCTestCase {
    /// The number of rounds in the test suite.
    private static let count = 50

    func testNoValueIsLostReorderedOrRedundantInAnyRound() throws {
        let (begin, start) = (RandomTestSettings.seed, Date())
        var rounds = 0
        var (values, commits) = (0, 0)
        while RandomTestSettings.goesOn(after: rounds, of: Self.count, since: start) {
            let round = try DriverRound(seed: begin &+ UInt64(rounds))
            rounds += 1
            let problems = round.run()
            guard problems.isEmpty else {
                return XCTFail(
                    """
                    invariant violated, round \(rounds), \(round.hasFeed ? "pool with a feed" : round.isPool ? "pool" : "queue"), \
                    VIGIL_SEED=\(round.seed): \(problems.prefix(6).joined(separator: "\\n"))
                    """)
            }
            values += round.shared.withLock { $0.clients }.reduce(0) {
                $0 + $1.log.withLock { $0.values.count }
            }
            commits += round.history.all.count
        }
        print("schedules: \(rounds) rounds, \(commits) commits, \(values) values, from VIGIL_SEED=\(begin)")
    }

    /// A fetch in response to a commit that is not visible yet misses it, and nothing causes another fetch.
    func testAFeedThatReportsInvisibleCommitsIsFound() throws {
        let begin = RandomTestSettings.seed
        for number in 0..<UInt64(200) {
            var feed = SimulatedFeedOptions(seed: begin &+ number, longestLag: 8)
            feed.reportsInvisibleCommits = true
            let round = try DriverRound(seed: feed.seed, feed: feed, timeout: 0.5)
            let problems = round.run()
            if problems.contains(where: { $0.contains("the last value is lost") }) {
                return print("found in round \(number + 1)")
            }
        }
        XCTFail("no value was lost, VIGIL_SEED=\(begin)")
    }
}
