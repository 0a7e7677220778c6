import Foundation
import Vigil
import XCTest

/// The C handle of a connection, on the library that this build links.
final class ConnectionHandleTests: XCTestCase {
    private typealias Exec =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, OpaquePointer?, OpaquePointer?, OpaquePointer?
        ) -> CInt

    private typealias CreateCollation =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, CInt, UnsafeMutableRawPointer?,
            @convention(c) (UnsafeMutableRawPointer?, CInt, UnsafeRawPointer?, CInt, UnsafeRawPointer?) ->
                CInt
        ) -> CInt

    /// Runs SQL with the C API.
    private func exec(_ handle: OpaquePointer, _ sql: String) throws {
        let symbol = try XCTUnwrap(dlsym(nil, "sqlite3_exec"))
        let exec = unsafeBitCast(symbol, to: Exec.self)
        XCTAssertEqual(exec(handle, sql, nil, nil, nil), 0, sql)
    }

    private func exec(_ writer: any DatabaseWriter, _ sql: String) throws {
        try writer.writeWithoutTransaction { db in try withHandle(db) { try exec($0, sql) } }
    }

    /// Runs a test with a queue and a pool on the linked library.
    private func onEachLinked(_ body: (ObservationFixture) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        let writers: [any DatabaseWriter] = [
            try DatabaseQueue(), try DatabasePool(path: directory.file("db.sqlite")),
        ]
        for writer in writers {
            try writer.run(tableT)
            try body(ObservationFixture(writer: writer, scheduling: .queue))
        }
    }

    func testChangesThroughTheHandleAreObserved() throws {
        try onEachLinked { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try exec(fixture.writer, "INSERT INTO t(a) VALUES (1)")
            observed.values.wait(for: 1)
            try exec(
                fixture.writer, "BEGIN; INSERT INTO t(a) VALUES (2); INSERT INTO t(a) VALUES (3); COMMIT")
            observed.values.wait(for: 3)
            try fixture.writer.write { db in
                try withHandle(db) { try exec($0, "DELETE FROM t WHERE a > 1") }
            }
            observed.values.wait { $0.last == 1 }
            XCTAssertEqual(observed.errors.all.count, 0)
            observed.cancel()
        }
    }

    func testAnyUseCountsAsAChange() throws {
        try onEachLinked { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.writer.writeWithoutTransaction { db in try withHandle(db) { _ in } }
            try fixture.writer.waitForFetches()
            fixture.drain(self)
            XCTAssertEqual(observed.values.all, [0, 0])
            observed.cancel()
        }
    }

    func testAReplacedCollationIsNoticed() throws {
        let directory = try TemporaryDirectory()
        for dbQueue in [try DatabaseQueue(), try DatabaseQueue(path: directory.file("db.sqlite"))] {
            try dbQueue.run(
                "CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE); INSERT INTO p VALUES (1, 'x')"
            )
            let fixture = ObservationFixture(writer: dbQueue, scheduling: .queue)
            let observed = fixture.observe(
                .trackingConstantRegion { db in
                    try Int.fetchAll(db, sql: "SELECT id FROM p WHERE name = 'ab' ORDER BY id")
                })
            observed.expect([[]])
            try dbQueue.writeWithoutTransaction { db in
                try withHandle(db) { handle in
                    let symbol = try XCTUnwrap(dlsym(nil, "sqlite3_create_collation"))
                    let create = unsafeBitCast(symbol, to: CreateCollation.self)
                    XCTAssertEqual(create(handle, "NOCASE", 1, nil, { _, _, _, _, _ in 0 }), 0)
                }
            }
            fixture.drain(self)
            XCTAssertEqual(observed.values.all, [[], [1]])
            try dbQueue.commit("INSERT INTO p VALUES (2, 'y')")
            observed.expect([[], [1], [1, 2]])
            observed.cancel()
        }
    }

    func testRolledBackUseIsNotNotified() throws {
        try onEachLinked { fixture in
            // With old libraries, the first use counts as a replacement of collations. A rollback keeps it.
            try fixture.writer.writeWithoutTransaction { db in try withHandle(db) { _ in } }
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try withHandle(db) { try exec($0, "INSERT INTO t(a) VALUES (1)") }
                    return .rollback
                }
            }
            try fixture.insert(2)
            observed.values.wait(for: 2)
            XCTAssertFalse(observed.values.all.dropFirst().contains(0))
            observed.cancel()
        }
    }

    func testFetchThatUsesTheHandleDependsOnTheWholeDatabaseAndDoesNotNotifyItself() throws {
        try onEachLinked { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in
                    try withHandle(db) { _ in }
                    return 1
                })
            observed.expect([1])
            try fixture.insert()
            observed.expect([1, 1])
            try fixture.insert()
            observed.expect([1, 1, 1])
            observed.cancel()
        }
    }

    private typealias CreateFunction =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?, Call?, Call?,
            OpaquePointer?
        ) -> CInt

    private typealias Call = @convention(c) (OpaquePointer?, CInt, OpaquePointer?) -> Void

    private typealias DatabaseOfContext = @convention(c) (OpaquePointer?) -> OpaquePointer?

    /// Adds the function `add_to_b()`, which writes. A statement that calls it counts as a reading one.
    private func addWritingFunction(_ handle: OpaquePointer) throws {
        let symbol = try XCTUnwrap(dlsym(nil, "sqlite3_create_function"))
        let create = unsafeBitCast(symbol, to: CreateFunction.self)
        let utf8: CInt = 1
        let code = create(
            handle, "add_to_b", 0, utf8, nil,
            { context, _, _ in
                guard let database = dlsym(nil, "sqlite3_context_db_handle"),
                    let exec = dlsym(nil, "sqlite3_exec")
                else { return }
                let handle = unsafeBitCast(database, to: DatabaseOfContext.self)(context)
                _ = unsafeBitCast(exec, to: Exec.self)(handle, "UPDATE s SET b = b + 1", nil, nil, nil)
            }, nil, nil)
        XCTAssertEqual(code, 0)
    }

    func testColumnsWrittenByAFunctionOfAReadAreObservedAfterAWriteToOthers() throws {
        try onEachLinked { fixture in
            try fixture.writer.run("CREATE TABLE s(a, b); INSERT INTO s VALUES (1, 1)")
            try fixture.writer.writeWithoutTransaction { db in try withHandle(db, addWritingFunction) }
            let commits = FetchCount()
            let cancellable = DatabaseRegionObservation(tracking: SQLRequest<Int>(sql: "SELECT b FROM s"))
                .start(in: fixture.writer, onError: { XCTFail("\($0)") }, onChange: { _ in commits.add() })
            try fixture.writer.writeWithoutTransaction { db in
                let statement = try db.makeStatement(sql: "SELECT add_to_b()")
                for run in 1...2 {
                    try db.inTransaction {
                        try db.execute(sql: "UPDATE s SET a = a + 1")
                        try statement.execute()
                        return .commit
                    }
                    XCTAssertEqual(commits.count, run)
                }
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT b FROM s"), 3)
            }
            cancellable.cancel()
        }
    }

    func testSchemaChangesThroughTheHandleAreVisible() throws {
        try onEachLinked { fixture in
            try fixture.writer.writeWithoutTransaction { db in
                XCTAssertFalse(try db.tableExists("new"))
                try withHandle(db) { try exec($0, "CREATE TABLE new(a); CREATE TEMP TABLE own(b)") }
                XCTAssertTrue(try db.tableExists("new"))
                XCTAssertTrue(try db.tableExists("own", in: "temp"))
            }
        }
    }

    func testErrorOfTheClosureIsThrownAndChangesAreStillObserved() throws {
        try onEachLinked { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            XCTAssertThrowsError(
                try fixture.writer.writeWithoutTransaction { db in
                    try withHandle(db) { handle in
                        try exec(handle, "INSERT INTO t(a) VALUES (1)")
                        throw CancellationError()
                    }
                }
            ) { XCTAssertTrue($0 is CancellationError) }
            observed.values.wait(for: 1)
            observed.cancel()
        }
    }

    func testAClosedDatabaseHasNoHandle() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.close()
        dbQueue.inDatabase { db in assertDatabaseError(.SQLITE_MISUSE) { try withHandle(db) { _ in } } }
    }
}

private func withHandle(_ db: Database, _ body: (OpaquePointer) throws -> Void) throws {
    #if SQLite
        try SQLiteBackend.withConnectionHandle(db, body)
    #elseif SQLCipher
        try SQLCipherBackend.withConnectionHandle(db, body)
    #endif
}
