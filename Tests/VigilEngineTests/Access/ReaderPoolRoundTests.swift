import VigilTesting
import XCTest

@testable import VigilEngine

/// The readers that the rounds of observations receive.
final class ReaderPoolRoundTests: XCTestCase {
    private typealias Resumption = ReaderPoolMachine.Resumption

    func testARoundReceivesAReaderAtOnceWithoutReads() {
        for capacity in 1...3 {
            var machine = ReaderPoolMachine(capacity: capacity)
            XCTAssertEqual(machine.acquireForRound(1), .open(1))
            XCTAssertEqual(machine.release(1), [])
            XCTAssertEqual(machine.acquireForRound(2), .reader(1))
        }
    }

    func testAWaitingReadReceivesAReaderBeforeARound() {
        var machine = ReaderPoolMachine(capacity: 2)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertEqual(machine.acquire(2), .open(2))
        XCTAssertNil(machine.acquireForRound(3))
        XCTAssertNil(machine.acquire(4))
        XCTAssertNil(machine.acquire(5))
        XCTAssertEqual(machine.release(1), [Resumption(waiter: 4, grant: .reader(1))])
        XCTAssertEqual(machine.release(2), [Resumption(waiter: 5, grant: .reader(2))])
        XCTAssertEqual(machine.release(1), [], "one read is left, and the last free reader is kept for reads")
        XCTAssertEqual(machine.release(2), [Resumption(waiter: 3, grant: .reader(2))])
    }

    func testARoundDoesNotTakeTheLastReaderWhileReadsRun() {
        var machine = ReaderPoolMachine(capacity: 3)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertEqual(machine.acquireForRound(2), .open(2), "a reader is left for a read")
        XCTAssertEqual(machine.release(2), [])
        XCTAssertEqual(machine.acquire(3), .reader(2))
        XCTAssertNil(machine.acquireForRound(4))
        XCTAssertEqual(machine.acquire(5), .open(3))
        XCTAssertEqual(machine.release(3), [])
        XCTAssertEqual(machine.release(2), [Resumption(waiter: 4, grant: .reader(2))])
    }

    func testThePerCommitFetchDoesNotWait() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquireIfIdle(), .open(1))
        XCTAssertNil(machine.acquireIfIdle())
        XCTAssertFalse(machine.takeReadActivity(), "the fetch of an observation counts as a read")
    }

    func testAnOverdueRoundIsServedInOrder() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertNil(machine.acquireForRound(2))
        XCTAssertNil(machine.acquire(3))
        XCTAssertEqual(machine.roundsAreOverdue(9), [], "another round")
        XCTAssertEqual(machine.roundsAreOverdue(2), [])
        XCTAssertNil(machine.acquire(4))
        XCTAssertEqual(machine.roundsAreOverdue(2), [], "it is already in the queue")
        XCTAssertEqual(machine.release(1), [Resumption(waiter: 3, grant: .reader(1))])
        XCTAssertEqual(machine.release(1), [Resumption(waiter: 2, grant: .reader(1))])
        XCTAssertEqual(machine.release(1), [Resumption(waiter: 4, grant: .reader(1))])
    }

    func testAnOverdueRoundReceivesTheLastReader() {
        var machine = ReaderPoolMachine(capacity: 2)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertNil(machine.acquireForRound(2))
        XCTAssertEqual(machine.roundsAreOverdue(), [Resumption(waiter: 2, grant: .open(2))])
    }

    func testALateRoundExceedsTheCapacity() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertNil(machine.acquireForRound(2))
        XCTAssertNil(machine.roundIsLate(2), "it is not overdue yet")
        _ = machine.roundsAreOverdue()
        XCTAssertEqual(machine.roundIsLate(2), Resumption(waiter: 2, grant: .open(2)))
        XCTAssertNil(machine.roundIsLate(2))
        XCTAssertEqual(machine.release(2), [])
        XCTAssertFalse(machine.isOpen(2), "the pool keeps its size")
    }

    func testALateRoundWaitsForABarrier() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquireBarrier(1), .barrier)
        XCTAssertNil(machine.acquireForRound(2))
        XCTAssertEqual(machine.roundsAreOverdue(2), [])
        XCTAssertNil(machine.roundIsLate(2))
        XCTAssertEqual(machine.endBarrier(), [Resumption(waiter: 2, grant: .open(1))])
    }

    func testARoundWaitsForABarrier() {
        var machine = ReaderPoolMachine(capacity: 2)
        XCTAssertEqual(machine.acquireBarrier(1), .barrier)
        XCTAssertNil(machine.acquireForRound(2))
        XCTAssertEqual(machine.endBarrier(), [Resumption(waiter: 2, grant: .open(1))])
        XCTAssertNil(machine.acquireBarrier(3))
        XCTAssertNil(machine.acquireForRound(4))
        XCTAssertEqual(machine.release(1), [Resumption(waiter: 3, grant: .barrier)])
        XCTAssertTrue(machine.cancel(4).wasWaiting)
        XCTAssertEqual(machine.endBarrier(), [])
    }

    func testClosingFailsWaitingRounds() {
        var machine = ReaderPoolMachine(capacity: 1)
        _ = machine.acquire(1)
        XCTAssertNil(machine.acquireForRound(2))
        XCTAssertEqual(machine.close(), [Resumption(waiter: 2, grant: .closed)])
        XCTAssertEqual(machine.acquireForRound(3), .closed)
        XCTAssertEqual(machine.release(1), [])
    }

    func testReadsCompeteWhileTheyRunOrWaitAndUntilTheyWereReported() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertFalse(machine.takeReadActivity())
        _ = machine.acquireForRound(1)
        XCTAssertFalse(machine.takeReadActivity())
        XCTAssertNil(machine.acquire(2))
        XCTAssertTrue(machine.takeReadActivity(), "it waits")
        _ = machine.release(1)
        XCTAssertTrue(machine.takeReadActivity(), "it runs")
        XCTAssertTrue(machine.takeReadActivity(), "it still runs")
        _ = machine.release(1)
        XCTAssertFalse(machine.takeReadActivity(), "it was reported")
        _ = machine.acquire(3)
        _ = machine.release(1)
        XCTAssertTrue(machine.takeReadActivity(), "it has run since")
        XCTAssertFalse(machine.takeReadActivity())
    }

    /// Reads come first, and no round waits forever, in any order of requests.
    func testRandomRequestsServeReadsFirst() {
        let seed = RandomTestSettings.seed
        print("seed of \(name): VIGIL_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        for _ in 0..<300 {
            var world = World(capacity: Int.random(in: 1...4, using: &random))
            for number in UInt64(0)..<120 { world.step(number, &random) }
            world.end()
            if !world.problems.isEmpty { return XCTFail(world.problems.joined(separator: "; ")) }
        }
    }

    private struct World {
        var machine: ReaderPoolMachine
        var reads: [Int] = []
        var rounds: [Int] = []
        var waitingReads: [UInt64] = []
        var waitingRound: UInt64?
        var isOverdue = false
        var problems: [String] = []

        init(capacity: Int) { machine = ReaderPoolMachine(capacity: capacity) }

        mutating func step(_ number: UInt64, _ random: inout SplitMix64) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2:
                waitingReads.append(number)
                if let grant = machine.acquire(number) { handle(number, grant) }
            case 3 where rounds.isEmpty && waitingRound == nil:
                (waitingRound, isOverdue) = (number, false)
                if let grant = machine.acquireForRound(number) { handle(number, grant) }
            case 4 where waitingRound != nil:
                isOverdue = true
                handle(machine.roundsAreOverdue(waitingRound))
            case 5:
                guard isOverdue, let waiter = waitingRound else { return }
                guard let resumption = machine.roundIsLate(waiter) else {
                    return problems.append("a late round still waits")
                }
                handle([resumption])
            default:
                let held = reads + rounds
                guard let slot = held.randomElement(using: &random) else { return }
                reads.removeAll { $0 == slot }
                rounds.removeAll { $0 == slot }
                handle(machine.release(slot))
            }
            check()
        }

        private mutating func handle(_ resumptions: [Resumption]) {
            for resumption in resumptions { handle(resumption.waiter, resumption.grant) }
        }

        private mutating func handle(_ waiter: UInt64, _ grant: ReaderPoolMachine.Grant) {
            let slot: Int
            switch grant {
            case .reader(let granted), .open(let granted): slot = granted
            case .barrier, .closed: return problems.append("\(grant)")
            }
            if (reads + rounds).contains(slot) { problems.append("reader \(slot) is leased twice") }
            guard waiter == waitingRound else {
                if waiter != waitingReads.first { problems.append("reads are served out of order") }
                waitingReads.removeAll { $0 == waiter }
                return reads.append(slot)
            }
            if !isOverdue {
                if !waitingReads.isEmpty { problems.append("a round is served before a read") }
                if !reads.isEmpty, reads.count + 1 >= machine.capacity {
                    problems.append("a round takes the last reader")
                }
            }
            waitingRound = nil
            rounds.append(slot)
        }

        private mutating func check() {
            if reads.isEmpty, rounds.isEmpty, waitingRound != nil || !waitingReads.isEmpty {
                problems.append("a request waits although no reader is leased")
            }
            if machine.leasedToRounds != Set(rounds) { problems.append("the rounds' readers are unknown") }
        }

        mutating func end() {
            while let slot = (reads + rounds).first {
                reads.removeAll { $0 == slot }
                rounds.removeAll { $0 == slot }
                handle(machine.release(slot))
            }
            if waitingRound != nil || !waitingReads.isEmpty { problems.append("a request is never served") }
            if machine.openCount > machine.capacity { problems.append("the pool has grown") }
        }
    }
}
