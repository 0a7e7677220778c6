import Vigil
import XCTest

final class RegionCommitsTests: XCTestCase {
    private let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE u(id INTEGER PRIMARY KEY)"

    private func queuesInMemory() throws -> [DatabaseQueue] {
        try testedBackends.map { _, backend in
            var configuration = Configuration()
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(configuration: configuration)
            try dbQueue.write { db in try db.execute(sql: schema) }
            return dbQueue
        }
    }

    func testCommitsAreASequenceOfRegionsAndGrowingNumbers() async throws {
        for dbQueue in try queuesInMemory() {
            var commits = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
                .commits(in: dbQueue, bufferingPolicy: .unbounded).makeAsyncIterator()
            try await dbQueue.write { db in try db.execute(sql: "INSERT INTO u VALUES (1)") }
            try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (7, 1)") }
            try await dbQueue.write { db in try db.execute(sql: "UPDATE t SET a = a") }
            let first = try await commits.next()
            let second = try await commits.next()
            XCTAssertEqual(first?.region, DatabaseRegion(table: "t", rowIds: [7]))
            XCTAssertEqual(second?.region, DatabaseRegion(table: "t", rowIds: [7]))
            let (one, two) = (try XCTUnwrap(first), try XCTUnwrap(second))
            XCTAssertLessThan(one.number, two.number)
            XCTAssertLessThanOrEqual(one.time, two.time)
        }
    }

    func testACommitOfATransactionObserverHasAnotherNumber() async throws {
        for dbQueue in try queuesInMemory() {
            var commits = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
                .commits(in: dbQueue, bufferingPolicy: .unbounded).makeAsyncIterator()
            try await dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 1)")
                db.afterNextTransaction(onCommit: { db in
                    assertNoError { try db.execute(sql: "INSERT INTO t VALUES (2, 1)") }
                })
            }
            // The notification of the second commit is part of the first one's.
            let (later, earlier) = (try await commits.next(), try await commits.next())
            XCTAssertEqual(earlier?.region, DatabaseRegion(table: "t", rowIds: [1]))
            XCTAssertEqual(later?.region, DatabaseRegion(table: "t", rowIds: [2]))
            XCTAssertLessThan(try XCTUnwrap(earlier).number, try XCTUnwrap(later).number)
        }
    }

    func testAnObservationOfAClosedDatabaseIsAnError() async throws {
        try await onEachWriterAsync { writer in
            try writer.close()
            for region in [DatabaseRegion.fullDatabase, DatabaseRegion(table: "t")] {
                let errors = Values<any Error>()
                let cancellable = DatabaseRegionObservation(tracking: region).start(
                    in: writer, onError: { errors.append($0) }, onChange: { _ in })
                XCTAssertEqual(errors.all.map { ($0 as? DatabaseError)?.resultCode }, [.SQLITE_MISUSE])
                cancellable.cancel()
            }
        }
    }

    func testClosingAReadOnlyDatabaseEndsTheSequence() async throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let creating = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            try await creating.write { [schema] db in try db.execute(sql: schema) }
            try creating.close()
            configuration.readonly = true
            let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            let ended = expectation(description: "ended")
            let task = Task {
                let observation = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
                for try await _ in observation.commits(in: dbQueue, startImmediately: true) {
                    try dbQueue.close()
                }
                ended.fulfill()
            }
            await fulfillment(of: [ended], timeout: testTimeout)
            task.cancel()
        }
    }

    func testForeignCommitsReachObservationsOfRegions() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            configuration.busyMode = .timeout(10)
            let other = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            try other.write { db in try db.execute(sql: schema) }
            configuration.foreignChanges = .observed
            let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            let delivered = expectation(description: "delivered")
            delivered.assertForOverFulfill = false
            let cancellable = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t")).start(
                in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in delivered.fulfill() })
            try other.write { db in try db.execute(sql: "INSERT INTO t VALUES (1, 1)") }
            wait(for: [delivered], timeout: 60)
            cancellable.cancel()
        }
    }
}
