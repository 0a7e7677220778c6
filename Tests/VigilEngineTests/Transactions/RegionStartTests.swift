import Vigil
import XCTest

/// Region observations that also report their start.
final class RegionStartTests: XCTestCase {
    private let artists = DatabaseRegion(table: "artist")

    private static func count(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist")
    }

    func testTheStartIsReportedInsideAWriteAccessBeforeTheMethodReturns() throws {
        try onEachWriter { writer in
            let counts = Values<Int?>()
            let cancellable = DatabaseRegionObservation.tracking(artists).start(
                in: writer, startImmediately: true, onError: { XCTFail("\($0)") },
                onChange: { db in assertNoError { counts.append(try Self.count(db)) } })
            XCTAssertEqual(counts.all, [0])
            try writer.commit("INSERT INTO artist VALUES (1, '')")
            try writer.commit("INSERT INTO album VALUES (1, NULL, '')")
            try writer.commit("DELETE FROM artist")
            XCTAssertEqual(counts.all, [0, 1, 0])
            cancellable.cancel()
        }
    }

    func testACommitInsideTheFirstCallIsReported() throws {
        try onEachWriter { writer in
            let counts = Values<Int?>()
            let cancellable = DatabaseRegionObservation.tracking([artists]).start(
                in: writer, startImmediately: true, onError: { XCTFail("\($0)") },
                onChange: { db in
                    assertNoError {
                        let count = try Self.count(db)
                        counts.append(count)
                        if count == 0 { try db.execute(sql: "INSERT INTO artist VALUES (1, '')") }
                    }
                })
            XCTAssertEqual(counts.all, [0, 1])
            cancellable.cancel()
        }
    }

    func testAnErrorAtTheStartIsReportedOnceAndNothingElse() throws {
        try onEachWriter { writer in
            let errors = Values<String>()
            let cancellable = DatabaseRegionObservation.tracking(SQLRequest<Int>("SELECT 1 FROM missing"))
                .start(
                    in: writer, startImmediately: true, onError: { errors.append("\($0)") },
                    onChange: { _ in XCTFail("it started") })
            XCTAssertEqual(errors.all.count, 1)
            cancellable.cancel()
        }
    }

    func testTheSequenceOfCommitsBeginsWithTheLastOne() async throws {
        try await onEachWriterAsync { writer in
            let region = DatabaseRegion(table: "t")
            let observation = DatabaseRegionObservation.tracking(region)
            var commits = observation.commits(
                in: writer, startImmediately: true, bufferingPolicy: .unbounded
            ).makeAsyncIterator()
            try await writer.write { db in try db.execute(sql: insertIntoT) }
            let first = try await commits.next()
            let second = try await commits.next()
            XCTAssertEqual(first?.region.description, "t(*)")
            XCTAssertEqual(second?.region.description, "t(*)[1]")
            XCTAssertLessThan(try XCTUnwrap(first?.number), try XCTUnwrap(second?.number))
        }
    }

    /// The transaction of a read does not write.
    func testObserversAddedInsideAReadAreInNoTransactionAfterIt() throws {
        try onEachQueue(schema: twoTables) { dbQueue in
            let commits = FetchCount()
            let artists = DatabaseRegion(table: "artist")
            let cancellable = try dbQueue.read { _ in
                DatabaseRegionObservation(tracking: artists).start(
                    in: dbQueue, onError: { XCTFail("\($0)") }, onChange: { _ in commits.add() })
            }
            try dbQueue.writeWithoutTransaction { db in try db.notifyChanges(in: artists) }
            XCTAssertEqual(commits.count, 1)
            cancellable.cancel()
        }
        try onEachQueue(schema: twoTables) { dbQueue in
            let observer = RecordingObserver()
            try dbQueue.read { db in db.add(transactionObserver: observer) }
            XCTAssertThrowsError(try dbQueue.run("INSERT INTO album VALUES (1, 99, '')"))
            XCTAssertFalse(observer.log.contains("rolled back"), "\(observer.log)")
        }
    }
}
