import VigilRandomSQL
import VigilTesting

/// Tables, statements with aggregates and groups, and writes, all generated from one seed.
struct ResultWorld {
    var random: SplitMix64
    private let hasFilter: Bool
    private var columnCount = 0

    init(seed: UInt64, hasFilter: Bool) {
        random = SplitMix64(seed: seed)
        self.hasFilter = hasFilter
    }

    private mutating func any(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

    mutating func setUp() -> [String] {
        let indexes = [
            "CREATE INDEX p1 ON p(a)", "CREATE INDEX p2 ON p(c, b)", "CREATE INDEX p3 ON p(b, a)",
            "CREATE INDEX p4 ON p(b)",
        ].filter { _ in random.chance(3) }
        return [
            "CREATE TABLE p(id INTEGER PRIMARY KEY, a, b INTEGER, c TEXT COLLATE NOCASE, d REAL, e)",
            "CREATE TABLE q(k INTEGER PRIMARY KEY, name TEXT, w INTEGER)",
        ] + indexes + (0..<number(0...60)).map { _ in insertion() } + (1...4).map { row(ofQ: $0) }
    }

    // MARK: - Values

    private mutating func value(_ column: String) -> String {
        if random.chance(8) { return "NULL" }
        switch column {
        case "a":
            if random.chance(40) { return any(["1.0", "2.0", "x'01'", "9007199254740993"]) }
            return any(["1", "2", "3", "'x'", "'y'", "'X'"])
        case "b": return "\(number(-3...9))"
        case "c":
            return random.chance(30) ? any(["'A'", "'b' || char(0)"]) : any(["'a'", "'b'", "'cc'", "'z'"])
        case "d": return random.chance(60) ? "0.1" : any(["0.5", "-2.25", "3", "1000", "-0.0"])
        default:
            if random.chance(40) {
                return any(["9223372036854775807", "-9223372036854775808", "1e300", "9e999"])
            }
            return any(["0", "5", "-7", "2.5", "'t'", "'12'", "x'00ff'", "5.0"])
        }
    }

    private mutating func insertion() -> String {
        let id = random.chance(3) ? "NULL" : "\(number(1...70))"
        let values = ["a", "b", "c", "d", "e"].map { value($0) }.joined(separator: ", ")
        return "INSERT OR \(any(["REPLACE", "IGNORE"])) INTO p(id, a, b, c, d, e) VALUES (\(id), \(values))"
    }

    private mutating func row(ofQ key: Int) -> String {
        "INSERT OR REPLACE INTO q VALUES (\(key), \(any(["'red'", "'blue'", "NULL"])), \(number(0...3)))"
    }

    // MARK: - Statements

    mutating func query() -> ResultQuery {
        let isJoin = random.chance(3)
        let isOptional = isJoin && random.chance(2)
        var conditions = isJoin && !isOptional ? [any(["q.k = p.b", "p.a = q.k", "q.w < p.b"])] : []
        var parameterCount = 0
        if !isJoin, random.chance(4) {
            conditions.append(
                any([
                    "EXISTS (SELECT 1 FROM q WHERE q.k = p.b)", "p.b IN (SELECT k FROM q WHERE w > 0)",
                    "NOT EXISTS (SELECT 1 FROM q WHERE q.k = p.b AND w = 1)",
                    "(SELECT COUNT(*) FROM q x WHERE x.w = p.b) < 2",
                ]))
        }
        for _ in 0..<number(0...2) {
            let condition = any([
                "p.b > \(number(-2...7))", "a = 1", "c LIKE 'a%'", "p.b BETWEEN 0 AND 5", "e IS NOT NULL",
                "typeof(a) = 'text'", "p.b > ?", "c = 'A'", "(a = 2 OR d > 0)",
            ])
            parameterCount += condition.contains("?") ? 1 : 0
            conditions.append(condition)
        }
        let from =
            " FROM "
            + (isOptional
                ? any(["q LEFT JOIN p ON p.b = q.k", "p LEFT JOIN q ON q.k = p.b AND q.w > 0"])
                : isJoin ? any(["p, q", "q JOIN p", "p CROSS JOIN q"]) : any(["p", "main.p", "p AS p"]))
            + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
        if !isJoin, random.chance(4) { return rows(from, parameterCount) }
        let count = 1 + number(0...2)
        if random.chance(3) {
            let outputs = (0..<count).map { _ in output() }.joined(separator: ", ")
            return ResultQuery(sql: "SELECT \(outputs)\(from)", parameterCount: parameterCount)
        }
        if random.chance(8) {
            return ResultQuery(
                sql: "SELECT COUNT(*) FROM (SELECT p.id, c\(from))", parameterCount: parameterCount)
        }
        let groups = groups(isJoin)
        if random.chance(6) {
            let terms = groups.map { $0 + any([" DESC", " ASC", ""]) }.joined(separator: ", ")
            return ResultQuery(
                sql: "SELECT DISTINCT \(groups.joined(separator: ", "))\(from) ORDER BY \(terms)" + limit(),
                parameterCount: parameterCount)
        }
        let (sql, ranking) = grouped(groups, from, isJoin, count)
        return ResultQuery(sql: sql, parameterCount: parameterCount, ranking: ranking)
    }

    /// Returns a query without groups.
    private mutating func rows(_ from: String, _ parameterCount: Int) -> ResultQuery {
        let columns = any([
            "*", "id, a", "a, p.b, c", "c, (SELECT COUNT(*) FROM q WHERE q.k = p.b) AS n",
            "id, (SELECT MAX(w) FROM q x WHERE x.k = p.b) AS n",
        ])
        let terms = (0..<number(0...2)).map { _ in
            (any(["a", "p.b", "c", "d", "id", "c COLLATE NOCASE"]), any(["", "", " DESC"]))
        }
        let order = Self.order(terms.map { $0 + $1 })
        let limit = limit()
        return ResultQuery(
            sql: "SELECT \(columns)\(from)\(order)\(limit)", parameterCount: parameterCount,
            ranking: ResultQuery.Ranking(
                sql: "SELECT \(terms.map { $0.0 + ", " }.joined())\(columns)\(from)\(order)",
                termCount: terms.count, offset: limit.hasSuffix(" OFFSET 1") ? 1 : 0))
    }

    private mutating func groups(_ isJoin: Bool) -> [String] {
        let choices = ["a", "c", "p.b % 3", "lower(c)", "p.b", "d"] + (isJoin ? ["q.k", "w"] : ["id % 7"])
        return (0..<(random.chance(3) ? 2 : 1)).map { _ in any(choices) }
    }

    private mutating func grouped(
        _ groups: [String], _ from: String, _ isJoin: Bool, _ count: Int
    ) -> (sql: String, ResultQuery.Ranking) {
        var columns = groups + (0..<count).map { "\(output()) AS n\($0)" }
        if groups == ["q.k"], random.chance(2) { columns.append(any(["q.name", "q.*"])) }
        if random.chance(4) { columns.removeFirst() }
        columns.shuffle(using: &random)
        let having =
            random.chance(4) ? " HAVING " + any(["COUNT(*) > 1", "SUM(p.b) > 3", "n0 IS NOT NULL"]) : ""
        var terms: [(text: String, direction: String)] = []
        if random.chance(2) {
            // Groups with equal terms are in ascending order.
            terms = (0..<number(1...2)).map { _ in
                (any(["n0", "1", "COUNT(*)", groups[0], "MAX(p.b) - 1"]), any(["", " DESC", " ASC"]))
            }
        }
        let rest = "\(from) GROUP BY \(groups.joined(separator: ", "))\(having)"
        let texts = columns.joined(separator: ", ")
        let limit = limit()
        return (
            "SELECT \(texts)\(rest)" + Self.order(terms.map { $0.text + $0.direction }) + limit,
            ResultQuery.Ranking(
                sql: "SELECT " + terms.map { Self.expression($0.text, columns) + ", " }.joined() + texts
                    + rest
                    + Self.order(
                        terms.map { ($0.text == "1" ? "\(terms.count + 1)" : $0.text) + $0.direction }),
                termCount: terms.count, offset: limit.hasSuffix(" OFFSET 1") ? 1 : 0, isGrouped: true)
        )
    }

    private static func order(_ terms: [String]) -> String {
        terms.isEmpty ? "" : " ORDER BY " + terms.joined(separator: ", ")
    }

    /// Returns the expression that a term of ORDER BY means.
    private static func expression(_ term: String, _ columns: [String]) -> String {
        guard let column = term == "1" ? columns.first : columns.first(where: { $0.hasSuffix(" AS " + term) })
        else { return term }
        return column == "q.*" ? "q.k" : column.replacing(/\ AS n[0-9]$/, with: "")
    }

    private mutating func limit() -> String {
        random.chance(3) ? " LIMIT \(number(-1...6))" + any(["", " OFFSET 1"]) : ""
    }

    private mutating func output() -> String {
        if random.chance(6) {
            return any(["COUNT(*) + 1", "MAX(p.b) - MIN(p.b)", "coalesce(SUM(p.b), 0)", "SUM(p.b) || 'x'"])
        }
        let call = any([
            "COUNT(*)", "COUNT(e)", "SUM(p.b)", "SUM(d)", "TOTAL(p.b)", "AVG(p.b)", "MIN(c)", "MAX(c)",
            "MAX(e)",
            "MIN(e)", "MAX(p.b)", "COUNT(DISTINCT a)", "COUNT(DISTINCT c)", "SUM(p.b * 2)", "AVG(d)",
            "MIN(lower(c))", "count(a)", "SUM(e)",
        ])
        return hasFilter && random.chance(8) ? call + " FILTER (WHERE p.b > 2)" : call
    }

    // MARK: - Writes

    mutating func writes() -> [String] {
        let changes = (0..<(random.chance(3) ? number(2...5) : 1)).map { _ in change() }
        switch number(0...9) {
        case 0: return ["BEGIN"] + changes + ["ROLLBACK"]
        case 1: return ["BEGIN"] + changes + ["SAVEPOINT s", change(), "ROLLBACK TO s", change(), "COMMIT"]
        case 2...4: return ["BEGIN"] + changes + ["COMMIT"]
        default: return changes
        }
    }

    private mutating func change() -> String {
        let id = number(1...70)
        let column = any(["a", "b", "c", "d", "e"])
        switch number(0...15) {
        case 0...4: return insertion()
        case 5...9: return "UPDATE p SET \(column) = \(value(column)) WHERE id = \(id)"
        case 10: return "UPDATE p SET \(column) = \(value(column)) WHERE id BETWEEN \(id) AND \(id + 6)"
        case 11: return "UPDATE OR REPLACE p SET id = \(number(1...70)) WHERE id = \(id)"
        case 12: return "DELETE FROM p WHERE id = \(id)"
        case 13:
            return random.chance(5) ? "DELETE FROM p WHERE b > 2" : "DELETE FROM p WHERE a = 3 AND id < \(id)"
        case 14: return row(ofQ: number(1...6))
        default:
            return random.chance(2) ? "DELETE FROM q WHERE k = \(number(1...6))" : "UPDATE q SET w = w + 1"
        }
    }

    /// A change of the schema.
    mutating func definition() -> String {
        columnCount += 1
        return any([
            "ALTER TABLE p ADD COLUMN x\(columnCount)", "CREATE INDEX IF NOT EXISTS p5 ON p(c)",
            "DROP INDEX IF EXISTS p5", "DROP INDEX IF EXISTS p1", "ANALYZE", "VACUUM",
            "DROP TABLE q; CREATE TABLE q(k INTEGER PRIMARY KEY, name TEXT, w INTEGER)",
        ])
    }
}
