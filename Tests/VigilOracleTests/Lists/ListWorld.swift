import Vigil
import VigilRandomSQL
import VigilTesting

/// Tables, queries that can be followed row by row, and writes, all generated from one seed.
struct ListWorld {
    var random: SplitMix64
    let setUp: [String]
    /// The names of a table's columns.
    private let columns: [String: [String]]
    /// The names of the row id.
    private let keys: [String: String]
    private let features: SQLFeatures
    /// The greatest row id. With many rows, windows do not keep all of them.
    private let keyCount: Int
    private static let fewKeys = 5

    init(seed: UInt64, _ features: SQLFeatures) {
        self.features = features
        var random = SplitMix64(seed: seed)
        keyCount = random.chance(2) ? Self.fewKeys : 120
        let hasKey = random.chance(2)
        let type = random.chance(4) ? "" : "INTEGER"
        let cascade = random.chance(2) ? "REFERENCES team(id) ON DELETE CASCADE" : ""
        let unique = random.chance(2) ? "UNIQUE" : ""
        var setUp = [
            "CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, rank)",
            """
            CREATE TABLE player(\(hasKey ? "id INTEGER PRIMARY KEY" : "id INTEGER"), team \(type) \(cascade), \
            name TEXT \(unique), score, bonus REAL)
            """,
            "CREATE TABLE item(player \(type), rowid TEXT, value)",
            "CREATE VIEW best AS SELECT * FROM player WHERE score > 1",
        ]
        if random.chance(2) { setUp.append("CREATE INDEX byTeam ON player(team, score)") }
        if random.chance(3) {
            setUp.append(
                """
                CREATE TRIGGER move AFTER UPDATE OF team ON player BEGIN
                UPDATE item SET value = new.team WHERE player = new.id; END
                """)
        }
        if keyCount > Self.fewKeys { setUp += Self.rows(keyCount, &random) }
        self.setUp = setUp
        columns = [
            "team": ["id", "name", "rank"], "player": ["id", "team", "name", "score", "bonus"],
            "item": ["player", "rowid", "value"],
        ]
        keys = ["team": "id", "player": "rowid", "item": "oid"]
        self.random = random
    }

    /// Returns statements that insert rows.
    private static func rows(_ count: Int, _ random: inout SplitMix64) -> [String] {
        let teams = (1...4).map { "INSERT INTO team VALUES (\($0), 't\($0 % 3)', \($0))" }
        return teams
            + (1...count).map { number in
                let team = Int.random(in: 1...4, using: &random)
                let score = Int.random(in: -20...60, using: &random)
                return "INSERT INTO player(id, team, name, score) "
                    + "VALUES (\(number), \(team), 'n\(number)', \(score))"
            }
    }

    private mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func chance(_ n: Int) -> Bool { random.chance(n) }

    // MARK: - Values

    mutating func value() -> String {
        pick([
            "NULL", "0", "1", "2", "3", "4", "5", "-1", "1.5", "2.0", "-0.0", "'a'", "'A'", "'b'", "'B '",
            "''",
            "'ab'", "x'00'", "x'41'", "9007199254740993", "9007199254740992.0", "-9223372036854775808",
            "9e999",
            "'\u{e9}'", "'zz'",
        ])
    }

    private mutating func key() -> String { "\(Int.random(in: 1...keyCount, using: &random))" }

    // MARK: - Queries

    private struct Source {
        var table: String
        var name: String
    }

    /// Returns a query with its order.
    mutating func query() -> String {
        if chance(6) { return grouped() }
        var sources: [Source] = []
        func source(_ table: String) -> Source {
            Source(table: table, name: sources.contains { $0.name == table } ? "x\(sources.count)" : table)
        }
        sources.append(source(pick(["player", "player", "team", "item"])))
        var from = sources[0].table
        let isLarge = keyCount > Self.fewKeys
        for _ in 0..<pick(isLarge ? [0, 0, 0, 1] : [0, 0, 0, 1, 1, 2]) {
            let new = source(pick(["player", "team", "item"]))
            sources.append(new)
            var join = pick([" JOIN ", ", ", " CROSS JOIN ", " LEFT JOIN ", " LEFT JOIN ", " INNER JOIN "])
            if isLarge, join == ", " { join = " JOIN " }
            from += join + new.table + (new.name == new.table ? "" : " AS \(new.name)")
            if join != ", " { from += " ON " + joinCondition(sources) }
        }
        var text = "SELECT \(results(sources)) FROM \(from)"
        if !chance(3) {
            let conditions = (0..<pick([1, 1, 2])).map { _ in condition(sources) }
            text += " WHERE " + conditions.joined(separator: pick([" AND ", " OR ", "\n--x\nAND "]))
        }
        let terms = (0..<pick([0, 1, 1, 2])).map { _ in term(sources) }
        if !terms.isEmpty { text += " ORDER BY " + terms.joined(separator: ", ") }
        return chance(3) ? text + window() : text
    }

    /// Returns a query with a group for each team.
    private mutating func grouped() -> String {
        var from = pick([
            "team t LEFT JOIN player p ON p.team = t.id", "team t JOIN player p ON p.team = t.id",
            "player p, team t", "team t LEFT JOIN player p ON t.id = p.team AND p.score > 1",
        ])
        if chance(3) { from += " LEFT JOIN item i ON i.player = p.id" }
        var conditions = from.contains(", team") ? ["p.team = t.id"] : []
        if chance(3) { conditions.append(pick(["t.rank > 0", "p.score IS NOT NULL", "p.rowid IS NULL"])) }
        let count = pick([
            "COUNT(p.rowid)", "COUNT(*)", "COUNT(DISTINCT p.score)", "MAX(p.bonus)", "MIN(p.rowid)",
        ])
        return "SELECT \(pick(["t.*", "t.id, t.name", "t.rank"])), \(count) AS n FROM \(from)"
            + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
            + " GROUP BY t.id" + pick(["", "", " HAVING COUNT(*) > 1", " HAVING COUNT(p.score) < 3"])
            + pick(["", " ORDER BY t.rank", " ORDER BY t.name DESC", " ORDER BY t.name, t.id DESC"])
            + (chance(3) ? window() : "")
    }

    private mutating func window() -> String {
        " LIMIT \(pick(keyCount > Self.fewKeys ? [1, 2, 3, 5, 20] : [0, 1, 2, 3, 5, 10, 30, -1]))"
            + pick(["", "", "", " OFFSET \(pick([-1, 1, 2, 9]))"])
    }

    private mutating func column(_ sources: [Source]) -> String {
        let source = pick(sources)
        let names = (columns[source.table] ?? []) + (keys[source.table].map { [$0] } ?? [])
        return "\(source.name).\(pick(names))"
    }

    private mutating func joinCondition(_ sources: [Source]) -> String {
        let (a, b) = (
            sources[Int.random(in: 0..<(sources.count - 1), using: &random)], sources[sources.count - 1]
        )
        switch (a.table, b.table) {
        case ("player", "team"): return "\(a.name).team = \(b.name).id"
        case ("team", "player"): return "\(b.name).team = \(a.name).id"
        case ("player", "item"): return "\(b.name).player = \(a.name).id"
        default: return "\(column([a])) = \(column([b]))" + (chance(3) ? " OR \(condition(sources))" : "")
        }
    }

    private mutating func results(_ sources: [Source]) -> String {
        let count = pick([1, 2, 2, 3])
        return (0..<count).map { _ -> String in
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1: return pick(["*", "\(pick(sources).name).*"])
            case 2: return "\(column(sources)) AS \(pick(["score", "name", "n"]))"
            case 3: return "-\(column(sources)) AS \(pick(["score", "rank", "m"]))"
            case 4: return "lower(\(column(sources))) || 'x'"
            case 5: return nestedResult(sources)
            default: return column(sources)
            }
        }.joined(separator: ", ")
    }

    /// A name for the row id of a source, if possible.
    private mutating func key(_ sources: [Source]) -> String {
        let source = pick(sources)
        return chance(3) ? column(sources) : "\(source.name).\(keys[source.table] ?? "rowid")"
    }

    private mutating func nestedResult(_ sources: [Source]) -> String {
        let key = key(sources)
        return pick([
            "(SELECT COUNT(*) FROM item WHERE item.player = \(key))",
            "(SELECT COUNT(*) FROM player p1 WHERE p1.team = \(key) AND p1.score > 1)",
            "(SELECT value FROM item i1 WHERE i1.player = \(key) ORDER BY i1.oid DESC LIMIT 1)",
            "(SELECT COUNT(*) FROM player p2 JOIN item i2 ON i2.player = p2.id WHERE p2.team = \(key))",
            "(SELECT COUNT(i3.value) FROM player p3 LEFT JOIN item i3 ON i3.player = p3.id WHERE p3.team = \(key))",
            "(SELECT name FROM team t1 WHERE t1.id = \(column(sources)))",
        ])
    }

    private mutating func nestedCondition(_ sources: [Source]) -> String {
        let key = key(sources)
        return pick([
            "EXISTS (SELECT 1 FROM item i WHERE i.player = \(key))",
            "NOT EXISTS (SELECT 1 FROM player p4 WHERE p4.team = \(key) AND p4.name > 'a')",
            "\(key) IN (SELECT team FROM player p5 WHERE p5.score IS NOT NULL)",
            "\(key) NOT IN (SELECT team FROM player p6 WHERE p6.team IS NOT NULL)",
            "EXISTS (SELECT 1 FROM player p7 WHERE p7.team = \(key) AND EXISTS (SELECT 1 FROM item i7 WHERE i7.player = p7.id))",
        ])
    }

    private mutating func condition(_ sources: [Source]) -> String {
        let column = column(sources)
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: return nestedCondition(sources)
        case 2: return "\(column) > (SELECT AVG(score) FROM player)"
        case 3: return "\(column) IS NOT NULL"
        case 4: return "\(column) LIKE 'a%'"
        case 5: return "(\(self.column(sources)) = \(column) OR \(column) IS NULL)"
        case 6: return "\(column) BETWEEN 0 AND 3"
        case 7: return "NOT \(column) = \(value())"
        default:
            let (comparison, value) = (pick(["=", ">", "<=", "<>", "IS"]), value())
            let isDoubtful = comparison == "<=" && !features.comparesKeysWithText
            return "\(column) \(comparison) \(isDoubtful ? key() : value)"
        }
    }

    private mutating func term(_ sources: [Source]) -> String {
        let column = pick([
            column(sources), column(sources), column(sources), "1", "score", "name", "n", "rowid",
        ])
        let collation = pick(["", "", "", " COLLATE NOCASE", " COLLATE BINARY"])
        return column + collation + pick(["", " DESC", " ASC"])
            + pick(["", "", "", " NULLS LAST", " NULLS FIRST"])
    }

    // MARK: - Writes

    /// Returns the statements of a unit of writes, some of which may fail.
    mutating func writes() -> [String] {
        switch Int.random(in: 0..<30, using: &random) {
        case 0: return ["BEGIN"] + statements(3) + ["ROLLBACK"]
        case 1:
            return ["BEGIN"] + statements(1) + ["SAVEPOINT s"] + statements(2) + ["ROLLBACK TO s"]
                + statements(1) + ["COMMIT"]
        case 2:
            if keyCount > Self.fewKeys { return [chance(2) ? manyInsertions() : firstDeletion("player")] }
            return ["DELETE FROM \(table())"]
        case 3: return ["VACUUM"]
        case 4...8: return ["BEGIN"] + statements(pick([2, 3, 8])) + ["COMMIT"]
        case 9: return ["PRAGMA foreign_keys = \(pick(["ON", "OFF"]))"]
        default: return statements(1)
        }
    }

    private mutating func table() -> String { pick(["item", "player", "team"]) }

    /// Returns a deletion of rows that may be the first ones of a window.
    private mutating func firstDeletion(_ table: String) -> String {
        let (key, columns) = (keys[table] ?? "rowid", columns[table] ?? [])
        return "DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) "
            + "ORDER BY \(pick(columns)) \(pick(["DESC", ""])) LIMIT \(pick([1, 4, 12, 30])))"
    }

    private mutating func manyInsertions() -> String {
        let (first, count) = (Int.random(in: 1...2_000, using: &random), pick([10, 40]))
        return "INSERT OR IGNORE INTO player(id, team, name, score) WITH RECURSIVE "
            + "n(i) AS (SELECT \(first) UNION ALL SELECT i + 1 FROM n WHERE i < \(first + count)) "
            + "SELECT i, 1 + i % 4, 'm' || i, i % 37 FROM n"
    }

    private mutating func statements(_ count: Int) -> [String] { (0..<count).map { _ in statement() } }

    private mutating func statement() -> String {
        let table = pick(["player", "player", "team", "item"])
        let columns = columns[table] ?? []
        let key = keys[table] ?? "rowid"
        switch Int.random(in: 0..<16, using: &random) {
        case 0...4:
            let names = columns.map { $0 == "rowid" ? "\"rowid\"" : $0 }
            let values = columns.map { column in
                ["id", "player", "team"].contains(column) ? pick([self.key(), "NULL", self.key()]) : value()
            }
            let conflict = pick(["", "OR REPLACE ", "OR IGNORE "])
            return "INSERT \(conflict)INTO \(table)(\(names.joined(separator: ", "))) "
                + "VALUES (\(values.joined(separator: ", ")))"
        case 5, 6: return "DELETE FROM \(table) WHERE \(key) = \(self.key())"
        case 7:
            return "UPDATE OR REPLACE \(table) SET \(key) = \(self.key()) WHERE \(key) = \(self.key())"
        case 8: return "UPDATE \(table) SET \(columns[2]) = \(value())"
        case 9: return firstDeletion(table)
        case 10:
            let column = pick(columns.filter { !["id", "player", "team"].contains($0) })
            return "UPDATE \(table) SET \"\(column)\" = \(value()) "
                + "WHERE \(key) % \(pick([3, 7])) = \(pick([0, 1, 2]))"
        default:
            let column = pick(columns)
            let value = ["id", "player", "team"].contains(column) ? self.key() : value()
            return "UPDATE \(pick(["", "OR REPLACE ", "OR IGNORE "]))\(table) SET \(column) = \(value) "
                + "WHERE \(key) = \(self.key())"
        }
    }

    /// Returns a change of the schema.
    mutating func definition() -> String {
        pick([
            "CREATE INDEX IF NOT EXISTS byScore ON player(score)", "DROP INDEX IF EXISTS byScore",
            "ALTER TABLE team ADD COLUMN extra\(Int.random(in: 0..<1_000_000, using: &random)) DEFAULT 7",
        ])
    }
}
