import Foundation

/// A change and the observations that must notice it.
struct ChangeCase {
    var name: String
    /// The initial schema and rows.
    var schema = ChangeCase.players
    /// The statements of the change, which run one by one and some of which may fail.
    var writes: [String]
    /// The observed queries whose results change: all rows, one row, and the rows that meet a condition.
    var queries = ChangeCase.queries(of: "player")
    /// The observed queries that the change need not match.
    var unconcerned = ["SELECT name FROM player WHERE id = 30", "SELECT name FROM player WHERE team = 70"]
    /// Whether the change is reported for the table, even where row values are known.
    var isCoarse = false
    /// Whether the observed objects exist only on the writing connection.
    var isOfOneConnection = false
    /// Whether the change alters all observed values.
    var changesValues = true

    static let players = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER, name TEXT UNIQUE, score INTEGER DEFAULT 0);
        INSERT INTO player VALUES (1, 5, 'a', 0), (2, 5, 'b', 0), (3, 6, 'c', 0);
        """

    static func queries(of table: String, _ columns: String = "*") -> [String] {
        ["", " WHERE id = 1", " WHERE team = 5"].map { "SELECT \(columns) FROM \(table)\($0)" }
    }
}

// MARK: - Rows

extension ChangeCase {
    static let ofRows = [
        ChangeCase(name: "UPDATE", writes: ["UPDATE player SET name = 'x' WHERE id = 1"]),
        ChangeCase(name: "UPDATE of the condition", writes: ["UPDATE player SET team = 6 WHERE id = 1"]),
        ChangeCase(name: "UPDATE of the key", writes: ["UPDATE player SET id = 9 WHERE id = 1"]),
        ChangeCase(name: "DELETE", writes: ["DELETE FROM player WHERE id = 1"]),
        ChangeCase(
            name: "INSERT", schema: players + "DELETE FROM player WHERE id = 1",
            writes: ["INSERT INTO player VALUES (1, 5, 'x', 0)"]),
        ChangeCase(
            name: "upsert",
            writes: ["INSERT INTO player VALUES (1, 5, 'z', 0) ON CONFLICT(id) DO UPDATE SET name = 'x'"]),
        ChangeCase(
            name: "INSERT OR REPLACE of another row",
            writes: ["INSERT OR REPLACE INTO player VALUES (20, 8, 'a', 0)"]),
        ChangeCase(
            name: "UPDATE OR REPLACE of another row",
            writes: ["UPDATE OR REPLACE player SET name = 'a' WHERE id = 3"]),
        ChangeCase(name: "DELETE of all rows", writes: ["DELETE FROM player"], isCoarse: true),
    ]

    static let withoutRowID: [ChangeCase] = ofRows.map { changeCase in
        var copy = changeCase
        copy.name = changeCase.name + ", WITHOUT ROWID"
        copy.schema = changeCase.schema.replacingOccurrences(
            of: "score INTEGER DEFAULT 0)", with: "score INTEGER DEFAULT 0) WITHOUT ROWID")
        return copy
    }
}

// MARK: - Effects of other statements

extension ChangeCase {
    private static let teams = """
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO team VALUES (5, 'five'), (6, 'six');

        """

    private static func players(_ reference: String) -> String {
        teams
            + players.replacingOccurrences(
                of: "team INTEGER", with: "team INTEGER REFERENCES team \(reference)")
    }

    static let ofEffects = [
        ChangeCase(
            name: "ON DELETE CASCADE", schema: players("ON DELETE CASCADE"),
            writes: ["DELETE FROM team WHERE id = 5"]),
        ChangeCase(
            name: "ON DELETE SET NULL", schema: players("ON DELETE SET NULL"),
            writes: ["DELETE FROM team WHERE id = 5"]),
        ChangeCase(
            name: "ON UPDATE CASCADE", schema: players("ON UPDATE CASCADE"),
            writes: ["UPDATE team SET id = 50 WHERE id = 5"]),
        ChangeCase(
            name: "a deferred cascade",
            schema: players("ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"),
            writes: ["BEGIN", "DELETE FROM team WHERE id = 5", "COMMIT"]),
        ChangeCase(
            name: "nested triggers",
            schema: teams + players + """
                CREATE TABLE note(team INTEGER);
                CREATE TRIGGER first AFTER UPDATE ON team BEGIN INSERT INTO note VALUES (NEW.id); END;
                CREATE TRIGGER second AFTER INSERT ON note BEGIN
                    UPDATE player SET score = 1 WHERE team = NEW.team; END;
                """,
            writes: ["UPDATE team SET name = 'V' WHERE id = 5"]),
        ChangeCase(
            name: "a view", schema: players + "CREATE VIEW everybody AS SELECT * FROM player",
            writes: ["UPDATE player SET name = 'x' WHERE id = 1"], queries: queries(of: "everybody"),
            unconcerned: []),
        ChangeCase(
            name: "INSTEAD OF",
            schema: players + """
                CREATE VIEW everybody AS SELECT * FROM player;
                CREATE TRIGGER rename INSTEAD OF UPDATE ON everybody BEGIN
                    UPDATE player SET name = NEW.name WHERE id = NEW.id; END;
                """,
            writes: ["UPDATE everybody SET name = 'x' WHERE id = 1"]),
        ChangeCase(
            name: "INSTEAD OF that replaces another row",
            schema: players + """
                CREATE VIEW everybody AS SELECT * FROM player;
                CREATE TRIGGER enter INSTEAD OF INSERT ON everybody BEGIN
                    INSERT OR REPLACE INTO player VALUES (NEW.id, NEW.team, NEW.name, 0); END;
                """,
            writes: ["INSERT INTO everybody VALUES (20, 8, 'a', 0)"]),
    ]
}

// MARK: - Transactions

extension ChangeCase {
    private static let renameFirst = "UPDATE player SET name = 'x' WHERE id = 1"
    /// Returns an update that renames the first row, and fails with the second.
    private static func renameTwo(_ conflict: String) -> String {
        "UPDATE OR \(conflict) player SET name = CASE id WHEN 1 THEN 'x' ELSE 'c' END WHERE id < 3"
    }

    static let ofTransactions = [
        ChangeCase(name: "FAIL half-way", writes: [renameTwo("FAIL")]),
        ChangeCase(name: "IGNORE half-way", writes: [renameTwo("IGNORE")]),
        ChangeCase(
            name: "ABORT, then a success",
            writes: ["BEGIN", renameTwo("ABORT"), "UPDATE player SET score = 1 WHERE id = 1", "COMMIT"]),
        ChangeCase(
            name: "a success, then ABORT", writes: ["BEGIN", renameFirst, renameTwo("ABORT"), "COMMIT"]),
        ChangeCase(
            name: "ROLLBACK by the library, then a success",
            writes: ["BEGIN", renameTwo("ROLLBACK"), "UPDATE player SET score = 1 WHERE id = 1"]),
        ChangeCase(name: "a savepoint", writes: ["SAVEPOINT a", renameFirst, "RELEASE a"]),
        ChangeCase(
            name: "a savepoint that is rolled back in part",
            writes: [
                "BEGIN", "SAVEPOINT a", "SAVEPOINT b", renameFirst, "ROLLBACK TO b",
                "UPDATE player SET score = 1 WHERE id = 1", "RELEASE a", "COMMIT",
            ]),
        ChangeCase(
            name: "a change before a savepoint that is rolled back",
            writes: [
                "BEGIN", renameFirst, "SAVEPOINT a", "UPDATE player SET score = 1 WHERE id = 1",
                "ROLLBACK TO a", "RELEASE a", "COMMIT",
            ]),
        ChangeCase(
            name: "a change after a savepoint that is rolled back",
            writes: [
                "BEGIN", "SAVEPOINT a", renameFirst, "ROLLBACK TO a",
                "UPDATE player SET score = 1 WHERE id = 1", "COMMIT",
            ]),
        ChangeCase(
            name: "a COMMIT that fails and is tried again",
            schema: players + """
                CREATE TABLE parent(id INTEGER PRIMARY KEY);
                CREATE TABLE child(id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
                """,
            writes: [
                "BEGIN", renameFirst, "INSERT INTO child VALUES (9)", "COMMIT",
                "INSERT INTO parent VALUES (9)", "COMMIT",
            ]),
    ]
}

// MARK: - Other tables and schemas

extension ChangeCase {
    private static func copies(in schema: String) -> String {
        players
            + players.replacingOccurrences(of: "TABLE player", with: "TABLE \(schema).player")
            .replacingOccurrences(of: "INTO player", with: "INTO \(schema).player")
    }

    static let elsewhere = [
        ChangeCase(
            name: "a full-text table",
            schema: "CREATE VIRTUAL TABLE note USING fts4(body); INSERT INTO note VALUES ('one'), ('two');",
            writes: ["UPDATE note SET body = 'one more' WHERE rowid = 1"],
            queries: ["", " WHERE rowid = 1", " WHERE note MATCH 'one'"].map { "SELECT body FROM note\($0)" },
            unconcerned: []),
        ChangeCase(
            name: "an R-tree",
            schema: "CREATE VIRTUAL TABLE box USING rtree(id, low, high); INSERT INTO box VALUES (1, 5, 6);",
            writes: ["UPDATE box SET high = 8 WHERE id = 1"],
            queries: ["", " WHERE id = 1", " WHERE low = 5"].map { "SELECT * FROM box\($0)" },
            unconcerned: []),
        ChangeCase(
            name: "an attached database", schema: "ATTACH ':memory:' AS other;" + copies(in: "other"),
            writes: ["UPDATE other.player SET name = 'x' WHERE id = 1"],
            queries: queries(of: "other.player"), unconcerned: [], isOfOneConnection: true),
        ChangeCase(
            name: "the first of two databases", schema: "ATTACH ':memory:' AS other;" + copies(in: "other"),
            writes: ["UPDATE main.player SET name = 'x' WHERE id = 1"], isOfOneConnection: true),
        ChangeCase(
            name: "a temporary table", schema: copies(in: "temp"),
            writes: ["UPDATE temp.player SET name = 'x' WHERE id = 1"],
            queries: queries(of: "temp.player"), unconcerned: [], isOfOneConnection: true),
        ChangeCase(
            name: "ALTER TABLE", writes: ["ALTER TABLE player ADD COLUMN extra DEFAULT 7"], isCoarse: true),
        ChangeCase(
            name: "DROP and CREATE",
            writes: [
                "BEGIN", "DROP TABLE player",
                "CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER, name TEXT)",
                "INSERT INTO player VALUES (1, 5, 'x')", "COMMIT",
            ], isCoarse: true),
        ChangeCase(
            name: "CREATE of a view anew", schema: players + "CREATE VIEW everybody AS SELECT * FROM player",
            writes: [
                "BEGIN", "DROP VIEW everybody",
                "CREATE VIEW everybody AS SELECT id, team, score FROM player", "COMMIT",
            ], queries: queries(of: "everybody"), unconcerned: [], isCoarse: true),
        ChangeCase(
            name: "a temporary table that hides another",
            writes: ["CREATE TEMP TABLE player AS SELECT id, team, 'x' AS name FROM main.player"],
            isCoarse: true, isOfOneConnection: true),
        ChangeCase(
            name: "a temporary table that hides another no more",
            schema: players + "CREATE TEMP TABLE player AS SELECT id, team, 'x' AS name FROM main.player",
            writes: ["DROP TABLE temp.player"], isCoarse: true, isOfOneConnection: true),
        ChangeCase(
            name: "VACUUM",
            schema: """
                CREATE TABLE player(team INTEGER, name TEXT);
                INSERT INTO player VALUES (6, 'a'), (6, 'b'), (5, 'c'); DELETE FROM player WHERE name < 'c';
                """,
            writes: ["VACUUM"],
            queries: ["", " WHERE rowid = 3", " WHERE team = 5"].map {
                "SELECT rowid, name FROM player\($0)"
            },
            unconcerned: [], changesValues: false),
    ]

    static var all: [ChangeCase] {
        ofRows + withoutRowID + ofEffects + ofTransactions + elsewhere + unreported
    }
}
