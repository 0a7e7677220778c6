import Foundation

// Changes for which the library calls no hook, or calls it for fewer rows than change.
extension ChangeCase {
    private static let log = "CREATE TABLE log(a);"

    /// Returns a schema whose trigger deletes all players when `log` gets a row, with statements before and
    /// after.
    private static func deletion(after before: String = "", then after: String = "") -> String {
        players + log + """
            CREATE TRIGGER clear AFTER INSERT ON log BEGIN \(before) DELETE FROM player; \(after) END;
            """
    }

    /// The players without an index from which names could be read.
    private static let scannedPlayers = players.replacingOccurrences(of: " UNIQUE", with: "")

    private static let replay = "INSERT INTO log VALUES (1)"

    static let ofDeletions = [
        ChangeCase(
            name: "DELETE of all rows in a trigger", schema: deletion(), writes: [replay], isCoarse: true),
        ChangeCase(
            name: "DELETE of all rows in a trigger, after that of one",
            schema: deletion(after: "DELETE FROM player WHERE id = 3;"), writes: [replay], isCoarse: true),
        ChangeCase(
            name: "DELETE of all rows after that of one in a transaction",
            writes: ["BEGIN", "DELETE FROM player WHERE id = 3", "DELETE FROM player", "COMMIT"],
            isCoarse: true),
        ChangeCase(
            name: "DELETE of all rows in a trigger, then FAIL",
            schema: deletion(then: "SELECT RAISE(FAIL, 'no');"), writes: [replay], isCoarse: true),
        ChangeCase(
            name: "DELETE of all rows in a trigger, then FAIL in a transaction",
            schema: deletion(then: "SELECT RAISE(FAIL, 'no');"), writes: ["BEGIN", replay, "COMMIT"],
            isCoarse: true),
        ChangeCase(
            name: "DELETE of all rows in a trigger of a trigger",
            schema: deletion() + """
                CREATE TABLE note(a);
                CREATE TRIGGER copy AFTER UPDATE ON note BEGIN INSERT INTO log VALUES (NEW.a); END;
                INSERT INTO note VALUES (1);
                """,
            writes: ["UPDATE note SET a = 2"], isCoarse: true),
        ChangeCase(
            name: "DELETE of all rows in a trigger of a view",
            schema: players + """
                CREATE VIEW everybody AS SELECT * FROM player;
                CREATE TRIGGER clear INSTEAD OF DELETE ON everybody BEGIN DELETE FROM player; END;
                """, writes: ["DELETE FROM everybody WHERE id = 3"], isCoarse: true),
        ChangeCase(
            name: "DELETE of all rows in a trigger, WITHOUT ROWID",
            schema: deletion(after: "DELETE FROM player WHERE id = 3;", then: "SELECT RAISE(FAIL, 'no');")
                .replacingOccurrences(
                    of: "score INTEGER DEFAULT 0)", with: "score INTEGER DEFAULT 0) WITHOUT ROWID"),
            writes: [replay], isCoarse: true),
    ]

    static let ofMoves = [
        ChangeCase(
            name: "UPDATE of the row id", schema: scannedPlayers + "CREATE INDEX byTeam ON player(team)",
            writes: ["UPDATE player SET id = 9 WHERE id = 1"],
            queries: [
                "SELECT name FROM player", "SELECT name FROM player LIMIT 1",
                "SELECT group_concat(name) FROM player", "SELECT name FROM player WHERE team = 5",
            ]),
        ChangeCase(
            name: "UPDATE of a hidden row id",
            schema: "CREATE TABLE player(team, name); INSERT INTO player VALUES (5, 'a'), (5, 'b'), (6, 'c')",
            writes: ["UPDATE player SET rowid = 9 WHERE name = 'a'"],
            queries: ["SELECT name FROM player", "SELECT name FROM player WHERE team = 5"],
            unconcerned: ["SELECT name FROM player WHERE team = 70"]),
        ChangeCase(
            name: "UPDATE of the key of a table WITHOUT ROWID",
            schema: """
                CREATE TABLE player(id TEXT PRIMARY KEY, team INTEGER, name TEXT) WITHOUT ROWID;
                INSERT INTO player VALUES ('a', 5, 'a'), ('b', 5, 'b'), ('c', 6, 'c');
                """,
            writes: ["UPDATE player SET id = 'x' WHERE id = 'a'"],
            queries: ["SELECT name FROM player", "SELECT name FROM player WHERE team = 5"]),
        ChangeCase(
            name: "UPDATE of the row id in a trigger",
            schema: scannedPlayers + log
                + "CREATE TRIGGER move AFTER INSERT ON log BEGIN UPDATE player SET id = 9 WHERE id = 1; END;",
            writes: [replay], queries: ["SELECT name FROM player", "SELECT name FROM player LIMIT 1"]),
    ]

    static let ofLibraryTables = [
        ChangeCase(
            name: "AUTOINCREMENT",
            schema: "CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, team); CREATE TABLE log(a);",
            writes: ["INSERT INTO player(team) VALUES (5)"], queries: ["SELECT * FROM sqlite_sequence"],
            unconcerned: ["SELECT * FROM log"]),
        ChangeCase(
            name: "AUTOINCREMENT in a trigger",
            schema: """
                CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, team); CREATE TABLE log(a);
                CREATE TRIGGER enter AFTER INSERT ON log BEGIN INSERT INTO player(team) VALUES (NEW.a); END;
                """,
            writes: [replay], queries: ["SELECT seq FROM sqlite_sequence WHERE name = 'player'"],
            unconcerned: []),
        ChangeCase(
            name: "DROP of a table with AUTOINCREMENT",
            schema: """
                CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, team);
                INSERT INTO player VALUES (1, 5);
                """,
            writes: ["DROP TABLE player"], queries: ["SELECT * FROM sqlite_sequence"], unconcerned: []),
        ChangeCase(
            name: "a row of sqlite_sequence",
            schema: """
                CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, team);
                INSERT INTO player VALUES (1, 5);
                """,
            writes: ["UPDATE sqlite_sequence SET seq = 9"],
            queries: ["SELECT * FROM sqlite_sequence"], unconcerned: []),
        ChangeCase(
            name: "ANALYZE",
            schema: players
                + "CREATE INDEX byTeam ON player(team); ANALYZE; INSERT INTO player(team) VALUES (7);",
            writes: ["ANALYZE"], queries: ["SELECT * FROM sqlite_stat1"], isCoarse: true),
        ChangeCase(
            name: "pages of the database", schema: players + log,
            writes: [
                "INSERT INTO player(name) VALUES (printf('%.9000c', 'x'))"
            ], queries: ["SELECT COUNT(*) FROM dbstat"], unconcerned: []),
        ChangeCase(
            name: "a function that describes a table", schema: players,
            writes: ["ALTER TABLE player ADD COLUMN extra"],
            queries: ["SELECT name FROM pragma_table_info('player')"], unconcerned: []),
        ChangeCase(
            name: "a table that is named as a function",
            schema: "CREATE TABLE pragma_log(a); INSERT INTO pragma_log VALUES (1)",
            writes: ["UPDATE pragma_log SET a = 2"], queries: ["SELECT a FROM pragma_log"], unconcerned: []),
    ]

    static var unreported: [ChangeCase] {
        ofDeletions + ofMoves + ofLibraryTables
    }
}
