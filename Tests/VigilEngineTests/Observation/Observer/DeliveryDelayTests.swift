import VigilRegions
import XCTest

@testable import VigilEngine

/// The begin of each delay that a monitor receives.
final class DeliveryDelayTests: XCTestCase {
    private let begin = ContinuousClock.now
    private var counts = ObservationCounts()

    private func time(_ seconds: Int) -> ContinuousClock.Instant { begin + .seconds(seconds) }

    /// Reports a commit after as many seconds as its number.
    private func commit(_ number: UInt64) {
        let trigger = ObservationTrigger(commit: CommitNumber(rawValue: number), .database)
        _ = counts.didChange(trigger, at: time(Int(number)))
    }

    private func fetch(upTo number: UInt64) {
        counts.willFetch(at: CommitNumber(rawValue: number))
        counts.willDeliver()
    }

    func testADelayBeginsWithTheFirstCommitOfTheValue() {
        fetch(upTo: 0)
        XCTAssertNil(counts.didNotify(), "the initial value has no delay")
        commit(1)
        commit(2)
        fetch(upTo: 2)
        XCTAssertEqual(counts.didNotify(), time(1))
        fetch(upTo: 2)
        XCTAssertNil(counts.didNotify())
    }

    func testACommitDuringAFetchBelongsToTheNextOne() {
        commit(1)
        // Reported already, and not part of the snapshot.
        commit(2)
        fetch(upTo: 1)
        XCTAssertEqual(counts.didNotify(), time(1))
        commit(3)
        fetch(upTo: 2)
        XCTAssertEqual(counts.didNotify(), time(2))
    }

    func testEachOfSeveralValuesHasItsDelay() {
        for number in 1...3 as ClosedRange<UInt64> {
            commit(number)
            fetch(upTo: number)
        }
        XCTAssertEqual(counts.didNotify(), time(1))
        counts.didSkip()
        XCTAssertEqual(counts.didNotify(), time(3))
        XCTAssertEqual(counts.notifications, 2)
    }
}
