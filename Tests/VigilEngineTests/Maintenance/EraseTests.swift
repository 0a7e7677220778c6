import Foundation
import Vigil
import XCTest

final class EraseTests: XCTestCase {
    private let schema = """
        CREATE TABLE team(id INTEGER PRIMARY KEY AUTOINCREMENT);
        CREATE TABLE player(id INTEGER PRIMARY KEY, team NOT NULL REFERENCES team ON DELETE RESTRICT);
        INSERT INTO team VALUES (1);
        INSERT INTO player VALUES (1, 1);
        CREATE INDEX "a ""quoted"" index" ON player(team);
        CREATE VIEW v AS SELECT * FROM player;
        CREATE VIEW broken AS SELECT * FROM absent;
        CREATE TRIGGER tr AFTER DELETE ON player BEGIN DELETE FROM absent; END;
        CREATE TRIGGER tv INSTEAD OF INSERT ON v BEGIN DELETE FROM absent; END;
        CREATE VIRTUAL TABLE text USING fts4(content);
        INSERT INTO text VALUES ('hello');
        CREATE VIRTUAL TABLE box USING rtree(id, a, b);
        CREATE TEMPORARY TABLE temporary(a);
        PRAGMA user_version = 7;
        """

    func testErasingKeepsOnlyTemporaryTables() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.erase()
            try dbQueue.inDatabase { db in
                XCTAssertEqual(
                    try String.fetchAll(
                        db, sql: "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"), [])
                XCTAssertEqual(try Int.fetchOne(db, sql: "PRAGMA user_version"), 0)
                XCTAssertTrue(try db.tableExists("temporary"))
                XCTAssertFalse(try db.tableExists("player"))
                XCTAssertEqual(try Int.fetchOne(db, sql: "PRAGMA foreign_keys"), 1)
                try db.execute(
                    sql:
                        "CREATE TABLE team(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO team VALUES (NULL)"
                )
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT id FROM team"), 1)
            }
        }
    }

    /// The library connects a virtual table in order to drop it.
    func testTablesWithoutTheirModuleOrTokenizerAreErased() throws {
        for (name, backend) in testedBackends {
            for usesPool in [false, true] {
                let directory = try TemporaryDirectory()
                var configuration = Configuration()
                configuration.backend = backend
                let path = directory.file("database.sqlite")
                let author = try DatabaseQueue(path: path, configuration: configuration)
                try author.inDatabase { db in
                    try db.execute(
                        sql: """
                            CREATE VIRTUAL TABLE "it's" USING fts4(body, tokenize=simple);
                            PRAGMA writable_schema = ON;
                            UPDATE sqlite_master SET sql = replace(sql, 'simple', 'gone');
                            INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql)
                                VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING gone(a)');
                            PRAGMA writable_schema = OFF
                            """)
                }
                try author.close()
                let writer: any DatabaseWriter =
                    try usesPool
                    ? DatabasePool(path: path, configuration: configuration)
                    : DatabaseQueue(path: path, configuration: configuration)
                XCTAssertTrue(try writer.read { try $0.tableExists("v") }, name)
                try writer.erase()
                let names = try writer.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
                XCTAssertEqual(names, [], name)
                XCTAssertFalse(try writer.read { try $0.tableExists("v") }, name)
                try writer.write { db in try db.execute(sql: "CREATE TABLE v(b); INSERT INTO v VALUES (1)") }
                XCTAssertEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT b FROM v") }, 1, name)
            }
        }
    }

    func testTablesNamedLikeFunctionsOfTheLibraryAreErased() throws {
        try onEachQueue(schema: "CREATE TABLE pragma_notes(a)") { dbQueue in
            try dbQueue.erase()
            XCTAssertFalse(try dbQueue.read { try $0.tableExists("pragma_notes") })
        }
    }

    func testEmptyDatabaseCanBeErased() throws {
        try onEachQueue { dbQueue in
            try dbQueue.erase()
            try dbQueue.erase()
        }
    }

    func testErasingNotifiesObservers() throws {
        try onEachQueue(schema: schema) { dbQueue in
            let events = Values<String>()
            let cancellable =
                ValueObservation
                .tracking { db in
                    try db.tableExists("player") ? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") : nil
                }
                .start(
                    in: dbQueue, scheduling: .inline, onError: { events.append("\($0)") },
                    onChange: { events.append($0.map { "\($0)" } ?? "none") })
            try dbQueue.erase()
            try dbQueue.read { _ in }
            XCTAssertEqual(events.all, ["1", "none"])
            cancellable.cancel()
        }
    }

    func testErasingInsideTransactionThrows() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.write { db in assertDatabaseError(.SQLITE_MISUSE) { try db.erase() } }
            XCTAssertTrue(try dbQueue.read { try $0.tableExists("player") })
        }
    }

    func testFailedErasingChangesNothing() throws {
        try onEachQueue(schema: schema) { dbQueue in
            try dbQueue.inDatabase { db in
                // An open cursor prevents dropping the table.
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                _ = try cursor.next()
                XCTAssertThrowsError(try db.erase())
                XCTAssertTrue(try db.viewExists("v"))
                XCTAssertEqual(try Int.fetchOne(db, sql: "PRAGMA foreign_keys"), 1)
            }
        }
    }
}
