import Vigil
import XCTest

final class RegionObservationTests: XCTestCase {
    /// Returns the number of commits that an observation is notified of while `body` runs.
    private func commits(
        matching region: DatabaseRegion, in writer: any DatabaseWriter, _ body: () throws -> Void
    ) throws -> Int {
        let notified = FetchCount()
        let cancellable = start(region, in: writer) { _ in notified.add() }
        defer { cancellable.cancel() }
        try body()
        return notified.count
    }

    private func start(
        _ region: DatabaseRegion, in writer: any DatabaseWriter,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        DatabaseRegionObservation(tracking: region)
            .start(in: writer, onError: { XCTFail("\($0)") }, onChange: onChange)
    }

    private let artists = DatabaseRegion(table: "artist")

    func testEachMatchingCommitIsNotifiedOnceAndTheStartIsNot() throws {
        try onEachWriter { writer in
            let notified = FetchCount()
            let cancellable = start(artists, in: writer) { _ in notified.add() }
            XCTAssertEqual(notified.count, 0)
            try writer.commit("INSERT INTO artist VALUES (1, ''), (2, ''); DELETE FROM artist WHERE id = 1")
            XCTAssertEqual(notified.count, 1)
            try writer.commit("INSERT INTO album VALUES (1, NULL, '')")
            try writer.run("BEGIN; DELETE FROM artist; ROLLBACK")
            try writer.run("BEGIN; SAVEPOINT a; DELETE FROM artist; ROLLBACK TO a; COMMIT")
            XCTAssertEqual(notified.count, 1)
            try writer.run("UPDATE artist SET name = name")
            XCTAssertEqual(notified.count, 2)
            cancellable.cancel()
            try writer.run("DELETE FROM artist")
            XCTAssertEqual(notified.count, 2)
        }
    }

    func testTheRegionOfAViewFollowsItsDefinition() throws {
        try onEachWriter { writer in
            try writer.run("CREATE TABLE a(v); CREATE TABLE b(v); CREATE VIEW w AS SELECT v FROM a")
            let notified = FetchCount()
            let cancellable = DatabaseRegionObservation(tracking: Table("w"))
                .start(in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in notified.add() })
            for (sql, count) in [
                ("INSERT INTO a VALUES (1)", 1), ("INSERT INTO b VALUES (1)", 1),
                ("DROP VIEW w; CREATE VIEW w AS SELECT v FROM b", 2),
                ("INSERT INTO a VALUES (2)", 2), ("INSERT INTO b VALUES (2)", 3),
                // The view cannot be compiled without the table: any change may matter.
                ("DROP TABLE b", 4), ("INSERT INTO a VALUES (3)", 5),
                ("CREATE TABLE b(v)", 6), ("INSERT INTO a VALUES (4)", 6), ("INSERT INTO b VALUES (3)", 7),
            ] {
                try writer.commit(sql)
                XCTAssertEqual(notified.count, count, sql)
            }
            cancellable.cancel()
        }
    }

    func testTheCommitIsNotifiedBeforeAnyOtherWrite() throws {
        try onEachWriter { writer in
            let counts = Values<Int?>()
            let cancellable = start(artists, in: writer) { db in
                XCTAssertFalse(db.isInsideTransaction)
                counts.append(try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist"))
            }
            let other = expectation(description: "another write")
            try writer.writeWithoutTransaction { db in
                writer.asyncWriteWithoutTransaction { db in
                    assertNoError { try db.execute(sql: "INSERT INTO artist VALUES (3, '')") }
                    other.fulfill()
                }
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                XCTAssertEqual(counts.all, [1])
                try db.execute(sql: "INSERT INTO artist VALUES (2, '')")
                XCTAssertEqual(counts.all, [1, 2])
            }
            wait(for: [other], timeout: 5)
            XCTAssertEqual(counts.all, [1, 2, 3])
            cancellable.cancel()
        }
    }

    func testAStartInsideAWriteMissesNoChangeOfItsTransaction() throws {
        let another = DatabaseRegion(table: "album")
        for observed in [nil, another] {
            try onEachWriter { writer in
                let alreadyThere = observed.map { start($0, in: writer) { _ in } }
                let notified = FetchCount()
                var cancellables: [AnyDatabaseCancellable] = []
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                    cancellables.append(start(artists, in: writer) { _ in notified.add() })
                    XCTAssertEqual(notified.count, 0)
                }
                XCTAssertEqual(notified.count, 1)
                try writer.write { db in
                    cancellables.append(start(artists, in: writer) { _ in notified.add() })
                    try db.execute(sql: "INSERT INTO artist VALUES (2, '')")
                }
                XCTAssertEqual(notified.count, 3)
                try writer.commit("INSERT INTO album VALUES (1, NULL, '')")
                XCTAssertEqual(notified.count, 3)
                cancellables.forEach { $0.cancel() }
                alreadyThere?.cancel()
            }
        }
    }

    func testAStartInsideATransactionWithoutChangesIsNotNotifiedOfItsCommit() throws {
        for begin in ["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT a"] {
            try onEachWriter { writer in
                let counts = Values<Int?>()
                let cancellables = Values<AnyDatabaseCancellable>()
                let record: @Sendable (Database) -> Void = { db in
                    counts.append(try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist"))
                }
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: begin)
                    record(db)
                    cancellables.append(start(artists, in: writer, onChange: record))
                    try db.execute(sql: begin.hasPrefix("B") ? "COMMIT" : "RELEASE a")
                    try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                    try db.inTransaction {
                        try db.execute(
                            sql: "INSERT INTO artist VALUES (2, ''); INSERT INTO artist VALUES (3, '')")
                        return .commit
                    }
                }
                XCTAssertEqual(counts.all, [0, 1, 3], begin)
            }
        }
    }

    func testAStartInsideATransactionWithoutChangesIsNotifiedOfLaterChanges() throws {
        try onEachWriter { writer in
            let (first, second) = (FetchCount(), FetchCount())
            let cancellables = Values<AnyDatabaseCancellable>()
            try writer.write { db in
                cancellables.append(start(artists, in: writer) { _ in first.add() })
                try db.execute(sql: "INSERT INTO album VALUES (1, NULL, '')")
                cancellables.append(start(artists, in: writer) { _ in second.add() })
            }
            XCTAssertEqual([first.count, second.count], [0, 0])
            try writer.write { db in
                cancellables.append(start(artists, in: writer) { _ in second.add() })
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
            }
            XCTAssertEqual([first.count, second.count], [1, 2])
        }
    }

    /// Only the connection's change counter reveals these changes.
    func testAStartAfterUnrecordedChangesIsNotifiedOfTheCommit() throws {
        for sql in [
            "DELETE FROM artist", "INSERT INTO artist VALUES (1, '')", "CREATE TABLE another(a)",
            "DELETE FROM artist WHERE id = 0",
        ] {
            try onEachWriter { writer in
                let notified = FetchCount()
                var cancellable: AnyDatabaseCancellable?
                try writer.write { db in
                    try db.execute(sql: sql)
                    cancellable = start(.fullDatabase, in: writer) { _ in notified.add() }
                }
                XCTAssertEqual(notified.count, 1, sql)
                cancellable?.cancel()
            }
        }
    }

    func testAStartInsideARolledBackWriteIsNotifiedOfTheNextCommitOnly() throws {
        try onEachWriter { writer in
            let notified = FetchCount()
            var cancellable: AnyDatabaseCancellable?
            try? writer.write { db in
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                cancellable = start(artists, in: writer) { _ in notified.add() }
                throw Objection()
            }
            try writer.commit("INSERT INTO album VALUES (1, NULL, '')")
            XCTAssertEqual(notified.count, 0)
            try writer.commit("INSERT INTO artist VALUES (1, '')")
            XCTAssertEqual(notified.count, 1)
            cancellable?.cancel()
        }
    }

    func testAStartAfterChangesSeenByAnotherObservationMatchesPrecisely() throws {
        try onEachWriter { writer in
            let everything = start(.fullDatabase, in: writer) { _ in }
            let notified = FetchCount()
            var cancellable: AnyDatabaseCancellable?
            try writer.write { db in
                try db.execute(sql: "INSERT INTO album VALUES (1, NULL, '')")
                cancellable = start(artists, in: writer) { _ in notified.add() }
            }
            XCTAssertEqual(notified.count, 0)
            cancellable?.cancel()
            everything.cancel()
        }
    }

    func testAnObservationCanBeCancelledInsideItsOwnNotification() throws {
        try onEachWriter { writer in
            let notified = FetchCount()
            let cancellables = Values<AnyDatabaseCancellable>()
            cancellables.append(
                start(artists, in: writer) { _ in
                    notified.add()
                    cancellables.all.forEach { $0.cancel() }
                })
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO artist VALUES (1, ''); INSERT INTO artist VALUES (2, '')")
            }
            XCTAssertEqual(notified.count, 1)
        }
    }

    func testWritesInsideANotificationAreNotified() throws {
        try onEachWriter { writer in
            let notified = FetchCount()
            let cancellable = start(artists, in: writer) { db in
                notified.add()
                if notified.count < 3 {
                    assertNoError { try db.execute(sql: "INSERT INTO artist(name) VALUES ('')") }
                }
            }
            try writer.commit("INSERT INTO artist(name) VALUES ('')")
            XCTAssertEqual(notified.count, 3)
            cancellable.cancel()
        }
    }

    func testAnUnknownTableIsAnError() throws {
        struct Broken: DatabaseRegionConvertible {
            func databaseRegion(_ db: Database) throws -> DatabaseRegion { throw Objection() }
        }
        try onEachWriter { writer in
            let errors = FetchCount()
            let cancellable = DatabaseRegionObservation(tracking: Broken()).start(
                in: writer, onError: { _ in errors.add() }, onChange: { _ in XCTFail("changed") })
            XCTAssertEqual(errors.count, 1)
            cancellable.cancel()
        }
    }

    // MARK: - Required notifications

    private let first = DatabaseRegion(table: "t", rowIds: [1])
    private let last = DatabaseRegion(table: "t", rowIds: [9])
    private let unique =
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b');"

    func testAReplacedRowMatches() throws {
        for sql in [
            "INSERT OR REPLACE INTO t VALUES (5, 'a')", "UPDATE OR REPLACE t SET a = 'a' WHERE id = 2",
        ] {
            try onEachWriter(schema: unique) { writer in
                XCTAssertEqual(try commits(matching: first, in: writer) { try writer.run(sql) }, 1, sql)
            }
        }
    }

    func testAMovedRowMatchesItsOldAndNewRowID() throws {
        for region in [first, last] {
            try onEachWriter(schema: unique) { writer in
                let count = try commits(matching: region, in: writer) {
                    try writer.run("UPDATE t SET id = 9 WHERE id = 1")
                    try writer.run("UPDATE t SET a = 'x' WHERE id = 2")
                }
                XCTAssertGreaterThanOrEqual(count, 1, "\(region)")
            }
        }
    }

    func testTablesWithoutRowIDAreObserved() throws {
        let schema = "CREATE TABLE t(name TEXT PRIMARY KEY, a) WITHOUT ROWID; CREATE TABLE other(a)"
        try onEachWriter(schema: schema) { writer in
            let region = DatabaseRegion(table: "t")
            let count = try commits(matching: region, in: writer) {
                try writer.run(
                    "INSERT INTO t VALUES ('x', 1); UPDATE t SET a = 2; INSERT INTO other VALUES (1)")
                try writer.run("DELETE FROM t")
            }
            XCTAssertEqual(count, 3)
        }
    }

    func testTablesOfTheSameNameInTwoDatabasesAreDistinct() throws {
        try onEachWriter { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH DATABASE ':memory:' AS other")
                try db.execute(sql: "CREATE TABLE other.artist(id INTEGER PRIMARY KEY, name)")
            }
            let other = DatabaseRegion(table: TableName(schema: "other", name: "artist"))
            let write = { (schema: String) in
                try writer.commit(
                    "INSERT INTO \(schema).artist VALUES (1, ''); UPDATE \(schema).artist SET name = 'b'")
            }
            XCTAssertEqual(try commits(matching: artists, in: writer) { try write("other") }, 0)
            XCTAssertEqual(try commits(matching: artists, in: writer) { try write("main") }, 1)
            try writer.commit("DELETE FROM main.artist; DELETE FROM other.artist")
            XCTAssertEqual(try commits(matching: other, in: writer) { try write("main") }, 0)
            XCTAssertEqual(try commits(matching: other, in: writer) { try write("other") }, 1)
        }
    }
}
