import VigilStorage
import XCTest

/// A query that may fail because of a row has no conditions: a row that does not meet them can make it fail
/// too.
final class FailingRowsTests: RecognitionTestCase {
    /// Asserts that the condition `team = 5` is recognized alongside another condition, unless that one may
    /// fail.
    private func assert(
        _ condition: String, mayFail: Bool, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for sql in ["\(condition) AND team = 5", "team = 5 AND \(condition)"] {
            for (name, connection) in try sharedConnections() {
                try addFunctions(to: connection)
                // Not all libraries have all functions.
                let sql = "SELECT * FROM player WHERE \(sql)"
                guard
                    let preparation = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false),
                    let statement = preparation.statement
                else { continue }
                defer { statement.finalize() }
                let found = statement.rowConditions.lines(statement).joined()
                XCTAssertEqual(
                    found.contains("team = 5"), !mayFail, "\(name): \(sql)", file: file, line: line)
            }
        }
    }

    private func addFunctions(to connection: any StorageConnection) throws {
        let host = try XCTUnwrap(connection as? any FunctionHosting)
        for name in ["forbid", "regexp", "match"] {
            try host.add(
                StorageFunction(
                    name: name, argumentCount: nil, isPure: true, body: .scalar { _ in .integer(1) }))
        }
    }

    func testFunctionsThatMayFailPreventConditions() throws {
        for condition in [
            "forbid(score)", "forbid()", "\"forbid\"(score) > 0", "NOT forbid (score)",
            "(score + forbid(id)) > 1",
            "CASE WHEN score > 1 THEN forbid(id) ELSE 1 END", "score IN (1, forbid(id))",
            "score BETWEEN 1 AND forbid(id)", "CAST(forbid(id) AS INT) = 1", "lower(forbid(name)) = 'a'",
            "abs(score) > 1", "ABS (score) > 1", "hex(name) = '61'", "quote(name) = ''",
            "replace(name, 'a', 'b') = 'b'",
            "printf('%d', id) = '1'", "zeroblob(score) = x''", "randomblob(score) = x''",
            "json_extract(note, '$.a') = 1", "json_type(note) = 'null'", "note -> 'a' = 1",
            "note ->> 'a' = 1",
            "id IN (SELECT value FROM json_each(note))", "glob(name, 'a')", "like('a', name)",
            "strftime(name, joined) = '1'",
            "trim(name, note) = 'a'", "name REGEXP 'a'", "name NOT REGEXP 'a'", "name MATCH 'a'",
            "(SELECT sum(id) FROM team) > 1", "(SELECT group_concat(id) FROM team) = '1'",
            "EXISTS (SELECT 1 FROM team t WHERE forbid(t.id) AND t.id = score)",
            "EXISTS (SELECT 1 FROM team t ORDER BY forbid(t.id))", "name || nick = 'ab'",
            "name = nick || 'a'", "name LIKE '%' || nick", "ifnull(abs(score), 1)",
        ] {
            try assert(condition, mayFail: true)
        }
    }

    func testSafeFunctionsDoNotPreventConditions() throws {
        for condition in [
            "lower(name) = 'a'", "UPPER (name) = 'A'", "length(name) > 3", "\"length\"(name) > 3",
            "coalesce(score, 0) > 1",
            "ifnull(note, '') = ''", "nullif(score, 1) IS NULL", "iif(score > 1, 1, 0)", "round(score) = 1",
            "round(score, 2) = 1", "max(score, id) > 1", "min(score, id) > 1", "typeof(note) = 'text'",
            "substr(name, 1, 2) = 'ab'", "instr(name, 'a') > 0", "trim(name) = 'a'",
            "rtrim(name, ' .') = 'a'",
            "unicode(name) = 65", "char(id) = 'a'", "likely(score > 1)", "sqrt(score) > 1",
            "date(joined) = '2024-01-01'", "strftime('%Y', joined) = '2024'",
            "datetime(joined) > datetime('now', '-1 day')",
            "julianday('now') - julianday(joined) > 1", "joined > CURRENT_TIMESTAMP", "json_valid(note)",
            "(SELECT count(*) FROM team) > 1", "(SELECT max(id) FROM team) > 1",
            "(SELECT total(id) FROM team) > 1",
            "score / id > 1", "score % 0 = 1", "score * 9223372036854775807 > 1", "-score = ~id",
            "id << 70 > 1",
            "CAST(name AS INTEGER) = 1", "CAST(score AS DECIMAL(10, 2)) = 1",
            "CAST(score AS \"big int\"(10)) = 1",
            "EXISTS (SELECT 1 FROM team t WHERE t.id = score ORDER BY (t.name))",
            "score IN (1, 2)", "id IN (SELECT id FROM team)", "NOT (score = 1)", "name COLLATE NOCASE = 'a'",
            "(name, score) = ('a', 1)", "CASE (score) WHEN (1) THEN (0) ELSE (1) END", "name = 'a' || 'b'",
            "score BETWEEN (1) AND (2)", "name IS NOT 'forbid(1)'",
        ] {
            try assert(condition, mayFail: false)
        }
    }

    func testPatternsThatMayFailPreventConditions() throws {
        for pattern in [
            "LIKE '%a%'", "NOT LIKE 'a_'", "LIKE ?", "LIKE '%' || ? || '%'", "LIKE ('a%')",
            "LIKE 'a' COLLATE NOCASE",
            "LIKE 'a%' ESCAPE '\\'", "LIKE ? ESCAPE '\u{e9}'", "GLOB 'a*'", "NOT GLOB 'a*'", "LIKE NULL",
            "LIKE 12",
            "LIKE -1", "LIKE 'a%' = 1", "LIKE x'61'", "LIKE 'a' IS NULL", "LIKE 'a' LIKE 'b'",
        ] {
            try assert("name \(pattern)", mayFail: false)
            try assert("(lower(name) \(pattern))", mayFail: false)
        }
        for pattern in [
            "LIKE nick", "LIKE (nick)", "LIKE '%' || nick || '%'", "LIKE \"nick\"", "LIKE 'a%' ESCAPE nick",
            "LIKE 'a%' ESCAPE 'ab'", "LIKE 'a%' ESCAPE ''", "LIKE 'a%' ESCAPE ?",
            "LIKE 'a%' ESCAPE 'a' || 'b'",
            "GLOB nick", "LIKE lower(nick)", "LIKE (SELECT name FROM team)", "LIKE like('a', nick)",
            "LIKE '\(String(repeating: "a", count: 60_000))'",
        ] {
            try assert("name \(pattern)", mayFail: true)
        }
        try assert("'abc' LIKE name", mayFail: true)
        try assert("CASE WHEN 1 THEN name END LIKE name", mayFail: true)
    }

    func testOverlongParametersMayFail() throws {
        for (name, connection) in try connections() {
            for condition in ["nick LIKE ?", "nick LIKE '%' || ? || '%' ESCAPE '!'", "nick NOT GLOB ?"] {
                let sql = "SELECT * FROM player WHERE team = 5 AND \(condition)"
                let statement = try connection.prepared(sql)
                defer { statement.finalize() }
                for (count, hasConditions) in [(1, true), (49_000, true), (50_001, false)] {
                    let text = String(repeating: "a", count: count)
                    for value in [StorageValue.text(text), .blob(Array(text.utf8))] {
                        let bound = statement.rowConditions(boundTo: [value])
                        XCTAssertEqual(!bound.isEmpty, hasConditions, "\(name): \(sql), \(count)")
                    }
                }
            }
        }
    }

    // MARK: - Clauses

    func testEachConditionOfAJoinMayFail() throws {
        for (on, filter) in [
            ("abs(t.id) > 1", "1"), ("abs(p.id) > 1", "1"), ("1", "abs(p.id)"), ("1", "abs(t.id)"),
        ] {
            for join in ["JOIN", "LEFT JOIN"] {
                try assertFinds(
                    in:
                        "SELECT * FROM player p \(join) team t ON \(on) AND t.name = 'x' WHERE \(filter) AND p.team = 5"
                )
            }
        }
    }

    func testResultColumnsFailForSelectedRowsOnly() throws {
        for sql in [
            "SELECT abs(score) FROM player WHERE team = 5",
            "SELECT abs(score) AS s, * FROM player WHERE team = 5",
            "SELECT DISTINCT abs(score) FROM player WHERE team = 5 ORDER BY abs(id), name || nick LIMIT abs(1)",
            "SELECT sum(score), group_concat(name) FROM player WHERE team = 5 GROUP BY abs(score)",
            "SELECT (SELECT sum(id) FROM team WHERE abs(id) > 1) FROM player WHERE team = 5",
            // The name denotes the column, not the result column.
            "SELECT abs(score) AS team FROM player WHERE team = 5",
            "SELECT abs(score) + nick FROM player WHERE team = 5 AND nick <> 1",
        ] {
            for (name, connection) in try sharedConnections() {
                let statement = try connection.prepared(sql)
                defer { statement.finalize() }
                XCTAssertTrue(
                    statement.rowConditions.lines(statement).joined().contains("team = 5"), "\(name): \(sql)")
            }
        }
    }

    func testConditionsEvaluateTheResultColumnsThatTheyName() throws {
        for result in [
            "abs(score) AS points", "abs(score) points", "id, abs(score) AS \"Points\"",
            "abs(score) 'points'",
        ] {
            for condition in [
                "points > 1", "\"points\" > 1", "EXISTS (SELECT 1 FROM team WHERE id = POINTS)",
            ] {
                try assertFinds(in: "SELECT \(result) FROM player WHERE team = 5 AND \(condition)")
            }
        }
        try assertFinds(
            "player: team = 5",
            in: "SELECT abs(score) AS points, id AS number FROM player WHERE team = 5 AND number > 1")
    }

    /// The library evaluates parts of HAVING that have no aggregates for each row.
    func testGroupConditionsWithoutAggregatesMayFail() throws {
        let sql =
            "SELECT score, abs(score) AS points, abs(sum(id)) AS s FROM player WHERE team = 5 GROUP BY score HAVING"
        for condition in [
            "abs(score) > 1", "points > 1", "abs(score) > 1 AND sum(id) > 1", "abs(score) > 1 OR score = 1",
        ] {
            try assertFinds(in: "\(sql) \(condition) ORDER BY score")
        }
        for condition in [
            "sum(id) > 1", "abs(sum(score)) > 1", "count(*) > abs(score)", "s > 1 AND total(id) > 1",
        ] {
            try assertFinds("player: team = 5", in: "\(sql) \(condition)")
        }
    }

    func testGeneratedColumnsThatMayFailPreventConditions() throws {
        for (name, connection) in try connections() {
            let definition = """
                CREATE TABLE computed(
                  id INTEGER PRIMARY KEY, a, name VARCHAR(10), v AS (abs(a)) VIRTUAL, w AS (v + 1), s AS (abs(a)) STORED);
                CREATE TABLE safe(id INTEGER PRIMARY KEY, a, name VARCHAR(10), v AS (CAST(lower(a) AS CHAR(5))));
                CREATE TABLE dated(id INTEGER PRIMARY KEY, a, d AS (date(a)));
                """
            guard (try? connection.run(definition)) != nil else { continue }
            for (query, hasConditions) in [
                ("computed WHERE v > 1 AND a = 5", false), ("computed WHERE w > 1 AND a = 5", false),
                ("computed WHERE a = 5", true), ("safe WHERE v <> 'a' AND a = 5", true),
                // In a generated column, the date of 'now' is an error.
                ("dated WHERE d > '2024' AND a = 5", false), ("dated WHERE date(a) > '2024' AND a = 5", true),
                ("plain WHERE a = 5 AND b IN (SELECT v FROM computed)", false),
                ("plain WHERE a = 5 AND EXISTS (SELECT 1 FROM computed NATURAL JOIN computed x)", false),
                ("plain WHERE a = 5 AND b IN (SELECT id FROM computed)", true),
            ] {
                let statement = try connection.prepared("SELECT * FROM \(query)")
                defer { statement.finalize() }
                XCTAssertEqual(!statement.rowConditions.tables.isEmpty, hasConditions, "\(name): \(query)")
            }
        }
    }

    // MARK: - Reasons

    func testReasonsAreGiven() throws {
        func reason(_ source: String) -> String {
            "\(source) may fail for rows that do not meet the condition"
        }
        let unread = "not a comparison between a column and a constant"
        try assertLeavesOut(
            ("abs(score) > 1", unread), ("team = 5", reason("abs()")),
            in: "SELECT * FROM player WHERE abs(score) > 1 AND team = 5")
        try assertLeavesOut(
            ("'ab' LIKE name", unread), ("team = ?1", reason("LIKE")), ("score > 1", reason("LIKE")),
            in: "SELECT * FROM player WHERE 'ab' LIKE name AND team = ? AND score > 1")
        try assertLeavesOut(
            ("name || nick = 'a'", unread), ("team = 5", reason("||")),
            in: "SELECT * FROM player WHERE name || nick = 'a' AND team = 5")
        // Without other conditions, nothing is left out.
        try assertLeavesOut(
            ("abs(score) > 1", unread), in: "SELECT * FROM player WHERE abs(score) > 1")
    }

    // MARK: - The library

    func testFunctionsOfTheProgramMayFail() throws {
        for (name, connection) in try connections() {
            let host = try XCTUnwrap(connection as? any FunctionHosting)
            let statement = try connection.prepared(
                "SELECT * FROM player WHERE lower(name) = 'a' AND team = 5")
            defer { statement.finalize() }
            let revision = statement.accessRevision
            XCTAssertEqual(statement.rowConditions.tables.count, 1, name)
            try host.add(
                StorageFunction(
                    name: "LOWER", argumentCount: 1, isPure: true, body: .scalar { _ in .integer(1) }))
            XCTAssertNotEqual(statement.accessRevision, revision, name)
            XCTAssertEqual(statement.rowConditions.tables, [], name)
        }
    }

    /// Calls the functions that are considered safe with extreme values.
    func testSafeFunctionsAcceptAllValues() throws {
        let values = [
            "NULL", "-9223372036854775808", "9223372036854775807", "0", "-1", "1e308", "-9e999", "0.1", "''",
            "'{'",
            "'now'", "'localtime'", "x''", "x'ff00'", "zeroblob(100000)", "hex(zeroblob(100000))",
            "CAST(x'61ff00' AS TEXT)", "'-4714-11-24'", "'%Y%'",
        ]
        for (name, connection) in try connections() {
            for function in [
                "acos", "atan2", "avg", "ceil", "changes", "char", "coalesce", "count", "date",
                "datetime", "exp", "floor", "ifnull", "iif", "instr", "json_valid", "julianday",
                "last_insert_rowid", "length", "likely", "ln", "log", "lower", "ltrim", "max", "min", "mod",
                "nullif", "octet_length", "pow", "random", "round", "rtrim", "sign", "sqlite_version", "sqrt",
                "substr", "substring", "tanh", "time", "total", "total_changes", "trim", "trunc", "typeof",
                "unicode", "unixepoch", "unlikely", "upper",
            ] {
                try assertRuns("SELECT \(function)()", name, connection)
                for first in values {
                    try assertRuns("SELECT \(function)(\(first))", name, connection)
                    // Safe with one argument only: the second one must be a known flag.
                    if function == "json_valid" { continue }
                    let others = [
                        "NULL", first, "-9223372036854775808", "1e308", "zeroblob(9)", "'localtime'",
                    ]
                    // One statement for each number of arguments, because most of the time is compiling.
                    for count in 1...2 {
                        let calls = others.map { other in
                            let rest = Array(repeating: other, count: count).joined(separator: ", ")
                            return "\(function)(\(first), \(rest))"
                        }
                        try assertRuns("SELECT " + calls.joined(separator: ", "), name, connection)
                    }
                }
            }
            for value in values {
                try assertRuns("SELECT strftime('%d%f%H%j%J%m%M%s%S%w%W%Y%%', \(value))", name, connection)
                for other in values {
                    try assertRuns(
                        "SELECT \(value) LIKE 'a%_' ESCAPE 'a', \(value) / \(other), \(value) % \(other), \(value) * \(other), \(value) << \(other), -\(value)",
                        name, connection)
                }
            }
        }
    }

    /// Runs a statement if the library compiles it.
    private func assertRuns(_ sql: String, _ name: String, _ connection: any StorageConnection) throws {
        guard let preparation = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false),
            let statement = preparation.statement
        else { return }
        defer { statement.finalize() }
        do { _ = try statement.step() } catch { XCTFail("\(name): \(sql): \(error)") }
    }
}
