import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// The machine continues to look for foreign changes as long as there are observers, whatever the looks find.
final class ForeignChangeLivenessTests: XCTestCase {
    private typealias Machine = ForeignChangeMachine

    /// The machine and what its driver has to do next.
    private struct Driver {
        var machine = Machine()
        var isLooking = false
        var pending: (pause: Duration, number: Int)?
        var isEnding = false

        mutating func perform(_ action: Machine.Action?) {
            switch action {
            case .look: (isLooking, pending) = (true, nil)
            case .pause(let pause, let number): (isLooking, pending) = (false, (pause, number))
            case .endWatch: (isLooking, pending) = (false, nil)
            case .endObservations: isEnding = true
            case nil: break
            }
        }

        /// Whether a look is running, or begins after the longest pause at the latest.
        var isAlive: Bool {
            isEnding || isLooking || pending.map { $0.pause <= Machine.longestPauseWithSigns } ?? false
        }
    }

    private let findings: [Machine.Finding] = [
        .unchanged, .changed, .unknown, .unrecovered, .failed, .fileMoved,
    ]

    func testALookRunsOrIsPendingAfterAnySequenceOfEvents() {
        let first = SoakSettings.seed
        print("foreign changes: VIGIL_SEED=\(first)")
        for seed in first..<first + 200 {
            var random = SplitMix64(seed: seed)
            var driver = Driver()
            driver.perform(driver.machine.begin(hasSigns: random.chance(2)))
            for _ in 0..<300 {
                step(&driver, &random)
                guard driver.isAlive || driver.machine.isDormant else {
                    return XCTFail("no look is pending, VIGIL_SEED=\(seed)")
                }
            }
        }
    }

    private func step(_ driver: inout Driver, _ random: inout SplitMix64) {
        if driver.machine.isDormant {
            return driver.perform(driver.machine.begin(hasSigns: random.chance(2)))
        }
        if driver.isEnding {
            driver.isEnding = false
            return driver.perform(driver.machine.didEndObservations())
        }
        if random.chance(3) { return driver.perform(driver.machine.didReceiveSign()) }
        if let pending = driver.pending {
            // The end of a pause that was superseded may be late.
            let number = random.chance(4) ? max(0, pending.number - 1) : pending.number
            return driver.perform(driver.machine.pauseDidEnd(number))
        }
        let finding = random.chance(20) ? .unobserved : findings.randomElement(using: &random) ?? .unknown
        driver.perform(driver.machine.didLook(finding))
    }

    func testARepeatedFindingCausesAnotherLookOrEndsObservations() {
        for finding in findings {
            var driver = Driver()
            driver.perform(driver.machine.begin(hasSigns: true))
            var looks = 0
            while looks < 100, !driver.isEnding {
                guard let pending = driver.pending else { return XCTFail("\(finding): no pause") }
                driver.perform(driver.machine.pauseDidEnd(pending.number))
                XCTAssertTrue(driver.isLooking, "\(finding)")
                driver.perform(driver.machine.didLook(finding))
                looks += 1
            }
            let ends = [.unrecovered, .failed, .fileMoved].contains(finding)
            XCTAssertEqual(driver.isEnding, ends, "\(finding)")
        }
    }

    func testErrorsOfLooksAreClassified() {
        let expected: [(ResultCode, Machine.Finding)] = [
            (.SQLITE_BUSY, .unknown), (.SQLITE_LOCKED, .unknown), (.SQLITE_INTERRUPT, .unknown),
            (.SQLITE_ABORT, .unknown), (.SQLITE_BUSY_RECOVERY, .unknown),
            (.SQLITE_READONLY_ROLLBACK, .unrecovered), (.SQLITE_READONLY_RECOVERY, .unrecovered),
            (.SQLITE_READONLY_CANTINIT, .unrecovered), (.SQLITE_READONLY_DBMOVED, .fileMoved),
            (.SQLITE_READONLY, .failed), (.SQLITE_NOTADB, .failed), (.SQLITE_IOERR, .failed),
        ]
        for (code, finding) in expected {
            XCTAssertEqual(Machine.Finding(DatabaseError(resultCode: code)), finding, "\(code)")
        }
        XCTAssertEqual(Machine.Finding(CancellationError()), .unknown)
    }
}
