import VigilTesting

// MARK: - Fetches that fail

extension Hazard {
    static func setUpFailingFetches() -> [String] {
        [
            "CREATE TABLE grain(id INTEGER PRIMARY KEY, a, tag)", "CREATE TABLE tag(tag PRIMARY KEY, note)",
            "INSERT INTO grain VALUES (1, 1, 'x'), (2, 5, 'y'), (3, 2, 'x'), (4, 4, 'z')",
            "INSERT INTO tag VALUES ('x', 1), ('y', 2)",
            "CREATE TABLE pile(id INTEGER PRIMARY KEY, a, tag, size AS (\(overflow("a"))))",
            "INSERT INTO pile VALUES (1, 1, 'x'), (2, 2, 'y')",
        ]
    }

    /// Returns an expression that fails for a value of 4 or more.
    private static func overflow(_ a: String) -> String {
        "abs(CASE WHEN \(a) > 3 THEN -9223372036854775807 - 1 ELSE \(a) END)"
    }

    /// Returns a query that fails with SQLITE_TOOBIG, SQLITE_CONSTRAINT or SQLITE_ERROR if it evaluates an
    /// expression for a row in which `a` is 4 or more. The row does not have to meet the conditions of the
    /// query.
    static func failingQuery(_ random: inout SplitMix64) -> String {
        func value(_ a: String) -> String {
            pick(
                [
                    "CASE WHEN \(a) > 3 THEN length(zeroblob(2000000000)) ELSE \(a) END", "forbid(\(a))",
                    "forbid(\(a))", overflow(a),
                ], &random)
        }
        let id = number(&random)
        let tag = pick(["'x'", "'y'", "'z'"], &random)
        switch number(1...14, &random) {
        case 1: return "SELECT \(value("a")) FROM grain"
        case 2: return "SELECT \(value("a")) FROM grain WHERE id = \(id)"
        case 3: return "SELECT \(value("a")) FROM grain WHERE tag = \(tag)"
        case 4: return "SELECT COUNT(*) FROM grain WHERE \(value("a")) > 1"
        case 5:
            return "SELECT \(value("x.a")), y.note FROM grain x JOIN tag y ON x.tag = y.tag WHERE y.note = 1"
        case 6, 7: return "SELECT * FROM grain WHERE \(value("a")) > 0 AND tag = \(tag)"
        case 8: return "SELECT \(value("a")) AS f, id FROM grain WHERE f > 0 AND tag = \(tag)"
        case 9: return "SELECT a FROM grain WHERE tag = \(tag) GROUP BY a HAVING \(value("a")) > 0"
        case 10:
            return "SELECT id FROM tag y LEFT JOIN grain x ON \(value("x.a")) > 0 AND x.tag = \(tag)"
        case 11:
            return "SELECT id FROM grain x WHERE EXISTS (SELECT \(value("x.a")) AS f FROM tag WHERE f > 0) "
                + "AND x.tag = \(tag)"
        case 12: return "SELECT id FROM pile WHERE size > 0 AND tag = \(tag)"
        case 13: return "SELECT * FROM pile WHERE tag = \(tag)"
        default: return "SELECT note, (SELECT \(value("a")) FROM grain WHERE id = \(id)) FROM tag"
        }
    }

    static func writesOfFailingFetches(_ random: inout SplitMix64) -> Unit {
        Unit(
            together(1...2, &random) { random in
                let (id, a) = (number(&random), number(&random))
                let tag = pick(["'x'", "'y'", "'z'"], &random)
                switch number(1...9, &random) {
                case 1, 2, 3: return "UPDATE grain SET a = \(a) WHERE id = \(id)"
                case 4: return "UPDATE grain SET tag = \(tag) WHERE id = \(id)"
                case 5: return "DELETE FROM grain WHERE id = \(id)"
                case 6: return "INSERT OR REPLACE INTO tag VALUES (\(tag), \(number(1...2, &random)))"
                case 7: return "INSERT OR REPLACE INTO pile VALUES (\(id), \(a), \(tag))"
                case 8: return "UPDATE pile SET a = \(a) WHERE id = \(id)"
                default: return "INSERT OR REPLACE INTO grain VALUES (\(id), \(a), \(tag))"
                }
            })
    }
}
