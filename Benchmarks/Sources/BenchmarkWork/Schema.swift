/// The tables and statements that all engines use.
public enum Schema {
    /// The number of rows of `player`.
    public static let players = 20_000
    /// The number of rows of `note`.
    public static let notes = 10_000
    /// The number of teams, each of which has two players.
    public static let teams = 10_000

    /// The script that creates the tables: `player` is observed, `note` is not, `item` is for bulk inserts.
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

    /// Returns a script that adds players, up to a number of them.
    public static func morePlayers(_ count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT \(players + 1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO player SELECT i, 'player number ' || i, (i - 1) % \(teams) + 1, 0 FROM n;
        """
    }

    /// Returns a script that creates the table of the scenarios of lists, with an index on its order.
    public static func listed(_ count: Int) -> String {
        """
        CREATE TABLE listed(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO listed SELECT i, 'player number ' || i, i * 7919 % 1000003 FROM n;
        CREATE INDEX listed_score ON listed(score);
        """
    }

    /// Returns a script that adds groups of 100 rows to the table of the scenarios of lists.
    public static func groups(_ count: Int) -> String {
        """
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \((count - 1) / 100))
        INSERT INTO team SELECT i, 'team number ' || i FROM n;
        ALTER TABLE listed ADD COLUMN team INTEGER;
        UPDATE listed SET team = (id - 1) / 100;
        CREATE INDEX listed_team ON listed(team);
        """
    }

    public static let greatestScore = "SELECT MAX(score) FROM player"
    public static let selectJoined =
        "SELECT listed.id, listed.name || team.name, score FROM listed JOIN team ON team.id = listed.team ORDER BY score"
    public static let selectCounts =
        "SELECT id, name, (SELECT COUNT(*) FROM listed WHERE listed.team = team.id AND score % 2 = 0) FROM team ORDER BY name"
    public static let selectJoinCounts =
        "SELECT team.id, team.name, COUNT(listed.id) FROM team LEFT JOIN listed ON listed.team = team.id GROUP BY team.id"
    public static let raiseListed = "UPDATE listed SET score = score + ? WHERE id = ?"
    public static let moveToOtherTeam =
        "UPDATE listed SET team = (team + ?) % (SELECT MAX(id) + 1 FROM team) WHERE id = ?"
    public static let renameTeam = "UPDATE team SET name = ? WHERE id = ?"
    public static let selectListed = "SELECT id, name, score FROM listed ORDER BY score"
    public static let selectWindow = selectListed + " LIMIT 50"
    public static let selectFirstListed = "SELECT id FROM listed ORDER BY score LIMIT ?"
    public static let selectLastListed = "SELECT id FROM listed ORDER BY score DESC LIMIT ?"
    public static let selectListedScore = "SELECT score FROM listed WHERE id = ?"
    public static let selectTeamRows = "SELECT id, name, score FROM player WHERE team = ? ORDER BY score"
    public static let renameListed = "UPDATE listed SET name = ? WHERE id = ?"
    public static let moveListed = "UPDATE listed SET score = ? * 7741 % 1000003 WHERE id = ?"
    public static let moveFirstListed =
        "UPDATE listed SET score = score + ? WHERE id IN (SELECT id FROM listed ORDER BY score LIMIT ?)"
    public static let renameManyListed = "UPDATE listed SET name = ? WHERE id <= ?"

    public static let countEven = "SELECT COUNT(*) FROM listed WHERE score % 2 = 0"
    public static let sumByTeam = "SELECT id % 20, COUNT(*), SUM(score) FROM listed GROUP BY 1"
    public static let greatestTeams =
        "SELECT id / 100, COUNT(*), SUM(score) FROM listed GROUP BY 1 ORDER BY 3 DESC LIMIT 10"
    public static let dashboard = [
        countEven, "SELECT COUNT(*) FROM listed", "SELECT SUM(score), AVG(score) FROM listed",
        "SELECT MAX(score), MIN(score) FROM listed", greatestTeams,
    ]

    /// Returns the row of the table `listed` that a write with a number changes. Successive rows are far
    /// apart.
    public static func listedKey(_ number: Int64, of count: Int64) -> Int64 { number * 7_919 % count + 1 }

    /// Returns a script that creates rows for the decoding scenarios: integer, text, real, integer, NULL.
    public static func rows(_ count: Int) -> String {
        """
        CREATE TABLE record(id INTEGER PRIMARY KEY, name TEXT, score REAL, team INTEGER, note TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO record SELECT i, 'player number ' || i, i * 1.5, i % 20, NULL FROM n;
        """
    }

    /// The script that creates the table of the saving scenarios, which is that of the decoding scenarios
    /// without rows.
    public static let emptyRecords =
        "CREATE TABLE record(id INTEGER PRIMARY KEY, name TEXT, score REAL, team INTEGER, note TEXT);"
    public static let insertRecord =
        "INSERT INTO record(id, name, score, team, note) VALUES (?, ?, ?, ?, ?)"
    public static let updateRecord =
        "UPDATE record SET name = ?2, score = ?3, team = ?4, note = ?5 WHERE id = ?1"
    /// The sum of the scores, rounded down.
    public static let sumOfRecords = "SELECT CAST(SUM(score) AS INTEGER) FROM record"

    /// Returns the checksum of those rows: the sum of the numbers, and of the length and first byte of each
    /// text.
    public static func checksum(rows count: Int) -> Int64 {
        (1...Int64(count)).reduce(0) { sum, i in
            let name = "player number \(i)"
            return sum + i + Int64(name.utf8.count) + 112 + i * 3 / 2 + i % 20
        }
    }

    /// Returns the key of the row that `fetch-by-key` fetches at a position. Each key occurs once, because 37
    /// and the numbers of rows have no common divisor.
    public static func scatteredKey(_ position: Int64, of count: Int64) -> Int64 { position * 37 % count + 1 }

    public static let selectNote = "SELECT value FROM note WHERE id = ?"
    public static let updateNote = "UPDATE note SET value = ? WHERE id = ?"
    public static let updatePlayer = "UPDATE player SET score = ? WHERE id = ?"
    public static let selectPlayer = "SELECT score FROM player WHERE id = ?"
    public static let selectTeam = "SELECT score FROM player WHERE team = ?"
    public static let insertItem = "INSERT INTO item(name, value) VALUES (?, ?)"
    public static let selectItem = "SELECT MAX(id) FROM item"
    public static let selectManyPlayers = "SELECT score FROM player WHERE id BETWEEN ? AND ?"
    public static let selectRecord = "SELECT id, name, score, team, note FROM record WHERE id = ?"
    public static let selectRecords = "SELECT id, name, score, team, note FROM record"

    /// The synchronous mode of files, which SQLite recommends with a write-ahead log. `DatabasePool` enables
    /// the log.
    public static let synchronous = "PRAGMA synchronous = NORMAL"
    /// The time, in seconds, for which a connection waits for a lock.
    public static let busySeconds = 5.0
}
