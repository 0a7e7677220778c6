import Vigil
import XCTest

final class DumpTests: XCTestCase {
    private func onEachDatabase(
        _ sql: String, _ configuration: Configuration = Configuration(),
        _ body: (DatabaseQueue) throws -> Void
    ) throws {
        try onEachQueue(configuration) { dbQueue in
            try dbQueue.write { try $0.execute(sql: sql) }
            try body(dbQueue)
        }
    }

    private let teams = """
        CREATE TABLE team(id TEXT PRIMARY KEY, name);
        CREATE TABLE player(id INTEGER PRIMARY KEY, name);
        INSERT INTO team VALUES ('b', 'Blue'), ('a', 'Red');
        INSERT INTO player VALUES (2, 'Bob'), (1, 'Cleo');
        CREATE VIEW hero AS SELECT name FROM player ORDER BY name DESC;
        """

    func testRequestIsDumped() throws {
        try onEachDatabase(teams) { dbQueue in
            let request: SQLRequest<Row> = "SELECT * FROM player WHERE id > \(1)"
            XCTAssertEqual(try dumped { try dbQueue.dumpRequest(request, to: $0) }, "2|Bob\n")
            XCTAssertEqual(
                try dumped { try dbQueue.dumpRequest(request, format: .quote(), to: $0) }, "2,'Bob'\n")
        }
    }

    func testTablesAreOrderedByTheirPrimaryKey() throws {
        try onEachDatabase(teams) { dbQueue in
            XCTAssertEqual(try dumped { try dbQueue.dumpTables(["team"], to: $0) }, "a|Red\nb|Blue\n")
            XCTAssertEqual(
                try dumped { try dbQueue.dumpTables(["team", "player"], to: $0) },
                "team\na|Red\nb|Blue\n\nplayer\n1|Cleo\n2|Bob\n")
            XCTAssertEqual(
                try dumped { try dbQueue.dumpTables(["team"], tableHeader: .always, to: $0) },
                "team\na|Red\nb|Blue\n")
            XCTAssertEqual(try dumped { try dbQueue.dumpTables([], to: $0) }, "")
        }
    }

    func testViewsHaveTheirOwnOrderUnlessAStableOneIsRequested() throws {
        try onEachDatabase(teams) { dbQueue in
            XCTAssertEqual(try dumped { try dbQueue.dumpTables(["hero"], to: $0) }, "Cleo\nBob\n")
            XCTAssertEqual(
                try dumped { try dbQueue.dumpTables(["hero"], stableOrder: true, to: $0) }, "Bob\nCleo\n")
        }
    }

    func testAbsentTableThrows() throws {
        try onEachDatabase(teams) { dbQueue in
            assertDatabaseError(.SQLITE_ERROR, "no such table: absent") {
                try dbQueue.dumpTables(["absent"], to: TextCollector())
            }
        }
    }

    func testContentIsTheSchemaAndAllTables() throws {
        try onEachDatabase(teams) { dbQueue in
            XCTAssertEqual(
                try dumped { try dbQueue.dumpContent(format: .quote(), to: $0) },
                """
                sqlite_master
                CREATE VIEW hero AS SELECT name FROM player ORDER BY name DESC;
                CREATE TABLE player(id INTEGER PRIMARY KEY, name);
                CREATE TABLE team(id TEXT PRIMARY KEY, name);

                player
                1,'Cleo'
                2,'Bob'

                team
                'a','Red'
                'b','Blue'

                """)
        }
    }

    func testEmptyDatabaseHasNoContent() throws {
        try onEachDatabase("") { dbQueue in
            XCTAssertEqual(try dumped { try dbQueue.dumpContent(to: $0) }, "sqlite_master\n")
            XCTAssertEqual(try dumped { try dbQueue.dumpSchema(to: $0) }, "sqlite_master\n")
        }
    }

    func testSchemaIsOrderedByTable() throws {
        let schema = """
            CREATE TABLE red(a);
            CREATE TABLE Blue(a);
            CREATE INDEX z ON Blue(a);
            CREATE INDEX Y ON Blue(a);
            CREATE TRIGGER x DELETE ON Blue BEGIN DELETE FROM red; END;
            CREATE VIEW black AS SELECT 1;
            """
        try onEachDatabase(schema) { dbQueue in
            XCTAssertEqual(
                try dumped { try dbQueue.dumpSchema(to: $0) },
                """
                sqlite_master
                CREATE VIEW black AS SELECT 1;
                CREATE TABLE Blue(a);
                CREATE INDEX Y ON Blue(a);
                CREATE INDEX z ON Blue(a);
                CREATE TRIGGER x DELETE ON Blue BEGIN DELETE FROM red; END;
                CREATE TABLE red(a);

                """)
        }
    }

    func testInternalTablesAreLeftOut() throws {
        let schema = """
            CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT);
            CREATE VIRTUAL TABLE note_text USING fts4(body);
            CREATE TABLE note_text_copy(a);
            CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO note_text VALUES ('hello');
            INSERT INTO note VALUES (1);
            """
        try onEachDatabase(schema) { dbQueue in
            try migrator().migrate(dbQueue)
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { _ in }
            try migrator.migrate(dbQueue)
            XCTAssertEqual(
                try dumped { try dbQueue.dumpContent(to: $0) },
                """
                sqlite_master
                CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT);
                CREATE VIRTUAL TABLE note_text USING fts4(body);
                CREATE TABLE note_text_copy(a);

                note
                1

                note_text
                hello

                note_text_copy

                """)
        }
    }

    func testDumpsWorkInsideAnAccess() throws {
        try onEachDatabase(teams) { dbQueue in
            try dbQueue.read { db in
                XCTAssertEqual(try dumped { try dbQueue.dumpTables(["hero"], to: $0) }, "Cleo\nBob\n")
                XCTAssertEqual(try dumped { try db.dumpTables(["hero"], to: $0) }, "Cleo\nBob\n")
            }
        }
    }

    func testRequestsAreWrittenWithTheirPrefetchedRows() throws {
        struct Team: TableRecord {
            static let players = hasMany(Player.self)
        }
        struct Player: TableRecord {
            static let medals = hasMany(Medal.self)
        }
        struct Medal: TableRecord {}
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE team(id TEXT PRIMARY KEY, name TEXT);
                        CREATE TABLE player(id INTEGER PRIMARY KEY, teamId TEXT REFERENCES team(id), name TEXT);
                        CREATE TABLE medal(id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player(id));
                        INSERT INTO team VALUES ('ENG', 'England'), ('FRA', 'France');
                        INSERT INTO player VALUES (2, 'ENG', 'Owen'), (3, 'ENG', 'Ann'); INSERT INTO medal VALUES (7, 3);
                        """)
                let players = Team.players.orderByPrimaryKey()
                let request = Team.orderByPrimaryKey()
                    .including(all: players.including(all: Player.medals))
                XCTAssertEqual(
                    try dumped { try db.dumpRequest(request, to: $0) },
                    "ENG|England\nFRA|France\n\nplayers\n2|ENG|Owen\n3|ENG|Ann\n\nmedals\n7|3\n")
                XCTAssertEqual(
                    try dumped { try db.dumpRequest(request.filter(Column("id") == "x"), to: $0) }, "")
            }
        }
    }
}
