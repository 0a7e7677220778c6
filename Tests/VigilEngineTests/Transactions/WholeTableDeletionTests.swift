import Vigil
import XCTest

/// The library can empty a table without reporting its rows. Preventing that must not break other statements.
final class WholeTableDeletionTests: XCTestCase {
    private let rows = twoTables + "INSERT INTO artist VALUES (1, ''), (2, '')"
    private let expected = ["delete artist 1", "delete artist 2"]

    func testEachDeletedRowIsReported() throws {
        for sql in ["DELETE FROM artist", "DELETE FROM ARTIST", "DELETE FROM main.Artist"] {
            try onEachObservedWriter(schema: rows) { writer, observer in
                try writer.run(sql)
                XCTAssertEqual(observer.log, expected + commit, sql)
                XCTAssertEqual(try writer.count("artist"), 0)
            }
        }
    }

    func testAStatementOlderThanTheObserverReportsEachRow() throws {
        for isObserved in [false, true] {
            try onEachWriter(schema: rows) { writer in
                let region = DatabaseRegionObservation(tracking: DatabaseRegion(table: "album"))
                let cancellable =
                    isObserved
                    ? region.start(in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in }) : nil
                let observer = RecordingObserver()
                let sql = "DELETE FROM artist"
                try writer.writeWithoutTransaction { db in
                    let prepared = try db.makeStatement(sql: sql)
                    try db.cachedStatement(sql: sql).execute()
                    try prepared.execute()
                    db.add(transactionObserver: observer)
                    for statement in [prepared, try db.cachedStatement(sql: sql)] {
                        try db.execute(sql: "INSERT INTO artist VALUES (1, ''), (2, '')")
                        _ = observer.takeLog()
                        try statement.execute()
                        XCTAssertEqual(observer.takeLog(), expected + commit)
                    }
                    // Without observers, the fast deletion is permitted again.
                    db.remove(transactionObserver: observer)
                    try db.execute(sql: "INSERT INTO artist VALUES (1, ''), (2, '')")
                    try prepared.execute()
                    XCTAssertEqual(db.changesCount, 2)
                }
                XCTAssertEqual(try writer.count("artist"), 0)
                cancellable?.cancel()
            }
        }
    }

    func testARegionObservationIsNotifiedOfAnEmptiedTable() throws {
        try onEachWriter(schema: rows) { writer in
            let notified = FetchCount()
            let cancellable = DatabaseRegionObservation(tracking: DatabaseRegion(table: "artist"))
                .start(in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in notified.add() })
            try writer.run("DELETE FROM artist")
            XCTAssertEqual(notified.count, 1)
            cancellable.cancel()
        }
    }

    // MARK: - Schema changes

    /// Statements that create an object and drop it.
    private let definitions: [(make: String, drop: String)] = [
        ("CREATE TABLE x(id INTEGER PRIMARY KEY, a); INSERT INTO x VALUES (1, 2)", "DROP TABLE x"),
        ("CREATE TEMP TABLE x(id INTEGER PRIMARY KEY, a); INSERT INTO x VALUES (1, 2)", "DROP TABLE x"),
        ("CREATE VIRTUAL TABLE x USING fts4(a); INSERT INTO x VALUES ('abc')", "DROP TABLE x"),
        ("CREATE TABLE x AS SELECT 1 AS a", "DROP TABLE x"),
        ("CREATE VIEW x AS SELECT * FROM artist", "DROP VIEW x"),
        ("CREATE TEMP VIEW x AS SELECT * FROM artist", "DROP VIEW x"),
        ("CREATE INDEX x ON artist(name)", "DROP INDEX x"),
        ("CREATE TRIGGER x AFTER INSERT ON artist BEGIN DELETE FROM album; END", "DROP TRIGGER x"),
        ("CREATE TEMP TRIGGER x AFTER INSERT ON artist BEGIN DELETE FROM album; END", "DROP TRIGGER x"),
    ]

    func testAllObjectsCanBeDropped() throws {
        for definition in definitions {
            for isObserved in [false, true] {
                try onMemoryQueueAndPool(schema: rows) { writer in
                    let observer = RecordingObserver()
                    if isObserved { writer.add(transactionObserver: observer) }
                    try writer.writeWithoutTransaction { db in
                        try db.execute(sql: definition.make)
                        _ = observer.takeLog()
                        // The statement is compiled first, and runs later.
                        let drop = try db.makeStatement(sql: definition.drop)
                        XCTAssertTrue(drop.invalidatesDatabaseSchemaCache, definition.drop)
                        try drop.execute()
                        XCTAssertEqual(observer.takeLog(), isObserved ? commit : [], definition.drop)
                        // Both statements run at once.
                        try db.execute(sql: "\(definition.make); \(definition.drop)")
                        try db.inTransaction {
                            try db.execute(sql: "\(definition.make); \(definition.drop)")
                            return .commit
                        }
                        for master in ["sqlite_master", "sqlite_temp_master"] {
                            XCTAssertEqual(
                                try Int.fetchOne(
                                    db, sql: "SELECT COUNT(*) FROM \(master) WHERE name LIKE 'x%'"), 0,
                                definition.make)
                        }
                    }
                }
            }
        }
    }

    func testASchemaChangeIsNotARowEvent() throws {
        try onEachObservedWriter(schema: rows) { writer, observer in
            let changes = [
                "CREATE TABLE x(a)", "ALTER TABLE x RENAME TO y", "ALTER TABLE y ADD COLUMN b",
                "CREATE INDEX z ON y(a)", "DROP INDEX z", "DROP TABLE y",
            ]
            for sql in changes {
                try writer.run(sql)
                XCTAssertEqual(observer.takeLog(), commit, sql)
            }
        }
    }

    func testStatementsSayWhetherTheyChangeTheSchema() throws {
        try onEachWriter(schema: rows) { writer in
            try writer.writeWithoutTransaction { db in
                for sql in ["CREATE TABLE x(a)", "DROP TABLE album", "ALTER TABLE artist ADD COLUMN b"] {
                    XCTAssertTrue(try db.makeStatement(sql: sql).invalidatesDatabaseSchemaCache, sql)
                }
                for sql in ["SELECT * FROM artist", "DELETE FROM artist", "BEGIN", "PRAGMA user_version"] {
                    XCTAssertFalse(try db.makeStatement(sql: sql).invalidatesDatabaseSchemaCache, sql)
                }
            }
        }
    }
}
