import Dispatch
import Vigil
import XCTest

/// Value observations that start inside a transaction.
final class UncommittedStartTests: XCTestCase {
    private let count = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist") ?? -1
    }

    /// Starts inside a transaction that `end` ends, and returns the last value.
    private func lastValue(
        _ expected: Int, of observation: ValueObservation<ValueReducers.Fetch<Int>>? = nil,
        in writer: any DatabaseWriter, _ end: (Database) throws -> Void
    ) throws -> [Int] {
        let observation = observation ?? count
        let values = Values<Int>()
        let isRight = expectation(description: "value")
        isRight.assertForOverFulfill = false
        var cancellable: AnyDatabaseCancellable?
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN; INSERT INTO artist VALUES (1, '')")
            try db.execute(sql: "SAVEPOINT a; INSERT INTO artist VALUES (2, '')")
            cancellable = observation.start(
                in: writer, scheduling: immediately, onError: { XCTFail("\($0)") },
                onChange: { value in
                    values.append(value)
                    if value == expected { isRight.fulfill() }
                })
            XCTAssertEqual(values.all.count, 1)
            try end(db)
        }
        wait(for: [isRight], timeout: 5)
        cancellable?.cancel()
        return values.all
    }

    func testARolledBackValueIsCorrected() throws {
        try onEachWriter { writer in
            let values = try lastValue(0, in: writer) { db in try db.execute(sql: "ROLLBACK") }
            XCTAssertEqual(values, writer is DatabasePool ? [0] : [2, 0])
        }
    }

    func testARolledBackValueIsCorrectedWithoutCoalescing() throws {
        try onEachWriter { writer in
            let values = try lastValue(0, of: count.coalescing(.never), in: writer) { db in
                try db.execute(sql: "ROLLBACK")
            }
            XCTAssertEqual(values, [2, 0])
        }
    }

    func testARolledBackValueIsCorrectedBeforeTheFirstCommit() throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let creating = try DatabasePool(path: directory.file("db"), configuration: configuration)
            try creating.run(twoTables)
            try creating.close()
            let pool = try DatabasePool(path: directory.file("db"), configuration: configuration)
            let values = try lastValue(0, of: count.coalescing(.never), in: pool) { db in
                try db.execute(sql: "ROLLBACK")
            }
            XCTAssertEqual(values, [2, 0])
        }
    }

    func testARolledBackValueOfALaterFetchIsCorrected() throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        try onEachQueue(configuration, schema: twoTables) { dbQueue in
            let (pause, values) = (ObservationPause(), Recorder<Int>())
            let cancellable = count.pausable(by: pause).start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            values.wait(count: 1)
            pause.pause()
            try dbQueue.commit("INSERT INTO artist VALUES (1, '')")
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; INSERT INTO artist VALUES (2, '')")
            }
            pause.resume()
            values.wait(count: 2)
            try dbQueue.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
            XCTAssertEqual(values.wait(count: 3), [0, 2, 1])
            cancellable.cancel()
        }
    }

    func testAPartlyRolledBackValueIsCorrected() throws {
        try onEachWriter { writer in
            let values = try lastValue(1, in: writer) { db in
                try db.execute(sql: "ROLLBACK TO a; COMMIT")
            }
            XCTAssertEqual(values, writer is DatabasePool ? [0, 1] : [2, 1])
        }
    }

    func testACommittedValueNeedsNoCorrection() throws {
        try onEachWriter { writer in
            let values = try lastValue(2, in: writer) { db in try db.execute(sql: "COMMIT") }
            XCTAssertEqual(values, writer is DatabasePool ? [0, 2] : [2])
        }
    }

    func testAStartInsideAReadCausesNoFetch() throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try dbQueue.run(twoTables)
            let values = Values<Int>()
            let started = try dbQueue.read { _ in
                count.start(
                    in: dbQueue, scheduling: immediately, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            }
            try dbQueue.commit("INSERT INTO album VALUES (1, NULL, '')")
            let isDelivered = expectation(description: "main")
            DispatchQueue.main.async { isDelivered.fulfill() }
            wait(for: [isDelivered], timeout: 5)
            XCTAssertEqual(values.all, [0])
            started.cancel()
        }
    }
}
