import VigilStorage
import XCTest

@testable import VigilEngine

extension FetchRoundMachine {
    /// Begins a round of all stale observers, and returns them.
    fileprivate mutating func begin(at now: Instant) -> [Observer] {
        let stale = beginRound(at: now)
        _ = startRound(stale)
        return stale
    }

    /// Ends the round.
    fileprivate mutating func end(at now: Instant, reads: Bool) -> Action {
        endRound(current ?? 0, at: now, reads: reads)
    }
}

/// When rounds begin and pause, step by step, with times that the test chooses.
final class FetchRoundMachineTests: XCTestCase {
    private typealias Machine = FetchRoundMachine<Int>

    private let start = ContinuousClock.now

    private func time(_ duration: Duration) -> ContinuousClock.Instant { start.advanced(by: duration) }

    /// Runs rounds without gaps until the machine pauses. Returns the action, and the time of the end.
    private func runUntilPause(
        _ machine: inout Machine, rounds: Duration, from begin: Duration = .zero
    ) throws -> (pause: Duration, number: Machine.Pause, end: Duration) {
        var now = begin
        for _ in 0..<1_000 {
            _ = machine.becameStale([1], isInitial: false)
            _ = machine.begin(at: time(now))
            now += rounds
            let action = machine.end(at: time(now), reads: true)
            if case .pause(let pause, let number) = action { return (pause, number, now) }
        }
        return try XCTUnwrap(nil, "it never pauses")
    }

    func testAnIsolatedCommitIsFetchedAtOnce() {
        var machine = Machine(readerCount: 1)
        XCTAssertEqual(machine.becameStale([], isInitial: false), .none)
        for second in 0..<100 {
            XCTAssertEqual(
                machine.becameStale([1], isInitial: false), .lease(.init(timeout: RoundPacing.maximumAge)))
            XCTAssertEqual(machine.begin(at: time(.seconds(second))), [1])
            let end = time(.seconds(second) + .milliseconds(5))
            XCTAssertTrue(machine.stale.isEmpty)
            XCTAssertEqual(machine.end(at: end, reads: true), .none)
        }
    }

    func testObserversOfARoundThatIsCutShortFetchInTheNext() {
        var machine = Machine(readerCount: 1)
        _ = machine.becameStale([1, 2, 3], isInitial: false)
        XCTAssertEqual(machine.begin(at: start), [1, 2, 3])
        guard let round = machine.current else { return XCTFail("no round") }
        XCTAssertEqual(machine.nextFetch(in: round), 1)
        XCTAssertEqual(machine.becameStale([4, 3], isInitial: false), .none)
        machine.cutShort(round, for: .outdatedSnapshot)
        XCTAssertNil(machine.nextFetch(in: round))
        guard case .lease = machine.end(at: time(.milliseconds(1)), reads: true) else {
            return XCTFail("no next round")
        }
        XCTAssertEqual(machine.begin(at: start), [2, 4, 3])
    }

    func testACheckpointEndsASnapshotSoonerThanOtherCommits() {
        typealias Pacing = RoundPacing
        let log = LogProgress(lastFrame: 900, copiedFrame: 0)
        let longer = LogProgress(lastFrame: 901, copiedFrame: 0)
        XCTAssertNil(Pacing.earlyEnd(after: .seconds(9), from: log, to: log), "no commit follows")
        XCTAssertNil(Pacing.earlyEnd(after: .milliseconds(4), from: log, to: longer))
        XCTAssertEqual(Pacing.earlyEnd(after: .milliseconds(5), from: log, to: longer), .outdatedSnapshot)
        let copied = LogProgress(lastFrame: 1001, copiedFrame: 1001)
        XCTAssertNil(Pacing.earlyEnd(after: .microseconds(900), from: log, to: copied))
        XCTAssertEqual(Pacing.earlyEnd(after: .milliseconds(1), from: log, to: copied), .checkpoint)
        XCTAssertNil(Pacing.earlyEnd(after: .seconds(9), from: copied, to: copied), "no commit waits for it")
        let restarted = LogProgress(lastFrame: 2, copiedFrame: 0)
        XCTAssertNil(Pacing.earlyEnd(after: .milliseconds(2), from: copied, to: restarted))
    }

    /// The pauses of rounds that end early end when a value may be older than the limit.
    func testAValueWaitsForCheckpointsOnlyUntilItsGreatestAge() {
        var machine = Machine(readerCount: 1)
        _ = machine.becameStale([1, 2], isInitial: false)
        var now = Duration.zero
        var isPausing = true
        while isPausing {
            _ = machine.begin(at: time(now))
            guard let round = machine.current else { return XCTFail("no round") }
            machine.cutShort(round, for: .checkpoint)
            now += .milliseconds(2)
            isPausing = false
            if case .pause(let pause, let number) = machine.end(at: time(now), reads: false) {
                now += pause
                _ = machine.pauseDidEnd(number)
                isPausing = true
            } else if now < RoundPacing.maximumAge {
                // The first rounds after a quiet time do not pause.
                isPausing = true
            }
            XCTAssertLessThan(now, RoundPacing.maximumAge * 3)
        }
        XCTAssertGreaterThanOrEqual(now, RoundPacing.maximumAge)
    }

    /// Rounds that end for the sake of a checkpoint pause, so that it can end; a new snapshot needs no pause.
    func testOnlyACheckpointNeedsAPause() {
        for reason in [RoundPacing.EarlyEnd.outdatedSnapshot, .checkpoint] {
            var machine = Machine(readerCount: 1)
            _ = machine.becameStale(Array(0..<100), isInitial: false)
            var pauses = 0
            for number in 1...20 {
                _ = machine.begin(at: time(.milliseconds(number)))
                guard let round = machine.current else { return XCTFail("no round") }
                _ = machine.nextFetch(in: round)
                machine.cutShort(round, for: reason)
                let end = time(.milliseconds(number + 1))
                if case .pause(_, let pause) = machine.end(at: end, reads: false) {
                    pauses += 1
                    _ = machine.pauseDidEnd(pause)
                }
            }
            XCTAssertEqual(pauses > 0, reason == .checkpoint)
        }
    }

    func testCommitsDuringARoundAreLeftToTheNext() {
        var machine = Machine(readerCount: 1)
        _ = machine.becameStale([1, 2], isInitial: false)
        XCTAssertEqual(machine.becameStale([2, 3], isInitial: false), .none)
        XCTAssertEqual(machine.begin(at: start), [1, 2, 3])
        XCTAssertEqual(machine.becameStale([3], isInitial: false), .none)
        // The value may have been stale since the round began.
        XCTAssertEqual(
            machine.end(at: time(.microseconds(10)), reads: false),
            .lease(.init(timeout: RoundPacing.maximumAge - .microseconds(10))))
        XCTAssertEqual(machine.begin(at: time(.microseconds(20))), [3])
        XCTAssertEqual(machine.end(at: time(.microseconds(30)), reads: false), .none)
    }

    func testRoundsDoNotPauseWithoutReads() {
        var machine = Machine(readerCount: 1)
        var now = Duration.zero
        for _ in 0..<100 {
            _ = machine.becameStale([1], isInitial: false)
            _ = machine.begin(at: time(now))
            _ = machine.becameStale([2], isInitial: false)
            now += .milliseconds(10)
            guard case .lease = machine.end(at: time(now), reads: false) else {
                return XCTFail("it does not continue")
            }
        }
    }

    func testRoundsPauseUnderSustainedLoad() throws {
        var machine = Machine(readerCount: 1)
        let (pause, number, _) = try runUntilPause(&machine, rounds: .microseconds(200))
        XCTAssertGreaterThanOrEqual(pause, RoundPacing.minimumPause)
        // Commits during the pause cost nothing and wait together.
        XCTAssertEqual(machine.becameStale([1], isInitial: false), .none)
        XCTAssertEqual(machine.becameStale([2], isInitial: false), .none)
        guard case .lease(let request) = machine.pauseDidEnd(number) else { return XCTFail("no round") }
        // They need not give way to reads for as long as they have waited.
        XCTAssertEqual(request.timeout, RoundPacing.maximumAge - pause - .microseconds(200))
        XCTAssertEqual(machine.begin(at: start), [1, 2])
    }

    func testACommitAfterAPauseIsFetchedAtOnce() throws {
        var machine = Machine(readerCount: 1)
        let (_, number, _) = try runUntilPause(&machine, rounds: .microseconds(200))
        XCTAssertEqual(machine.pauseDidEnd(number), .none)
        XCTAssertEqual(
            machine.becameStale([1], isInitial: false), .lease(.init(timeout: RoundPacing.maximumAge)))
    }

    func testAnInitialFetchEndsAPause() throws {
        var machine = Machine(readerCount: 1)
        let (_, number, _) = try runUntilPause(&machine, rounds: .microseconds(200))
        XCTAssertEqual(machine.becameStale([1], isInitial: false), .none)
        XCTAssertEqual(machine.becameStale([2], isInitial: true), .lease(.init(timeout: .zero)))
        XCTAssertTrue(machine.isHurried)
        XCTAssertEqual(machine.pauseDidEnd(number), .none, "it has ended before")
        XCTAssertEqual(machine.begin(at: start), [1, 2])
        XCTAssertFalse(machine.isHurried)
    }

    func testAnInitialFetchDuringARoundPreventsThePause() throws {
        var machine = Machine(readerCount: 1)
        let (_, number, end) = try runUntilPause(&machine, rounds: .microseconds(200))
        _ = machine.becameStale([1], isInitial: false)
        _ = machine.pauseDidEnd(number)
        _ = machine.begin(at: time(end))
        var other = machine
        _ = machine.becameStale([2], isInitial: true)
        let next = time(end + .milliseconds(1))
        XCTAssertEqual(machine.end(at: next, reads: true), .lease(.init(timeout: .zero)))
        guard case .pause = other.end(at: next, reads: true) else { return XCTFail("no pause") }
    }

    func testAnInitialFetchHurriesARoundThatWaitsForAReader() {
        var machine = Machine(readerCount: 1)
        _ = machine.becameStale([1], isInitial: false)
        XCTAssertFalse(machine.isHurried)
        XCTAssertEqual(machine.becameStale([2], isInitial: true), .hurry)
        XCTAssertTrue(machine.isHurried)
        XCTAssertEqual(machine.becameStale([3], isInitial: true), .none)
    }

    func testAPauseCanBeEndedEarly() throws {
        var machine = Machine(readerCount: 1)
        XCTAssertEqual(machine.endPause(), .none)
        let (_, first, end) = try runUntilPause(&machine, rounds: .microseconds(200))
        XCTAssertEqual(machine.endPause(), .none, "no observer is stale")
        XCTAssertEqual(machine.pauseDidEnd(first), .none)
        let (_, second, _) = try runUntilPause(&machine, rounds: .microseconds(200), from: end)
        _ = machine.becameStale([1], isInitial: false)
        guard case .lease = machine.endPause() else { return XCTFail("no round") }
        XCTAssertEqual(machine.pauseDidEnd(second), .none)
    }

    func testAPauseCanBePreventedDuringTheRoundBeforeIt() {
        var machine = Machine(readerCount: 1)
        var now = Duration.zero
        for _ in 0..<1_000 {
            _ = machine.becameStale([1], isInitial: false)
            _ = machine.begin(at: time(now))
            _ = machine.becameStale([2], isInitial: false)
            var prevented = machine
            XCTAssertEqual(prevented.endPause(), .none)
            now += .microseconds(200)
            let action = prevented.end(at: time(now), reads: true)
            guard case .pause = machine.end(at: time(now), reads: true) else { continue }
            guard case .lease = action else { return XCTFail("the pause was not prevented") }
            // Only that pause is prevented.
            _ = prevented.begin(at: time(now))
            now += .microseconds(200)
            guard case .pause = prevented.end(at: time(now), reads: true) else {
                return XCTFail("a later pause was prevented, too")
            }
            return
        }
        XCTFail("it never pauses")
    }

    func testTheTimerOfAnEarlierPauseDoesNotEndALaterOne() throws {
        var machine = Machine(readerCount: 1)
        let (_, first, end) = try runUntilPause(&machine, rounds: .microseconds(200))
        _ = machine.endPause()
        let (_, second, _) = try runUntilPause(&machine, rounds: .microseconds(200), from: end)
        _ = machine.becameStale([1], isInitial: false)
        XCTAssertEqual(machine.pauseDidEnd(first), .none)
        guard case .lease = machine.pauseDidEnd(second) else { return XCTFail("no round") }
    }

    // MARK: - Pacing

    /// Runs rounds for ten seconds, with the pauses that the pacing chooses. Returns the part of the time
    /// that they used, and the longest time from the begin of a round to the begin of the next one.
    private func pace(rounds: Duration, gap: Duration) -> (share: Double, longest: Duration, count: Int) {
        var pacing = RoundPacing()
        var (now, used, longest, count) = (Duration.zero, Duration.zero, Duration.zero, 0)
        while now < .seconds(10) {
            let end = now + rounds
            used += rounds
            count += 1
            let pause = pacing.roundDidEnd(from: time(now), to: time(end), reads: true)
            let next = end + max(pause, gap)
            longest = max(longest, next - now)
            now = next
        }
        return (used / now, longest, count)
    }

    func testRoundsUseALimitedPartOfTheTimeWhileReadsRun() {
        for rounds in [50, 200, 1_000, 4_000] {
            let (share, longest, _) = pace(rounds: .microseconds(rounds), gap: .zero)
            XCTAssertLessThanOrEqual(share, 1.05 / Double(RoundPacing.share), "\(rounds) µs")
            XCTAssertLessThanOrEqual(longest, RoundPacing.maximumAge)
        }
    }

    func testNoPauseIsLongerThanTheMaximumAge() {
        for rounds in [10, 60, 99, 100, 101, 1_000] {
            let (_, longest, _) = pace(rounds: .milliseconds(rounds), gap: .zero)
            XCTAssertEqual(longest, max(RoundPacing.maximumAge, .milliseconds(rounds)), "\(rounds) ms")
        }
    }

    func testRareRoundsDoNotPause() {
        // 200 commits per second whose rounds take 100 µs.
        let (_, longest, count) = pace(rounds: .microseconds(100), gap: .microseconds(4_900))
        XCTAssertEqual(longest, .milliseconds(5))
        XCTAssertEqual(count, 2_000)
    }

    func testABurstDoesNotPause() {
        var pacing = RoundPacing()
        var now = Duration.zero
        while now + .microseconds(100) <= RoundPacing.allowance {
            let end = now + .microseconds(100)
            XCTAssertEqual(pacing.roundDidEnd(from: time(now), to: time(end), reads: true), .zero)
            now = end
        }
    }

    func testALongLoadIsForgottenAfterAQuietTime() {
        var pacing = RoundPacing()
        var now = Duration.zero
        func round() -> Duration {
            let begin = now
            now += .milliseconds(5)
            return pacing.roundDidEnd(from: time(begin), to: time(now), reads: true)
        }
        for _ in 0..<100 { _ = round() }
        XCTAssertGreaterThan(round(), .zero)
        // The rounds have used more time than the pause can pay for. What it cannot pay for is not kept.
        now += RoundPacing.maximumAge + RoundPacing.allowance * RoundPacing.share
        for _ in 1...RoundPacing.unpacedRounds { XCTAssertEqual(round(), .zero) }
        XCTAssertGreaterThan(round(), .zero)
    }

    func testTheFirstRoundsAfterAQuietTimeDoNotPause() {
        for milliseconds in [2, 10, 60] {
            var pacing = RoundPacing()
            var now = Duration.zero
            for number in 1...6 {
                let end = now + .milliseconds(milliseconds)
                let pause = pacing.roundDidEnd(from: time(now), to: time(end), reads: true)
                XCTAssertEqual(pause > .zero, number > RoundPacing.unpacedRounds, "\(milliseconds) ms")
                now = end
            }
        }
    }
}
