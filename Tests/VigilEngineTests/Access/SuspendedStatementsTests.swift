import Foundation
import Vigil
import XCTest

/// The statements that run while a database is suspended.
final class SuspendedStatementsTests: XCTestCase {
    private let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1);"

    /// Runs a test on queues with each journal mode and, with the mode `wal`, on pools.
    private func onEachMode(
        _ modes: [String] = ["delete", "truncate", "persist", "memory", "wal"],
        _ body: (_ mode: String, any SuspendableWriter) throws -> Void
    ) throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            for mode in modes {
                let directory = try TemporaryDirectory()
                let path = directory.file("database.sqlite")
                let dbQueue =
                    try mode == "memory"
                    ? DatabaseQueue(configuration: configuration)
                    : DatabaseQueue(path: path, configuration: configuration)
                try dbQueue.inDatabase { db in
                    XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)"), mode)
                    try db.execute(sql: schema)
                }
                try body(mode, dbQueue)
                guard mode == "wal" else { continue }
                let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
                try pool.write { db in try db.execute(sql: schema) }
                try body("a pool", pool)
            }
        }
    }

    private let modesWithLocks = ["delete", "truncate", "persist", "memory"]

    private func assertSuspended(
        _ sql: String, _ mode: String, file: StaticString = #filePath, line: UInt = #line,
        _ body: () throws -> Void
    ) {
        XCTAssertThrowsError(try body(), "\(mode): \(sql)", file: file, line: line) { error in
            guard let error = error as? DatabaseError else {
                return XCTFail("\(mode): \(error)", file: file, line: line)
            }
            XCTAssertEqual(error.resultCode, .SQLITE_ABORT, mode, file: file, line: line)
            XCTAssertEqual(error.message, "Database is suspended", mode, file: file, line: line)
            XCTAssertEqual(error.sql, sql, mode, file: file, line: line)
        }
    }

    func testOpenTransactionsCanEndInEveryMode() throws {
        let runs: [(begin: String, end: String)] = [
            ("BEGIN", "COMMIT"), ("BEGIN", "END TRANSACTION"), ("BEGIN IMMEDIATE", "ROLLBACK"),
            ("SAVEPOINT x", "RELEASE x"), ("SAVEPOINT x", "ROLLBACK TO x; RELEASE x"),
            ("BEGIN; SAVEPOINT x", "ROLLBACK TO x; RELEASE x; COMMIT"),
            ("BEGIN", "PRAGMA query_only = 1; COMMIT"),
            ("BEGIN", "PRAGMA main.query_only; COMMIT"),
        ]
        try onEachMode { mode, writer in
            for (index, run) in runs.enumerated() {
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "\(run.begin); INSERT OR REPLACE INTO t VALUES (2, \(index))")
                    writer.suspend()
                    XCTAssertNoThrow(try db.execute(sql: run.end), "\(mode): \(run.end)")
                    XCTAssertFalse(db.isInsideTransaction, "\(mode): \(run.end)")
                    writer.resume()
                    try db.execute(sql: "PRAGMA query_only = 0")
                    let kept = try Int.fetchOne(db, sql: "SELECT a FROM t WHERE id = 2")
                    XCTAssertEqual(kept == index, !run.end.contains("ROLLBACK"), "\(mode): \(run.end)")
                }
            }
        }
    }

    func testTransactionFunctionsEndOpenTransactionsInEveryMode() throws {
        try onEachMode { mode, writer in
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2, 2)")
                writer.suspend()
            }
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 2, mode)
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM t")
                    writer.suspend()
                    return .rollback
                }
            }
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 2, mode)
            try writer.write { db in
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM t WHERE id = 1")
                    return .commit
                }
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM t")
                    writer.suspend()
                    return .rollback
                }
            }
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 1, mode)
        }
    }

    func testReadsRunInWALMode() throws {
        try onEachMode(["wal"]) { mode, writer in
            writer.suspend()
            XCTAssertEqual(try writer.count("t"), 1, mode)
            try writer.writeWithoutTransaction { db in
                XCTAssertEqual(try Int.fetchAll(db, sql: "SELECT a FROM t"), [1], mode)
                try db.execute(
                    sql: "BEGIN; SELECT * FROM t; COMMIT; SAVEPOINT x; RELEASE x; PRAGMA journal_mode")
                try db.inTransaction(.deferred) {
                    try db.inSavepoint {
                        XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT a FROM t"), 1, mode)
                        return .commit
                    }
                    return .commit
                }
                try db.readOnly { try db.inTransaction { .commit } }
            }
        }
    }

    func testReadsOfAttachedFilesRequireALogOfTheirs() throws {
        try onEachMode(["wal"]) { mode, writer in
            let directory = try TemporaryDirectory()
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH '\(directory.file("attached"))' AS other KEY ''")
                try db.execute(sql: "CREATE TABLE other.o(a); INSERT INTO o VALUES (2)")
                try db.execute(sql: "ATTACH ':memory:' AS memory; CREATE TABLE memory.m(a)")
                writer.suspend()
                for sql in ["SELECT * FROM other.o", "SELECT 1 FROM t, o"] {
                    assertSuspended(sql, mode) { try db.execute(sql: sql) }
                    try db.execute(sql: "BEGIN; SELECT * FROM t")
                    assertSuspended(sql, mode) { try db.execute(sql: sql) }
                    XCTAssertFalse(db.isInsideTransaction, "\(mode): \(sql)")
                }
                XCTAssertEqual(try Int.fetchAll(db, sql: "SELECT t.a FROM t LEFT JOIN m"), [1], mode)
                writer.resume()
                XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA other.journal_mode = wal"), "wal", mode)
                writer.suspend()
                XCTAssertEqual(try Int.fetchAll(db, sql: "SELECT a FROM o"), [2], mode)
                writer.resume()
                try db.execute(sql: "DETACH other")
                try db.execute(sql: "DETACH memory")
            }
        }
    }

    func testWritesAreRefusedInWALMode() throws {
        let writes = [
            "INSERT INTO t VALUES (2, 2)", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE TRANSACTION",
            "CREATE TABLE u(a)",
            "PRAGMA user_version = 5",
        ]
        try onEachMode(["wal"]) { mode, writer in
            writer.suspend()
            try writer.writeWithoutTransaction { db in
                for sql in writes {
                    assertSuspended(sql, mode) { try db.execute(sql: "\(sql) ;") }
                    try db.execute(sql: "BEGIN; SELECT * FROM t")
                    assertSuspended(sql, mode) { try db.execute(sql: sql) }
                    XCTAssertFalse(db.isInsideTransaction, "\(mode): \(sql)")
                }
                assertSuspended("BEGIN IMMEDIATE TRANSACTION", mode) { try db.beginTransaction() }
                assertSuspended("BEGIN EXCLUSIVE TRANSACTION", mode) { try db.beginTransaction(.exclusive) }
            }
            assertSuspended("BEGIN IMMEDIATE TRANSACTION", mode) { try writer.write { _ in } }
            XCTAssertEqual(try writer.count("t"), 1, mode)
            writer.resume()
            try writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (2, 2)") }
            XCTAssertEqual(try writer.count("t"), 2, mode)
        }
    }

    func testReadsAreRefusedWithoutWAL() throws {
        let statements = [
            "SELECT * FROM t", "INSERT INTO t VALUES (2, 2)", "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE",
            "SAVEPOINT x", "PRAGMA user_version",
        ]
        try onEachMode(modesWithLocks) { mode, writer in
            writer.suspend()
            writer.writeWithoutTransaction { db in
                for sql in statements { assertSuspended(sql, mode) { try db.execute(sql: sql) } }
                assertSuspended("BEGIN DEFERRED TRANSACTION", mode) { try db.beginTransaction(.deferred) }
                assertSuspended("BEGIN IMMEDIATE TRANSACTION", mode) { try db.inSavepoint { .commit } }
            }
            assertSuspended("BEGIN DEFERRED TRANSACTION", mode) { try writer.read { _ in } }
            assertSuspended("BEGIN IMMEDIATE TRANSACTION", mode) { try writer.write { _ in } }
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 1, mode)
        }
    }

    func testARefusedStatementRollsBackAndTheRestOfTheBlockIsAborted() throws {
        try onEachMode { mode, writer in
            XCTAssertThrowsError(
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (2, 2)")
                    writer.suspend()
                    assertSuspended("INSERT INTO t VALUES (3, 3)", mode) {
                        try db.execute(sql: "INSERT INTO t VALUES (3, 3)")
                    }
                    XCTAssertFalse(db.isInsideTransaction, mode)
                    for sql in ["SELECT 1", "INSERT INTO t VALUES (4, 4)", "COMMIT", "ROLLBACK"] {
                        XCTAssertThrowsError(try db.execute(sql: sql)) { error in
                            XCTAssertEqual(
                                "\(error)",
                                "SQLite error 4: Transaction was aborted - while executing `\(sql)`")
                        }
                    }
                })
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 1, mode)
            // Outside a block, the error is that of the suspension.
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; INSERT INTO t VALUES (2, 2)")
                writer.suspend()
                for sql in ["INSERT INTO t VALUES (3, 3)", "INSERT INTO t VALUES (4, 4)"] {
                    assertSuspended(sql, mode) { try db.execute(sql: sql) }
                    XCTAssertFalse(db.isInsideTransaction, mode)
                }
                writer.resume()
            }
            XCTAssertEqual(try writer.count("t"), 1, mode)
        }
    }

    func testTheRunningReadIsInterruptedAndItsTransactionStaysOpen() throws {
        try onEachMode { mode, writer in
            let suspend = DatabaseFunction("suspend", argumentCount: 0) { _ in
                writer.suspend()
                return 1
            }
            try writer.write { db in
                db.add(function: suspend)
                try db.execute(sql: "INSERT INTO t VALUES (2, 2)")
                assertDatabaseError(.SQLITE_INTERRUPT) {
                    try db.execute(
                        sql: """
                            WITH RECURSIVE n(i) AS (SELECT suspend() UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                            SELECT COUNT(*) FROM n
                            """)
                }
                XCTAssertTrue(db.isInsideTransaction, mode)
            }
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 2, mode)
        }
    }

    func testTheRunningWriteIsInterruptedAndItsTransactionRolledBack() throws {
        try onEachMode { mode, writer in
            let suspend = DatabaseFunction("suspend", argumentCount: 0) { _ in
                writer.suspend()
                return 1
            }
            assertDatabaseError(.SQLITE_ABORT, "Transaction was aborted") {
                try writer.write { db in
                    db.add(function: suspend)
                    assertDatabaseError(.SQLITE_INTERRUPT) {
                        try db.execute(
                            sql: """
                                WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                                INSERT INTO t SELECT i, suspend() FROM n
                                """)
                    }
                    XCTAssertFalse(db.isInsideTransaction, mode)
                }
            }
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 1, mode)
        }
    }

    func testARollbackInAFunctionWaitsForTheEndOfItsStatement() throws {
        try onEachMode { mode, writer in
            let deletion = "DELETE FROM t WHERE a = 0"
            let suspend = DatabaseFunction("suspend", argumentCount: 0) { _ in
                writer.suspend()
                writer.unsafeReentrantWrite { db in
                    assertDatabaseError(.SQLITE_ABORT, "Database is suspended") {
                        try db.execute(sql: deletion)
                    }
                    // The library must not end the calling statement.
                    XCTAssertTrue(db.isInsideTransaction, mode)
                }
                return 1
            }
            assertDatabaseError(.SQLITE_ABORT, "Transaction was aborted") {
                try writer.write { db in
                    db.add(function: suspend)
                    try db.execute(sql: "INSERT INTO t VALUES (2, 2)")
                    // While a statement is interrupted, none can be compiled.
                    try db.execute(sql: deletion)
                    assertDatabaseError(.SQLITE_ABORT, "the statement was ended by a rollback") {
                        try Row.fetchAll(db, sql: "SELECT suspend(), a FROM t ORDER BY a")
                    }
                    XCTAssertFalse(db.isInsideTransaction, mode)
                }
            }
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 1, mode)
        }
    }

    func testCheckpointsAndBackupsAreRefused() throws {
        try onEachMode(["wal"]) { _, writer in
            let path = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = writer.configuration.backend
            let source = try DatabaseQueue(path: path.file("source.sqlite"), configuration: configuration)
            writer.suspend()
            assertDatabaseError(.SQLITE_ABORT, "Database is suspended") {
                try writer.writeWithoutTransaction { db in try db.checkpoint() }
            }
            assertDatabaseError(.SQLITE_ABORT, "Database is suspended") { try source.backup(to: writer) }
            writer.resume()
            XCTAssertEqual(try writer.count("t"), 1)
            try writer.writeWithoutTransaction { db in
                // SQLite clears an interruption when the next statement begins, but not before a checkpoint.
                try db.execute(sql: "SELECT 1")
                try db.checkpoint()
                assertDatabaseError(.SQLITE_ABORT, "Transaction was aborted") {
                    try db.inTransaction {
                        try db.rollback()
                        try db.checkpoint()
                        return .commit
                    }
                }
            }
            try source.backup(to: writer)
        }
    }

    func testAChangedJournalModeIsNoticed() throws {
        try onEachMode(["delete"]) { _, dbQueue in
            dbQueue.suspend()
            assertSuspended("BEGIN DEFERRED TRANSACTION", "delete") { try dbQueue.read { _ in } }
            dbQueue.resume()
            try dbQueue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = wal") }
            dbQueue.suspend()
            XCTAssertEqual(try dbQueue.count("t"), 1)
            dbQueue.resume()
            try dbQueue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = delete") }
            dbQueue.suspend()
            assertSuspended("BEGIN DEFERRED TRANSACTION", "delete") { try dbQueue.read { _ in } }
        }
    }

    func testSuspendedReadOnlyDatabasesRefuseReadsWithoutWAL() throws {
        for (_, backend) in testedBackends {
            for mode in ["delete", "wal"] {
                let directory = try TemporaryDirectory()
                let path = directory.file("database.sqlite")
                var configuration = Configuration()
                configuration.backend = backend
                let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
                try dbQueue.inDatabase { db in
                    _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
                    try db.execute(sql: schema)
                }
                configuration.readonly = true
                let reader = try DatabaseQueue(path: path, configuration: configuration)
                reader.suspend()
                if mode == "wal" {
                    XCTAssertEqual(try reader.count("t"), 1)
                    let pool = try DatabasePool(path: path, configuration: configuration)
                    pool.suspend()
                    XCTAssertEqual(try pool.count("t"), 1)
                    try pool.write { db in
                        XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT a FROM t"), 1)
                        assertDatabaseError(.SQLITE_READONLY) { try db.execute(sql: "DELETE FROM t") }
                    }
                    configuration.observesSuspensionNotifications = true
                    let observing = try DatabasePool(path: path, configuration: configuration)
                    NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
                    try observing.write { db in
                        assertDatabaseError(.SQLITE_READONLY) { try db.execute(sql: "DELETE FROM t") }
                    }
                    NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
                    configuration.observesSuspensionNotifications = false
                } else {
                    assertSuspended("BEGIN DEFERRED TRANSACTION", mode) { try reader.read { _ in } }
                }
            }
        }
    }
}

private protocol SuspendableWriter: DatabaseWriter {
    func suspend()
    func resume()
}

extension DatabaseQueue: SuspendableWriter {}
extension DatabasePool: SuspendableWriter {}
