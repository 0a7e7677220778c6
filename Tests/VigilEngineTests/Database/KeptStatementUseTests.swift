import Foundation
import Synchronization
import Vigil
import XCTest

@testable import VigilEngine

/// Tests that a kept statement leaves nothing behind when its use ends, however it ends.
final class KeptStatementUseTests: XCTestCase {
    private static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
        """

    private func onEachConnection(_ body: (Database, DatabaseQueue) throws -> Void) throws {
        try onEachQueue(schema: Self.schema) { dbQueue in
            try dbQueue.inDatabase { db in try body(db, dbQueue) }
        }
    }

    /// Returns the statement that is kept for a text.
    private func kept(_ sql: String, _ db: Database) -> Statement? { db.keptStatement(sql: sql) }

    // MARK: - Failures

    func testAStatementRunsAgainAfterItFailed() throws {
        try onEachConnection { db, _ in
            let sql = "INSERT INTO t SELECT id + ?, name FROM t"
            try db.execute(sql: "INSERT INTO t VALUES (9, 'i')")
            weak let first = try db.leaseStatement(sql: sql)
            for _ in 0..<2 {
                assertDatabaseError(.SQLITE_CONSTRAINT_PRIMARYKEY, "UNIQUE constraint failed: t.id") {
                    try db.execute(sql: sql, arguments: [6])
                }
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 4)
            }
            try db.execute(sql: sql, arguments: [10])
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 8)
            XCTAssertTrue(kept(sql, db) === first)
            XCTAssertNotNil(first)
        }
    }

    func testAReadRunsAgainAfterItWasInterrupted() throws {
        try onEachConnection { db, dbQueue in
            let interrupts = Mutex(true)
            db.add(
                function: DatabaseFunction("f", argumentCount: 1) { [unowned dbQueue] arguments in
                    if interrupts.withLock({ $0 }), arguments[0] == 2.databaseValue { dbQueue.interrupt() }
                    return arguments[0]
                })
            let sql = "SELECT f(id) FROM t"
            weak let first = try db.leaseStatement(sql: sql)
            assertDatabaseError(.SQLITE_INTERRUPT, "interrupted") { _ = try Int.fetchAll(db, sql: sql) }
            interrupts.withLock { $0 = false }
            XCTAssertEqual(try Int.fetchAll(db, sql: sql), [1, 2, 3])
            XCTAssertTrue(kept(sql, db) === first)
            XCTAssertNotNil(first)
        }
    }

    func testAReadRunsAgainAfterADecodingFailed() throws {
        try onEachConnection { db, _ in
            let sql = "SELECT name FROM t"
            XCTAssertThrowsError(try Int.fetchAll(db, sql: sql))
            XCTAssertEqual(kept(sql, db)?.run.isRunning, false)
            XCTAssertEqual(try String.fetchAll(db, sql: sql), ["a", "b", "c"])
        }
    }

    func testAStatementThatIsRunningIsNotReused() throws {
        try onEachConnection { db, _ in
            // Guard: the function only runs on the connection that it is added to.
            nonisolated(unsafe) let unsafeDB = db
            let sql = "INSERT INTO t(name) SELECT nested(?)"
            db.add(
                function: DatabaseFunction("nested", argumentCount: 1) { arguments in
                    guard let depth = Int.fromDatabaseValue(arguments[0]), depth > 0 else { return "end" }
                    try unsafeDB.execute(sql: sql, arguments: [depth - 1])
                    return "depth \(depth)"
                })
            for _ in 0..<2 {
                try db.execute(sql: sql, arguments: [2])
                XCTAssertEqual(
                    try String.fetchAll(db, sql: "SELECT name FROM t WHERE id > 3 ORDER BY id"),
                    ["end", "depth 1", "depth 2"])
                try db.execute(sql: "DELETE FROM t WHERE id > 3")
            }
        }
    }

    // MARK: - Locks

    /// Reads with kept statements, in each way that can leave rows unread.
    private func readPartially(_ db: Database) throws {
        for _ in 0..<2 {
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT id FROM t ORDER BY id"), 1)
            XCTAssertNotNil(try Row.fetchOne(db, sql: "SELECT * FROM t"))
            XCTAssertNotNil(try Row.fetchCursor(db, sql: "SELECT name FROM t").next())
            XCTAssertThrowsError(try Int.fetchAll(db, sql: "SELECT name FROM t ORDER BY id"))
            try? Int.fetchCursor(db, sql: "SELECT id FROM t").forEach { _ in throw CancellationError() }
            _ = try String.fetchCursor(db, sql: "SELECT name FROM other.u")
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT name FROM other.u"), "u1")
        }
        XCTAssertNotNil(kept("SELECT id FROM t", db))
    }

    func testKeptStatementsLockNothing() throws {
        let commands = [
            "DETACH other", "ALTER TABLE t ADD COLUMN c", "ALTER TABLE t RENAME TO t2", "DROP TABLE t",
            "VACUUM",
            "DROP TABLE other.u", "REINDEX", "PRAGMA journal_mode = DELETE", "CREATE INDEX i ON t(name)",
        ]
        for command in commands {
            try onEachConnection { db, _ in
                try db.execute(
                    sql: """
                        ATTACH ':memory:' AS other;
                        CREATE TABLE other.u(name); INSERT INTO other.u VALUES ('u1'), ('u2');
                        """)
                try readPartially(db)
                XCTAssertNoThrow(try db.execute(sql: command), command)
            }
        }
    }

    func testTransactionsEndAfterPartialReads() throws {
        try onEachConnection { db, _ in
            let sql = "SELECT id FROM t"
            for end in ["COMMIT", "ROLLBACK"] {
                try db.execute(sql: "BEGIN; INSERT INTO t(name) VALUES ('x')")
                XCTAssertNotNil(try Int.fetchOne(db, sql: sql))
                try db.execute(sql: end)
                XCTAssertFalse(db.isInsideTransaction)
                XCTAssertEqual(try Int.fetchAll(db, sql: sql).count, 4)
            }
        }
    }

    func testKeptStatementsDoNotPreventBackupsAndClosing() throws {
        try onEachQueue(schema: Self.schema) { dbQueue in
            let copy = try DatabaseQueue(configuration: dbQueue.configuration)
            let sql = "SELECT name FROM t ORDER BY id"
            for name in ["a", "new"] {
                try dbQueue.write { db in
                    try db.execute(sql: "UPDATE t SET name = ? WHERE id = 1", arguments: [name])
                    XCTAssertEqual(try String.fetchOne(db, sql: sql), name)
                }
                try dbQueue.backup(to: copy)
                try copy.inDatabase { db in XCTAssertEqual(try String.fetchOne(db, sql: sql), name) }
            }
            try dbQueue.close()
            try copy.close()
        }
    }

    // MARK: - Arguments

    func testLargeArgumentsAreReleasedAfterAnExecution() throws {
        try onEachConnection { db, _ in
            let sql = "INSERT INTO t(name) VALUES (?)"
            for (length, isReleased) in [(10_000, true), (5, false), (10_000, true)] {
                try db.execute(sql: sql, arguments: [String(repeating: "a", count: length)])
                let statement = try XCTUnwrap(kept(sql, db))
                XCTAssertEqual(statement.arguments.isEmpty, isReleased)
                XCTAssertEqual(statement.storage.expandedSQL.hasSuffix("(NULL)"), isReleased)
            }
            XCTAssertThrowsError(
                try db.execute(sql: "INSERT INTO t VALUES (1, ?)", arguments: [Data(count: 9000)]))
            let failed = try XCTUnwrap(kept("INSERT INTO t VALUES (1, ?)", db))
            XCTAssertTrue(failed.arguments.isEmpty)
            XCTAssertEqual(
                try Int.fetchAll(db, sql: "SELECT length(name) FROM t WHERE id > 3 ORDER BY id"),
                [10_000, 5, 10_000])
        }
    }

    func testLargeArgumentsOfFetchesAreReleasedWhenTheAccessEnds() throws {
        let texts = (0..<10).map { _ in String(repeating: "b", count: 500) }
        let sql = "SELECT name FROM t WHERE name NOT IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ORDER BY id"
        try onEachQueue(schema: Self.schema) { dbQueue in
            var held: Statement?
            for _ in 0..<2 {
                try dbQueue.read { db in
                    XCTAssertEqual(try String.fetchAll(db, sql: sql, arguments: .init(texts)).count, 3)
                    held = try db.leaseStatement(sql: "SELECT ?")
                    try held?.setArguments([Data(count: 9000)])
                }
                try dbQueue.read { db in
                    XCTAssertEqual(kept(sql, db)?.arguments.isEmpty, true)
                    XCTAssertEqual(kept(sql, db)?.storage.expandedSQL.contains("bbb"), false)
                    let statement = try XCTUnwrap(held)
                    XCTAssertFalse(statement.arguments.isEmpty, "statements in use keep their arguments")
                    XCTAssertEqual(try Data.fetchOne(statement)?.count, 9000)
                    held = nil
                }
                try dbQueue.read { db in
                    XCTAssertEqual(kept("SELECT ?", db)?.arguments.isEmpty, true)
                }
            }
        }
    }

    // MARK: - Scripts

    func testScriptsAreCompiledForEachRun() throws {
        try onEachConnection { db, _ in
            let sql = "INSERT INTO t(name) VALUES (?); UPDATE t SET name = ? WHERE id = 1"
            for name in ["x", "y"] {
                try db.execute(sql: sql, arguments: [name, name])
                XCTAssertEqual(try String.fetchOne(db, sql: "SELECT name FROM t"), name)
                XCTAssertNil(kept(sql, db))
            }
            for sql in ["", " ", ";", "-- nothing"] { try db.execute(sql: sql) }
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 5)
        }
    }
}
