import Foundation
import VigilTesting
import XCTest

@testable import VigilEngine

/// Runs the observation machines in thousands of random schedules, without threads.
///
/// `VIGIL_SEED` runs the schedule of a failure first; `Scripts/soak --schedules` runs more schedules.
final class MachineScheduleTests: XCTestCase {
    /// The number of schedules in the test suite.
    private static let count = 400

    func testNothingIsLostMixedUpOrTooMuchInAnySchedule() {
        let (begin, start) = (RandomTestSettings.seed, Date())
        var schedules = 0
        var steps = 0
        while RandomTestSettings.goesOn(after: schedules, of: Self.count, since: start) {
            let world = ScheduleWorld(seed: begin &+ UInt64(schedules))
            schedules += 1
            let problems = world.run()
            steps += world.trace.count
            guard problems.isEmpty else { return fail(world, problems) }
        }
        print("schedules: \(schedules) of machines, \(steps) steps, from VIGIL_SEED=\(begin)")
    }

    /// The same checks find each bug planted in the model, which shows that they are effective.
    func testEachPlantedBugIsFound() {
        for bug in ScheduleBug.allCases {
            let found = (bug.firstSeed...20_000).first { seed in
                !ScheduleWorld(seed: UInt64(seed), bug: bug).run().isEmpty
                    && ScheduleWorld(seed: UInt64(seed)).run().isEmpty
            }
            XCTAssertNotNil(found, "no check finds \(bug)")
            print("schedules: \(bug) is found by seed \(found ?? 0)")
        }
    }

    func testClientsOfASharedObservationStartAndEndInAnySchedule() {
        let begin = RandomTestSettings.seed
        for number in 0..<UInt64(RandomTestSettings.rounds(Self.count)) {
            let problems = SharedWorld(seed: begin &+ number).run()
            guard problems.isEmpty else {
                return XCTFail(
                    "invariant violated, VIGIL_SEED=\(begin &+ number): \(problems.joined(separator: "; "))")
            }
        }
        for bug in SharedBug.allCases {
            let found = (1...5_000).first { !SharedWorld(seed: $0, bug: bug).run().isEmpty }
            XCTAssertNotNil(found, "no check finds \(bug)")
        }
    }

    private func fail(_ world: ScheduleWorld, _ problems: [String]) {
        XCTFail(
            """
            invariant violated, VIGIL_SEED=\(world.seed): \(problems.joined(separator: "; "))
            observers: \(world.observers.map(\.description).joined(separator: "; "))
            rows of each commit: \(world.database.changes.map { $0.sorted() })
            the last steps: \(world.trace.suffix(60).map { "\($0)" }.joined(separator: " "))
            """)
    }
}

extension ModelObserver {
    fileprivate var description: String {
        "\(number) \(query)\(isEach ? " each" : "")\(hasDemand ? " demand" : "")\(isPausable ? " pause" : "")"
            + "\(removesDuplicates ? " distinct" : "") read \(readings.map { "\($0.commit)/\($0.state)" })"
            + " fetched \(fetches.map { "\($0.rows.sorted()) at \($0.commit), known at \($0.registration)" })"
    }
}
