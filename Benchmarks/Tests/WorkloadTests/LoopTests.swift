import BenchmarkReport
import BenchmarkWork
import XCTest

final class LoopTests: XCTestCase {
    func testAPairedLoopRunsBothFormsInTurn() throws {
        var order: [Character] = []
        let result = PairedLoop(.quick) { _ in
            order.append("a")
        } prepared: { _ in
            order.append("b")
        }.result
        let warmedUp = order.dropFirst(2 * Effort.quick.operations)
        XCTAssertTrue(warmedUp.starts(with: "ab"), String(order))
        XCTAssertEqual(result.operations, 2 * Effort.quick.operations)
        XCTAssertNotNil(result.metrics[Metric.prepared])
        XCTAssertNotNil(result.metrics[Metric.ratioToPrepared])
        XCTAssertEqual(result.latencies.count, Effort.quick.operations)
    }

    func testAProfileRunsOnlyTheFormThatItIsAbout() {
        var prepared = 0
        let result = PairedLoop(.profile(operations: 5)) { _ in
        } prepared: { _ in
            prepared += 1
        }.result
        XCTAssertEqual(prepared, 0)
        XCTAssertEqual(result.operations, 10)
        XCTAssertEqual(result.metrics, [:])
    }

    func testTheOperationsOfAProfileDoNotDependOnTime() throws {
        let effort = Effort.profile(operations: 3)
        var operations = 0
        _ = TimedLoop.warmUp(effort) { _ in operations += 1 }
        XCTAssertEqual(operations, 20)
        for warmUp in [0, 5_000_000] as [Int64] {
            XCTAssertEqual(TimedLoop(effort, after: warmUp) { _ in }.operations, 6)
        }
    }

    func testAnOperationTimedOnceIsTheFigure() {
        let loop = TimedLoop(single: 2_000_000_000)
        XCTAssertEqual(loop.operations, 1)
        XCTAssertEqual(loop.nanoseconds, 2e9)
        XCTAssertEqual(loop.latencies.count, 1)
    }

    func testAWaitForCallbacksEndsWithTheLastOfThem() throws {
        let activity = Activity()
        activity.notify()
        try activity.wait(forNotifications: 3) { for _ in 0..<3 { activity.notify() } }
        XCTAssertEqual(activity.counts.notifications, 4)
        struct Failure: Error {}
        XCTAssertThrowsError(try activity.wait(forNotifications: 1) { throw Failure() }) {
            XCTAssertTrue($0 is Failure)
        }
    }

    func testRequestsAreNotDueBeforeTheirTime() {
        let pace = Pace(perSecond: 1_000)
        let first = pace.waitUntilDue(0)
        let third = pace.waitUntilDue(2)
        XCTAssertEqual(third - first, 2_000_000)
        XCTAssertGreaterThanOrEqual(now(), third)
    }
}
