import VigilStorage
import XCTest

@testable import VigilPostgres

final class LookPacingTests: XCTestCase {
    private var pacing = LookPacing()
    private let start = ContinuousClock.now

    override func setUp() {
        pacing = LookPacing()
        XCTAssertEqual(pacing.begin(), .look)
    }

    private func pause(_ step: LookPacing.Step?) -> (duration: Duration, number: Int)? {
        guard case .pause(let duration, let number)? = step else { return nil }
        return (duration, number)
    }

    /// Ends the pause of a step, and returns whether a look begins.
    private func looks(after step: LookPacing.Step?) -> Bool {
        pause(step).map { pacing.pauseDidEnd($0.number) == .look } ?? false
    }

    private func didLook(moved: Bool = false, waits: Bool = false) -> LookPacing.Step {
        pacing.didLook(moved: moved, waits: waits, at: start)
    }

    func testIntervalsAreLongerWhileNothingIsCommitted() {
        var durations: [Duration] = []
        for _ in 0..<LookPacing.quietCount + 2 {
            let step = didLook()
            durations.append(pause(step)?.duration ?? .zero)
            XCTAssertTrue(looks(after: step))
        }
        XCTAssertEqual(Set(durations.prefix(LookPacing.quietCount)), [LookPacing.interval])
        XCTAssertEqual(Set(durations.dropFirst(LookPacing.quietCount)), [LookPacing.quietInterval])
        XCTAssertEqual(pause(didLook(moved: true))?.duration, LookPacing.interval)
    }

    func testFailuresAreFollowedByGrowingPausesUnlessTheProgramCommits() {
        XCTAssertTrue(looks(after: pacing.didFail(at: start)))
        let failure = pacing.didFail(at: start)
        XCTAssertEqual(pause(failure)?.duration, Retries.look.firstPause * 2)
        XCTAssertEqual(pacing.didCommit(at: start + .milliseconds(5)), .look)
        XCTAssertFalse(looks(after: failure), "a superseded pause")
    }

    func testACommitIsLookedAtAtOnce() {
        let step = didLook()
        XCTAssertEqual(pacing.didCommit(at: start + LookPacing.shortestInterval), .look)
        XCTAssertFalse(looks(after: step), "a superseded pause")
    }

    func testACommitDuringALookIsLookedAtAfterIt() {
        XCTAssertNil(pacing.didCommit(at: start))
        let step = didLook()
        XCTAssertEqual(pause(step)?.duration, LookPacing.shortestInterval)
        XCTAssertTrue(looks(after: step))
    }

    func testCommitsInQuickSuccessionShareALook() {
        let long = didLook(moved: true)
        let quick = pacing.didCommit(at: start + .microseconds(300))
        XCTAssertEqual(pause(quick)?.duration, LookPacing.shortestInterval - .microseconds(300))
        for _ in 0..<10 { XCTAssertNil(pacing.didCommit(at: start + .microseconds(400))) }
        XCTAssertFalse(looks(after: long))
        XCTAssertTrue(looks(after: quick))
    }

    func testACommitThatIsNotVisibleIsLookedAtAgainAtGrowingIntervals() {
        var durations: [Duration] = []
        for _ in 0..<6 {
            let step = didLook(waits: true)
            durations.append(pause(step)?.duration ?? .zero)
            XCTAssertTrue(looks(after: step))
        }
        XCTAssertEqual(durations, [1, 2, 4, 8, 10, 10].map { .milliseconds($0) })
    }
}
