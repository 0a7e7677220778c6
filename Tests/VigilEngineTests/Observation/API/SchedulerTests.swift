import Dispatch
import Foundation
import Vigil
import XCTest

/// The threads and queues that observations call back on.
final class SchedulerTests: XCTestCase {
    func testCallbacksHoldNoLockOnTheWriter() throws {
        try onEachFixture { fixture in
            let writer = fixture.writer
            let values = Recorder<Int>()
            let cancellable = fixture.start(rowCounts) { value in
                values.append(value)
                guard value < 5 else { return }
                assertNoError {
                    try writer.commit(insertIntoT)
                    _ = try writer.read(countRows)
                }
            }
            XCTAssertEqual(values.wait(for: 5), [0, 1, 2, 3, 4, 5])
            cancellable.cancel()
        }
    }

    func testByDefaultCallbacksAreOnTheMainActor() throws {
        @MainActor final class Model { var values: [Int] = [] }
        try onEachFixture(WriterKind.allCases, [.mainActor]) { fixture in
            let changed = expectation(description: "changed")
            let (model, cancellable) = MainActor.assumeIsolated {
                let model = Model()
                let cancellable = rowCounts.start(in: fixture.writer) { error in
                    model.values.append(-1)
                    XCTFail("\(error)")
                } onChange: { value in
                    model.values.append(value)
                    if value == 1 { changed.fulfill() }
                }
                XCTAssertEqual(model.values, [])
                return (model, cancellable)
            }
            try fixture.writer.commit(insertIntoT)
            wait(for: [changed], timeout: testTimeout)
            MainActor.assumeIsolated {
                XCTAssertEqual(model.values, Array(Set(model.values)).sorted())
            }
            cancellable.cancel()
        }
    }

    func testOnlyImmediateObservationsDeliverBeforeTheStartReturns() throws {
        try onEachFixture { fixture in
            fixture.queue.suspend()
            let observed = fixture.observe(rowCounts)
            if fixture.scheduling == .immediate { XCTAssertEqual(observed.values.all, [0]) }
            if fixture.scheduling != .task, fixture.scheduling != .immediate {
                // The callback is blocked, by the suspension or by this test.
                try fixture.writer.read { _ in }
                XCTAssertEqual(observed.values.all, [])
            }
            fixture.queue.resume()
            observed.expect([0])
        }
    }

    /// The closures compile without a warning because `.immediate` isolates callbacks of main actor code.
    func testImmediateCallbacksOfMainActorCodeAreIsolatedToTheMainActor() throws {
        @MainActor final class Model {
            var values: [Int] = []
            var cancellable: AnyDatabaseCancellable?

            func observe(in reader: any DatabaseReader, _ changed: XCTestExpectation) {
                cancellable = rowCounts.start(in: reader, scheduling: .immediate) { error in
                    XCTFail("\(error)")
                } onChange: { [unowned self] value in
                    values.append(value)
                    if value == 1 { changed.fulfill() }
                }
            }
        }
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let changed = expectation(description: "changed")
            let model = MainActor.assumeIsolated {
                let model = Model()
                model.observe(in: fixture.writer, changed)
                XCTAssertEqual(model.values, [0])
                return model
            }
            try fixture.writer.commit(insertIntoT)
            wait(for: [changed], timeout: testTimeout)
            MainActor.assumeIsolated {
                XCTAssertEqual(model.values, [0, 1])
                model.cancellable?.cancel()
            }
        }
    }

    /// A scheduler of an app, which implements only the requirements without default.
    private struct CountingScheduler: ValueObservationMainActorScheduler {
        let count = Recorder<Int>()

        func immediateInitialValue() -> Bool { false }

        func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
            count.append(1)
            DispatchQueue.main.async { action() }
        }
    }

    func testMainActorSchedulersScheduleAllKindsOfObservations() throws {
        try onEachFixture(WriterKind.allCases, [.mainActor]) { fixture in
            let scheduler = CountingScheduler()
            let shared = rowCounts.shared(in: fixture.writer, scheduling: scheduler).observe()
            shared.expect([0])
            let observed = MainActor.assumeIsolated {
                Observed<Int> { values, errors in
                    rowCounts.start(
                        in: fixture.writer, scheduling: scheduler, onError: { errors.append($0) },
                        onChange: { values.append($0) })
                }
            }
            observed.expect([0])
            XCTAssertGreaterThanOrEqual(scheduler.count.all.count, 2)
            rowCounts.shared(in: fixture.writer, scheduling: .mainActor).observe().expect([0])
        }
    }

    func testObservationsStartOnAnyThreadUnlessTheyAreImmediate() throws {
        try onEachFixture(WriterKind.allCases, [.queue, .task]) { fixture in
            let started = Recorder<Observed<Int>>()
            let fixture = ObservationFixture(writer: fixture.writer, scheduling: fixture.scheduling)
            let writer = fixture.writer
            let (queue, isTask) = (fixture.queue, fixture.scheduling == .task)
            DispatchQueue.global().async {
                started.append(
                    Observed { values, errors in
                        isTask
                            ? rowCounts.start(
                                in: writer, scheduling: .task, onError: { errors.append($0) },
                                onChange: { values.append($0) })
                            : rowCounts.start(
                                in: writer, scheduling: .async(onQueue: queue),
                                onError: { errors.append($0) },
                                onChange: { values.append($0) })
                    })
            }
            started.wait(count: 1)[0].expect([0])
        }
    }

    func testAnImmediateObservationStartsInsideAReadOfAnotherDatabase() throws {
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let other = try DatabaseQueue()
            try other.read { _ in
                let observed = fixture.observe(rowCounts)
                XCTAssertEqual(observed.values.all, [0])
            }
        }
    }

    private static let variable = "VIGIL_IMMEDIATE_OFF_MAIN"

    /// Does nothing, except in the process that the next test starts.
    func testThatTrapsOffTheMainQueue() throws {
        guard ProcessInfo.processInfo.environment[Self.variable] != nil else { return }
        let dbQueue = try DatabaseQueue()
        let ended = Gate()
        DispatchQueue.global().async {
            _ = ValueObservation.tracking { _ in 1 }
                .start(in: dbQueue, scheduling: immediately, onError: { _ in }, onChange: { _ in })
            ended.open()
        }
        ended.wait()
    }

    func testAnImmediateStartOffTheMainQueueTrapsWithAMessage() throws {
        let text = try standardErrorOfTrap(
            in: "VigilEngineTests.SchedulerTests/testThatTrapsOffTheMainQueue", variable: (Self.variable, "1")
        )
        XCTAssertTrue(
            text.contains("an observation with the scheduler .immediate must be started on the main queue"),
            text)
    }
}
