import Vigil
import XCTest

private struct Citizenship: TableRecord, FetchableRecord, Codable, Hashable {
    var personId: Int64
    var country: String
}

private struct Note: TableRecord, FetchableRecord, Codable, Hashable, Identifiable {
    var id: String
}

private struct Hacker: TableRecord, FetchableRecord, Codable, Hashable {
    var name: String
}

private struct Missing: TableRecord, FetchableRecord, Codable {}

private struct ReaderView: TableRecord, FetchableRecord, Codable, Hashable {
    static let databaseTableName = "readerView"
    var id: Int64
}

private struct ViewKeys: DatabaseSchemaSource {
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
        view.name == "readerView" ? ["id"] : nil
    }
}

final class KeyTests: QueryInterfaceTestCase {
    private func withDatabase(_ body: (Database) throws -> Void) throws {
        try makeDatabase().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE citizenship(
                        personId INTEGER NOT NULL, country TEXT NOT NULL, PRIMARY KEY (personId, country));
                    INSERT INTO citizenship VALUES (1, 'FR'), (1, 'US'), (2, 'US');
                    CREATE TABLE note(id TEXT PRIMARY KEY);
                    INSERT INTO note VALUES ('a'), ('b');
                    CREATE TABLE hacker(name TEXT, email TEXT UNIQUE);
                    INSERT INTO hacker(rowid, name, email) VALUES (7, 'Craig', 'c@example.com'), (8, 'Eve', NULL);
                    CREATE VIEW readerView AS SELECT * FROM reader;
                    CREATE TRIGGER readerViewDeletion INSTEAD OF DELETE ON readerView
                    BEGIN DELETE FROM reader WHERE id = OLD.id; END;
                    """)
            try body(db)
        }
    }

    func testRecordsAreFetchedByKey() throws {
        try withDatabase { db in
            XCTAssertEqual(try Patron.fetchOne(db, key: 2)?.name, "Barbara")
            XCTAssertNil(try Patron.fetchOne(db, key: 9))
            XCTAssertNil(try Patron.fetchOne(db, key: nil as Int?))
            XCTAssertEqual(try Patron.fetchOne(db, id: 3)?.name, "Craig")
            XCTAssertEqual(try Patron.find(db, key: 1).name, "Arthur")
            XCTAssertEqual(try Patron.find(db, id: 1).name, "Arthur")
            XCTAssertEqual(Set(try Patron.fetchAll(db, keys: [1, 3, 9]).map(\.id)), [1, 3])
            XCTAssertEqual(try Patron.fetchSet(db, keys: [1, nil]).map(\.id), [1])
            XCTAssertEqual(Set(try Patron.fetchAll(db, ids: [2, 3]).map(\.id)), [2, 3])
            XCTAssertEqual(try Patron.fetchSet(db, ids: []), [])
            XCTAssertEqual(try Patron.fetchCursor(db, keys: [2]).next()?.id, 2)
            XCTAssertEqual(try Note.fetchOne(db, key: "b"), Note(id: "b"))
            XCTAssertEqual(try Note.find(db, id: "a"), Note(id: "a"))
            XCTAssertEqual(try Hacker.fetchOne(db, key: 7), Hacker(name: "Craig"))
        }
    }

    func testRecordsAreFetchedByUniqueColumns() throws {
        try withDatabase { db in
            let french = Citizenship(personId: 1, country: "FR"),
                american = Citizenship(personId: 2, country: "US")
            XCTAssertEqual(try Citizenship.fetchOne(db, key: ["personId": 1, "country": "FR"]), french)
            XCTAssertEqual(try Citizenship.find(db, key: ["COUNTRY": "US", "personID": 2]), american)
            XCTAssertEqual(
                try Citizenship.fetchSet(
                    db, keys: [["personId": 1, "country": "FR"], ["personId": 2, "country": "US"]]),
                [french, american])
            XCTAssertNil(try Citizenship.fetchOne(db, key: nil as [String: (any DatabaseValueConvertible)?]?))
            XCTAssertEqual(try Hacker.fetchOne(db, key: ["email": "c@example.com"]), Hacker(name: "Craig"))
            XCTAssertEqual(try Hacker.fetchOne(db, key: ["email": nil]), Hacker(name: "Eve"))
            XCTAssertEqual(try Hacker.fetchOne(db, key: ["rowid": 7]), Hacker(name: "Craig"))
            XCTAssertEqual(try Patron.fetchOne(db, key: ["id": 1, "name": "Arthur"])?.id, 1)
            XCTAssertNil(try Patron.fetchOne(db, key: ["id": 1, "name": "Eve"]))
        }
    }

    func testFetchesByKeyCompareTheKeyColumns() throws {
        try withDatabase { db in
            let fetches: [(() throws -> Void, [String])] = [
                ({ _ = try Patron.fetchOne(db, key: 1) }, ["SELECT * FROM \"reader\" WHERE \"id\" = 1"]),
                ({ _ = try Hacker.fetchOne(db, key: 7) }, ["SELECT * FROM \"hacker\" WHERE \"rowid\" = 7"]),
                (
                    { _ = try Patron.fetchAll(db, keys: [1, 2]) },
                    ["SELECT * FROM \"reader\" WHERE \"id\" IN (1, 2)"]
                ),
                ({ _ = try Patron.fetchAll(db, keys: [1]) }, ["SELECT * FROM \"reader\" WHERE \"id\" = 1"]),
                (
                    { _ = try Patron.exists(db, key: 1) },
                    ["SELECT EXISTS (SELECT * FROM \"reader\" WHERE \"id\" = 1)"]
                ),
                ({ try Patron.deleteOne(db, key: 9) }, ["DELETE FROM \"reader\" WHERE \"id\" = 9"]),
                (
                    { try Patron.deleteAll(db, keys: [8, 9]) },
                    ["DELETE FROM \"reader\" WHERE \"id\" IN (8, 9)"]
                ),
                (
                    { _ = try Citizenship.fetchOne(db, key: ["country": "FR", "personId": 1]) },
                    ["SELECT * FROM \"citizenship\" WHERE (\"personId\" = 1) AND (\"country\" = 'FR')"]
                ),
                (
                    { _ = try Hacker.fetchAll(db, keys: [["email": "a"], ["email": nil]]) },
                    ["SELECT * FROM \"hacker\" WHERE (\"email\" = 'a') OR (\"email\" IS NULL)"]
                ),
                ({ try Patron.deleteAll(db, keys: [Int]()) }, []),
                ({ _ = try Patron.fetchOne(db, key: nil as Int?) }, []),
            ]
            // Reads the schema.
            for (fetch, _) in fetches { try fetch() }
            for (fetch, sql) in fetches { XCTAssertEqual(try statements(db, fetch), sql) }
        }
    }

    func testRecordsAreFoundAndDeletedByKey() throws {
        try withDatabase { db in
            XCTAssertTrue(try Patron.exists(db, key: 1))
            XCTAssertFalse(try Patron.exists(db, id: 9))
            XCTAssertFalse(try Patron.exists(db, key: nil as Int?))
            XCTAssertTrue(try Citizenship.exists(db, key: ["personId": 1, "country": "US"]))
            XCTAssertTrue(try Table<Patron>("reader").exists(db, id: 2))
            XCTAssertTrue(try Patron.deleteOne(db, key: 1))
            XCTAssertFalse(try Patron.deleteOne(db, key: 1))
            XCTAssertTrue(try Table("reader").deleteOne(db, key: 2))
            XCTAssertEqual(try Patron.deleteAll(db, ids: [1, 2, 3]), 1)
            XCTAssertEqual(try Patron.fetchCount(db), 0)
            XCTAssertEqual(
                try Citizenship.deleteAll(
                    db, keys: [["personId": 1, "country": "FR"], ["personId": 1, "country": "US"]]), 2)
            XCTAssertTrue(try Hacker.deleteOne(db, key: ["email": "c@example.com"]))
            XCTAssertEqual(try Hacker.deleteAll(db), 1)
        }
    }

    func testViewsHaveTheKeysOfTheSchemaSource() throws {
        try withDatabase { db in
            assertError(.SQLITE_ERROR, "database view readerView has no primary key") {
                _ = try ReaderView.fetchOne(db, key: 1)
            }
            try db.withSchemaSource(ViewKeys()) {
                XCTAssertEqual(try ReaderView.fetchOne(db, key: 1)?.id, 1)
                // The rows are deleted by a trigger.
                XCTAssertTrue(try ReaderView.deleteOne(db, key: 1))
                XCTAssertFalse(try ReaderView.deleteOne(db, key: 1))
                XCTAssertEqual(try ReaderView.deleteAll(db, keys: [2, 3, 4]), 2)
            }
        }
    }

    func testErrorsNameTheTableAndTheColumns() throws {
        try withDatabase { db in
            assertError(.SQLITE_ERROR, "no such table: missing") { _ = try Missing.fetchOne(db, key: 1) }
            assertError(.SQLITE_ERROR, "no such table: missing") { _ = try Missing.exists(db, key: ["a": 1]) }
            assertError(
                .SQLITE_MISUSE,
                "the primary key of table citizenship has several columns (personId, country): use a dictionary as key"
            ) { _ = try Citizenship.fetchOne(db, key: 1) }
            assertError(.SQLITE_MISUSE, "table citizenship has no unique key on column(s) personId") {
                _ = try Citizenship.fetchOne(db, key: ["personId": 1])
            }
            assertError(.SQLITE_MISUSE, "table reader has no column x, y") {
                _ = try Patron.deleteAll(db, keys: [["x": 1, "y": 2, "name": "a"]])
            }
            XCTAssertThrowsError(try Patron.find(db, key: 9)) { error in
                XCTAssertEqual(
                    error as? RecordError,
                    .recordNotFound(databaseTableName: "reader", key: ["id": 9.databaseValue]))
            }
            XCTAssertThrowsError(try Citizenship.find(db, key: ["personId": 9, "country": "FR"])) { error in
                XCTAssertEqual(
                    "\(error)", "Key not found in table citizenship: [country:\"FR\" personId:9]")
            }
        }
    }

    func testTablesWithEquivalentNamesHaveTheirOwnKeys() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        try DatabaseQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE "\(one)"(a INTEGER PRIMARY KEY); INSERT INTO "\(one)" VALUES (1);
                    CREATE TABLE "\(two)"(b INTEGER PRIMARY KEY); INSERT INTO "\(two)" VALUES (2);
                    """)
            for (name, key, other) in [(one, 1, 2), (two, 2, 1)] {
                XCTAssertTrue(try Table(name).exists(db, key: key))
                XCTAssertFalse(try Table(name).exists(db, key: other))
            }
        }
    }

    func testKeysFollowTheSchema() throws {
        try withDatabase { db in
            XCTAssertEqual(try Note.fetchOne(db, key: "a")?.id, "a")
            try db.execute(sql: "DROP TABLE note")
            assertError(.SQLITE_ERROR, "no such table: note") { _ = try Note.fetchOne(db, key: "a") }
            try db.execute(sql: "CREATE TABLE note(id TEXT, number INTEGER PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO note VALUES ('x', 4)")
            XCTAssertEqual(try Note.fetchOne(db, key: 4)?.id, "x")
        }
    }

    func testARolledBackSchemaIsForgotten() throws {
        let dbQueue = try makeDatabase()
        try dbQueue.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "CREATE TABLE note(id TEXT PRIMARY KEY)")
                XCTAssertNil(try Note.fetchOne(db, key: "a"))
                return .rollback
            }
            assertError(.SQLITE_ERROR, "no such table: note") { _ = try Note.fetchOne(db, key: "a") }
        }
    }

    func testCursorsOfKeysCanBeUsedTogether() throws {
        try withDatabase { db in
            let first = try Patron.filter(key: 1).fetchCursor(db)
            XCTAssertEqual(try Patron.fetchOne(db, key: 2)?.id, 2)
            let second = try Patron.filter(key: 3).fetchCursor(db)
            XCTAssertEqual(try first.next()?.id, 1)
            XCTAssertEqual(try second.next()?.id, 3)
            XCTAssertEqual(try Patron.fetchOne(db, key: 2)?.id, 2)
        }
    }
}
