import VigilTesting
import XCTest

@testable import VigilEngine

final class ReaderPoolMachineTests: XCTestCase {
    private typealias Resumption = ReaderPoolMachine.Resumption

    func testReadersAreOpenedOnDemandAndReused() {
        var machine = ReaderPoolMachine(capacity: 2)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertEqual(machine.release(1), [])
        XCTAssertEqual(machine.acquire(2), .reader(1))
        XCTAssertEqual(machine.acquire(3), .open(2))
        XCTAssertEqual(machine.openCount, 2)
    }

    func testAcquisitionsAreServedInOrder() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertNil(machine.acquire(2))
        XCTAssertNil(machine.acquire(3))
        XCTAssertEqual(machine.release(1), [Resumption(waiter: 2, grant: .reader(1))])
        XCTAssertNil(machine.acquire(4))
        XCTAssertEqual(machine.release(1), [Resumption(waiter: 3, grant: .reader(1))])
        XCTAssertEqual(machine.release(1), [Resumption(waiter: 4, grant: .reader(1))])
    }

    func testAnUnfitOrUnopenedReaderMakesRoomForAnother() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertNil(machine.acquire(2))
        XCTAssertEqual(machine.openDidFail(1), [Resumption(waiter: 2, grant: .open(1))])
        XCTAssertNil(machine.acquire(3))
        XCTAssertEqual(machine.release(1, isReusable: false), [Resumption(waiter: 3, grant: .open(1))])
    }

    func testAnAcquisitionInsideAReadNeverWaits() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertNil(machine.acquireBarrier(2))
        XCTAssertEqual(machine.acquireInsideRead(), .open(2))
        XCTAssertNil(machine.acquire(3))
        XCTAssertEqual(machine.openCount, 2)
        // The pool keeps its size, whichever reader is returned first.
        XCTAssertEqual(machine.release(1), [])
        XCTAssertFalse(machine.isOpen(1))
        XCTAssertEqual(machine.release(2), [Resumption(waiter: 2, grant: .barrier)])
        XCTAssertTrue(machine.isOpen(2))
        XCTAssertEqual(machine.endBarrier(), [Resumption(waiter: 3, grant: .reader(2))])
        XCTAssertEqual(machine.openCount, 1)
    }

    func testAnAcquisitionInsideAReadPrefersAnIdleReader() {
        var machine = ReaderPoolMachine(capacity: 2)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertEqual(machine.acquireInsideRead(), .open(2))
        XCTAssertEqual(machine.release(2), [])
        XCTAssertEqual(machine.acquireInsideRead(), .reader(2))
        XCTAssertEqual(machine.release(1), [])
        XCTAssertEqual(machine.idle, [1])
        _ = machine.close()
        XCTAssertEqual(machine.acquireInsideRead(), .closed)
    }

    func testABarrierWaitsForReadersAndBlocksNewOnes() {
        var machine = ReaderPoolMachine(capacity: 3)
        _ = machine.acquire(1)
        _ = machine.acquire(2)
        XCTAssertNil(machine.acquireBarrier(3))
        XCTAssertNil(machine.acquire(4), "a reader is free, but the barrier came first")
        XCTAssertEqual(machine.release(1), [])
        XCTAssertEqual(machine.release(2), [Resumption(waiter: 3, grant: .barrier)])
        XCTAssertNil(machine.acquire(5))
        XCTAssertEqual(
            machine.endBarrier(),
            [Resumption(waiter: 4, grant: .reader(2)), Resumption(waiter: 5, grant: .reader(1))])
    }

    func testABarrierBeginsAtOnceWithoutReads() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquireBarrier(1), .barrier)
        XCTAssertNil(machine.acquireBarrier(2))
        XCTAssertEqual(machine.endBarrier(), [Resumption(waiter: 2, grant: .barrier)])
    }

    func testACancelledAcquisitionAdmitsTheNext() {
        var machine = ReaderPoolMachine(capacity: 2)
        _ = machine.acquire(1)
        XCTAssertNil(machine.acquireBarrier(2))
        XCTAssertNil(machine.acquire(3))
        let (wasWaiting, others) = machine.cancel(2)
        XCTAssertTrue(wasWaiting)
        XCTAssertEqual(others, [Resumption(waiter: 3, grant: .open(2))])
        XCTAssertFalse(machine.cancel(3).wasWaiting, "the reader has already been granted")
    }

    func testClosingFailsWaitingAndLaterAcquisitions() {
        var machine = ReaderPoolMachine(capacity: 1)
        _ = machine.acquire(1)
        XCTAssertNil(machine.acquire(2))
        XCTAssertEqual(machine.close(), [Resumption(waiter: 2, grant: .closed)])
        XCTAssertEqual(machine.acquire(3), .closed)
        XCTAssertEqual(machine.acquireBarrier(4), .closed)
        XCTAssertEqual(machine.release(1), [])
        XCTAssertEqual(machine.openCount, 0)
    }

    func testABarrierThatClosesThePoolEndsWithoutOpeningIt() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquireBarrier(1), .barrier)
        XCTAssertNil(machine.acquire(2))
        XCTAssertEqual(machine.close(), [.init(waiter: 2, grant: .closed)])
        XCTAssertEqual(machine.endBarrier(), [])
        XCTAssertTrue(machine.isClosed)
        XCTAssertEqual(machine.acquire(3), .closed)
        XCTAssertEqual(machine.close(), [])
    }

    func testIdleReadersCanBeRemoved() {
        var machine = ReaderPoolMachine(capacity: 2)
        _ = machine.acquire(1)
        _ = machine.acquire(2)
        _ = machine.release(2)
        XCTAssertEqual(machine.removeIdle(), [2])
        XCTAssertEqual(machine.openCount, 1)
        XCTAssertEqual(machine.acquire(3), .open(2))
    }

    /// No reader is leased twice, the limit of open readers holds, and every acquisition is served.
    func testRandomRequestsKeepTheInvariants() {
        let seed = RandomTestSettings.seed
        print("seed of \(name): VIGIL_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 { runRandomRequests(&random) }
    }

    private func runRandomRequests(_ random: inout SplitMix64) {
        var machine = ReaderPoolMachine(capacity: Int.random(in: 1...4, using: &random))
        var leased: [Int] = []
        var waiting: Set<UInt64> = []
        var isBarred = false
        func grant(_ waiter: UInt64, _ grant: ReaderPoolMachine.Grant?) {
            waiting.remove(waiter)
            switch grant {
            case .reader(let slot), .open(let slot):
                XCTAssertFalse(leased.contains(slot))
                XCTAssertFalse(isBarred)
                leased.append(slot)
            case .barrier:
                XCTAssertTrue(leased.isEmpty)
                isBarred = true
            case .closed: XCTFail("it was not closed")
            case nil: waiting.insert(waiter)
            }
        }
        for waiter in UInt64(0)..<100 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: grant(waiter, machine.acquire(waiter))
            case 2: grant(waiter, machine.acquireBarrier(waiter))
            case 3 where isBarred:
                isBarred = false
                machine.endBarrier().forEach { grant($0.waiter, $0.grant) }
            case 4:
                guard let cancelled = waiting.randomElement(using: &random) else { continue }
                waiting.remove(cancelled)
                machine.cancel(cancelled).others.forEach { grant($0.waiter, $0.grant) }
            default:
                guard let slot = leased.randomElement(using: &random) else { continue }
                leased.removeAll { $0 == slot }
                machine.release(slot, isReusable: Bool.random(using: &random)).forEach {
                    grant($0.waiter, $0.grant)
                }
            }
            XCTAssertLessThanOrEqual(machine.openCount, machine.capacity)
            XCTAssertEqual(machine.waiterCount, waiting.count)
            if leased.isEmpty, !isBarred {
                XCTAssertTrue(waiting.isEmpty, "a request waits although a reader is free")
            }
        }
    }

    func testTheHolderOfTheWriterGetsAReaderDespiteABarrier() {
        var machine = ReaderPoolMachine(capacity: 1)
        XCTAssertEqual(machine.acquireBarrier(1), .barrier)
        XCTAssertEqual(machine.acquireAsWriter(2), .open(1))
        XCTAssertFalse(machine.isUnused)
        XCTAssertNil(machine.acquire(3))
        XCTAssertNil(machine.acquireBarrierAgain(4))
        XCTAssertNil(machine.acquireAsWriter(5))
        XCTAssertEqual(machine.release(1), [.init(waiter: 5, grant: .reader(1))])
        XCTAssertEqual(machine.release(1), [.init(waiter: 4, grant: .barrier)])
        XCTAssertTrue(machine.isUnused)
        XCTAssertEqual(machine.acquireBarrierAgain(6), .barrier)
        XCTAssertEqual(machine.endBarrier(), [.init(waiter: 3, grant: .reader(1))])
    }

    func testTheHolderOfTheWriterDoesNotWaitBehindAWaitingBarrier() {
        var machine = ReaderPoolMachine(capacity: 2)
        XCTAssertEqual(machine.acquire(1), .open(1))
        XCTAssertNil(machine.acquireBarrier(2))
        XCTAssertEqual(machine.acquireAsWriter(3), .open(2))
        XCTAssertEqual(machine.release(1), [])
        XCTAssertEqual(machine.release(2), [.init(waiter: 2, grant: .barrier)])
    }
}
