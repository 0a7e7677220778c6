import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// The machine continues to check for foreign changes as long as there are observers, whatever the checks
/// find.
final class ForeignChangeLivenessTests: XCTestCase {
    private typealias Machine = ForeignChangeMachine

    /// The machine and what its driver has to do next.
    private struct Driver {
        var machine = Machine()
        var isChecking = false
        var pending: (pause: Duration, number: Int)?
        var isEnding = false

        mutating func perform(_ action: Machine.Action?) {
            switch action {
            case .check: (isChecking, pending) = (true, nil)
            case .pause(let pause, let number): (isChecking, pending) = (false, (pause, number))
            case .endWatch: (isChecking, pending) = (false, nil)
            case .endObservations: isEnding = true
            case nil: break
            }
        }

        /// Whether a check is running, or begins after the longest pause at the latest.
        var isAlive: Bool {
            isEnding || isChecking || pending.map { $0.pause <= Machine.longestPauseWithHints } ?? false
        }
    }

    private let findings: [Machine.CheckResult] = [
        .unchanged, .changed, .unknown, .unrecovered, .failed, .fileMoved,
    ]

    func testALookRunsOrIsPendingAfterAnySequenceOfEvents() {
        let first = RandomTestSettings.seed
        print("foreign changes: VIGIL_SEED=\(first)")
        for seed in first..<first + 200 {
            var random = SplitMix64(seed: seed)
            var driver = Driver()
            driver.perform(driver.machine.begin(hasHints: random.chance(2)))
            for _ in 0..<300 {
                step(&driver, &random)
                guard driver.isAlive || driver.machine.isDormant else {
                    return XCTFail("no check is pending, VIGIL_SEED=\(seed)")
                }
            }
        }
    }

    private func step(_ driver: inout Driver, _ random: inout SplitMix64) {
        if driver.machine.isDormant {
            return driver.perform(driver.machine.begin(hasHints: random.chance(2)))
        }
        if driver.isEnding {
            driver.isEnding = false
            return driver.perform(driver.machine.didEndObservations())
        }
        if random.chance(3) { return driver.perform(driver.machine.didReceiveHint()) }
        if let pending = driver.pending {
            // The end of a pause that was superseded may be late.
            let number = random.chance(4) ? max(0, pending.number - 1) : pending.number
            return driver.perform(driver.machine.pauseDidEnd(number))
        }
        let result = random.chance(20) ? .unobserved : findings.randomElement(using: &random) ?? .unknown
        let isInProgress = [nil, true, false].randomElement(using: &random) ?? nil
        driver.perform(driver.machine.didCheck(result, isInProgress: isInProgress))
    }

    /// A commit causes a hint when it begins, and none when it becomes visible.
    func testEachCommitIsDetectedWithinTwiceItsDuration() {
        let first = RandomTestSettings.seed
        print("durations of commits: VIGIL_SEED=\(first)")
        for seed in first..<first + 100 {
            var random = SplitMix64(seed: seed)
            var driver = Driver()
            var now = Duration.zero
            var pauseEnd = Duration.zero
            func perform(_ action: Machine.Action?) {
                driver.perform(action)
                if case .pause(let pause, _) = action { pauseEnd = now + pause }
            }
            /// Lets time pass, with a check at the end of each pause.
            func advance(to end: Duration, visible: Bool?) -> Bool {
                var isDetected = false
                while true {
                    if driver.isChecking {
                        isDetected = isDetected || visible == true
                        // A log that may begin again does not show whether a commit is in progress.
                        let isKnown = !random.chance(8)
                        perform(
                            driver.machine.didCheck(
                                visible == true ? .changed : .unchanged,
                                isInProgress: isKnown ? visible == false : nil))
                    }
                    guard let pending = driver.pending, pauseEnd <= end else { break }
                    now = max(now, pauseEnd)
                    perform(driver.machine.pauseDidEnd(pending.number))
                }
                now = end
                return isDetected
            }
            perform(driver.machine.begin(hasHints: true))
            for number in 0..<50 {
                _ = advance(
                    to: now + .microseconds(Int.random(in: 0..<100_000, using: &random)), visible: nil)
                let longest = random.chance(3) ? 50_000 : 1_000
                let duration = Duration.microseconds(Int.random(in: 0..<longest, using: &random))
                perform(driver.machine.didReceiveHint())
                let isEarly = random.chance(2)
                if isEarly { _ = advance(to: now + duration / 2, visible: false) }
                if random.chance(2) { perform(driver.machine.didReceiveHint()) }
                _ = advance(to: now + (isEarly ? duration / 2 : duration), visible: false)
                let limit: Duration = now + duration + duration + Machine.longestRest + Machine.longestRest
                guard advance(to: limit, visible: true) else {
                    return XCTFail("commit \(number) is not detected, VIGIL_SEED=\(seed)")
                }
            }
        }
    }

    func testARepeatedResultCausesAnotherCheckOrEndsObservations() {
        for result in findings {
            var driver = Driver()
            driver.perform(driver.machine.begin(hasHints: true))
            var checks = 0
            while checks < 100, !driver.isEnding {
                guard let pending = driver.pending else { return XCTFail("\(result): no pause") }
                driver.perform(driver.machine.pauseDidEnd(pending.number))
                XCTAssertTrue(driver.isChecking, "\(result)")
                driver.perform(driver.machine.didCheck(result))
                checks += 1
            }
            let ends = [.unrecovered, .failed, .fileMoved].contains(result)
            XCTAssertEqual(driver.isEnding, ends, "\(result)")
        }
    }

    func testErrorsOfChecksAreClassified() {
        let expected: [(ResultCode, Machine.CheckResult)] = [
            (.SQLITE_BUSY, .unknown), (.SQLITE_LOCKED, .unknown), (.SQLITE_INTERRUPT, .unknown),
            (.SQLITE_ABORT, .unknown), (.SQLITE_BUSY_RECOVERY, .unknown),
            (.SQLITE_READONLY_ROLLBACK, .unrecovered), (.SQLITE_READONLY_RECOVERY, .unrecovered),
            (.SQLITE_READONLY_CANTINIT, .unrecovered), (.SQLITE_READONLY_DBMOVED, .fileMoved),
            (.SQLITE_READONLY, .failed), (.SQLITE_NOTADB, .failed), (.SQLITE_IOERR, .failed),
        ]
        for (code, result) in expected {
            XCTAssertEqual(Machine.CheckResult(DatabaseError(resultCode: code)), result, "\(code)")
        }
        XCTAssertEqual(Machine.CheckResult(CancellationError()), .unknown)
    }
}
