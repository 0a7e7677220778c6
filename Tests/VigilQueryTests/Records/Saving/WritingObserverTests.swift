import Vigil
import XCTest

/// Observers of a commit may write before the method that saved a record returns.
final class WritingObserverTests: XCTestCase {
    private struct Player: Codable, MutablePersistableRecord, FetchableRecord {
        var id: Int64?
        var name: String

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    private func onEachPlayerQueue(_ body: (Database) throws -> Void) throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player(id INTEGER PRIMARY KEY, name);
                        CREATE TABLE log(id INTEGER PRIMARY KEY, m); INSERT INTO log VALUES (100, 'z');
                        CREATE VIEW named AS SELECT id, name FROM player;
                        CREATE TRIGGER renaming INSTEAD OF UPDATE ON named
                        BEGIN UPDATE player SET name = NEW.name WHERE id = NEW.id; END;
                        """)
                try body(db)
            }
        }
    }

    /// Writes after the next commit.
    private func writeLater(_ db: Database, _ sql: String = "UPDATE log SET m = 1 WHERE 0") {
        db.afterNextTransaction { db in
            do {
                try db.execute(sql: sql)
            } catch {
                XCTFail("\(error)")
            }
        }
    }

    func testTheInsertedRowIDIsThatOfTheRecord() throws {
        try onEachPlayerQueue { db in
            writeLater(db, "INSERT INTO log(m) VALUES ('x')")
            var player = Player(id: nil, name: "a")
            try player.insert(db)
            XCTAssertEqual(player.id, 1)
            guard db.supports(.returning) else { return }
            writeLater(db, "INSERT INTO log(m) VALUES ('x')")
            let inserted = try Player(id: nil, name: "b").insertAndFetch(db)
            XCTAssertEqual(inserted.id, 2)
        }
    }

    func testTheNumberOfChangesIsThatOfTheStatement() throws {
        try onEachPlayerQueue { db in
            var player = Player(id: 1, name: "a")
            try player.insert(db)
            writeLater(db)
            player.name = "b"
            try player.update(db)
            writeLater(db)
            player.name = "c"
            try player.save(db)
            writeLater(db)
            player.name = "d"
            XCTAssertEqual(try player.updateAndFetch(db).name, "d")
            writeLater(db, "INSERT INTO log(m) SELECT m FROM log")
            XCTAssertEqual(try Player.updateAll(db, [Column("name").set(to: "e")]), 1)
            // A view has the changes of its trigger.
            writeLater(db, "INSERT INTO log(m) SELECT m FROM log")
            XCTAssertEqual(try Table("named").updateAll(db, [Column("name").set(to: "f")]), 1)
            writeLater(db)
            XCTAssertTrue(try player.delete(db))
            XCTAssertEqual(try String.fetchAll(db, sql: "SELECT name FROM player"), [])
        }
    }
}
