import Dispatch
import Foundation
import Synchronization
import Vigil
import XCTest

/// Callbacks in tasks, and on the main queue.
final class TaskSchedulerTests: XCTestCase {
    func testActionsRunInOrderInATask() async throws {
        for scheduler in [TaskValueObservationScheduler.task, .task(priority: .utility)] {
            let places = Recorder<Int>()
            XCTAssertFalse(scheduler.immediateInitialValue())
            for place in 0..<100 {
                scheduler.schedule {
                    XCTAssertTrue(withUnsafeCurrentTask { $0 != nil }, "runs in a task")
                    places.append(place)
                }
            }
            let all = await places.reached { $0.count == 100 }
            XCTAssertEqual(all, Array(0..<100))
        }
    }

    func testActionsOfSeveralThreadsDoNotOverlap() async throws {
        let scheduler: TaskValueObservationScheduler = .task
        let running = Mutex(0)
        let places = Recorder<Int>()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for place in 0..<50 {
                scheduler.schedule {
                    XCTAssertEqual(
                        running.withLock {
                            $0 += 1; return $0
                        }, 1)
                    places.append(thread * 1000 + place)
                    running.withLock { $0 -= 1 }
                }
            }
        }
        let all = await places.reached { $0.count == 400 }
        for thread in 0..<8 {
            XCTAssertEqual(all.filter { $0 / 1000 == thread }, (0..<50).map { thread * 1000 + $0 })
        }
    }

    func testCallbacksRunWithTheGivenPriority() throws {
        try onEachFixture(WriterKind.allCases, [.task]) { fixture in
            let priorities = Recorder<TaskPriority?>()
            let cancellable = rowCounts.start(
                in: fixture.writer, scheduling: .task(priority: .utility), onError: { XCTFail("\($0)") },
                onChange: { _ in priorities.append(withUnsafeCurrentTask { $0?.priority }) })
            XCTAssertEqual(priorities.wait(count: 1), [.utility])
            cancellable.cancel()
        }
    }

    func testValuesAndSharedObservationsUseEachScheduler() async throws {
        try await onEachWriterAsync { writer in
            for try await value in rowCounts.values(in: writer, scheduling: .mainActor) {
                XCTAssertEqual(value, 0)
                break
            }
            for try await value in rowCounts.values(in: writer, scheduling: .task(priority: .low)) {
                XCTAssertEqual(value, 0)
                break
            }
            for try await value in rowCounts.shared(in: writer, scheduling: .mainActor).values() {
                XCTAssertEqual(value, 0)
                break
            }
        }
    }

    // MARK: - The main queue

    func testTheMainQueueSchedulerIsImmediateExactlyOnTheMainQueue() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let writer = fixture.writer
            let values = Recorder<Int>()
            let onMain = Recorder<Bool>()
            let start: @Sendable () -> AnyDatabaseCancellable = {
                rowCounts.start(
                    in: writer, scheduling: .mainQueue, onError: { XCTFail("\($0)") },
                    onChange: { value in
                        onMain.append(Thread.isMainThread)
                        values.append(value)
                    })
            }
            let first = start()
            XCTAssertEqual(values.all, [0])
            try fixture.insert()
            XCTAssertEqual(values.wait(for: 1), [0, 1])
            first.cancel()

            let cancellables = Recorder<AnyDatabaseCancellable>()
            let started = Gate()
            DispatchQueue.global().async {
                cancellables.append(start())
                started.open()
            }
            started.wait()
            XCTAssertEqual(values.all, [0, 1], "the callback needs the main queue, which this test occupies")
            values.wait(count: 3)
            XCTAssertEqual(values.all, [0, 1, 1])
            XCTAssertEqual(onMain.all, [true, true, true])
            cancellables.all[0].cancel()
        }
    }
}
