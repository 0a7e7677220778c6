import Vigil
import XCTest

/// Blocks in which a transaction can end early, and the effect on later statements.
final class AbortedReadTests: XCTestCase {
    private let schema = twoTables + "INSERT INTO artist VALUES (1, '');"

    func testAReadIsABlock() throws {
        try onEachWriter(schema: schema) { writer in
            for ending in ["ROLLBACK", "COMMIT"] {
                XCTAssertThrowsError(
                    try writer.read { db in
                        try db.execute(sql: ending)
                        XCTAssertThrowsError(try db.execute(sql: "SELECT 1")) { error in
                            XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_ABORT)
                            XCTAssertEqual((error as? DatabaseError)?.message, "Transaction was aborted")
                            XCTAssertEqual((error as? DatabaseError)?.sql, "SELECT 1")
                        }
                    }
                ) { error in
                    XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_ABORT)
                    XCTAssertNil((error as? DatabaseError)?.sql)
                }
                XCTAssertThrowsError(
                    try writer.read { db in
                        try db.execute(sql: ending)
                        throw Objection()
                    }
                ) { XCTAssertTrue($0 is Objection, "\($0)") }
                XCTAssertEqual(try writer.count("artist"), 1)
            }
        }
    }

    func testAReadWithACallbackCallsItOnce() throws {
        try onEachWriter(schema: schema) { writer in
            let calls = Values<Bool>()
            let ended = expectation(description: "called")
            writer.asyncRead { result in
                if case .success(let db) = result {
                    assertNoError { try db.execute(sql: "ROLLBACK") }
                    assertDatabaseError(.SQLITE_ABORT) { try db.execute(sql: "SELECT 1") }
                    calls.append(true)
                } else {
                    calls.append(false)
                }
                ended.fulfill()
            }
            wait(for: [ended], timeout: testTimeout)
            XCTAssertEqual(try writer.count("artist"), 1)
            try writer.barrierWriteWithoutTransaction { _ in }
            XCTAssertEqual(calls.all, [true])
        }
    }

    func testAnAsynchronousReadIsABlock() async throws {
        try await onEachWriterAsync { writer in
            await assertAsyncError(.SQLITE_ABORT) {
                try await writer.read { db in
                    try db.execute(sql: "ROLLBACK")
                    assertDatabaseError(.SQLITE_ABORT, "Transaction was aborted") {
                        try db.execute(sql: "SELECT 1")
                    }
                }
            }
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 0)
        }
    }

    func testStatementsOutsideBlocksAreNotRefused() throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        try onEachWriter(configuration, schema: schema) { writer in
            let endings = [
                "INSERT OR ROLLBACK INTO artist VALUES (1, '')", "ROLLBACK", "COMMIT",
                "ROLLBACK; BEGIN; ROLLBACK",
            ]
            for (index, ending) in endings.enumerated() {
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "BEGIN")
                    try? db.execute(sql: ending)
                    try db.execute(sql: "INSERT INTO artist VALUES (\(index) + 2, '')")
                    try db.beginTransaction()
                    try? db.execute(sql: ending)
                    _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist")
                }
                XCTAssertEqual(try writer.count("artist"), index + 2)
                try writer.unsafeRead { db in
                    try db.execute(sql: "BEGIN; ROLLBACK; BEGIN; COMMIT; SELECT * FROM artist")
                }
            }
        }
    }

    func testAReadInsideAnOuterTransactionIsNotABlock() throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        try onEachQueue(configuration, schema: schema) { dbQueue in
            try dbQueue.inDatabase { try $0.beginTransaction() }
            try dbQueue.read { db in
                try db.execute(sql: "ROLLBACK")
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist"), 1)
            }
        }
    }

    func testAReadOfASnapshotIsNotABlock() throws {
        try onEachPool { pool, _ in
            let snapshot = try pool.makeSnapshot()
            try snapshot.read { db in
                try db.execute(sql: "ROLLBACK")
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
                try db.execute(sql: "BEGIN; SELECT * FROM t")
            }
        }
    }
}
