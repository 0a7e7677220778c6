import VigilStorage
import XCTest

/// The plans of results: sources, watched tables, order, and the reasons of refusals.
final class ListPlanTests: XCTestCase {
    private static let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, team, score, code TEXT COLLATE RTRIM);
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE odd(rowid, "select", "a""b");
        CREATE TABLE hidden(rowid, oid, _rowid_);
        CREATE TABLE keyed(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE VIEW best AS SELECT * FROM player;
        CREATE INDEX byScore ON player(score);
        """

    private func onEachConnection(_ body: (any StorageConnection, String) throws -> Void) throws {
        for named in NamedBackend.all { try body(named.open(Self.schema), named.name) }
    }

    /// A description of a plan, or the reason of a refusal.
    private func summary(_ report: ListPlanReport) -> String {
        guard case .plan(let plan) = report else {
            if case .refused(let reason) = report { return "refused: \(reason)" }
            return ""
        }
        let sources = plan.sources.map { ($0.rowSQL == nil ? "watched " : "") + $0.table.name }
        let watched = plan.watched.map { "\($0.table.name) (\($0.reason))" }
        let terms = plan.terms.map { term in
            "\(term.collation)\(term.isDescending ? " descending" : "")\(term.nullsAreLast != term.isDescending ? " moved nulls" : "")"
        }
        return [sources, watched, terms].map { $0.joined(separator: ", ") }.joined(separator: "; ")
    }

    private func assertPlans(
        _ sql: String, _ expected: String, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        try onEachConnection { connection, name in
            let report = try connection.withStatement(sql) { $0.listPlan }
            XCTAssertEqual(summary(report), expected, "\(name): \(sql)", file: file, line: line)
        }
    }

    // MARK: - Sources

    func testTablesOfInnerJoinsAreFollowed() throws {
        try assertPlans("SELECT name FROM player", "player; ; ")
        try assertPlans("SELECT * FROM player p, team t WHERE t.id = p.team", "player, team; ; ")
        try assertPlans(
            "SELECT a.id FROM player AS a INNER JOIN player b ON a.id = b.team CROSS JOIN team",
            "player, player, team; ; ")
        try assertPlans("SELECT [select] FROM main.odd; -- the end", "odd; ; ")
    }

    func testOptionalTablesAreWatched() throws {
        try assertPlans(
            "SELECT p.*, t.name FROM player p LEFT JOIN team t ON t.id = p.team",
            "player, watched team; team (right of a LEFT JOIN); ")
        try assertPlans(
            "SELECT 1 FROM player a LEFT OUTER JOIN player b ON b.id = a.team",
            "watched player, watched player; player (right of a LEFT JOIN); ")
    }

    func testTablesOfNestedQueriesAreWatched() throws {
        try assertPlans(
            "SELECT name FROM player WHERE team IN (SELECT id FROM team)",
            "player; team (read by a query in the statement); ")
        try assertPlans(
            "SELECT name FROM player WHERE score > (SELECT AVG(score) FROM player)",
            "watched player; player (read by a query in the statement); ")
        try assertPlans(
            "SELECT name, (SELECT COUNT(*) FROM player p WHERE p.team > team.id) FROM team",
            "team; player (read by a query in the statement); ")
    }

    // MARK: - Order

    func testTermsHaveTheCollationOfTheirColumn() throws {
        try assertPlans(
            "SELECT id FROM player ORDER BY name, score DESC", "player; ; nocase, binary descending")
        try assertPlans(
            "SELECT id FROM player ORDER BY name COLLATE binary DESC", "player; ; binary descending")
        try assertPlans(
            "SELECT id FROM player ORDER BY score COLLATE NoCase, (id)", "player; ; nocase, binary")
        try assertPlans("SELECT id FROM player ORDER BY rowid ASC", "player; ; binary")
        try assertPlans(
            "SELECT 1 FROM player p JOIN team t ON t.id = p.team ORDER BY t.name", "player, team; ; binary")
    }

    func testAliasesPrecedeColumns() throws {
        try assertPlans("SELECT team AS score, id FROM player ORDER BY score", "player; ; binary")
        try assertPlans("SELECT name score FROM player ORDER BY score", "player; ; nocase")
        try assertPlans("SELECT name, score FROM player ORDER BY 1", "player; ; nocase")
        try assertPlans("SELECT *, -score AS minus FROM player ORDER BY score", "player; ; binary")
        try assertPlans(
            "SELECT -score AS score FROM player ORDER BY score",
            "refused: it sorts by score, which is an expression")
        try assertPlans(
            "SELECT -score AS score FROM player ORDER BY (score)",
            "refused: it sorts by score, which is an expression")
        try assertPlans(
            "SELECT -score AS score FROM player ORDER BY +score", "refused: it sorts by an expression")
        // The library sorts by the first of the columns with a name, which is one of the table here.
        for columns in ["*, id AS score", "*, team score", "player.*, rowid AS \"Score\""] {
            try assertPlans(
                "SELECT \(columns) FROM player ORDER BY score DESC",
                "refused: it sorts by score, which is the name of several columns")
        }
        try assertPlans("SELECT *, id AS number FROM player ORDER BY number", "player; ; binary")
        try assertPlans("SELECT id AS score, * FROM player ORDER BY score", "player; ; binary")
        try assertPlans(
            "SELECT *, id FROM player ORDER BY 2",
            "refused: it sorts by the result column 2, which is an expression")
    }

    func testKeywordsAfterColumnsAreNoAliases() throws {
        for word in ["ISNULL", "NOTNULL"] {
            try assertPlans(
                "SELECT score \(word), id FROM player ORDER BY 1",
                "refused: it sorts by the result column 1, which is an expression")
        }
        try assertPlans("SELECT score AS 'isnull', id FROM player ORDER BY 1", "player; ; binary")
        try assertPlans("SELECT score \"isnull\", id FROM player ORDER BY \"isnull\"", "player; ; binary")
    }

    func testOtherOrdersAreRefused() throws {
        try assertPlans("SELECT id FROM player ORDER BY lower(name)", "refused: it sorts by an expression")
        try assertPlans("SELECT id FROM player ORDER BY code", "refused: it sorts by the collation of code")
        try assertPlans(
            "SELECT id FROM player ORDER BY name COLLATE RTRIM", "refused: it sorts by the collation RTRIM")
    }

    /// Library 3.15.2 returns no rows for such a bound and order, but the row if a single one is looked up.
    func testOrdersThatLoseRowsAreRefused() throws {
        try onEachConnection { connection, name in
            try connection.run("INSERT INTO player(id) VALUES (1)")
            let sql = "SELECT id FROM player WHERE id < 'a' ORDER BY id DESC"
            let count = try connection.run(sql).count
            let report = try connection.withStatement(sql) { $0.listPlan }
            XCTAssertEqual(
                summary(report).hasPrefix("refused: this library loses rows"), count == 0,
                "\(name): \(summary(report))")
            let other = try connection.withStatement(
                "SELECT id FROM player WHERE name = 'a' AND id > 1 ORDER BY id"
            ) { $0.listPlan }
            XCTAssertEqual(summary(other), "player; ; binary", name)
        }
    }

    /// Library 3.15.2 returns the first player, whose match has a score, but not if it is looked up alone.
    func testJoinsThatConfuseRowsAreRefused() throws {
        try onEachConnection { connection, name in
            try connection.run("INSERT INTO player(id, team, score) VALUES (1, NULL, 7), (2, 1, 7)")
            let sql = "SELECT a.id FROM player a LEFT JOIN player b ON b.team = a.id WHERE b.score IS ?"
            let rows = try connection.run(sql, [.null])
            let isConfused = rows != [[.integer(2)]]
            for condition in ["WHERE b.score IS ?", "JOIN team t ON b.score IS t.name"] {
                let join = "SELECT a.id FROM player a LEFT JOIN player b ON b.team = a.id \(condition)"
                let report = try connection.withStatement(join) { $0.listPlan }
                XCTAssertEqual(
                    summary(report).hasPrefix("refused: this library confuses the rows"), isConfused,
                    "\(name): \(summary(report))")
            }
            for condition in ["b.name IS NULL", "b.name IS NOT ?", "b.name = ?"] {
                let join = "SELECT a.id FROM player a LEFT JOIN team b ON b.name IS a.name WHERE \(condition)"
                let report = try connection.withStatement(join) { $0.listPlan }
                XCTAssertFalse(summary(report).hasPrefix("refused"), "\(name): \(summary(report))")
            }
        }
    }

    /// Library 3.40.1 returns no rows of the first join, but the row for a look-up of a single one.
    func testJoinsByTextWithTrailingSpacesAreRefused() throws {
        let refusal = "refused: a condition of a join compares text by RTRIM"
        try assertPlans("SELECT 1 FROM player a JOIN player b ON a.code = b.code", refusal)
        try assertPlans("SELECT 1 FROM player, team WHERE \"CODE\" = 'a' AND team.id > 1", refusal)
        try assertPlans("SELECT 1 FROM team LEFT JOIN player p ON p.code = team.name", refusal)
        try assertPlans(
            "SELECT 1 FROM player p JOIN team t ON t.name = p.name COLLATE RTRIM", refusal)
        try assertPlans("SELECT 1 FROM player WHERE code = 'a'", "player; ; ")
        try assertPlans(
            "SELECT p.code FROM player p JOIN team t ON t.name = rtrim(p.name)", "player, team; ; ")
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            try connection.run(
                "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(a COLLATE RTRIM); CREATE TABLE s(a COLLATE NOCASE)"
            )
            for (table, expected) in [("t", refusal), ("s", "s, s; ; ")] {
                let join = "SELECT 1 FROM \(table) x JOIN \(table) y ON x.a = y.a"
                let report = try connection.withStatement(join) { $0.listPlan }
                XCTAssertEqual(summary(report), expected, named.name)
            }
        }
    }

    func testThePlaceOfNullsIsKnown() throws {
        for named in NamedBackend.all {
            let connection = try named.open(Self.schema)
            let sql = "SELECT id FROM player ORDER BY score NULLS LAST, team DESC NULLS FIRST"
            // Old libraries do not have these words.
            guard let report = try? connection.withStatement(sql, { $0.listPlan }) else { continue }
            XCTAssertEqual(summary(report), "player; ; binary moved nulls, binary descending moved nulls")
        }
    }

    // MARK: - Key columns

    /// Asserts which columns of a plan's statements hold the row ids and the values of terms.
    private func assertKeyColumns(
        _ sql: String, _ expected: [Int], file: StaticString = #filePath, line: UInt = #line
    ) throws {
        try onEachConnection { connection, name in
            guard case .plan(let plan) = try connection.withStatement(sql, { $0.listPlan }) else {
                return XCTFail("\(name): no plan of \(sql)", file: file, line: line)
            }
            XCTAssertEqual(plan.keyColumns, expected, "\(name): \(plan.sql)", file: file, line: line)
            for text in [plan.sql] + plan.sources.compactMap(\.rowSQL) {
                let width = try connection.withStatement(text) { $0.columnNames.count }
                XCTAssertEqual(width, plan.width, "\(name): \(text)", file: file, line: line)
            }
        }
    }

    func testColumnsOfTheStatementAreNotAddedToIt() throws {
        try assertKeyColumns("SELECT name, id, score FROM player ORDER BY score", [1, 2])
        try assertKeyColumns(
            "SELECT _rowid_, score s FROM player AS p ORDER BY p.score, s, id", [0, 1, 1, 0])
        try assertKeyColumns("SELECT \"p\".[ID], p.name AS score FROM player p ORDER BY score", [0, 1])
        try assertKeyColumns("SELECT ALL name, id FROM player", [1])
    }

    func testOtherValuesAreAdded() throws {
        try assertKeyColumns("SELECT name FROM player ORDER BY score", [1, 2])
        try assertKeyColumns("SELECT score + 0, -id, (team) FROM player ORDER BY score, team", [3, 4, 5])
        try assertKeyColumns("SELECT id ISNULL, score COLLATE NOCASE FROM player ORDER BY score", [2, 3])
        try assertKeyColumns("SELECT score AS id, 'score' FROM player ORDER BY player.id", [2, 2])
        try assertKeyColumns(
            "SELECT CAST(id AS TEXT), name FROM player ORDER BY name, score, score", [2, 1, 3, 3])
        try assertKeyColumns("SELECT a.id FROM player a, player b ORDER BY b.id", [0, 1, 1])
    }

    func testStarsStandForColumns() throws {
        try assertKeyColumns("SELECT * FROM player ORDER BY score, name", [0, 3, 1])
        try assertKeyColumns("SELECT 1, *, id FROM player ORDER BY score", [1, 4])
        try assertKeyColumns("SELECT * FROM odd ORDER BY \"select\"", [3, 1])
        try assertKeyColumns(
            "SELECT t.*, p.*, t.id FROM player p JOIN team t ON t.id = p.team ORDER BY p.score, t.name",
            [2, 0, 5, 1])
        try assertKeyColumns(
            "SELECT * FROM player p LEFT JOIN team t ON t.id = p.team ORDER BY t.name", [0, 5, 6])
    }

    func testGeneratedColumnsAreCounted() throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            // Old libraries have no generated columns.
            let table =
                "CREATE TABLE g(a, twice AS (a * 2), thrice AS (a * 3) STORED, id INTEGER PRIMARY KEY, z)"
            guard (try? connection.run(table)) != nil else { continue }
            let report = try connection.withStatement("SELECT * FROM g ORDER BY z, twice") { $0.listPlan }
            guard case .plan(let plan) = report else { return XCTFail("\(named.name): \(report)") }
            XCTAssertEqual(plan.keyColumns, [3, 4, 1], named.name)
        }
    }

    // MARK: - Refusals

    func testSortedRealsOfVirtualColumnsAreRefused() throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            // Old libraries have no generated columns.
            let table =
                "CREATE TABLE g(id INTEGER PRIMARY KEY, a, r REAL AS (a), n AS (r), s REAL AS (a) STORED)"
            guard (try? connection.run(table)) != nil else { continue }
            let refusal = "refused: it sorts rows with r, a generated column of real numbers"
            for (sql, expected) in [
                ("SELECT id, r FROM g ORDER BY a", refusal),
                ("SELECT * FROM g ORDER BY a", refusal),
                ("SELECT x.*, max(\"R\", 0) FROM g AS x ORDER BY a DESC LIMIT 5", refusal),
                ("SELECT id, (SELECT r FROM g b WHERE b.id = g.a) FROM g ORDER BY a", refusal),
                (
                    "SELECT id, n FROM g ORDER BY a",
                    "refused: it sorts rows with n, a generated column of real numbers"
                ),
                ("SELECT id, r, n FROM g", "g; ; "),
                ("SELECT id, a, s FROM g WHERE r > 5 ORDER BY r", "g; ; binary"),
                ("SELECT id, a * 2 FROM g ORDER BY a", "g; ; binary"),
            ] {
                let report = try connection.withStatement(sql) { $0.listPlan }
                XCTAssertEqual(summary(report), expected, "\(named.name): \(sql)")
            }
        }
    }

    func testStatementsThatCombineRowsAreRefused() throws {
        let refusals = [
            "SELECT DISTINCT team FROM player": "it has DISTINCT",
            "SELECT team FROM player GROUP BY team": "it has GROUP BY or HAVING",
            "SELECT id FROM player LIMIT 3 + 1": "its LIMIT or OFFSET is an expression",
            "SELECT id FROM player LIMIT 3 OFFSET (SELECT 1)": "its LIMIT or OFFSET is an expression",
            "SELECT id FROM player LIMIT 3.0": "its LIMIT or OFFSET is an expression",
            "SELECT id FROM player LIMIT 257, 3": "its OFFSET is greater than 256",
            "SELECT id FROM player UNION SELECT id FROM team": "the statement combines queries (UNION)",
            "WITH x AS (SELECT 1) SELECT id FROM player, x": "it begins with WITH",
            "SELECT COUNT(*) FROM player": "it has the aggregate COUNT",
            "SELECT id, max(score) FROM player": "it has the aggregate max",
            "SELECT \"sum\"(score) FROM player": "it has the aggregate sum",
            "SELECT (SELECT max(p.score) FROM team) FROM player p": "it has an aggregate in a query",
            "SELECT id FROM best": "best is not an ordinary table",
            "SELECT v FROM keyed": "keyed has no row ids",
            "SELECT 1 FROM hidden": "the columns of hidden hide its row ids",
            "SELECT name FROM sqlite_master": "sqlite_master is not an ordinary table",
            "SELECT 1 FROM player JOIN team USING (id)": "the statement has a JOIN with USING",
            "SELECT 1 FROM player NATURAL JOIN team": "the statement has a NATURAL JOIN",
            "SELECT 1": "the statement has no tables",
            "DELETE FROM player": "it is not a query",
            "SELECT id FROM (SELECT id FROM player)": "there is a query or a join in parentheses after FROM",
            "SELECT id FROM player WHERE team IN (SELECT id FROM best)":
                "a query in the statement reads a view or a virtual table",
        ]
        for (sql, reason) in refusals { try assertPlans(sql, "refused: \(reason)") }
    }

    func testOrdersByAColumnEqualToANumberAreRefused() throws {
        let refusal = "refused: it sorts by name, whose values may be compared as numbers"
        try assertPlans("SELECT id FROM player WHERE name = id ORDER BY name", refusal)
        try assertPlans("SELECT id FROM player WHERE (likely(name = id)) ORDER BY name", refusal)
        try assertPlans("SELECT id FROM player WHERE name = 'a' ORDER BY name", "player; ; nocase")
        try assertPlans("SELECT id FROM player WHERE lower((name)) = 'a' ORDER BY name", "player; ; nocase")
    }

    func testScalarMaximumIsNoAggregate() throws {
        try assertPlans("SELECT max(score, 0), min(id, team, 5) FROM player", "player; ; ")
        try assertPlans(
            "SELECT id, (SELECT max(score) FROM player p WHERE p.team = team.id) FROM team", "team; ; ")
    }

    func testFunctionsThatDependOnMoreThanTheDatabaseAreRefused() throws {
        for (sql, name) in [
            "SELECT id FROM player WHERE score > random()": "random",
            "SELECT id, date('now') FROM player": "date",
            "SELECT id FROM player WHERE name = CURRENT_TIMESTAMP": "current_timestamp",
            "SELECT changes(), id FROM player": "changes",
        ] {
            try assertPlans(
                sql, "refused: its result may depend on more than the database, because it calls \(name)")
        }
        try assertPlans(
            "SELECT lower(name) || 'x', abs(score) FROM player WHERE name LIKE 'a%'", "player; ; ")
    }

    func testFunctionsOfTheProgramMustBePure() throws {
        try onEachConnection { connection, name in
            let host = try XCTUnwrap(connection as? any FunctionHosting)
            func add(_ name: String, isPure: Bool) throws {
                try host.add(
                    StorageFunction(
                        name: name, argumentCount: 1, isPure: isPure,
                        body: .scalar { arguments throws(StorageError) in arguments[0] }))
            }
            try add("own", isPure: true)
            let statement = try connection.prepared("SELECT own(score) FROM player")
            defer { statement.finalize() }
            XCTAssertEqual(summary(statement.listPlan), "player; ; ", name)
            let revision = statement.accessRevision
            try add("own", isPure: false)
            XCTAssertNotEqual(statement.accessRevision, revision, name)
            let refusal = "refused: its result may depend on more than the database, because it calls "
            XCTAssertEqual(summary(statement.listPlan), refusal + "own", name)
            // The program can also replace a function of the library.
            try add("lower", isPure: false)
            let lower = try connection.withStatement("SELECT lower(name) FROM player") { $0.listPlan }
            XCTAssertEqual(summary(lower), refusal + "lower", name)
        }
    }

    func testCaseSensitiveLikeMakesANewPlan() throws {
        try onEachConnection { connection, name in
            let statement = try connection.prepared("SELECT id FROM player WHERE name LIKE 'a%'")
            defer { statement.finalize() }
            let revision = statement.accessRevision
            try connection.run("PRAGMA case_sensitive_like = ON")
            XCTAssertNotEqual(statement.accessRevision, revision, name)
        }
    }

    // MARK: - Statements

    func testStatementsHaveTheRowsOfThePlannedOne() throws {
        let sql = """
            SELECT /* , */ p.name, t.name AS "a,b" -- comment
            FROM player AS p INDEXED BY byScore CROSS JOIN team t ON t.id = p.team
            WHERE p.score > ?2 OR p.name = :n -- the condition
            ORDER BY p.score DESC /* the end */;
            """
        try onEachConnection { connection, name in
            try connection.run(
                """
                INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
                INSERT INTO player(id, name, team, score) VALUES (5, 'Ann', 1, 10), (6, 'Bob', 2, 30), (7, 'Cid', 2, 20)
                """)
            let report = try connection.withStatement(sql) { $0.listPlan }
            guard case .plan(let plan) = report else { return XCTFail("\(name): \(summary(report))") }
            XCTAssertEqual(plan.parameterCount, 3)
            XCTAssertEqual(plan.columnCount, 2)
            let values: [StorageValue] = [.null, .integer(15), .text("Ann")]
            XCTAssertEqual(
                try connection.run(plan.sql, values),
                [
                    [.text("Bob"), .text("Blues"), .integer(6), .integer(2), .integer(30)],
                    [.text("Cid"), .text("Blues"), .integer(7), .integer(2), .integer(20)],
                    [.text("Ann"), .text("Reds"), .integer(5), .integer(1), .integer(10)],
                ], name)
            let ofTeam = try XCTUnwrap(plan.sources[1].rowSQL)
            XCTAssertFalse(ofTeam.contains("INDEXED") || ofTeam.contains("CROSS"), ofTeam)
            XCTAssertEqual(try connection.run(ofTeam, values + [.integer(2)]).count, 2, name)
            let ofPlayer = try XCTUnwrap(plan.sources[0].rowSQL)
            XCTAssertEqual(
                try connection.run(ofPlayer, values + [.integer(7)]).map { $0[0] }, [.text("Cid")], name)
        }
    }

    func testTheLookUpBeginsWithTheRow() throws {
        try onEachConnection { connection, name in
            let sql =
                "SELECT p.name FROM player p JOIN team t ON t.id = p.team WHERE p.score > 1 OR t.name = 'x'"
            let report = try connection.withStatement(sql) { $0.listPlan }
            guard case .plan(let plan) = report else { return XCTFail(summary(report)) }
            let row = try XCTUnwrap(plan.sources[0].rowSQL)
            let steps = try connection.run("EXPLAIN QUERY PLAN " + row, [.integer(1)])
            let first = steps.first?.last
            guard case .text(let step)? = first else { return XCTFail("\(steps)") }
            XCTAssertTrue(step.contains("INTEGER PRIMARY KEY (rowid=?)"), "\(name): \(step)")
        }
    }
}
