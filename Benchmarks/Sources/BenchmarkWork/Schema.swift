/// The databases that all engines work on.
public enum Schema {
    /// Rows of `player` and of `note`.
    public static let players = 20_000
    public static let notes = 10_000
    /// Each has two players.
    public static let teams = 10_000

    /// `player` is observed, `note` is not, `item` is for many inserts.
    public static let script = """
        CREATE TABLE player(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, team INTEGER NOT NULL, score INTEGER NOT NULL);
        CREATE INDEX player_team ON player(team);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(players))
        INSERT INTO player SELECT i, 'player number ' || i, (i - 1) % \(teams) + 1, 0 FROM n;
        CREATE TABLE note(id INTEGER PRIMARY KEY, value INTEGER NOT NULL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(notes))
        INSERT INTO note SELECT i, 0 FROM n;
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, value INTEGER NOT NULL);
        INSERT INTO item VALUES (1, 'item', 1);
        """

    /// Rows of five columns to read: integer, text, real, integer, NULL.
    public static func rows(_ count: Int) -> String {
        """
        CREATE TABLE record(id INTEGER PRIMARY KEY, name TEXT, score REAL, team INTEGER, note TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO record SELECT i, 'player number ' || i, i * 1.5, i % 20, NULL FROM n;
        """
    }

    /// What reading all of those rows adds up to: numbers, and of each text its length and first byte.
    public static func checksum(rows count: Int) -> Int64 {
        (1...Int64(count)).reduce(0) { sum, i in
            let name = "player number \(i)"
            return sum + i + Int64(name.utf8.count) + 112 + i * 3 / 2 + i % 20
        }
    }

    public static let updateNote = "UPDATE note SET value = ? WHERE id = ?"
    public static let updatePlayer = "UPDATE player SET score = ? WHERE id = ?"
    public static let selectPlayer = "SELECT score FROM player WHERE id = ?"
    public static let selectTeam = "SELECT score FROM player WHERE team = ?"
    public static let insertItem = "INSERT INTO item(name, value) VALUES (?, ?)"
    public static let selectItem = "SELECT MAX(id) FROM item"
    public static let selectManyPlayers = "SELECT score FROM player WHERE id BETWEEN ? AND ?"
    public static let selectRecords = "SELECT id, name, score, team, note FROM record"

    /// With a write-ahead log, which `DatabasePool` sets: it is the documented way to have readers beside a writer.
    public static let synchronous = "PRAGMA synchronous = NORMAL"
    /// Readers of a second connection wait for locks.
    public static let busySeconds = 5.0
}
