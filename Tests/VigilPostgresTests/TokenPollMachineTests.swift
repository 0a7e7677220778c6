import XCTest

@testable import VigilPostgres

final class TokenPollMachineTests: XCTestCase {
    private typealias Machine = TokenPollMachine

    private let start = ContinuousClock.now

    private func pause(_ action: Machine.Action?) -> (duration: Duration, number: Int)? {
        guard case .pause(let duration, let number)? = action else { return nil }
        return (duration, number)
    }

    /// Ends the pause of an action, and returns whether the machine reads.
    private func reads(_ machine: inout Machine, after action: Machine.Action?) -> Bool {
        pause(action).map { machine.pauseDidEnd($0.number) == .read } ?? false
    }

    func testAnotherTokenIsACommit() {
        var machine = Machine(token: 1)
        XCTAssertTrue(reads(&machine, after: machine.begin()))
        var (isCommit, action) = machine.didRead(1, at: start)
        XCTAssertFalse(isCommit)
        XCTAssertEqual(pause(action)?.duration, Machine.interval)
        XCTAssertTrue(reads(&machine, after: action))
        (isCommit, action) = machine.didRead(2, at: start)
        XCTAssertTrue(isCommit)
        XCTAssertTrue(reads(&machine, after: action))
        XCTAssertFalse(machine.didRead(2, at: start).isCommit)
    }

    func testTheFirstTokenAfterAFailureIsACommit() {
        var machine = Machine(token: 1)
        XCTAssertTrue(reads(&machine, after: machine.begin()))
        let failure = machine.didFail(at: start)
        XCTAssertEqual(pause(failure)?.duration, Machine.failureInterval)
        XCTAssertTrue(reads(&machine, after: failure))
        let (isCommit, action) = machine.didRead(1, at: start)
        XCTAssertTrue(isCommit)
        XCTAssertEqual(pause(action)?.duration, Machine.interval)
    }

    func testIntervalsAreLongerWhileNothingIsCommitted() {
        var machine = Machine(token: 1)
        var action = machine.begin()
        var durations: [Duration] = []
        for _ in 0..<Machine.quietCount + 2 {
            XCTAssertTrue(reads(&machine, after: action))
            (_, action) = machine.didRead(1, at: start)
            durations.append(pause(action)?.duration ?? .zero)
        }
        XCTAssertEqual(Set(durations.prefix(Machine.quietCount)), [Machine.interval])
        XCTAssertEqual(Set(durations.dropFirst(Machine.quietCount)), [Machine.quietInterval])
        XCTAssertTrue(reads(&machine, after: action))
        XCTAssertEqual(pause(machine.didRead(2, at: start).1)?.duration, Machine.interval)
    }

    func testAnOwnCommitIsReadAtOnce() {
        var machine = Machine(token: 1)
        let first = machine.begin()
        XCTAssertEqual(machine.didCommitHere(at: start), .read)
        XCTAssertFalse(reads(&machine, after: first), "a superseded pause")
        let (_, second) = machine.didRead(2, at: start)
        XCTAssertEqual(machine.didCommitHere(at: start + Machine.shortestInterval), .read)
        XCTAssertFalse(reads(&machine, after: second))
    }

    func testAnOwnCommitDuringAReadIsReadAfterIt() {
        var machine = Machine(token: 1)
        XCTAssertTrue(reads(&machine, after: machine.begin()))
        XCTAssertNil(machine.didCommitHere(at: start))
        let (_, action) = machine.didRead(1, at: start)
        XCTAssertEqual(pause(action)?.duration, Machine.shortestInterval)
        XCTAssertTrue(reads(&machine, after: action))
        XCTAssertTrue(machine.didRead(2, at: start).isCommit)
    }

    func testOwnCommitsInQuickSuccessionShareARead() {
        var machine = Machine(token: 1)
        _ = machine.begin()
        XCTAssertEqual(machine.didCommitHere(at: start), .read)
        let (_, long) = machine.didRead(2, at: start)
        let quick = machine.didCommitHere(at: start + .microseconds(300))
        XCTAssertEqual(pause(quick)?.duration, Machine.shortestInterval - .microseconds(300))
        for _ in 0..<10 { XCTAssertNil(machine.didCommitHere(at: start + .microseconds(400))) }
        XCTAssertFalse(reads(&machine, after: long))
        XCTAssertTrue(reads(&machine, after: quick))
    }

    func testAnOwnCommitEndsAFailure() {
        var machine = Machine(token: 1)
        XCTAssertTrue(reads(&machine, after: machine.begin()))
        _ = machine.didFail(at: start)
        XCTAssertEqual(machine.didCommitHere(at: start + .milliseconds(5)), .read)
        XCTAssertTrue(machine.didRead(1, at: start).isCommit)
    }
}
