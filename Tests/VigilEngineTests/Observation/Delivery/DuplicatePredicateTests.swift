import Dispatch
import Synchronization
import VigilTestSupport
import XCTest

@testable import VigilEngine

/// The predicates of `removeDuplicates(by:)`, which are code of the program.
final class DuplicatePredicateTests: XCTestCase {
    func testAPredicateCanStartAnotherObservation() throws {
        try onEachFixture { fixture in
            let counts = rowCounts.coalescing(.never)
            let hasStarted = Values<Bool>()
            let observed = fixture.observe(
                counts.removeDuplicates { [writer = fixture.writer] old, new in
                    let isNotified = DispatchSemaphore(value: 0)
                    let inner = counts.start(
                        in: writer, scheduling: .async(onQueue: .global()), onError: { _ in },
                        onChange: { _ in isNotified.signal() })
                    hasStarted.append(isNotified.wait(timeout: .now() + 10) == .success)
                    inner.cancel()
                    return old == new
                })
            try fixture.writer.commit("INSERT INTO t(a) VALUES (1)")
            observed.expect([0, 1])
            XCTAssertEqual(hasStarted.all, [true])
        }
    }

    func testAPredicateThatReachesItselfFindsDifferentValues() {
        let itself = Mutex<DuplicatePredicate<Int>?>(nil)
        let predicate = DuplicatePredicate<Int> { one, two in
            itself.withLock { $0 }.map { $0(one, two) } ?? true
        }
        XCTAssertTrue(predicate(1, 1))
        itself.withLock { $0 = predicate }
        XCTAssertFalse(predicate(1, 1))
        itself.withLock { $0 = nil }
    }

    func testTheStackDoesNotGrowWithTheNumberOfComparisons() {
        let positions = Mutex<Set<UInt>>([])
        let predicate = DuplicatePredicate<Int> { one, two in
            positions.withLock { _ = $0.insert(stackPosition()) }
            return one == two
        }
        for number in 0..<100 { XCTAssertTrue(predicate(number, number)) }
        XCTAssertEqual(positions.withLock { $0.count }, 1)
    }

    func testAPredicateIsNotCalledConcurrently() {
        let isRunning = Atomic<Bool>(false)
        let overlaps = Atomic<Int>(0)
        let predicate = DuplicatePredicate<Int> { one, two in
            if isRunning.exchange(true, ordering: .relaxed) { overlaps.add(1, ordering: .relaxed) }
            defer { isRunning.store(false, ordering: .relaxed) }
            return one == two
        }
        DispatchQueue.concurrentPerform(iterations: 1000) { index in
            XCTAssertEqual(predicate(index, index % 2), index < 2)
        }
        XCTAssertEqual(overlaps.load(ordering: .relaxed), 0)
    }
}
