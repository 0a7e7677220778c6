import XCTest

@testable import VigilEngine

/// Each transition of the machine, without threads or waiting.
final class ForeignChangeMachineTests: XCTestCase {
    private typealias Machine = ForeignChangeMachine

    private let shortest = ForeignChangeMachine.shortestPause

    // MARK: - Beginning and ending

    func testNothingHappensBeforeTheFirstObservation() {
        var machine = Machine()
        XCTAssertTrue(machine.isDormant)
        XCTAssertNil(machine.didReceiveHint())
        XCTAssertNil(machine.pauseDidEnd(0))
        XCTAssertNil(machine.didCheck(.unchanged))
        XCTAssertTrue(machine.isDormant)
    }

    func testBeginningCountsAsAHint() {
        var machine = Machine()
        XCTAssertEqual(machine.begin(hasHints: true), .pause(shortest, number: 1))
        XCTAssertFalse(machine.isDormant)
        XCTAssertEqual(machine.pauseDidEnd(1), .check)
        XCTAssertEqual(machine.didCheck(.unchanged), .pause(shortest * 2, number: 2))
    }

    func testALogThatWaitsForReadersCausesALongRest() {
        var machine = begun()
        XCTAssertEqual(machine.pauseDidEnd(1), .check)
        _ = machine.didReceiveHint()
        XCTAssertEqual(
            machine.didCheck(.changed, logWaitsForReaders: true), .pause(Machine.longestRest, number: 2))
        XCTAssertNil(machine.didReceiveHint(), "hints wait for the end of the rest")
        XCTAssertEqual(machine.pauseDidEnd(2), .check)
        XCTAssertEqual(machine.didCheck(.changed), .pause(shortest, number: 3))
    }

    func testTheWatchBeginsOnce() {
        var machine = begun()
        XCTAssertNil(machine.begin(hasHints: true))
    }

    func testALookWithoutObserversEndsTheWatchUntilItBeginsAgain() {
        var machine = begun()
        XCTAssertEqual(machine.pauseDidEnd(1), .check)
        XCTAssertEqual(machine.didCheck(.unobserved), .endWatch)
        XCTAssertTrue(machine.isDormant)
        XCTAssertNil(machine.didReceiveHint())
        XCTAssertNil(machine.pauseDidEnd(1))
        XCTAssertEqual(machine.begin(hasHints: true), .pause(shortest, number: 2))
    }

    func testAfterStopNothingHappens() {
        for steps in 0..<3 {
            var machine = begun()
            if steps > 0 { _ = machine.pauseDidEnd(1) }
            if steps > 1 { _ = machine.didCheck(.unchanged) }
            machine.stop()
            XCTAssertNil(machine.didReceiveHint())
            XCTAssertNil(machine.pauseDidEnd(1))
            XCTAssertNil(machine.pauseDidEnd(2))
            XCTAssertNil(machine.didCheck(.changed))
            XCTAssertNil(machine.begin(hasHints: true))
            XCTAssertFalse(machine.isDormant)
        }
    }

    // MARK: - Pauses

    func testWithoutHintsPausesDoubleUpToTheLongest() {
        var machine = begun()
        let pauses = pausesWithoutHint(&machine, count: 16)
        XCTAssertEqual(pauses[0..<4], [shortest, shortest * 2, shortest * 4, shortest * 8])
        XCTAssertEqual(pauses[13...], Array(repeating: Machine.longestPauseWithHints, count: 3)[...])
    }

    func testWithoutAWatchPausesStayShort() {
        var machine = Machine()
        _ = machine.begin(hasHints: false)
        let pauses = pausesWithoutHint(&machine, count: 10)
        XCTAssertEqual(pauses.last, Machine.longestPauseWithoutHints)
        XCTAssertLessThanOrEqual(pauses.max() ?? .zero, Machine.longestPauseWithoutHints)
    }

    func testChecksBecomeMoreFrequentWhenHintsEnd() {
        var machine = Machine()
        _ = machine.begin(hasHints: true)
        XCTAssertEqual(pausesWithoutHint(&machine, count: 20).last, Machine.longestPauseWithHints)
        machine.setHasHints(false)
        XCTAssertEqual(machine.didReceiveHint(), .check)
        XCTAssertEqual(
            pauses(afterCheck: .unchanged, &machine, count: 20).last, Machine.longestPauseWithoutHints)
    }

    func testACommitVisibleAfterItsHintIsFoundWithinTwiceTheDelay() {
        for delay in stride(from: 1, through: 3000, by: 7).map(Duration.milliseconds) {
            var machine = quiet()
            XCTAssertEqual(machine.didReceiveHint(), .check)
            var now = Duration.zero
            while now < delay {
                guard case .pause(let pause, let number) = machine.didCheck(.unchanged) else {
                    return XCTFail()
                }
                now += pause
                XCTAssertEqual(machine.pauseDidEnd(number), .check)
            }
            XCTAssertLessThanOrEqual(now, delay * 2 + shortest)
        }
    }

    func testALateEndOfAPauseIsIgnored() {
        var machine = quiet()
        let old = quietPause
        XCTAssertEqual(machine.didReceiveHint(), .check)
        XCTAssertNil(machine.pauseDidEnd(old))
        XCTAssertEqual(machine.didCheck(.unchanged), .pause(shortest, number: old + 1))
        XCTAssertNil(machine.pauseDidEnd(old))
        XCTAssertEqual(machine.pauseDidEnd(old + 1), .check)
    }

    // MARK: - Failures

    func testObservationsEndAfterSomeFailedChecksInARow() {
        var machine = quiet()
        XCTAssertEqual(machine.pauseDidEnd(quietPause), .check)
        var pauses: [Duration] = []
        for _ in 1..<Machine.failureLimit {
            guard case .pause(let pause, let number) = machine.didCheck(.failed) else { return XCTFail() }
            pauses.append(pause)
            XCTAssertEqual(machine.pauseDidEnd(number), .check)
        }
        // The pauses are short although no hint caused the first check.
        XCTAssertEqual(pauses.prefix(3), [shortest, shortest * 2, shortest * 4])
        XCTAssertEqual(machine.didCheck(.failed), .endObservations)
        // Checks continue. Later observations end after the same number of failures.
        guard case .pause(_, let number) = machine.didEndObservations() else { return XCTFail() }
        XCTAssertEqual(machine.pauseDidEnd(number), .check)
        for _ in 1..<Machine.failureLimit { checkAgain(&machine, .failed) }
        XCTAssertEqual(machine.didCheck(.failed), .endObservations)
    }

    func testASuccessfulCheckResetsFailures() {
        for result in [Machine.CheckResult.unchanged, .changed] {
            var machine = quiet()
            _ = machine.didReceiveHint()
            for _ in 0..<3 {
                for _ in 1..<Machine.failureLimit { checkAgain(&machine, .failed) }
                checkAgain(&machine, result)
            }
        }
    }

    func testABusyCheckDoesNotAffectFailures() {
        var machine = quiet()
        _ = machine.didReceiveHint()
        for _ in 0..<100 { checkAgain(&machine, .unknown) }
        for _ in 1..<Machine.failureLimit {
            checkAgain(&machine, .failed)
            checkAgain(&machine, .unknown)
        }
        XCTAssertEqual(machine.didCheck(.failed), .endObservations)
    }

    func testAReplacedFileEndsObservationsAtOnce() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveHint(), .check)
        XCTAssertEqual(machine.didCheck(.fileMoved), .endObservations)
        guard case .pause(_, let number) = machine.didEndObservations() else { return XCTFail() }
        XCTAssertEqual(machine.pauseDidEnd(number), .check)
        XCTAssertEqual(machine.didCheck(.unobserved), .endWatch)
    }

    func testAfterStopObservationsDoNotEndAgain() {
        var machine = quiet()
        _ = machine.didReceiveHint()
        XCTAssertEqual(machine.didCheck(.fileMoved), .endObservations)
        machine.stop()
        XCTAssertNil(machine.didEndObservations())
    }

    func testObservationsEndIfADatabaseIsNotRecovered() {
        var machine = quiet()
        _ = machine.didReceiveHint()
        for _ in 0..<2 {
            var waited = Duration.zero
            var action = machine.didCheck(.unrecovered)
            while case .pause(let pause, let number) = action, waited < .seconds(60) {
                waited += pause
                XCTAssertEqual(machine.pauseDidEnd(number), .check)
                action = machine.didCheck(.unrecovered)
            }
            XCTAssertEqual(action, .endObservations)
            XCTAssertGreaterThanOrEqual(waited, Machine.recoveryLimit)
            XCTAssertLessThanOrEqual(waited, Machine.recoveryLimit + Machine.longestPauseWithHints)
            // Checks continue. Later observations wait for the recovery just as long.
            guard case .pause(_, let number) = machine.didEndObservations() else { return XCTFail() }
            XCTAssertEqual(machine.pauseDidEnd(number), .check)
        }
    }

    func testARecoveredDatabaseResetsTheTimeToRecover() {
        for result in [Machine.CheckResult.unchanged, .changed] {
            var machine = quiet()
            _ = machine.didReceiveHint()
            for _ in 0..<3 {
                // The pauses double from 1 ms on: these last eight seconds.
                for _ in 0..<13 { checkAgain(&machine, .unrecovered) }
                checkAgain(&machine, result)
            }
        }
    }

    private func checkAgain(_ machine: inout Machine, _ result: Machine.CheckResult, line: UInt = #line) {
        guard case .pause(_, let number) = machine.didCheck(result) else {
            return XCTFail("no pause", line: line)
        }
        XCTAssertEqual(machine.pauseDidEnd(number), .check, line: line)
    }

    // MARK: - Hints

    func testAHintAfterAQuietTimeIsAnsweredAtOnceAndResetsPauses() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveHint(), .check)
        XCTAssertEqual(
            pauses(afterCheck: .unchanged, &machine, count: 3), [shortest, shortest * 2, shortest * 4])
    }

    func testAHintDuringARestIsAnsweredAtItsEnd() {
        var machine = begun()
        XCTAssertNil(machine.didReceiveHint())
        XCTAssertNil(machine.didReceiveHint())
        XCTAssertEqual(machine.pauseDidEnd(1), .check)
        guard case .pause = machine.didCheck(.unchanged) else { return XCTFail() }
    }

    func testAHintDuringALookIsAnsweredAfterARest() {
        var machine = quiet()
        _ = machine.didReceiveHint()
        XCTAssertNil(machine.didReceiveHint())
        guard case .pause(shortest, let number) = machine.didCheck(.changed) else { return XCTFail() }
        XCTAssertNil(machine.didReceiveHint(), "resting")
        XCTAssertEqual(machine.pauseDidEnd(number), .check)
    }

    func testAHintDuringAScheduledCheckResetsPauses() {
        var machine = quiet()
        XCTAssertEqual(machine.pauseDidEnd(quietPause), .check)
        XCTAssertNil(machine.didReceiveHint())
        guard case .pause(shortest, let number) = machine.didCheck(.unknown) else { return XCTFail() }
        XCTAssertEqual(machine.pauseDidEnd(number), .check)
    }

    func testRestsGrowWhileHintsFindNothing() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveHint(), .check)
        let rests = restsWithHints(.unchanged, &machine, count: 7)
        XCTAssertEqual(rests.prefix(3), [shortest, shortest * 2, shortest * 4])
        XCTAssertEqual(rests.suffix(2), [Machine.longestRest, Machine.longestRest])
    }

    func testRestsGrowForHintsSoonAfterARest() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveHint(), .check)
        guard case .pause(shortest, let rest) = machine.didCheck(.unchanged) else { return XCTFail() }
        XCTAssertEqual(machine.pauseDidEnd(rest), .check)
        guard case .pause(shortest * 2, _) = machine.didCheck(.unchanged) else { return XCTFail() }
        XCTAssertEqual(machine.didReceiveHint(), .check)
        guard case .pause(shortest * 2, _) = machine.didCheck(.unchanged) else { return XCTFail() }
    }

    func testAForeignCommitResetsRests() {
        var machine = quiet()
        _ = machine.didReceiveHint()
        _ = restsWithHints(.unchanged, &machine, count: 7)
        XCTAssertEqual(restsWithHints(.changed, &machine, count: 2), [shortest, shortest])
    }

    func testAQuietTimeResetsRests() {
        var machine = quiet()
        _ = machine.didReceiveHint()
        _ = restsWithHints(.unchanged, &machine, count: 7)
        _ = pauses(afterCheck: .unchanged, &machine, count: 8)
        XCTAssertEqual(machine.didReceiveHint(), .check)
        guard case .pause(shortest, _) = machine.didCheck(.unchanged) else { return XCTFail() }
    }

    func testEveryHintIsAnsweredWithinTheLongestRest() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveHint(), .check)
        for _ in 0..<100 {
            guard case .pause(let rest, let number) = machine.didCheck(.unknown) else { return XCTFail() }
            XCTAssertLessThanOrEqual(rest, Machine.longestRest)
            for _ in 0..<3 { XCTAssertNil(machine.didReceiveHint()) }
            XCTAssertEqual(machine.pauseDidEnd(number), .check)
        }
    }

    // MARK: - Commits in progress

    func testWithoutACommitInProgressNoCheckFollows() {
        for result in [Machine.CheckResult.changed, .unchanged] {
            var machine = quiet()
            XCTAssertEqual(machine.didReceiveHint(), .check)
            guard
                case .pause(Machine.longestPauseWithHints, let number) = machine.didCheck(
                    result, isInProgress: false)
            else { return XCTFail("\(result)") }
            XCTAssertEqual(machine.pauseDidEnd(number), .check)
            guard
                case .pause(Machine.longestPauseWithHints, _) = machine.didCheck(
                    .unchanged, isInProgress: false)
            else { return XCTFail("\(result)") }
            XCTAssertEqual(machine.didReceiveHint(), .check)
        }
    }

    func testACommitInProgressIsAwaitedAsIfNothingWereKnown() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveHint(), .check)
        var pauses: [Duration] = []
        for _ in 0..<4 {
            guard case .pause(let pause, let number) = machine.didCheck(.unchanged, isInProgress: true) else {
                return XCTFail()
            }
            pauses.append(pause)
            XCTAssertEqual(machine.pauseDidEnd(number), .check)
        }
        XCTAssertEqual(pauses, [shortest, shortest * 2, shortest * 4, shortest * 8])
    }

    func testAHintDuringACheckIsAnsweredAlthoughNoCommitIsInProgress() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveHint(), .check)
        XCTAssertNil(machine.didReceiveHint())
        guard case .pause(shortest, let rest) = machine.didCheck(.changed, isInProgress: false) else {
            return XCTFail()
        }
        XCTAssertEqual(machine.pauseDidEnd(rest), .check)
    }

    func testWithoutAWatchOrAResultChecksFollow() {
        var machine = Machine()
        _ = machine.begin(hasHints: false)
        XCTAssertEqual(machine.pauseDidEnd(1), .check)
        XCTAssertEqual(machine.didCheck(.changed, isInProgress: false), .pause(shortest * 2, number: 2))
        machine = quiet()
        XCTAssertEqual(machine.didReceiveHint(), .check)
        guard case .pause(shortest, _) = machine.didCheck(.unknown, isInProgress: false) else {
            return XCTFail()
        }
    }

    func testRestsGrowWhileHintsFindNothingAndNoCommitIsInProgress() {
        var machine = quiet()
        var pauses: [Duration] = []
        for _ in 0..<6 {
            if pauses.last.map({ $0 > Machine.longestRest }) ?? true {
                XCTAssertEqual(machine.didReceiveHint(), .check)
            }
            guard
                case .pause(let pause, let number) = machine.didCheck(.unchanged, isInProgress: false)
            else { return XCTFail() }
            pauses.append(pause)
            guard pause <= Machine.longestRest else { continue }
            XCTAssertNil(machine.didReceiveHint(), "resting")
            XCTAssertEqual(machine.pauseDidEnd(number), .check)
        }
        let long = Machine.longestPauseWithHints
        XCTAssertEqual(pauses, [long, long, shortest * 8] + Array(repeating: Machine.longestRest, count: 3))
        // Without a hint, the rest ends without a check.
        guard case .pause(_, let number) = machine.didCheck(.unchanged, isInProgress: false) else {
            return XCTFail()
        }
        guard case .pause(long, _) = machine.pauseDidEnd(number) else { return XCTFail() }
        XCTAssertEqual(machine.didReceiveHint(), .check)
        guard case .pause(long, _) = machine.didCheck(.unchanged, isInProgress: false) else {
            return XCTFail()
        }
    }

    // MARK: - Machine states

    private func begun() -> Machine {
        var machine = Machine()
        XCTAssertEqual(machine.begin(hasHints: true), .pause(shortest, number: 1))
        return machine
    }

    /// Returns a machine in the longest pause.
    private func quiet() -> Machine {
        var machine = begun()
        _ = pausesWithoutHint(&machine, count: 16)
        return machine
    }

    /// The number of the current pause of a machine from `quiet()`.
    private let quietPause = 16

    /// Returns the current pause of a begun machine and those that follow. The machine ends in the last of
    /// them.
    private func pausesWithoutHint(_ machine: inout Machine, count: Int) -> [Duration] {
        XCTAssertEqual(machine.pauseDidEnd(1), .check)
        return [shortest] + pauses(afterCheck: .unchanged, &machine, count: count - 1)
    }

    private func pauses(
        afterCheck result: Machine.CheckResult, _ machine: inout Machine, count: Int
    ) -> [Duration] {
        var pauses: [Duration] = []
        var action = machine.didCheck(result)
        while case .pause(let pause, let number) = action {
            pauses.append(pause)
            if pauses.count == count { break }
            XCTAssertEqual(machine.pauseDidEnd(number), .check)
            action = machine.didCheck(result)
        }
        return pauses
    }

    /// Sends a hint in each rest. The machine ends in a check.
    private func restsWithHints(
        _ result: Machine.CheckResult, _ machine: inout Machine, count: Int
    ) -> [Duration] {
        (0..<count).compactMap { _ in
            guard case .pause(let rest, let number) = machine.didCheck(result) else { return nil }
            XCTAssertNil(machine.didReceiveHint())
            XCTAssertEqual(machine.pauseDidEnd(number), .check)
            return rest
        }
    }
}
