import Vigil
import XCTest

/// Reads do not notify transaction observers.
final class ReadOnlyAccessTests: XCTestCase {
    func testReadsAreNotReported() throws {
        try onEachObservedWriter { writer, observer in
            try writer.read { db in
                _ = try Int.fetchAll(db, sql: "SELECT id FROM artist")
                try db.execute(sql: "SAVEPOINT x; RELEASE x")
                XCTAssertThrowsError(try db.execute(sql: "INSERT INTO artist VALUES (1, '')"))
                XCTAssertThrowsError(try db.execute(sql: "SELECT abs(-9223372036854775808)"))
            }
            XCTAssertEqual(observer.log, [])
        }
    }

    func testWritesCanBeExplained() throws {
        try onEachObservedWriter { writer, observer in
            for sql in [
                "EXPLAIN QUERY PLAN UPDATE artist SET name = '' WHERE id = 1", "EXPLAIN DELETE FROM artist",
            ] {
                XCTAssertFalse(try writer.read { try Row.fetchAll($0, sql: sql) }.isEmpty, sql)
                try writer.run(sql)
            }
            XCTAssertEqual(observer.log, [])
        }
    }

    func testAFailedReadLeavesNoTransactionForTheNextStatement() throws {
        try onEachObservedWriter { writer, observer in
            XCTAssertThrowsError(
                try writer.read { db in try db.execute(sql: "SELECT abs(-9223372036854775808)") })
            XCTAssertThrowsError(try writer.run("INSERT INTO album VALUES (1, 99, '')"))
            XCTAssertFalse(observer.log.contains("committed"), "\(observer.log)")
            XCTAssertFalse(observer.log.contains("rolled back"), "\(observer.log)")
        }
    }

    func testReadOnlyBlocksAreNotReported() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.readOnly {
                    try db.execute(sql: "BEGIN; SELECT * FROM artist; COMMIT")
                    try db.execute(sql: "BEGIN; ROLLBACK; SAVEPOINT x; RELEASE x")
                    try db.inTransaction { .commit }
                    try db.inSavepoint { .rollback }
                    assertDatabaseError(.SQLITE_READONLY) {
                        try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                    }
                }
                XCTAssertEqual(observer.takeLog(), [])
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
            }
            XCTAssertEqual(observer.log, ["insert artist 1"] + commit)
        }
    }

    func testATransactionThatEndsInsideAReadOnlyBlockIsReported() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                try db.readOnly { try db.execute(sql: "ROLLBACK") }
            }
            XCTAssertEqual(observer.log, ["insert artist 1"] + rollback)
        }
    }

    func testReadOnlyConnectionsReportNothing() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let path = directory.file("database.sqlite")
            try DatabasePool(path: path, configuration: configuration).commit(twoTables)
            configuration.readonly = true
            let writers: [any DatabaseWriter] = [
                try DatabaseQueue(path: path, configuration: configuration),
                try DatabasePool(path: path, configuration: configuration),
            ]
            for writer in writers {
                let observer = RecordingObserver()
                writer.add(transactionObserver: observer)
                try writer.write { db in _ = try Int.fetchAll(db, sql: "SELECT id FROM artist") }
                try writer.run("BEGIN; COMMIT; SAVEPOINT x; RELEASE x; BEGIN; ROLLBACK")
                assertDatabaseError(.SQLITE_READONLY) { try writer.run("DELETE FROM artist") }
                XCTAssertEqual(observer.log, [])
            }
        }
    }
}
