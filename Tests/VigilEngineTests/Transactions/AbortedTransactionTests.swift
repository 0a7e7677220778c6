import Vigil
import XCTest

/// Statements that follow in a block after its transaction has ended.
final class AbortedTransactionTests: XCTestCase {
    private let message = "Transaction was aborted"

    // MARK: - Ways to end a transaction

    private static let schema =
        twoTables + """
            CREATE TRIGGER forbidding BEFORE INSERT ON album WHEN NEW.id = 99
            BEGIN SELECT RAISE(ROLLBACK, 'forbidden'); END;
            INSERT INTO artist VALUES (1, 'first');
            """

    /// The ways to end the open transaction. They may throw.
    private let endings: [(name: String, end: (any DatabaseWriter, Database) throws -> Void)] = [
        ("OR ROLLBACK", { try $1.execute(sql: "INSERT OR ROLLBACK INTO artist VALUES (1, '')") }),
        ("RAISE(ROLLBACK)", { try $1.execute(sql: "INSERT INTO album VALUES (99, NULL, '')") }),
        ("ROLLBACK", { try $1.execute(sql: "ROLLBACK") }),
        ("rollback()", { try $1.rollback() }),
        ("COMMIT", { try $1.execute(sql: "COMMIT") }),
        ("commit()", { try $1.commit() }),
        ("disk full", { try $1.execute(sql: "INSERT INTO artist VALUES (5, zeroblob(10000000))") }),
        (
            "I/O error",
            { _, db in
                let fail = DatabaseFunction("fail", argumentCount: 0) { _ in
                    throw DatabaseError(resultCode: .SQLITE_IOERR)
                }
                db.add(function: fail)
                try db.execute(sql: "INSERT INTO artist SELECT 5, fail()")
            }
        ),
        (
            "interrupted write",
            { writer, db in
                let interrupt = DatabaseFunction("interrupt", argumentCount: 0) { _ in
                    writer.interrupt()
                    return 1
                }
                db.add(function: interrupt)
                let rows = "WITH RECURSIVE n(i) AS (SELECT 5 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
                try db.execute(sql: "\(rows) INSERT INTO artist SELECT i, interrupt() FROM n")
            }
        ),
    ]

    // MARK: - Blocks

    private typealias Body = (Database) throws -> Database.TransactionCompletion

    private let blocks: [(name: String, run: (any DatabaseWriter, Body) throws -> Void)] = [
        ("write", { writer, body in try writer.write { db in _ = try body(db) } }),
        (
            "inTransaction",
            { writer, body in
                try writer.writeWithoutTransaction { db in try db.inTransaction { try body(db) } }
            }
        ),
        (
            "inTransaction(.deferred)",
            { writer, body in
                try writer.writeWithoutTransaction { db in try db.inTransaction(.deferred) { try body(db) } }
            }
        ),
        (
            "inSavepoint",
            { writer, body in
                try writer.writeWithoutTransaction { db in try db.inSavepoint { try body(db) } }
            }
        ),
        (
            "inSavepoint in a transaction",
            { writer, body in
                try writer.writeWithoutTransaction { db in
                    try db.beginTransaction()
                    try db.inSavepoint { try body(db) }
                }
            }
        ),
        (
            "inSavepoint in a write",
            { writer, body in try writer.write { db in try db.inSavepoint { try body(db) } } }
        ),
    ]

    private func onEachEnding(
        _ body: (
            _ name: String, any DatabaseWriter, _ run: @escaping (Body) throws -> Void,
            _ end: @escaping (Database) -> Void
        ) throws -> Void
    ) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA max_page_count = 100") }
        try onMemoryQueueAndPool(configuration, schema: Self.schema) { writer in
            for block in blocks {
                for ending in endings {
                    let name = "\(block.name), \(ending.name)"
                    try body(name, writer, { try block.run(writer, $0) }) { db in
                        try? ending.end(writer, db)
                        XCTAssertFalse(db.isInsideTransaction, "\(name) leaves the transaction open")
                    }
                    // The next ending begins with the same rows.
                    try writer.run("DELETE FROM artist WHERE id <> 1")
                }
            }
        }
    }

    private func assertAborted(
        sql: String?, _ name: String, file: StaticString = #filePath, line: UInt = #line,
        _ body: () throws -> Void
    ) {
        XCTAssertThrowsError(try body(), name, file: file, line: line) { error in
            guard let error = error as? DatabaseError else {
                return XCTFail("\(name): \(error)", file: file, line: line)
            }
            XCTAssertEqual(error.extendedResultCode, .SQLITE_ABORT, name, file: file, line: line)
            XCTAssertEqual(error.message, message, name, file: file, line: line)
            XCTAssertEqual(error.sql, sql, name, file: file, line: line)
        }
    }

    // MARK: - Tests

    func testEveryStatementIsRefusedAndNothingRunsInAutocommitMode() throws {
        let statements = [
            "SELECT COUNT(*) FROM artist", "INSERT INTO artist VALUES (2, '')", "BEGIN", "BEGIN IMMEDIATE",
            "SAVEPOINT x", "COMMIT", "ROLLBACK", "PRAGMA user_version", "CREATE TABLE other(a)",
        ]
        try onEachEnding { name, writer, run, end in
            XCTAssertThrowsError(
                try run { db in
                    end(db)
                    for sql in statements {
                        assertAborted(sql: sql, name) { try db.execute(sql: " \(sql);") }
                        assertAborted(sql: sql, name) { _ = try Row.fetchOne(db, sql: sql) }
                    }
                    XCTAssertFalse(db.isInsideTransaction, name)
                    return .commit
                }, name)
            try writer.writeWithoutTransaction { db in
                XCTAssertEqual(try Int.fetchAll(db, sql: "SELECT id FROM artist"), [1], name)
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master"), 3, name)
            }
            try writer.write { db in try db.execute(sql: "INSERT INTO artist VALUES (2, '')") }
            XCTAssertEqual(try writer.count("artist"), 2, name)
        }
    }

    func testTransactionsInsideAreRefusedAndRollbackDoesNothing() throws {
        try onEachEnding { name, writer, run, end in
            XCTAssertThrowsError(
                try run { db in
                    end(db)
                    assertAborted(sql: "BEGIN IMMEDIATE TRANSACTION", name) { try db.beginTransaction() }
                    assertAborted(sql: "BEGIN DEFERRED TRANSACTION", name) {
                        try db.beginTransaction(.deferred)
                    }
                    assertAborted(sql: "BEGIN IMMEDIATE TRANSACTION", name) {
                        try db.readOnly { try db.beginTransaction(.immediate) }
                    }
                    assertAborted(sql: "BEGIN EXCLUSIVE TRANSACTION", name) {
                        try db.inTransaction(.exclusive) { .commit }
                    }
                    assertAborted(sql: "BEGIN IMMEDIATE TRANSACTION", name) { try db.inSavepoint { .commit } }
                    assertAborted(sql: "COMMIT TRANSACTION", name) { try db.commit() }
                    XCTAssertNoThrow(try db.rollback(), name)
                    assertAborted(sql: "SELECT 1", name) { try db.execute(sql: "SELECT 1") }
                    return .commit
                })
            try writer.write { db in try db.execute(sql: "INSERT INTO artist VALUES (2, '')") }
        }
    }

    func testABlockThatCommitsThrowsWithoutSQL() throws {
        try onEachEnding { name, writer, run, end in
            assertAborted(sql: nil, name) {
                try run { db in
                    end(db)
                    return .commit
                }
            }
            assertAborted(sql: nil, name) {
                try run { db in
                    end(db)
                    try? db.execute(sql: "INSERT INTO artist VALUES (2, '')")
                    return .commit
                }
            }
            XCTAssertEqual(try writer.count("artist"), 1, name)
        }
    }

    func testTheErrorOfTheBlockTakesPrecedence() throws {
        try onEachEnding { name, _, run, end in
            XCTAssertThrowsError(
                try run { db in
                    end(db)
                    throw Objection()
                }, name
            ) { XCTAssertTrue($0 is Objection, "\(name): \($0)") }
        }
    }

    func testABlockThatRollsBackThrowsNothing() throws {
        for ending in endings {
            try onEachWriter(schema: Self.schema + "PRAGMA max_page_count = 100") { writer in
                try writer.writeWithoutTransaction { db in
                    try db.inTransaction {
                        try? ending.end(writer, db)
                        return .rollback
                    }
                    try db.inSavepoint {
                        try? ending.end(writer, db)
                        return .rollback
                    }
                    try db.execute(sql: "INSERT INTO artist VALUES (2, '')")
                }
            }
        }
    }

    func testASavepointInATransactionThatRollsBackThrowsTheRefusedStatement() throws {
        for ending in endings {
            try onEachWriter(schema: Self.schema + "PRAGMA max_page_count = 100") { writer in
                try writer.writeWithoutTransaction { db in
                    try db.beginTransaction()
                    assertAborted(sql: #"ROLLBACK TRANSACTION TO SAVEPOINT "vigil""#, ending.name) {
                        try db.inSavepoint {
                            try? ending.end(writer, db)
                            return .rollback
                        }
                    }
                    // The block has ended, and the transaction is the user's.
                    try db.execute(sql: "INSERT INTO artist VALUES (2, '')")
                }
                assertAborted(sql: nil, ending.name) {
                    try writer.write { db in
                        try? db.inSavepoint {
                            try? ending.end(writer, db)
                            return .rollback
                        }
                        assertAborted(sql: "SELECT 1", ending.name) { try db.execute(sql: "SELECT 1") }
                    }
                }
            }
        }
    }

    func testAnInterruptedReadLeavesTheTransactionOpen() throws {
        try onEachWriter { writer in
            let interrupt = DatabaseFunction("interrupt", argumentCount: 0) { _ in
                writer.interrupt()
                return 1
            }
            try writer.write { db in
                db.add(function: interrupt)
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                assertDatabaseError(.SQLITE_INTERRUPT) {
                    try db.execute(
                        sql: """
                            WITH RECURSIVE n(i) AS (SELECT interrupt() UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                            SELECT COUNT(*) FROM n
                            """)
                }
                XCTAssertTrue(db.isInsideTransaction)
                try db.execute(sql: "INSERT INTO artist VALUES (2, '')")
            }
            XCTAssertEqual(try writer.count("artist"), 2)
        }
    }

    func testAnInterruptionDoesNotPreventTheRollbackOfASavepoint() throws {
        try onEachWriter(schema: Self.schema + "INSERT INTO artist VALUES (2, '')") { writer in
            for fails in [false, true] {
                try writer.write { db in
                    // While the cursor is running, the interruption lasts.
                    let cursor = try Int.fetchCursor(db, sql: "SELECT id FROM artist ORDER BY id")
                    XCTAssertEqual(try cursor.next(), 1)
                    func runSavepoint() throws {
                        try db.inSavepoint {
                            try db.execute(sql: "INSERT INTO artist VALUES (3, '')")
                            writer.interrupt()
                            if fails { try db.execute(sql: "SELECT 1") }
                            return .rollback
                        }
                    }
                    if fails {
                        assertDatabaseError(.SQLITE_INTERRUPT) { try runSavepoint() }
                    } else {
                        try runSavepoint()
                    }
                    assertDatabaseError(.SQLITE_ABORT) { _ = try cursor.next() }
                    try db.execute(sql: "UPDATE artist SET name = 'second' WHERE id = 2")
                }
                XCTAssertEqual(try writer.count("artist"), 2)
            }
        }
    }

    func testACursorThatIsAlreadySteppingIsNotChecked() throws {
        try onEachWriter(schema: Self.schema + "INSERT INTO artist VALUES (2, ''), (3, '')") { writer in
            for ending in ["INSERT OR ROLLBACK INTO artist VALUES (1, '')", "ROLLBACK"] {
                assertAborted(sql: nil, ending) {
                    try writer.write { db in
                        let cursor = try Int.fetchCursor(db, sql: "SELECT id FROM artist")
                        XCTAssertEqual(try cursor.next(), 1)
                        try? db.execute(sql: ending)
                        XCTAssertEqual(try cursor.next(), 2)
                        XCTAssertEqual(try cursor.next(), 3)
                        XCTAssertNil(try cursor.next())
                    }
                }
            }
        }
    }

    func testCachedStatementsAndPreparedArgumentsAreRefused() throws {
        try onEachWriter(schema: Self.schema) { writer in
            try? writer.write { db in
                let statement = try db.cachedStatement(sql: "SELECT name FROM artist WHERE id = ?")
                XCTAssertEqual(try String.fetchOne(statement, arguments: [1]), "first")
                try db.rollback()
                XCTAssertThrowsError(try String.fetchOne(statement, arguments: [1])) { error in
                    XCTAssertEqual((error as? DatabaseError)?.arguments, [1])
                    XCTAssertEqual(
                        "\(error)",
                        "SQLite error 4: \(message) - while executing `SELECT name FROM artist WHERE id = ?`")
                }
            }
        }
    }

    func testErrorsAfterACommitInsideOfTheBlockNameTheAlternative() throws {
        try onEachWriter(schema: Self.schema) { writer in
            for sql in ["COMMIT", "ROLLBACK"] {
                XCTAssertThrowsError(try writer.write { db in try db.execute(sql: sql) }) { error in
                    let advice =
                        sql == "COMMIT"
                        ? " (the block has committed it: use writeWithoutTransaction to commit in between)"
                        : ""
                    XCTAssertEqual("\(error)", "SQLite error 4: \(message)")
                    XCTAssertEqual(String(reflecting: error), "SQLite error 4: \(message)\(advice)")
                }
            }
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.commit()
                try db.execute(sql: "INSERT INTO artist VALUES (7, 'seventh')")
            }
        }
    }

    func testAnAsynchronousWriteIsABlock() async throws {
        try await onEachWriterAsync { writer in
            do {
                try await writer.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (1, 1)")
                    try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1, 1)")
                    XCTAssertThrowsError(try db.execute(sql: "INSERT INTO t VALUES (2, 2)"))
                }
                XCTFail("it did not throw")
            } catch let error as DatabaseError {
                XCTAssertEqual(error.resultCode, .SQLITE_ABORT)
                XCTAssertEqual(error.message, "Transaction was aborted")
                XCTAssertNil(error.sql)
            }
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 0)
        }
    }
}
