import Dispatch
import Foundation
import Vigil
import XCTest

/// The threads and queues that observations call back on.
final class SchedulerTests: XCTestCase {
    func testCallbacksHoldNoLockOnTheWriter() throws {
        try onEachStage { stage in
            let writer = stage.writer
            let values = Recorder<Int>()
            let cancellable = stage.start(rowCounts) { value in
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
        try onEachStage(WriterKind.allCases, [.mainActor]) { stage in
            let changed = expectation(description: "changed")
            let (model, cancellable) = MainActor.assumeIsolated {
                let model = Model()
                let cancellable = rowCounts.start(in: stage.writer) { error in
                    model.values.append(-1)
                    XCTFail("\(error)")
                } onChange: { value in
                    model.values.append(value)
                    if value == 1 { changed.fulfill() }
                }
                XCTAssertEqual(model.values, [])
                return (model, cancellable)
            }
            try stage.writer.commit(insertIntoT)
            wait(for: [changed], timeout: patience)
            MainActor.assumeIsolated {
                XCTAssertEqual(model.values, Array(Set(model.values)).sorted())
            }
            cancellable.cancel()
        }
    }

    func testOnlyImmediateObservationsDeliverBeforeTheStartReturns() throws {
        try onEachStage { stage in
            stage.queue.suspend()
            let observed = stage.observe(rowCounts)
            if stage.scheduling == .immediate { XCTAssertEqual(observed.values.all, [0]) }
            if stage.scheduling != .task, stage.scheduling != .immediate {
                // The callback is blocked, by the suspension or by this test.
                try stage.writer.read { _ in }
                XCTAssertEqual(observed.values.all, [])
            }
            stage.queue.resume()
            observed.expect([0])
        }
    }

    func testObservationsStartOnAnyThreadUnlessTheyAreImmediate() throws {
        try onEachStage(WriterKind.allCases, [.queue, .task]) { stage in
            let started = Recorder<Observed<Int>>()
            let stage = Stage(writer: stage.writer, scheduling: stage.scheduling)
            let writer = stage.writer
            let (queue, isTask) = (stage.queue, stage.scheduling == .task)
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
        try onEachStage(WriterKind.allCases, [.immediate]) { stage in
            let other = try DatabaseQueue()
            try other.read { _ in
                let observed = stage.observe(rowCounts)
                XCTAssertEqual(observed.values.all, [0])
            }
        }
    }

    private static let variable = "VIGIL_IMMEDIATE_OFF_MAIN"

    /// Run by the next test in a separate process.
    func testThatTrapsOffTheMainQueue() throws {
        guard ProcessInfo.processInfo.environment[Self.variable] != nil else { return }
        let dbQueue = try DatabaseQueue()
        let ended = Gate()
        DispatchQueue.global().async {
            _ = ValueObservation.tracking { _ in 1 }
                .start(in: dbQueue, scheduling: .immediate, onError: { _ in }, onChange: { _ in })
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
