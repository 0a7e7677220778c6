import Dispatch
import Synchronization
import VigilTestSupport
import XCTest

@testable import VigilEngine

final class DeliveryBatchTests: XCTestCase {
    private let queue = DispatchQueue(label: "callbacks")
    private let order = Recorder<Int>()

    func testDeliveriesToOneQueueAreScheduledInOrderAtTheEnd() {
        let batch = DeliveryBatch()
        for number in 1...3 { batch.add(to: queue) { [order] in order.append(number) } }
        queue.sync {}
        XCTAssertEqual(order.all, [])
        batch.end()
        queue.sync {}
        XCTAssertEqual(order.all, [1, 2, 3])
    }

    func testDeliveriesToOneQueueAreOneBlock() {
        let batch = DeliveryBatch()
        let queue = queue
        batch.add(to: queue) { [order] in
            order.append(1)
            // It is behind the block that delivers both values.
            queue.async { order.append(3) }
        }
        batch.add(to: queue) { [order] in order.append(2) }
        batch.end()
        queue.sync {}
        queue.sync {}
        XCTAssertEqual(order.all, [1, 2, 3])
    }

    func testAFullBatchIsScheduledBeforeTheEnd() {
        let batch = DeliveryBatch()
        let count = DeliveryBatch.limit + 1
        for number in 1...count { batch.add(to: queue) { [order] in order.append(number) } }
        queue.sync {}
        XCTAssertEqual(order.all, Array(1..<count))
        batch.end()
        queue.sync {}
        XCTAssertEqual(order.all, Array(1...count))
    }

    func testAnotherQueueBeginsAnotherBlock() {
        let batch = DeliveryBatch()
        let other = DispatchQueue(label: "other callbacks")
        batch.add(to: queue) { [order] in order.append(1) }
        batch.add(to: other) { [order] in order.append(2) }
        queue.sync {}
        other.sync {}
        XCTAssertEqual(order.all, [1])
        batch.end()
        other.sync {}
        XCTAssertEqual(order.all, [1, 2])
    }

    func testDeliveriesAfterTheEndAreScheduledImmediately() {
        let batch = DeliveryBatch()
        batch.end()
        batch.add(to: queue) { [order] in order.append(1) }
        queue.sync {}
        XCTAssertEqual(order.all, [1])
        batch.end()
        queue.sync {}
        XCTAssertEqual(order.all, [1])
    }

    func testAFlushSchedulesWhatWasAdded() {
        let batch = DeliveryBatch()
        batch.add(to: queue) { [order] in order.append(1) }
        batch.flush()
        queue.sync {}
        XCTAssertEqual(order.all, [1])
        batch.add(to: queue) { [order] in order.append(2) }
        queue.sync {}
        XCTAssertEqual(order.all, [1])
        batch.end()
        queue.sync {}
        XCTAssertEqual(order.all, [1, 2])
    }

    func testAValueDoesNotWaitForTheFetchOfAnotherObservation() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let queue = DispatchQueue(label: "callbacks")
            let values = Recorder<String>()
            let isDelivered = DispatchSemaphore(value: 0)
            let first = ValueObservation.tracking(countRows).start(
                in: fixture.writer, scheduling: .async(onQueue: queue), onError: { XCTFail("\($0)") },
                onChange: { value in
                    values.append("first \(value)")
                    if value == 1 { isDelivered.signal() }
                })
            values.wait(for: "first 0")
            let second = ValueObservation.tracking { db in
                let count = try countRows(db)
                if count == 1 { XCTAssertEqual(isDelivered.wait(timeout: .now() + 60), .success) }
                return count
            }
            .start(
                in: fixture.writer, scheduling: .async(onQueue: queue), onError: { XCTFail("\($0)") },
                onChange: { values.append("second \($0)") })
            values.wait(for: "second 0")
            try fixture.insert()
            values.wait(for: "second 1")
            withExtendedLifetime((first, second)) {}
        }
    }

    func testAnObservationThatIsCancelledByAnEarlierDeliveryOfItsBlockDeliversNothing() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let second = Mutex<AnyDatabaseCancellable?>(nil)
            let values = Recorder<String>()
            let queue = DispatchQueue(label: "callbacks")
            let observation = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
            }
            let first = observation.start(
                in: fixture.writer, scheduling: .async(onQueue: queue), onError: { XCTFail("\($0)") },
                onChange: { value in
                    values.append("first \(value)")
                    if value == 1 { second.withLock { $0 }?.cancel() }
                })
            values.wait(for: "first 0")
            second.withLock {
                $0 = observation.start(
                    in: fixture.writer, scheduling: .async(onQueue: queue), onError: { XCTFail("\($0)") },
                    onChange: { values.append("second \($0)") })
            }
            values.wait(for: "second 0")
            try fixture.insert()
            values.wait(for: "first 1")
            try fixture.insert()
            values.wait(for: "first 2")
            queue.sync {}
            XCTAssertEqual(values.all, ["first 0", "second 0", "first 1", "first 2"])
            withExtendedLifetime(first) {}
        }
    }
}
