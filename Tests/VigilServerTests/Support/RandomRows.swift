#if PostgreSQL
    import Vigil
    import VigilTestSupport

    /// Published tables with random replica identities, queries of them, and statements that change them.
    enum RandomRows {
        static func definitions(_ random: inout SeededRandom) -> String {
            let identities = [
                "DEFAULT", "FULL", "USING INDEX t_team_id_key", "USING INDEX t_id_team_name_key",
            ]
            let identity = random.pick(identities)
            let other = random.pick(["DEFAULT", "FULL"])
            print("identities \(identity), \(other)")
            return """
                CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
                CREATE TABLE t (id int PRIMARY KEY, team int NOT NULL, name text NOT NULL, score int8, flag bool,
                    day date, at timestamptz, uid uuid, mood mood, body text, double int GENERATED ALWAYS AS (team * 2) STORED,
                    UNIQUE (team, id), UNIQUE (id, team, name));
                ALTER TABLE t ALTER body SET STORAGE EXTERNAL; ALTER TABLE t REPLICA IDENTITY \(identity);
                CREATE TABLE p (id int, k int, x int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
                CREATE TABLE p0 PARTITION OF p FOR VALUES IN (0, 1); CREATE TABLE p1 PARTITION OF p DEFAULT;
                ALTER TABLE p0 REPLICA IDENTITY \(other);
                CREATE TABLE s (code text PRIMARY KEY, x int); ALTER TABLE s REPLICA IDENTITY \(other);
                CREATE VIEW v AS SELECT id, team FROM t WHERE flag;
                CREATE PUBLICATION vigil FOR TABLE t, p, s
                """
        }

        // MARK: - Queries

        static let names = ["a", "b", "é x", ""]
        static let uids = (0..<4).map { "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1\($0)" }

        static func query(_ random: inout SeededRandom) -> RandomQuery {
            var arguments: [(any DatabaseValueConvertible)?] = []
            func bind(_ value: (any DatabaseValueConvertible)?) -> String {
                arguments.append(value)
                return "?"
            }
            func number(_ range: ClosedRange<Int>, _ random: inout SeededRandom) -> String {
                let number = Int.random(in: range, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: return bind("\(number)")
                case 1, 2: return bind(number)
                default: return "\(number)"
                }
            }
            func comparison(_ column: String, _ range: ClosedRange<Int>, _ random: inout SeededRandom)
                -> String
            {
                switch Int.random(in: 0..<9, using: &random) {
                case 0:
                    let first = number(range, &random)
                    return "\(column) IN (\(first), \(number(range, &random)))"
                case 1:
                    return "\(column) = ANY (\(bind("{1,\(Int.random(in: range, using: &random)),NULL}")))"
                case 2:
                    let lowest = number(range, &random)
                    return "\(column) BETWEEN \(lowest) AND \(number(range, &random))"
                case 3: return "\(column) < \(number(range, &random))"
                case 4: return "\(number(range, &random)) <= \(column)"
                case 5: return "\(column) IS NULL"
                case 6: return "\(column) IS NOT NULL"
                default: return "\(column) = \(number(range, &random))"
                }
            }
            func condition(_ random: inout SeededRandom) -> String {
                let digit = Int.random(in: 0...3, using: &random)
                switch Int.random(in: 0..<14, using: &random) {
                case 0, 1, 2: return comparison("t.id", 1...12, &random)
                case 3, 4: return comparison("t.team", 0...4, &random)
                case 5: return comparison("t.score", 0...3, &random)
                case 6: return "t.name = \(bind(random.pick(Self.names)))"
                case 7:
                    return random.pick([
                        "t.flag", "NOT t.flag", "t.flag = true", "t.body IS NULL", "t.body IS NOT NULL",
                    ])
                case 8: return "t.day \(random.pick(["=", "<", ">="])) \(bind("2026-01-0\(digit + 1)"))"
                case 9:
                    return "t.at = \(bind("2026-01-01 0\(digit):00:00\(random.pick(["+00", "+01:00", ""]))"))"
                case 10: return "t.uid = \(bind(digit == 0 ? Self.uids[0].uppercased() : Self.uids[digit]))"
                case 11: return "t.mood = \(bind("happy"))"
                case 12: return "t.mood \(random.pick(["= 'ok'", "> 'sad'", "IN ('sad', 'ok')"]))"
                default: return "t.double = \(number(0...8, &random))"
                }
            }
            let columns = random.pick([
                "t.*", "t.id", "t.name, t.id", "count(*)", "sum(t.score)", "t.body, t.id", "t.double, t.id",
            ])
            let isAggregate = columns.hasPrefix("count") || columns.hasPrefix("sum")
            let from = random.pick([
                "t", "t", "t", "t JOIN s ON s.x = t.team", "t LEFT JOIN s ON s.x = t.team AND s.code = 'a'",
                "s RIGHT JOIN t ON t.team = s.x", "t JOIN v USING (id)",
            ])
            var sql = "SELECT \(columns) FROM \(from) WHERE \(condition(&random))"
            if Bool.random(using: &random) { sql += " AND \(condition(&random))" }
            if !isAggregate {
                sql += " ORDER BY t.id" + (from.contains("s ") || from.contains(" s") ? ", s.code" : "")
            }
            if Int.random(in: 0..<6, using: &random) == 0 {
                let table = random.pick(["p", "p0", "p1"])
                arguments = []
                sql =
                    "SELECT id, x FROM \(table) WHERE k = \(number(0...3, &random)) AND x > \(number(0...3, &random)) ORDER BY 1, 2"
            } else if Int.random(in: 0..<8, using: &random) == 0 {
                arguments = []
                sql = "SELECT x FROM s WHERE code = \(bind(random.pick(["a", "b", "c"])))"
            }
            return RandomQuery(sql: sql, arguments: StatementArguments(arguments))
        }

        // MARK: - Writes

        static func write(_ random: inout SeededRandom) -> String {
            func int(_ range: ClosedRange<Int>, _ random: inout SeededRandom) -> String {
                Int.random(in: 0..<8, using: &random) == 0
                    ? "NULL" : "\(Int.random(in: range, using: &random))"
            }
            let id = Int.random(in: 1...12, using: &random)
            let place = random.pick(["id = \(id)", "id = \(id)", "team = \(id % 4)", "flag", "id > 9"])
            let day = "'2026-01-0\(Int.random(in: 1...4, using: &random))'"
            let sets = [
                "team = \(Int.random(in: 0...4, using: &random))", "score = \(int(0...3, &random))",
                "flag = NOT flag",
                "name = '\(random.pick(Self.names))'", "day = \(day)",
                "at = '2026-01-01 0\(id % 4):00:00+00'",
                "uid = '\(random.pick(Self.uids))'", "mood = '\(random.pick(["sad", "ok", "happy"]))'",
                "body = repeat('\(id)', 2500)", "body = repeat('\(id)', 9000)", "body = NULL", "body = 'x'",
                "team = team", "id = id + 100",
            ]
            switch Int.random(in: 0..<14, using: &random) {
            case 0, 1, 2:
                return """
                    INSERT INTO t (id, team, name, score, flag, day, at, uid, mood, body) VALUES (\(id), \(id % 5),
                    '\(random.pick(Self.names))', \(int(0...3, &random)), \(random.pick(["true", "false", "NULL"])), \(day),
                    '2026-01-01 0\(id % 4):00:00+00', '\(random.pick(Self.uids))', 'ok', \(random.pick(["NULL", "repeat('y', 3000)"])))
                    ON CONFLICT DO NOTHING
                    """
            case 3, 4, 5, 6:
                return "UPDATE t SET \(random.pick(sets)) WHERE \(place)"
            case 7: return "UPDATE t SET \(random.pick(Array(sets.prefix(7)))), \(sets[8]) WHERE \(place)"
            case 8: return "DELETE FROM t WHERE \(place)"
            case 9: return "DELETE FROM t WHERE id > 100"
            case 10:
                return
                    "INSERT INTO p VALUES (\(id), \(id % 4), \(int(0...3, &random))) ON CONFLICT DO NOTHING"
            case 11:
                return
                    "UPDATE p SET \(random.pick(["k = \(id % 4)", "x = \(int(0...3, &random))"])) WHERE id = \(id)"
            case 12:
                return
                    "INSERT INTO s VALUES ('\(random.pick(["a", "b", "c"]))', \(id % 4)) ON CONFLICT (code) DO UPDATE SET x = \(id % 5)"
            default:
                return random.pick(["DELETE FROM s WHERE x = \(id % 4)", "DELETE FROM p WHERE k = \(id % 4)"])
            }
        }
    }
#endif
