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
        XCTAssertNil(machine.didReceiveSign())
        XCTAssertNil(machine.pauseDidEnd(0))
        XCTAssertNil(machine.didLook(.unchanged))
        XCTAssertTrue(machine.isDormant)
    }

    func testBeginningCountsAsASign() {
        var machine = Machine()
        XCTAssertEqual(machine.begin(hasSigns: true), .pause(shortest, number: 1))
        XCTAssertFalse(machine.isDormant)
        XCTAssertEqual(machine.pauseDidEnd(1), .look)
        XCTAssertEqual(machine.didLook(.unchanged), .pause(shortest * 2, number: 2))
    }

    func testTheWatchBeginsOnce() {
        var machine = begun()
        XCTAssertNil(machine.begin(hasSigns: true))
    }

    func testALookWithoutObserversEndsTheWatchUntilItBeginsAgain() {
        var machine = begun()
        XCTAssertEqual(machine.pauseDidEnd(1), .look)
        XCTAssertEqual(machine.didLook(.unobserved), .endWatch)
        XCTAssertTrue(machine.isDormant)
        XCTAssertNil(machine.didReceiveSign())
        XCTAssertNil(machine.pauseDidEnd(1))
        XCTAssertEqual(machine.begin(hasSigns: true), .pause(shortest, number: 2))
    }

    func testAfterStopNothingHappens() {
        for steps in 0..<3 {
            var machine = begun()
            if steps > 0 { _ = machine.pauseDidEnd(1) }
            if steps > 1 { _ = machine.didLook(.unchanged) }
            machine.stop()
            XCTAssertNil(machine.didReceiveSign())
            XCTAssertNil(machine.pauseDidEnd(1))
            XCTAssertNil(machine.pauseDidEnd(2))
            XCTAssertNil(machine.didLook(.changed))
            XCTAssertNil(machine.begin(hasSigns: true))
            XCTAssertFalse(machine.isDormant)
        }
    }

    // MARK: - Pauses

    func testWithoutSignsPausesDoubleUpToTheLongest() {
        var machine = begun()
        let pauses = pausesWithoutSign(&machine, count: 16)
        XCTAssertEqual(pauses[0..<4], [shortest, shortest * 2, shortest * 4, shortest * 8])
        XCTAssertEqual(pauses[13...], Array(repeating: Machine.longestPauseWithSigns, count: 3)[...])
    }

    func testWithoutAWatchPausesStayShort() {
        var machine = Machine()
        _ = machine.begin(hasSigns: false)
        let pauses = pausesWithoutSign(&machine, count: 10)
        XCTAssertEqual(pauses.last, Machine.longestPauseWithoutSigns)
        XCTAssertLessThanOrEqual(pauses.max() ?? .zero, Machine.longestPauseWithoutSigns)
    }

    func testLooksBecomeMoreFrequentWhenSignsEnd() {
        var machine = Machine()
        _ = machine.begin(hasSigns: true)
        XCTAssertEqual(pausesWithoutSign(&machine, count: 20).last, Machine.longestPauseWithSigns)
        machine.setHasSigns(false)
        XCTAssertEqual(machine.didReceiveSign(), .look)
        XCTAssertEqual(
            pauses(afterLook: .unchanged, &machine, count: 20).last, Machine.longestPauseWithoutSigns)
    }

    func testACommitVisibleAfterItsSignIsFoundWithinTwiceTheDelay() {
        for delay in stride(from: 1, through: 3000, by: 7).map(Duration.milliseconds) {
            var machine = quiet()
            XCTAssertEqual(machine.didReceiveSign(), .look)
            var now = Duration.zero
            while now < delay {
                guard case .pause(let pause, let number) = machine.didLook(.unchanged) else {
                    return XCTFail()
                }
                now += pause
                XCTAssertEqual(machine.pauseDidEnd(number), .look)
            }
            XCTAssertLessThanOrEqual(now, delay * 2 + shortest)
        }
    }

    func testALateEndOfAPauseIsIgnored() {
        var machine = quiet()
        let old = quietPause
        XCTAssertEqual(machine.didReceiveSign(), .look)
        XCTAssertNil(machine.pauseDidEnd(old))
        XCTAssertEqual(machine.didLook(.unchanged), .pause(shortest, number: old + 1))
        XCTAssertNil(machine.pauseDidEnd(old))
        XCTAssertEqual(machine.pauseDidEnd(old + 1), .look)
    }

    // MARK: - Failures

    func testObservationsEndAfterSomeFailedLooksInARow() {
        var machine = quiet()
        XCTAssertEqual(machine.pauseDidEnd(quietPause), .look)
        var pauses: [Duration] = []
        for _ in 1..<Machine.failureLimit {
            guard case .pause(let pause, let number) = machine.didLook(.failed) else { return XCTFail() }
            pauses.append(pause)
            XCTAssertEqual(machine.pauseDidEnd(number), .look)
        }
        // The pauses are short although no sign caused the first look.
        XCTAssertEqual(pauses.prefix(3), [shortest, shortest * 2, shortest * 4])
        XCTAssertEqual(machine.didLook(.failed), .endObservations)
        // Looks continue. Later observations end after the same number of failures.
        guard case .pause(_, let number) = machine.didEndObservations() else { return XCTFail() }
        XCTAssertEqual(machine.pauseDidEnd(number), .look)
        for _ in 1..<Machine.failureLimit { lookAgain(&machine, .failed) }
        XCTAssertEqual(machine.didLook(.failed), .endObservations)
    }

    func testASuccessfulLookResetsFailures() {
        for finding in [Machine.Finding.unchanged, .changed] {
            var machine = quiet()
            _ = machine.didReceiveSign()
            for _ in 0..<3 {
                for _ in 1..<Machine.failureLimit { lookAgain(&machine, .failed) }
                lookAgain(&machine, finding)
            }
        }
    }

    func testABusyLookDoesNotAffectFailures() {
        var machine = quiet()
        _ = machine.didReceiveSign()
        for _ in 0..<100 { lookAgain(&machine, .unknown) }
        for _ in 1..<Machine.failureLimit {
            lookAgain(&machine, .failed)
            lookAgain(&machine, .unknown)
        }
        XCTAssertEqual(machine.didLook(.failed), .endObservations)
    }

    func testAReplacedFileEndsObservationsAtOnce() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveSign(), .look)
        XCTAssertEqual(machine.didLook(.fileMoved), .endObservations)
        guard case .pause(_, let number) = machine.didEndObservations() else { return XCTFail() }
        XCTAssertEqual(machine.pauseDidEnd(number), .look)
        XCTAssertEqual(machine.didLook(.unobserved), .endWatch)
    }

    func testAfterStopObservationsDoNotEndAgain() {
        var machine = quiet()
        _ = machine.didReceiveSign()
        XCTAssertEqual(machine.didLook(.fileMoved), .endObservations)
        machine.stop()
        XCTAssertNil(machine.didEndObservations())
    }

    func testObservationsEndIfADatabaseIsNotRecovered() {
        var machine = quiet()
        _ = machine.didReceiveSign()
        for _ in 0..<2 {
            var waited = Duration.zero
            var action = machine.didLook(.unrecovered)
            while case .pause(let pause, let number) = action, waited < .seconds(60) {
                waited += pause
                XCTAssertEqual(machine.pauseDidEnd(number), .look)
                action = machine.didLook(.unrecovered)
            }
            XCTAssertEqual(action, .endObservations)
            XCTAssertGreaterThanOrEqual(waited, Machine.recoveryLimit)
            XCTAssertLessThanOrEqual(waited, Machine.recoveryLimit + Machine.longestPauseWithSigns)
            // Looks continue. Later observations wait for the recovery just as long.
            guard case .pause(_, let number) = machine.didEndObservations() else { return XCTFail() }
            XCTAssertEqual(machine.pauseDidEnd(number), .look)
        }
    }

    func testARecoveredDatabaseResetsTheTimeToRecover() {
        for finding in [Machine.Finding.unchanged, .changed] {
            var machine = quiet()
            _ = machine.didReceiveSign()
            for _ in 0..<3 {
                // The pauses double from 1 ms on: these last eight seconds.
                for _ in 0..<13 { lookAgain(&machine, .unrecovered) }
                lookAgain(&machine, finding)
            }
        }
    }

    private func lookAgain(_ machine: inout Machine, _ finding: Machine.Finding, line: UInt = #line) {
        guard case .pause(_, let number) = machine.didLook(finding) else {
            return XCTFail("no pause", line: line)
        }
        XCTAssertEqual(machine.pauseDidEnd(number), .look, line: line)
    }

    // MARK: - Signs

    func testASignAfterAQuietTimeIsAnsweredAtOnceAndResetsPauses() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveSign(), .look)
        XCTAssertEqual(
            pauses(afterLook: .unchanged, &machine, count: 3), [shortest, shortest * 2, shortest * 4])
    }

    func testASignDuringARestIsAnsweredAtItsEnd() {
        var machine = begun()
        XCTAssertNil(machine.didReceiveSign())
        XCTAssertNil(machine.didReceiveSign())
        XCTAssertEqual(machine.pauseDidEnd(1), .look)
        guard case .pause = machine.didLook(.unchanged) else { return XCTFail() }
    }

    func testASignDuringALookIsAnsweredAfterARest() {
        var machine = quiet()
        _ = machine.didReceiveSign()
        XCTAssertNil(machine.didReceiveSign())
        guard case .pause(shortest, let number) = machine.didLook(.changed) else { return XCTFail() }
        XCTAssertNil(machine.didReceiveSign(), "resting")
        XCTAssertEqual(machine.pauseDidEnd(number), .look)
    }

    func testASignDuringAScheduledLookResetsPauses() {
        var machine = quiet()
        XCTAssertEqual(machine.pauseDidEnd(quietPause), .look)
        XCTAssertNil(machine.didReceiveSign())
        guard case .pause(shortest, let number) = machine.didLook(.unknown) else { return XCTFail() }
        XCTAssertEqual(machine.pauseDidEnd(number), .look)
    }

    func testRestsGrowWhileSignsFindNothing() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveSign(), .look)
        let rests = restsWithSigns(.unchanged, &machine, count: 7)
        XCTAssertEqual(rests.prefix(3), [shortest, shortest * 2, shortest * 4])
        XCTAssertEqual(rests.suffix(2), [Machine.longestRest, Machine.longestRest])
    }

    func testRestsGrowForSignsSoonAfterARest() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveSign(), .look)
        guard case .pause(shortest, let rest) = machine.didLook(.unchanged) else { return XCTFail() }
        XCTAssertEqual(machine.pauseDidEnd(rest), .look)
        guard case .pause(shortest * 2, _) = machine.didLook(.unchanged) else { return XCTFail() }
        XCTAssertEqual(machine.didReceiveSign(), .look)
        guard case .pause(shortest * 2, _) = machine.didLook(.unchanged) else { return XCTFail() }
    }

    func testAForeignCommitResetsRests() {
        var machine = quiet()
        _ = machine.didReceiveSign()
        _ = restsWithSigns(.unchanged, &machine, count: 7)
        XCTAssertEqual(restsWithSigns(.changed, &machine, count: 2), [shortest, shortest])
    }

    func testAQuietTimeResetsRests() {
        var machine = quiet()
        _ = machine.didReceiveSign()
        _ = restsWithSigns(.unchanged, &machine, count: 7)
        _ = pauses(afterLook: .unchanged, &machine, count: 8)
        XCTAssertEqual(machine.didReceiveSign(), .look)
        guard case .pause(shortest, _) = machine.didLook(.unchanged) else { return XCTFail() }
    }

    func testEverySignIsAnsweredWithinTheLongestRest() {
        var machine = quiet()
        XCTAssertEqual(machine.didReceiveSign(), .look)
        for _ in 0..<100 {
            guard case .pause(let rest, let number) = machine.didLook(.unknown) else { return XCTFail() }
            XCTAssertLessThanOrEqual(rest, Machine.longestRest)
            for _ in 0..<3 { XCTAssertNil(machine.didReceiveSign()) }
            XCTAssertEqual(machine.pauseDidEnd(number), .look)
        }
    }

    // MARK: - Machine states

    private func begun() -> Machine {
        var machine = Machine()
        XCTAssertEqual(machine.begin(hasSigns: true), .pause(shortest, number: 1))
        return machine
    }

    /// Returns a machine in the longest pause.
    private func quiet() -> Machine {
        var machine = begun()
        _ = pausesWithoutSign(&machine, count: 16)
        return machine
    }

    /// The number of the current pause of a machine from `quiet()`.
    private let quietPause = 16

    /// Returns the current pause of a begun machine and those that follow. The machine ends in the last of them.
    private func pausesWithoutSign(_ machine: inout Machine, count: Int) -> [Duration] {
        XCTAssertEqual(machine.pauseDidEnd(1), .look)
        return [shortest] + pauses(afterLook: .unchanged, &machine, count: count - 1)
    }

    private func pauses(
        afterLook finding: Machine.Finding, _ machine: inout Machine, count: Int
    ) -> [Duration] {
        var pauses: [Duration] = []
        var action = machine.didLook(finding)
        while case .pause(let pause, let number) = action {
            pauses.append(pause)
            if pauses.count == count { break }
            XCTAssertEqual(machine.pauseDidEnd(number), .look)
            action = machine.didLook(finding)
        }
        return pauses
    }

    /// Sends a sign in each rest. The machine ends in a look.
    private func restsWithSigns(
        _ finding: Machine.Finding, _ machine: inout Machine, count: Int
    ) -> [Duration] {
        (0..<count).compactMap { _ in
            guard case .pause(let rest, let number) = machine.didLook(finding) else { return nil }
            XCTAssertNil(machine.didReceiveSign())
            XCTAssertEqual(machine.pauseDidEnd(number), .look)
            return rest
        }
    }
}
