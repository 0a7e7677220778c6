import Vigil
import XCTest

/// Tests that lists are updated row by row after changes of tables whose values lead to their rows.
final class LinkedListTests: XCTestCase {
    private static let schema = """
        PRAGMA foreign_keys = ON;
        CREATE TABLE room(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE message(
            id INTEGER PRIMARY KEY, room INTEGER REFERENCES room(id) ON DELETE CASCADE, text TEXT, isRead INTEGER);
        CREATE INDEX messageOfRoom ON message(room);
        CREATE TABLE tag(title TEXT NOT NULL PRIMARY KEY, note TEXT);
        INSERT INTO tag VALUES ('z', NULL), ('new', ''), ('a', 'A'), ('A', 'b'), ('', 'c');
        INSERT INTO room VALUES (1, 'Attic'), (2, 'Barn'), (3, 'Cellar');
        INSERT INTO message VALUES (1, 1, 'a', 0), (2, 1, 'b', 1), (3, 2, 'c', 0), (4, NULL, 'd', 0);
        """

    private static let unread = """
        SELECT name, (SELECT COUNT(*) FROM message WHERE room = room.id AND NOT isRead) AS n,
        (SELECT text FROM message m WHERE m.room = room.id ORDER BY m.id DESC LIMIT 1) AS last FROM room ORDER BY name
        """
    private static let joined =
        "SELECT room.name, text FROM room LEFT JOIN message ON room = room.id ORDER BY name"
    private static let counted = """
        SELECT room.*, COUNT(message.id) AS n FROM room LEFT JOIN message ON room = room.id GROUP BY room.id
        """
    private static let countedByText = """
        SELECT tag.*, COUNT(m.id) AS n FROM tag LEFT JOIN message m ON m.text = tag.title GROUP BY tag.title
        ORDER BY tag.note, tag.title
        """
    private static let empty =
        "SELECT name FROM room WHERE NOT EXISTS (SELECT 1 FROM message WHERE room = room.id AND NOT isRead)"
    private static let listed = "SELECT name FROM room WHERE id IN (SELECT room FROM message WHERE isRead)"
    private static let chain = """
        SELECT a.id, b.name, c.text FROM message a LEFT JOIN room b ON b.id = a.room
        LEFT JOIN message c ON c.room = b.id AND c.isRead
        """

    private func makeTables(_ writer: any DatabaseWriter) throws {
        try writer.writeWithoutTransaction { db in try db.execute(sql: Self.schema) }
    }

    private func texts(_ rows: [Row]) -> [String] {
        rows.map { row in row.databaseValues.map(\.description).joined(separator: " ") }
    }

    /// Asserts that a list equals fresh rows after some writes, and that only rows are fetched.
    private func assertUpdatedByRow(
        _ sql: String, arguments: StatementArguments = StatementArguments(), after writes: [String]
    ) throws {
        try onEachListWriter { writer in
            try makeTables(writer)
            let request = SQLRequest<Row>(sql: sql, arguments: arguments)
            let fixture = try ListFixture(writer, .trackingList(request))
            for write in writes {
                try fixture.write(write)
                let fresh = try writer.read { db in try request.fetchAll(db) }
                XCTAssertEqual(texts(fixture.list()).sorted(), texts(fresh).sorted(), "\(sql) after \(write)")
                XCTAssertEqual(
                    try fixture.status().fullFetchCounts, ["first fetch": 1], "\(sql) after \(write)")
            }
            XCTAssertGreaterThan(try fixture.status().rowFetchCount, 0, sql)
        }
    }

    private static let writes = [
        "UPDATE message SET isRead = 1 WHERE id = 1", "UPDATE message SET room = 3, text = 'z' WHERE id = 2",
        "INSERT INTO message VALUES (9, 2, 'new', 0), (10, 3, 'new', 1)",
        "UPDATE message SET room = NULL WHERE id = 3",
        "UPDATE message SET room = 1 WHERE room IS NULL", "DELETE FROM message WHERE id = 9",
        "BEGIN; UPDATE message SET room = 2 WHERE id = 1; UPDATE message SET room = 3 WHERE id = 1; COMMIT",
        "BEGIN; SAVEPOINT s; UPDATE message SET isRead = 0; ROLLBACK TO s; DELETE FROM message WHERE id = 4; COMMIT",
        "UPDATE room SET name = 'Bed' WHERE id = 2", "INSERT INTO room VALUES (8, 'Den')",
        "UPDATE tag SET title = 'y' WHERE title = 'z'", "UPDATE message SET text = 'y' WHERE id = 1",
        "INSERT INTO tag VALUES ('c', 'd')", "DELETE FROM tag WHERE title = 'new'",
        "UPDATE message SET id = 77, room = 8 WHERE id = 10", "DELETE FROM room WHERE id = 3",
    ]

    func testValuesLeadToRows() throws {
        for sql in [
            Self.unread, Self.joined, Self.counted, Self.countedByText, Self.empty, Self.listed, Self.chain,
        ] {
            try assertUpdatedByRow(sql, after: Self.writes)
        }
    }

    func testArgumentsOfHavingKeepTheirNumbers() throws {
        let sql = """
            SELECT name, COUNT(*) AS n FROM room JOIN message ON room = room.id WHERE message.id > ?
            GROUP BY room.id HAVING COUNT(*) > ? ORDER BY name
            """
        try assertUpdatedByRow(sql, arguments: [0, 1], after: Self.writes)
    }

    func testDistinctTextsComparedAsNumbersAreCountedInAllRows() throws {
        let sql = """
            SELECT room.id, COUNT(DISTINCT text) AS n FROM room JOIN message ON text = room.id GROUP BY room.id
            """
        try onEachListWriter { writer in
            try makeTables(writer)
            let fixture = try ListFixture(writer, .trackingList(SQLRequest<Row>(sql: sql)))
            for text in ["1", "1.0", "1"] {
                try fixture.write("INSERT INTO message(room, text) VALUES (1, '\(text)')")
                let fresh = try writer.read { db in try Row.fetchAll(db, sql: sql) }
                XCTAssertEqual(texts(fixture.list()), texts(fresh))
            }
        }
    }

    func testOnlyRowsWithTheValuesAreLookedUp() throws {
        try onEachListWriter { writer in
            try makeTables(writer)
            let fixture = try ListFixture(writer, .trackingList(SQLRequest<Row>(sql: Self.unread)))
            try fixture.write("UPDATE message SET room = 3 WHERE id = 3")
            XCTAssertEqual(try fixture.status().fetchedRowCount, 2)
            try fixture.write("INSERT INTO message VALUES (9, NULL, 'x', 0)")
            XCTAssertEqual(try fixture.status().fetchedRowCount, 2)
            try fixture.write("INSERT INTO message VALUES (10, 1, 'x', 0)")
            XCTAssertEqual(try fixture.status().fetchedRowCount, 3)
        }
    }

    func testAllRowsAreFetchedWithoutTheValues() throws {
        try onEachListWriter { writer in
            try makeTables(writer)
            let fixture = try ListFixture(writer, .trackingList(SQLRequest<Row>(sql: Self.unread)))
            let many = """
                INSERT INTO message(room, text, isRead) WITH RECURSIVE n(i) AS
                (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT 1 + i % 3, 'many', 0 FROM n
                """
            try fixture.write(many)
            XCTAssertEqual(fixture.list().map { $0["n"] }, [101, 101, 100])
            XCTAssertEqual(
                try fixture.status().fullFetchCounts, ["first fetch": 1, "unknown rows of message": 1])
        }
    }

    func testPausedListsAreUpdatedByTheValuesOfSeveralCommits() throws {
        try onEachListWriter { writer in
            try makeTables(writer)
            let pause = ObservationPause()
            let request = SQLRequest<Row>(sql: Self.unread)
            let fixture = try ListFixture(writer, .trackingList(request).pausable(by: pause))
            pause.pause()
            try fixture.write("UPDATE message SET room = 2 WHERE id = 1")
            try fixture.write("UPDATE message SET room = 3 WHERE id = 1")
            pause.resume()
            try fixture.drain()
            XCTAssertEqual(fixture.list().map { $0["n"] }, [0, 1, 1])
        }
    }

    func testGroupsOverALeftJoinAreKept() throws {
        try onEachResultWriter { writer in
            try makeTables(writer)
            let fixture = try ResultFixture(
                writer,
                [
                    "SELECT room.*, COUNT(message.id) FROM room LEFT JOIN message ON room = room.id GROUP BY room.id",
                    "SELECT COUNT(*) FROM room WHERE EXISTS (SELECT 1 FROM message WHERE room = room.id)",
                ])
            for write in Self.writes { try fixture.write(write) }
            for statistics in try fixture.statistics() {
                XCTAssertGreaterThan(statistics.updateCount, 5, "\(statistics)")
            }
        }
    }
}
