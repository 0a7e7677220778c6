import Dispatch
import Vigil
import XCTest

/// The transaction kinds of read-only accesses, and the queues that these accesses run on.
final class ReadOnlyTransactionTests: XCTestCase {
    private let message = "attempt to write a readonly database"

    private func assertReadOnlyKinds(_ db: Database, file: StaticString = #filePath, line: UInt = #line)
        throws
    {
        let immediate = "BEGIN IMMEDIATE TRANSACTION"
        let attempts: [(sql: String, begin: () throws -> Void)] = [
            (immediate, { try db.inTransaction(.immediate) { .commit } }),
            (immediate, { try db.beginTransaction(.immediate) }),
            (immediate, { try db.execute(sql: immediate) }),
            ("BEGIN EXCLUSIVE TRANSACTION", { try db.inTransaction(.exclusive) { .commit } }),
            ("BEGIN EXCLUSIVE", { try db.execute(sql: "BEGIN EXCLUSIVE;") }),
        ]
        for attempt in attempts {
            XCTAssertThrowsError(try attempt.begin(), file: file, line: line) { error in
                XCTAssertEqual(
                    (error as? DatabaseError)?.resultCode, .SQLITE_READONLY, file: file, line: line)
                XCTAssertEqual((error as? DatabaseError)?.message, message, file: file, line: line)
                XCTAssertEqual((error as? DatabaseError)?.sql, attempt.sql, file: file, line: line)
            }
        }
    }

    func testInsideReadOnlyBlocksTransactionsAreDeferredAndOthersAreRefused() throws {
        try onEachWriter { writer in
            try writer.writeWithoutTransaction { db in
                try db.readOnly {
                    try assertReadOnlyKinds(db)
                    XCTAssertFalse(db.isInsideTransaction)
                    try db.inTransaction { .commit }
                    try db.inTransaction(.deferred) { .rollback }
                    try db.inSavepoint { .commit }
                    try db.beginTransaction()
                    try db.rollback()
                    assertDatabaseError(.SQLITE_READONLY, message) {
                        try db.inTransaction {
                            try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                            return .commit
                        }
                    }
                }
                try db.inTransaction(.immediate) { .commit }
                try db.inTransaction(.exclusive) { .commit }
            }
            try writer.read { db in try assertReadOnlyKinds(db) }
        }
    }

    /// A deferred transaction does not wait for another connection that writes.
    func testATransactionInsideAReadOnlyBlockTakesNoLock() throws {
        try onEachPool { pool, path in
            let other = try DatabasePool(path: path, configuration: pool.configuration)
            try other.write { _ in
                try pool.writeWithoutTransaction { db in
                    try db.readOnly { try db.inTransaction { .commit } }
                    assertDatabaseError(.SQLITE_BUSY) { try db.inTransaction { .commit } }
                }
            }
        }
    }

    /// Libraries since 3.28 begin a transaction that reads.
    func testTheLibraryDecidesInADatabaseOpenedReadOnly() throws {
        try onEachReadOnlyWriter { writer in
            try writer.writeWithoutTransaction { db in
                let version = try XCTUnwrap(String.fetchOne(db, sql: "SELECT sqlite_version()"))
                for kind in [Database.TransactionKind.immediate, .exclusive] {
                    if version.compare("3.28", options: .numeric) == .orderedAscending {
                        assertDatabaseError(.SQLITE_READONLY, message) {
                            try db.inTransaction(kind) { .commit }
                        }
                    } else {
                        try db.inTransaction(kind) {
                            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
                            assertDatabaseError(.SQLITE_READONLY) { try db.execute(sql: "DELETE FROM t") }
                            return .commit
                        }
                    }
                }
                try db.inTransaction { .commit }
                try db.inSavepoint { .commit }
                assertDatabaseError(.SQLITE_READONLY, message) { try db.execute(sql: "DELETE FROM t") }
            }
            assertDatabaseError(.SQLITE_READONLY, message) {
                try writer.write { db in try db.execute(sql: "DELETE FROM t") }
            }
            try writer.write { db in _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
        }
    }

    func testAReadOnlyDatabaseDoesNotUseTheQueueOfWrites() throws {
        let (reading, writing) = (DispatchQueue(label: "reading"), DispatchQueue(label: "writing"))
        let key = DispatchSpecificKey<String>()
        reading.setSpecific(key: key, value: "reading")
        writing.setSpecific(key: key, value: "writing")
        var configuration = Configuration()
        configuration.targetQueue = reading
        configuration.writeTargetQueue = writing
        try onEachReadOnlyWriter(configuration) { writer in
            let current = { (_: Database) in DispatchQueue.getSpecific(key: key) }
            XCTAssertEqual(try writer.read(current), "reading")
            XCTAssertEqual(try writer.unsafeRead(current), "reading")
            XCTAssertEqual(try writer.write(current), "reading")
            XCTAssertEqual(writer.writeWithoutTransaction(current), "reading")
            XCTAssertEqual(try writer.barrierWriteWithoutTransaction(current), "reading")
            XCTAssertEqual(writer.unsafeReentrantWrite(current), "reading")
        }
        try onEachWriter(configuration) { writer in
            XCTAssertEqual(try writer.write { _ in DispatchQueue.getSpecific(key: key) }, "writing")
        }
    }

    private func onEachReadOnlyWriter(
        _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        for (_, backend) in testedBackends {
            var configuration = configuration
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let path = directory.file("database.sqlite")
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            configuration.readonly = true
            try body(DatabaseQueue(path: path, configuration: configuration))
            try body(DatabasePool(path: path, configuration: configuration))
        }
    }
}
