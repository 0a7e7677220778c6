import VigilTestSupport

/// Random queries of the tables, views and functions in ``ReadsTestCase``. Each has one column of numbers.
struct RandomServerQuery {
    var random: SeededRandom

    private static let relations = [
        "audit x (a)", "base x (a)", "ONLY base x (a)", "derived x (a)", "v3 x (a)", "doc x (a)",
        "docs x (a)",
        "part x (a)", "part1 x (a)", "frows() x (a)", "player x (a)", "team x (a)",
        "generate_series(1, 2) x (a)",
        "(SELECT length(name) FROM v1) x (a)", "(SELECT length(team) FROM v2) x (a)",
        "(SELECT team FROM player NATURAL JOIN (TABLE team) t) x (a)",
    ]

    private static let numbers = [
        "fsql()", "fnested(2)", "fdefault()", "freturn(1)", "1", "2", "length('x')",
    ]

    mutating func select(depth: Int) -> String {
        guard depth > 0 else { return "SELECT a::bigint FROM \(random.pick(Self.relations))" }
        let (first, second) = (select(depth: depth - 1), select(depth: depth - 1))
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return "(\(first)) UNION ALL (\(second))"
        case 1: return "(\(first)) EXCEPT (\(second))"
        case 2: return "WITH c (a) AS (\(first)) SELECT c.a FROM c, (\(second)) x (a)"
        case 3: return "SELECT count(*) FROM (\(first)) x (a) GROUP BY a HAVING \(test(depth))"
        case 4: return "SELECT (count(*) OVER (ORDER BY \(number(depth))))::bigint FROM (\(first)) x (a)"
        case 5: return "SELECT x.a FROM (\(first)) x (a), LATERAL (\(second)) y (a)"
        case 6: return "SELECT agg(a::int)::bigint FROM (\(first)) x (a) WHERE \(test(depth))"
        default: return "SELECT (\(number(depth)))::bigint FROM (\(first)) x (a) WHERE \(test(depth))"
        }
    }

    private mutating func number(_ depth: Int) -> String {
        let first = random.pick(Self.numbers)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where depth > 0: return "(SELECT max(m) FROM (\(select(depth: depth - 1))) n (m))"
        case 1: return "COALESCE(\(first), \(random.pick(Self.numbers)))"
        case 2 where depth > 0: return "CASE WHEN \(test(depth - 1)) THEN 1 ELSE \(first) END"
        default: return first
        }
    }

    private mutating func test(_ depth: Int) -> String {
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where depth > 0: return "EXISTS (\(select(depth: depth - 1)))"
        case 1 where depth > 0: return "\(number(depth - 1)) IN (\(select(depth: depth - 1)))"
        case 2: return "1 === 2"
        case 3 where depth > 0: return "(\(test(depth - 1)) OR \(test(depth - 1)))"
        default: return "1 = \(number(depth - 1))"
        }
    }
}
