import VigilStorage
import XCTest

/// The plans of aggregates and groups, and the reasons of refusals.
final class GroupPlanTests: XCTestCase {
    private static let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, team, score, code TEXT COLLATE RTRIM);
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE keyed(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE shown(id INTEGER PRIMARY KEY, name TEXT, owner INTEGER);
        CREATE VIEW best AS SELECT * FROM player;
        """

    private func plan(_ sql: String, on connection: any StorageConnection) throws -> GroupPlanReport {
        try connection.withStatement(sql) { $0.groupPlan }
    }

    private func onEachConnection(_ body: (any StorageConnection, String) throws -> Void) throws {
        for named in NamedBackend.all { try body(named.open(Self.schema), named.name) }
    }

    /// A description of a plan, or the reason of a refusal.
    private func summary(_ report: GroupPlanReport) -> String {
        switch report {
        case .refused(let reason): return "refused: \(reason)"
        case .plan(let plan):
            let groups = plan.groups.map { "by \($0.count); " } ?? ""
            let order = plan.order.map { "\(self.text($0.output))\($0.term.isDescending ? " desc" : "")" }
            return groups + plan.outputs.map(text).joined(separator: " ")
                + (order.isEmpty ? "" : "; order " + order.joined(separator: " "))
                + (plan.evaluationSQL.map { "; \($0)" } ?? "")
        }
    }

    private func text(_ output: GroupPlan.Output) -> String {
        switch output {
        case .value(let index): "v\(index)"
        case .aggregate(let index): "a\(index)"
        case .expression(let index): "e\(index)"
        }
    }

    private func assertPlan(
        _ sql: String, _ expected: String, rows: String? = nil, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        try onEachConnection { connection, name in
            let report = try plan(sql, on: connection)
            XCTAssertEqual(summary(report), expected, "\(name): \(sql)", file: file, line: line)
            guard let rows, case .plan(let plan) = report else { return }
            XCTAssertEqual(plan.contributions.sql, rows, name, file: file, line: line)
        }
    }

    func testNamesWithSeveralMeaningsAreRefused() throws {
        for (sql, reason) in [
            // HAVING names the column, not the sum.
            (
                "SELECT team, SUM(score) AS score FROM player GROUP BY team HAVING score > 100",
                "HAVING has the column score"
            ),
            (
                "SELECT team + score, COUNT(*) FROM player GROUP BY team, score ORDER BY score",
                "ORDER BY has the name score, which has several meanings"
            ),
            ("SELECT team, COUNT(*) FROM player GROUP BY team ORDER BY (2) DESC", "ORDER BY has a constant"),
            ("SELECT team, COUNT(*) FROM player GROUP BY team ORDER BY +2", "ORDER BY has a constant"),
        ] {
            try assertPlan(sql, "refused: \(reason)")
        }
    }

    func testAggregatesWithoutGroups() throws {
        try assertPlan(
            "SELECT COUNT(*) FROM player WHERE team = ? AND score > 5", "a0",
            rows: #"SELECT NULL, "player".rowid AS "vigil.1" FROM player WHERE team = ?1 AND score > 5"#)
        try assertPlan(
            "select count(*), count(team) n, SUM(score) AS total, max(name) FROM player", "a0 a1 a2 a3")
        try assertPlan(
            "SELECT AVG(score), TOTAL(score), SUM(score), COUNT(DISTINCT team) FROM player", "a0 a1 a2 a3")
        try assertPlan("SELECT COUNT(*), COUNT(*) FROM player p JOIN team ON team.id = p.team", "a0 a0")
        try assertPlan("SELECT COUNT(*) FROM (SELECT * FROM player WHERE team = 5 ORDER BY name) AS t", "a0")
        try assertPlan("SELECT COUNT(*) FROM (SELECT CAST(upper(name) AS TEXT) FROM player) t", "a0")
        try assertPlan(
            "SELECT COUNT(*) + 1, MAX(score) - MIN(score) AS d FROM player",
            "e0 e1; SELECT ?1 + 1, ?2 - ?3 AS d")
    }

    func testGroups() throws {
        try assertPlan(
            "SELECT team, COUNT(*), SUM(score) FROM player GROUP BY team", "by 1; v0 a0 a1",
            rows: #"SELECT team, score, "player".rowid AS "vigil.1" FROM player"#)
        try assertPlan(
            "SELECT team AS t, COUNT(*) n FROM player GROUP BY t ORDER BY n DESC, 1 LIMIT 10",
            "by 1; v0 a0; order a0 desc v0")
        try assertPlan("SELECT COUNT(*), lower(team) FROM player GROUP BY 2", "by 1; a0 v0")
        try assertPlan(
            "SELECT team.name, COUNT(*) FROM player JOIN team ON team.id = player.team GROUP BY team.id",
            "by 1; v1 a0")
        try assertPlan(
            "SELECT team, COUNT(*) AS n FROM player GROUP BY team HAVING n > ?2 AND SUM(score) < ?1",
            "by 1; v0 a0; SELECT ?3 AS n WHERE n > ?2 AND ?4 < ?1")
        try assertPlan("SELECT DISTINCT team FROM player ORDER BY team", "by 1; v0; order v0")
    }

    func testGroupsInTheOrderOfAnIndexMustBeSortedByAllTheirValues() throws {
        try onEachConnection { connection, name in
            for (sql, isUnambiguous) in [
                ("SELECT id, COUNT(*) FROM player GROUP BY team, id ORDER BY COUNT(*) LIMIT 4", false),
                ("SELECT id, COUNT(*) FROM player GROUP BY team, id LIMIT 4", false),
                ("SELECT team, id, COUNT(*) FROM player GROUP BY team, id ORDER BY COUNT(*), id, team", true),
                ("SELECT id, COUNT(*) FROM player GROUP BY id ORDER BY COUNT(*) LIMIT 4", true),
                ("SELECT team, score, COUNT(*) FROM player GROUP BY team, score ORDER BY COUNT(*)", false),
            ] {
                let steps = try connection.run("EXPLAIN QUERY PLAN \(sql)")
                let sorts = steps.contains { $0.last == .text("USE TEMP B-TREE FOR GROUP BY") }
                let isRefused =
                    try plan(sql, on: connection)
                    == .refused("groups with equal sort values have the order of an index")
                XCTAssertEqual(isRefused, !sorts && !isUnambiguous, "\(name): \(sql)")
            }
            // Newer libraries know that a row id makes each group one row.
            let report = try plan(
                "SELECT team, score, COUNT(*) FROM player GROUP BY team, score LIMIT 1", on: connection)
            XCTAssertEqual(summary(report), "by 2; v0 v1 a0", name)
        }
    }

    func testSortingInANestedQueryDoesNotSortTheGroups() throws {
        try onEachConnection { connection, name in
            try connection.run(
                """
                CREATE TABLE mark(player INTEGER, kind TEXT); CREATE INDEX byScore ON player(score, team)
                """)
            let report = try plan(
                """
                SELECT COUNT(*) FROM player
                WHERE EXISTS (SELECT 1 FROM mark WHERE mark.player = player.id GROUP BY kind)
                GROUP BY team, score
                """, on: connection)
            XCTAssertEqual(
                report, .refused("groups with equal sort values have the order of an index"), name)
        }
    }

    func testGroupsOfPlansForOtherArgumentsMustBeSortedByAllTheirValues() throws {
        try onEachConnection { connection, name in
            try connection.run("CREATE INDEX byScore ON player(score, team) WHERE id > 5")
            let refusal = "refused: groups with equal sort values have the order of an index"
            for (sql, expected) in [
                ("WHERE id > ? GROUP BY score ORDER BY COUNT(*) DESC LIMIT 2", refusal),
                ("WHERE id > ? GROUP BY team, score", refusal),
                ("WHERE id > ? AND team LIKE ? GROUP BY team, score ORDER BY 1", refusal),
                ("WHERE id > ? GROUP BY score ORDER BY COUNT(*)", "by 1; a0; order a0"),
                ("WHERE id > ? GROUP BY score ORDER BY COUNT(*) DESC, score", "by 1; a0; order a0 desc v0"),
                ("WHERE id > 3 GROUP BY score ORDER BY COUNT(*) DESC LIMIT ?", "by 1; a0; order a0 desc"),
            ] {
                let report = try plan("SELECT COUNT(*) FROM player \(sql)", on: connection)
                XCTAssertEqual(summary(report), expected, "\(name): \(sql)")
            }
        }
    }

    func testParametersKeepTheirNumbers() throws {
        try assertPlan(
            "SELECT COUNT(score + ?) FROM player WHERE team = :team AND id > ?", "a0",
            rows: #"SELECT score + ?1, "player".rowid AS "vigil.1" FROM player WHERE team = ?2 AND id > ?3"#)
    }

    func testRefusals() throws {
        for (sql, reason) in [
            ("SELECT name FROM player", GroupPlanReport.noGroups),
            ("SELECT name, MAX(score) FROM player", "it returns columns beside aggregates"),
            ("SELECT group_concat(name) FROM player", "it has the aggregate group_concat"),
            ("SELECT SUM(DISTINCT score) FROM player", "it has the aggregate sum with DISTINCT"),
            ("SELECT code, COUNT(*) FROM player GROUP BY code", "it uses the collation of code"),
            (
                "SELECT COUNT(*) FROM player GROUP BY team || name",
                "it groups or sorts by an expression with a collation"
            ),
            ("SELECT MAX(name COLLATE BINARY) FROM player", "the aggregate max has COLLATE or ORDER BY"),
            (
                "SELECT DISTINCT team FROM player",
                "it has DISTINCT, and ORDER BY does not contain all result columns"
            ),
            (
                "SELECT COUNT(*) FROM (SELECT DISTINCT team FROM player)",
                "the query in parentheses after FROM has groups, aggregates or a limit"
            ),
            (
                "SELECT COUNT(*) FROM (SELECT MAX(team) FROM player)",
                "the query in parentheses after FROM has groups, aggregates or a limit"
            ),
            (
                "SELECT COUNT(*) FROM (SELECT id FROM player), player",
                "there is a query in parentheses after FROM"
            ),
            (
                "SELECT COUNT(*) FROM (SELECT id FROM player) JOIN player",
                "there is a query in parentheses after FROM"
            ),
            (
                "SELECT COUNT(*) FROM (SELECT changes() FROM player)",
                "the query in parentheses after FROM calls changes"
            ),
            ("SELECT COUNT(*) FROM player LEFT JOIN team ON team.id = team", "team is right of a LEFT JOIN"),
            ("SELECT COUNT(*), (SELECT 1) FROM player", "it has a query beside its aggregates or groups"),
            ("SELECT COUNT(*) FROM keyed", "keyed has no row ids"),
            ("SELECT COUNT(*) FROM best", "best is not an ordinary table"),
            ("SELECT COUNT(*) + random() FROM player", "an expression beside aggregates calls random"),
            (
                "SELECT COUNT(random()) FROM player",
                "its result may depend on more than the database, because it calls random"
            ),
            (
                "SELECT team, COUNT(*) FROM player GROUP BY team HAVING team > 1",
                "HAVING has the column team"
            ),
            (
                "SELECT team, COUNT(*) FROM player GROUP BY team LIMIT 1 + 1",
                "its LIMIT or OFFSET is an expression"
            ),
        ] {
            try onEachConnection { connection, name in
                XCTAssertEqual(
                    summary(try plan(sql, on: connection)), "refused: \(reason)", "\(name): \(sql)")
            }
        }
    }

    func testSortedRealsOfVirtualColumnsAreRefused() throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            // Old libraries have no generated columns.
            let table = "CREATE TABLE g(id INTEGER PRIMARY KEY, a, r REAL AS (a))"
            guard (try? connection.run(table)) != nil else { continue }
            let refusal = "refused: it sorts rows with r, a generated column of real numbers"
            for (sql, expected) in [
                ("SELECT r, COUNT(*) FROM g GROUP BY r ORDER BY 2", refusal),
                ("SELECT a, MAX(r) FROM g GROUP BY a ORDER BY a", refusal),
                ("SELECT DISTINCT a, r FROM g ORDER BY a, r", refusal),
                ("SELECT a, SUM(r) FROM g GROUP BY a ORDER BY 2", "by 1; v0 a0; order a0"),
                ("SELECT r, COUNT(*) FROM g GROUP BY r", "by 1; v0 a0"),
                ("SELECT MAX(r) FROM g", "a0"),
            ] {
                XCTAssertEqual(
                    summary(try plan(sql, on: connection)), expected, "\(named.name): \(sql)")
            }
        }
    }

    func testFiltersAreArguments() throws {
        try onEachConnection { connection, name in
            let sql =
                "SELECT COUNT(*) FILTER (WHERE score > 5), MAX(name) FILTER (WHERE team = 1) FROM player"
            guard let statement = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement
            else { return }
            defer { statement.finalize() }
            guard case .plan(let plan) = statement.groupPlan else { return XCTFail(name) }
            XCTAssertEqual(plan.aggregates.map(\.function), [.count, .maximum])
            XCTAssertEqual(plan.aggregates.map(\.collation), [.binary, .nocase])
            XCTAssertTrue(plan.contributions.sql.contains("CASE WHEN (score > 5) THEN (1) END"))
        }
    }

    func testNamesInQuotesMustBeColumns() throws {
        try assertPlan(
            #"SELECT "team", COUNT(*) FROM "player" WHERE "score" > 5 GROUP BY "team" ORDER BY "team""#,
            "by 1; v0 a0; order v0")
        try assertPlan(
            #"SELECT team AS "t", COUNT(*) FROM player WHERE "t" = 1 GROUP BY team"#,
            #"refused: the name "t" was not understood"#)
        try assertPlan(
            #"SELECT team AS t, COUNT(*) FROM player GROUP BY t HAVING MAX("t") > 0"#,
            #"refused: the name "t" was not understood"#)
    }

    func testColumnsEqualToANumberAreRefused() throws {
        for sql in [
            "SELECT player.name, COUNT(*) FROM player, team WHERE player.name = team.id GROUP BY 1",
            "SELECT COUNT(DISTINCT player.name) FROM player JOIN team ON team.id = player.name",
            "SELECT MAX(player.name) FROM player, team WHERE likely(player.name = team.id)",
            "SELECT DISTINCT player.name FROM player, team WHERE player.name IS team.id ORDER BY 1",
        ] {
            try assertPlan(
                sql, "refused: it groups or sorts by name, whose values may be compared as numbers")
        }
        try assertPlan(
            "SELECT name, COUNT(*) FROM player WHERE lower(name) = 'ann' GROUP BY name", "by 1; v0 a0")
        try assertPlan(
            """
            SELECT name, COUNT(*) FROM team WHERE name IN (SELECT s.name FROM shown s WHERE s.owner = 1) GROUP BY name
            """, "by 1; v0 a0")
        try assertPlan(
            "SELECT team.name, COUNT(*) FROM player, team WHERE team.name = 'a' GROUP BY team.name",
            "by 1; v0 a0")
    }
}
