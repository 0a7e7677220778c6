import Dispatch
import Vigil
import XCTest

/// Errors that end observations.
final class ObservationErrorTests: XCTestCase {
    private struct Refusal: Error {}

    func testAnErrorIsDeliveredOnceAndNoValueFollows() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db -> Int in
                    let count = try countRows(db)
                    if count == 1 { throw Refusal() }
                    return count
                })
            observed.expect([0])
            try fixture.insert()
            observed.errors.wait(count: 1)
            try fixture.insert(2)
            // Another observation is notified of the writes.
            fixture.observe(rowCounts).expect([3])
            XCTAssertEqual(observed.values.all, [0])
            XCTAssertEqual(observed.errors.all.count, 1)
            XCTAssertTrue(observed.errors.all[0] is Refusal)
            XCTAssertTrue(fixture.writer.observations.isEmpty)
        }
    }

    func testALaterTransformationErrorEndsTheObservation() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(
                rowCounts.coalescing(.never).map { count -> Int in
                    if count == 2 { throw Refusal() }
                    return count
                })
            try fixture.insert(4)
            observed.errors.wait(count: 1)
            XCTAssertEqual(observed.values.all, [0, 1])
            XCTAssertEqual(observed.errors.all.count, 1)
        }
    }

    func testADroppedTableMakesTheFetchFail() throws {
        for observation in [rowCounts, ValueObservation.trackingConstantRegion(countRows)] {
            try onEachFixture { fixture in
                let observed = fixture.observe(observation)
                observed.expect([0])
                try fixture.writer.commit("DROP TABLE t")
                let error = observed.errors.wait(count: 1)[0]
                XCTAssertEqual(
                    "\(error)",
                    "SQLite error 1: no such table: t - while executing `SELECT COUNT(*) FROM t`")
                XCTAssertEqual(observed.values.all, [0])
            }
        }
    }

    func testAFetchCannotWriteUnlessRequested() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in try db.execute(sql: insertIntoT) }.map { 0 })
            let error = try XCTUnwrap(observed.errors.wait(count: 1)[0] as? DatabaseError)
            XCTAssertEqual(error.resultCode, .SQLITE_READONLY)
            XCTAssertEqual(error.message, "attempt to write a readonly database")
            XCTAssertEqual(
                "\(error)",
                "SQLite error 8: attempt to write a readonly database - while executing `\(insertIntoT)`")
            XCTAssertEqual(try fixture.writer.read(countRows), 0)
        }
    }

    func testAFailedFetchIsRolledBack() throws {
        try onEachFixture(schema: tableT + "CREATE TABLE log(a);") { fixture in
            var observation = ValueObservation.tracking { db -> Int in
                let count = try countRows(db)
                try db.execute(sql: "INSERT INTO log VALUES (1)")
                if count == 1 { throw Refusal() }
                return count
            }
            observation.requiresWriteAccess = true
            let observed = fixture.observe(observation)
            observed.expect([0])
            try fixture.insert()
            observed.errors.wait(count: 1)
            let logged = try fixture.writer.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log")
            }
            XCTAssertEqual(logged, 1)
            try fixture.insert()
        }
    }

    func testAFetchCanCreateATemporaryTable() throws {
        try onEachFixture { fixture in
            var observation = ValueObservation.tracking { db -> Int? in
                try db.execute(sql: "CREATE TEMPORARY TABLE copied AS SELECT * FROM t")
                defer { try? db.execute(sql: "DROP TABLE copied") }
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM copied")
            }
            observation.requiresWriteAccess = true
            let observed = fixture.observe(observation)
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
            XCTAssertTrue(observed.errors.all.isEmpty)
        }
    }

    func testErrorsAreDeliveredWhereValuesAre() throws {
        let mark = DispatchSpecificKey<Bool>()
        try onEachFixture { fixture in
            fixture.queue.setSpecific(key: mark, value: true)
            let places = Recorder<Bool>()
            let isMain = fixture.scheduling.isMain
            let isQueue = fixture.scheduling == .queue
            let check: @Sendable () -> Void = {
                if isMain { dispatchPrecondition(condition: .onQueue(.main)) }
                places.append(isQueue == (DispatchQueue.getSpecific(key: mark) ?? false))
            }
            let cancellable = fixture.start(rowCounts, onError: { _ in check() }, onChange: { _ in check() })
            places.wait(count: 1)
            try fixture.insert()
            places.wait(count: 2)
            try fixture.writer.commit("DROP TABLE t")
            XCTAssertEqual(places.wait(count: 3), [true, true, true])
            cancellable.cancel()
        }
    }

    /// The error of one fetch ends the transaction that the others fetch in.
    func testAFetchThatEndsItsSnapshotLeavesTheQueueWritable() throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            let failing = DatabaseFunction("fail", argumentCount: 1) { _ in
                throw DatabaseError(resultCode: .SQLITE_IOERR)
            }
            dbQueue.inDatabase { db in db.add(function: failing) }
            let errors = Recorder<String>()
            // Others follow the one that fails, in either order of the fetches.
            let cancellables = (0..<4).map { index in
                let sql = index == 1 ? "SELECT SUM(fail(a)) FROM t" : "SELECT COUNT(*) FROM t"
                return ValueObservation.tracking { db in try Int.fetchOne(db, sql: sql) }.start(
                    in: dbQueue, scheduling: .inline, onError: { errors.append("\($0)") }, onChange: { _ in })
            }
            try dbQueue.read { _ in }
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
            XCTAssertEqual(errors.all.count, 1)
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
            XCTAssertEqual(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }, 2)
            cancellables.forEach { $0.cancel() }
        }
    }
}
