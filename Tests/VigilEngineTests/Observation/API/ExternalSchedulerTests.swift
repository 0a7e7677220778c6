import Dispatch
import Synchronization
import Vigil
import VigilEngine
import XCTest

/// Callbacks on schedulers of other libraries.
final class ExternalSchedulerTests: XCTestCase {
    func testActionsOfAConcurrentSchedulerRunInOrder() {
        let scheduler = ExternalScheduler { action in DispatchQueue.global().async { action() } }
        let running = Mutex(0)
        let places = Recorder<Int>()
        for place in 0..<100 {
            scheduler.schedule {
                let count = running.withLock { number in
                    number += 1
                    return number
                }
                XCTAssertEqual(count, 1, "two actions run at the same time")
                places.append(place)
                running.withLock { $0 -= 1 }
            }
        }
        XCTAssertEqual(places.wait(count: 100), Array(0..<100))
    }

    func testCallbacksOfASchedulerThatRunsActionsAtOnceMayWrite() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let values = Recorder<Int>()
            let cancellable = rowCounts.start(
                in: fixture.writer, scheduling: ExternalScheduler { action in action() },
                onError: { XCTFail("\($0)") },
                onChange: { value in
                    values.append(value)
                    guard value < 3 else { return }
                    do {
                        try fixture.insert()
                    } catch {
                        XCTFail("\(error)")
                    }
                })
            XCTAssertEqual(values.wait(count: 4), [0, 1, 2, 3])
            cancellable.cancel()
        }
    }

    /// An app's own scheduler may do the same.
    func testCallbacksOfAnAppsSchedulerMayUseTheDatabase() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let values = Recorder<Int>()
            let writer = fixture.writer
            let cancellable = rowCounts.coalescing(.never).start(
                in: writer, scheduling: CallingScheduler(), onError: { XCTFail("\($0)") },
                onChange: { value in
                    assertNoError {
                        _ = try writer.read(countRows)
                        if value < 3 { try writer.commit(insertIntoT) }
                    }
                    // The database is deleted after the last value.
                    values.append(value)
                })
            XCTAssertEqual(values.wait(count: 4), [0, 1, 2, 3])
            cancellable.cancel()
        }
    }

    func testAnErrorOfAnAppsSchedulerFollowsTheValues() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let events = Recorder<String>()
            let writer = fixture.writer
            let cancellable = rowCounts.coalescing(.never).start(
                in: writer, scheduling: CallingScheduler(),
                onError: { _ in
                    assertNoError { try writer.commit("CREATE TABLE t(a)") }
                    events.append("error")
                },
                onChange: { value in events.append("\(value)") })
            events.wait(count: 1)
            try fixture.insert()
            try writer.commit("DROP TABLE t")
            XCTAssertEqual(events.wait(count: 3), ["0", "1", "error"])
            cancellable.cancel()
        }
    }

    /// The value that a commit makes outdated before its delivery is the first one nevertheless.
    func testTheInitialValueIsDeliveredBeforeTheNextOne() throws {
        try onEachFixture([.memory, .file], [.queue]) { fixture in
            let values = Recorder<Int>()
            let observation = rowCounts.map { count in
                // Another thread could commit now, too.
                if count == 0 { try fixture.insert() }
                return count
            }
            let cancellable = observation.start(
                in: fixture.writer, scheduling: CallingScheduler(isImmediate: true),
                onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
            XCTAssertEqual(values.wait(count: 2), [0, 1])
            cancellable.cancel()
        }
    }

    /// The start of a client delivers the last value, and another thread the next one.
    func testALateClientOfAnAppsSchedulerReceivesValuesInOrder() throws {
        for isImmediate in [false, true] {
            try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
                let shared = rowCounts.shared(
                    in: fixture.writer, scheduling: CallingScheduler(isImmediate: isImmediate))
                let first = shared.observe()
                first.expect([0])
                let values = Recorder<Int>()
                let late = shared.start(
                    onError: { XCTFail("\($0)") },
                    onChange: { value in
                        if value == 0 {
                            let next = shared.observe()
                            assertNoError { try fixture.insert() }
                            // A value is delivered to the clients in the order of their starts.
                            next.expect([0, 1])
                        }
                        values.append(value)
                    })
                XCTAssertEqual(values.wait(count: 2), [0, 1])
                late.cancel()
                first.cancel()
            }
        }
    }
}

/// A scheduler as apps write them: it calls back before it returns.
private struct CallingScheduler: ValueObservationScheduler {
    var isImmediate = false

    func immediateInitialValue() -> Bool { isImmediate }
    func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}
