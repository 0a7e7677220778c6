import VigilTesting

/// Random writing statements that combine conflicts, triggers, foreign keys and schema changes.
struct RandomWrites {
    private var random: SplitMix64
    private var added = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    static let schema = """
        CREATE TABLE p(id INTEGER PRIMARY KEY, a CHECK (a IS NULL OR a <> 66), b TEXT UNIQUE, r REAL, n NUMERIC);
        CREATE TABLE c(id INTEGER PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE, x INT);
        CREATE TABLE d(p INTEGER REFERENCES p ON DELETE SET NULL, y BLOB);
        CREATE TABLE log(kind TEXT, m);
        CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TEMP TABLE scratch(s, t);
        ATTACH ':memory:' AS other; CREATE TABLE other.p(id INTEGER PRIMARY KEY, o);
        CREATE TRIGGER p_log AFTER UPDATE ON p BEGIN INSERT INTO log VALUES ('update', old.a); END;
        CREATE TRIGGER p_again AFTER UPDATE OF a ON p WHEN new.a < 10 BEGIN UPDATE p SET a = 20 WHERE id = new.id; END;
        CREATE TEMP TRIGGER d_again AFTER INSERT ON d BEGIN UPDATE d SET y = 'again' WHERE rowid = new.rowid; END;
        CREATE TRIGGER c_stop AFTER UPDATE ON c WHEN new.x = 13 BEGIN SELECT RAISE(IGNORE); END;
        CREATE TRIGGER c_fail AFTER DELETE ON c WHEN old.x = 14 BEGIN SELECT RAISE(ABORT, 'no'); END;
        CREATE TRIGGER c_fail2 AFTER INSERT ON c WHEN new.x = 15 BEGIN SELECT RAISE(FAIL, 'no'); END;
        CREATE TRIGGER c_fail3 AFTER INSERT ON c WHEN new.x = 16 BEGIN SELECT RAISE(ROLLBACK, 'no'); END;
        """

    static let tables = ["main.p", "main.c", "main.d", "main.log", "main.w", "temp.scratch", "other.p"]

    mutating func statement() -> String {
        switch number(24) {
        case 0...6: insertion()
        case 7...13: update()
        case 14...17: deletion()
        case 18: pick(["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s", "SAVEPOINT t"])
        case 19: pick(["COMMIT", "ROLLBACK", "RELEASE s", "ROLLBACK TO s", "ROLLBACK TO t", "RELEASE t"])
        case 20: pick(["COMMIT", "ROLLBACK"])
        case 21: number(3) == 0 ? schemaChange() : insertion()
        case 22: pick(["DELETE FROM log", "DELETE FROM d", "DELETE FROM c", "DELETE FROM scratch"])
        default: pick(["INSERT INTO d SELECT id, b FROM p", "INSERT INTO log SELECT s, t FROM scratch"])
        }
    }

    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private mutating func pick(_ choices: [String]) -> String { choices[number(choices.count)] }

    private mutating func id() -> Int { number(9) }

    private mutating func value() -> String {
        pick([
            "NULL", "\(number(80))", "\(number(20)).5", "3.0", "'\(number(9))'", "'text \(number(9))'",
            "x'00ff'",
            "-9223372036854775808", "1e300", "''", "x''",
        ])
    }

    private mutating func conflict() -> String {
        number(3) > 0 ? "" : pick(["OR IGNORE", "OR REPLACE", "OR FAIL", "OR ROLLBACK", "OR ABORT"])
    }

    private mutating func insertion() -> String {
        // Explicit IDs for all rows or none: SQLite 3.15 assigns one ID twice if an explicit ID follows NULL.
        let hasIDs = number(3) > 0
        let rows = (0...number(3)).map { _ in row(hasID: hasIDs) }
        switch number(6) {
        case 0...1:
            let rows = rows.map { "(\($0.id), \($0.first), \($0.second), \($0.first), \($0.second))" }
            return "INSERT \(conflict()) INTO p VALUES \(rows.joined(separator: ","))"
        case 2:
            let rows = rows.map { "(\($0.parent), \(10 + number(9)))" }
            return "INSERT \(conflict()) INTO c(p, x) VALUES \(rows.joined(separator: ","))"
        case 3:
            return "INSERT INTO d VALUES \(rows.map { "(\($0.parent), \($0.first))" }.joined(separator: ","))"
        case 4:
            return pick([
                "INSERT INTO scratch VALUES (1, 'x')", "INSERT \(conflict()) INTO w VALUES (\(id()), 2)",
            ])
        default: return "INSERT \(conflict()) INTO other.p VALUES (\(id()), \(value()))"
        }
    }

    private mutating func row(hasID: Bool) -> (id: String, parent: String, first: String, second: String) {
        let parent = number(3) == 0 ? "NULL" : "\(id())"
        return (hasID ? "\(id())" : "NULL", parent, value(), value())
    }

    private mutating func update() -> String {
        let condition = pick(["", "WHERE id = \(id())", "WHERE id > \(id())", "WHERE rowid < \(id())"])
        switch number(9) {
        case 0...2:
            return "UPDATE \(conflict()) p SET \(pick(["a", "b", "r", "n"])) = \(value()) \(condition)"
        case 3: return "UPDATE \(conflict()) p SET id = \(id() + number(20)) WHERE id = \(id())"
        case 4: return "UPDATE p SET a = a, r = r + 1 \(condition)"
        case 5: return "UPDATE \(conflict()) c SET x = \(10 + number(9)), p = \(id()) \(condition)"
        case 6: return "UPDATE d SET rowid = rowid + 100, y = \(value()) WHERE rowid < \(id())"
        case 7: return pick(["UPDATE w SET v = v + 1", "UPDATE scratch SET s = s + 1"])
        default: return "UPDATE other.p SET o = \(value()) \(condition)"
        }
    }

    private mutating func deletion() -> String {
        let table = pick(["p", "c", "d", "log", "w", "scratch", "other.p"])
        if table == "w" { return "DELETE FROM w WHERE k = \(id())" }
        return "DELETE FROM \(table) WHERE rowid \(pick(["=", ">", "<"])) \(id())"
    }

    private mutating func schemaChange() -> String {
        added += 1
        return pick([
            "ALTER TABLE p ADD COLUMN added\(added)", "CREATE INDEX IF NOT EXISTS i ON p(a)",
            "DROP INDEX IF EXISTS i",
            "CREATE TRIGGER IF NOT EXISTS early BEFORE UPDATE ON d BEGIN UPDATE d SET y = 1 WHERE rowid = old.rowid; END",
            "DROP TRIGGER IF EXISTS early", "PRAGMA recursive_triggers = \(number(2))",
            "CREATE TABLE IF NOT EXISTS more\(added)(a)", "DROP TABLE IF EXISTS temp.scratch",
            "CREATE TEMP TABLE IF NOT EXISTS scratch(s, t)",
        ])
    }
}
