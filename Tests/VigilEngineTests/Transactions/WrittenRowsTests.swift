import Foundation
import Vigil
import XCTest

/// Rows that writing statements return, read completely or partly.
final class WrittenRowsTests: XCTestCase {
    private let schema =
        twoTables + """
            CREATE TABLE parent(id INTEGER PRIMARY KEY);
            CREATE TABLE child(
                id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            """

    /// The ways to read the rows of a statement that returns integers.
    private let readings: [(name: String, read: (Database, String) throws -> Void)] = [
        ("fetchOne", { db, sql in _ = try Int.fetchOne(db, sql: sql) }),
        ("Row.fetchOne", { db, sql in _ = try Row.fetchOne(db, sql: sql) }),
        ("DatabaseValue.fetchOne", { db, sql in _ = try DatabaseValue.fetchOne(db, sql: sql) }),
        ("fetchAll", { db, sql in _ = try Int.fetchAll(db, sql: sql) }),
        ("a cursor's first row", { db, sql in _ = try Row.fetchCursor(db, sql: sql).next() }),
        ("a prefix", { db, sql in _ = try Array(Int.fetchCursor(db, sql: sql).prefix(1)) }),
        ("a cached statement", { db, sql in _ = try Int.fetchOne(db.cachedStatement(sql: sql)) }),
        ("execute", { db, sql in try db.execute(sql: sql) }),
    ]

    private func onEachReading(
        _ body: (_ name: String, any DatabaseWriter, @escaping (Database, String) throws -> Void) throws ->
            Void
    ) throws {
        for reading in readings {
            try onMemoryQueueAndPool(schema: schema) { writer in
                guard
                    try writer.read({ try String.fetchOne($0, sql: "SELECT sqlite_version()") })
                        .map({ $0.compare("3.35", options: .numeric) != .orderedAscending }) == true
                else { return }
                try body(reading.name, writer, reading.read)
            }
        }
    }

    // MARK: - Failing commits

    func testADeferredForeignKeyThatFailsAtTheCommitIsThrown() throws {
        try onEachReading { name, writer, read in
            let observer = RecordingObserver()
            writer.add(transactionObserver: observer)
            writer.writeWithoutTransaction { db in
                assertDatabaseError(.SQLITE_CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed") {
                    try read(db, "INSERT INTO child VALUES (1, 99), (2, 99) RETURNING id")
                }
                XCTAssertFalse(db.isInsideTransaction, name)
            }
            XCTAssertFalse(observer.log.contains("committed"), "\(name): \(observer.log)")
            XCTAssertEqual(try writer.count("child"), 0, name)
            try writer.run("INSERT INTO parent VALUES (99)")
            try writer.writeWithoutTransaction { db in
                try read(db, "INSERT INTO child VALUES (1, 99), (2, 99) RETURNING id")
            }
            XCTAssertEqual(try writer.count("child"), 2, name)
        }
    }

    func testTheErrorOfAVetoIsThrown() throws {
        try onEachReading { name, writer, read in
            let observer = RecordingObserver()
            observer.onWillCommit = { throw Objection() }
            writer.add(transactionObserver: observer)
            try writer.writeWithoutTransaction { db in
                XCTAssertThrowsError(try read(db, "INSERT INTO artist VALUES (1, '') RETURNING id"), name) {
                    XCTAssertTrue($0 is Objection, "\(name): \($0)")
                }
            }
            XCTAssertEqual(observer.takeLog(), ["insert artist 1", "will commit"] + rollback, name)
            XCTAssertEqual(try writer.count("artist"), 0, name)
            observer.onWillCommit = {}
            try writer.writeWithoutTransaction { db in
                try read(db, "INSERT INTO artist VALUES (1, '') RETURNING id")
            }
            XCTAssertEqual(observer.log, ["insert artist 1"] + commit, name)
        }
    }

    func testALockThatPreventsTheCommitIsThrown() throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            for reading in readings {
                let directory = try TemporaryDirectory()
                let path = directory.file("database.sqlite")
                let writer = try DatabaseQueue(path: path, configuration: configuration)
                try writer.run(schema)
                guard try writer.inDatabase(returnsRows) else { continue }
                let other = try DatabaseQueue(path: path, configuration: configuration)
                // With a rollback journal, a reader prevents other connections from committing, but not from
                // writing.
                try other.read { db in
                    _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist")
                    writer.inDatabase { db in
                        assertDatabaseError(.SQLITE_BUSY) {
                            try reading.read(db, "INSERT INTO artist VALUES (1, '') RETURNING id")
                        }
                    }
                }
                XCTAssertEqual(try writer.count("artist"), 0, reading.name)
                try writer.inDatabase { db in
                    try reading.read(db, "INSERT INTO artist VALUES (1, '') RETURNING id")
                }
                XCTAssertEqual(try other.count("artist"), 1, reading.name)
            }
        }
    }

    /// SQLite checks foreign keys at the end of a statement, after it has returned rows.
    func testAForeignKeyThatFailsInsideATransactionIsThrown() throws {
        try onEachReading { name, writer, read in
            try writer.write { db in
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                assertDatabaseError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
                    try read(db, "INSERT INTO album VALUES (1, 99, '') RETURNING id")
                }
                XCTAssertTrue(db.isInsideTransaction, name)
                try read(db, "INSERT INTO album VALUES (2, 1, '') RETURNING id")
            }
            XCTAssertEqual(
                try writer.read { try Int.fetchAll($0, sql: "SELECT id FROM album") }, [2], name)
        }
    }

    // MARK: - Rows

    func testAllRowsAreReturned() throws {
        try onEachReading { _, writer, _ in
            try writer.writeWithoutTransaction { db in
                let sql = """
                    INSERT INTO artist VALUES (1, 'a'), (2, NULL), (3, x'0102'), (4, 1.5), (5, '')
                    RETURNING id, name, name || '!' AS more
                    """
                let expected: [Row] = [
                    ["id": 1, "name": "a", "more": "a!"], ["id": 2, "name": nil, "more": nil],
                    ["id": 3, "name": [1, 2].data, "more": "\u{1}\u{2}!"],
                    ["id": 4, "name": "1.5", "more": "1.5!"], ["id": 5, "name": "", "more": "!"],
                ]
                XCTAssertEqual(try Row.fetchAll(db, sql: sql), expected)
                XCTAssertEqual(db.changesCount, 5)
                XCTAssertEqual(db.lastInsertedRowID, 5)
                try db.execute(sql: "DELETE FROM artist")
                let statement = try db.cachedStatement(sql: sql)
                let cursor = try Row.fetchCursor(statement)
                let first = try XCTUnwrap(cursor.next())
                XCTAssertEqual(first, expected[0])
                // The remaining rows are read between other writes.
                try db.execute(sql: "DELETE FROM artist")
                XCTAssertFalse(try db.cachedStatement(sql: sql) === statement, "a cursor reads its rows")
                XCTAssertEqual(try Array(cursor.map { $0.copy() }), Array(expected[1...]))
                XCTAssertNil(try cursor.next())
                XCTAssertTrue(try db.cachedStatement(sql: sql) === statement)
                XCTAssertEqual(try Row.fetchAll(statement), expected)
                XCTAssertEqual(
                    try Int.fetchAll(db, sql: "DELETE FROM artist WHERE id > ? RETURNING id", arguments: [9]),
                    [])
            }
        }
    }

    func testACursorReleasedEarlyHasWrittenAllRows() throws {
        try onEachReading { name, writer, read in
            let sql = "INSERT INTO artist VALUES (1, ''), (2, ''), (3, '') RETURNING id"
            let observer = RecordingObserver()
            writer.add(transactionObserver: observer)
            let inserts = (1...3).map { "insert artist \($0)" }
            try writer.write { db in
                try read(db, sql)
                XCTAssertEqual(db.changesCount, 3, name)
                XCTAssertEqual(observer.takeLog(), inserts, name)
            }
            XCTAssertEqual(observer.takeLog(), commit, name)
            XCTAssertEqual(try writer.count("artist"), 3, name)
            try writer.run("DELETE FROM artist")
            _ = observer.takeLog()
            try writer.writeWithoutTransaction { db in
                try read(db, sql)
                XCTAssertEqual(db.changesCount, 3, name)
            }
            XCTAssertEqual(observer.takeLog(), inserts + commit, name)
            XCTAssertEqual(try writer.count("artist"), 3, name)
        }
    }

    func testWritingStatementsOfAnyLibraryReturnTheirRows() throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let dbQueue = try DatabaseQueue(
                path: directory.file("database.sqlite"), configuration: configuration)
            try dbQueue.inDatabase { db in
                for mode in ["wal", "truncate", "delete"] {
                    XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)"), mode)
                    XCTAssertEqual(try String.fetchAll(db, sql: "PRAGMA journal_mode"), [mode])
                }
                XCTAssertEqual(try Int.fetchAll(db, sql: "PRAGMA user_version = 5"), [])
                XCTAssertEqual(try Int.fetchOne(db, sql: "PRAGMA user_version"), 5)
                XCTAssertEqual(try String.fetchOne(db, sql: "PRAGMA journal_mode = wal"), "wal")
                XCTAssertEqual(try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint")?.count, 3)
            }
        }
    }

    func testAnObservationIsNotifiedOfPartlyReadRows() throws {
        try onEachReading { name, writer, read in
            let seen = expectation(description: name)
            let cancellable = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist") ?? -1
            }
            .start(in: writer, scheduling: .inline, onError: { XCTFail("\($0)") }) { count in
                if count == 2 { seen.fulfill() }
            }
            try writer.writeWithoutTransaction { db in
                try read(db, "INSERT INTO artist VALUES (1, ''), (2, '') RETURNING id")
            }
            wait(for: [seen], timeout: testTimeout)
            cancellable.cancel()
        }
    }

    private func returnsRows(_ db: Database) throws -> Bool {
        let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
        return version.compare("3.35", options: .numeric) != .orderedAscending
    }
}

extension [UInt8] {
    fileprivate var data: Data { Data(self) }
}
