import Vigil
import XCTest

@testable import vigil_tool

final class ExplainTests: ToolTestCase {
    private func explain(_ arguments: String...) throws -> String {
        let ending = try ToolProcess.run(["explain", path] + arguments)
        XCTAssertEqual(ending.status, 0)
        XCTAssertEqual(ending.error, "")
        // The lines about lists have a test of their own.
        return ending.output.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("list: ") && !$0.hasPrefix("result: ") }.joined(separator: "\n")
    }

    private func list(_ sql: String) throws -> String? { try line("list: ", of: sql) }

    private func line(_ prefix: String, of sql: String) throws -> String? {
        let ending = try ToolProcess.run(["explain", path, sql])
        return ending.output.split(separator: "\n").first { $0.hasPrefix(prefix) }.map(String.init)
    }

    func testResultsOfGroupsAreDescribed() throws {
        try makeDatabase()
        XCTAssertEqual(
            try line("result: ", of: "SELECT name, COUNT(*), SUM(score) FROM player GROUP BY name"),
            "result: groups, row by row for player; kept: COUNT(*), SUM")
        XCTAssertEqual(
            try line("result: ", of: "SELECT MAX(score) FROM player"),
            "result: one row, row by row for player; kept: MAX")
        XCTAssertEqual(
            try line("result: ", of: "SELECT group_concat(name) FROM player"),
            "result: fetched as a whole (it has the aggregate group_concat)")
        XCTAssertNil(try line("result: ", of: "SELECT name FROM player NATURAL JOIN player AS other"))
    }

    func testListsAreDescribed() throws {
        try makeDatabase()
        XCTAssertEqual(
            try list("SELECT name FROM player ORDER BY score DESC"),
            "list: row by row for player; order: score descending, row id descending")
        XCTAssertEqual(
            try list("SELECT name FROM player"), "list: row by row for player; order: row id ascending")
        XCTAssertEqual(
            try list("SELECT p.name FROM player p LEFT JOIN team t ON t.name = p.name ORDER BY p.name"),
            "list: row by row for player; by the values of team.name; "
                + "order: p.name ascending, row id ascending")
        XCTAssertEqual(
            try list("SELECT p.name FROM player p LEFT JOIN team t ON t.name > p.name ORDER BY p.name"),
            "list: row by row for player; fetched as a whole after changes of team (right of a LEFT JOIN); "
                + "order: p.name ascending, row id ascending")
        XCTAssertEqual(
            try list("SELECT name FROM player ORDER BY score LIMIT 10 OFFSET 2"),
            "list: row by row for player; window: 10 rows behind 2; order: score ascending, row id ascending")
        XCTAssertEqual(
            try list("SELECT name FROM player LIMIT 5, 300 + 1"),
            "list: fetched as a whole (its LIMIT or OFFSET is an expression)")
        XCTAssertEqual(
            try list("SELECT name FROM player GROUP BY name"),
            "list: fetched as a whole (it has GROUP BY or HAVING)")
    }

    func testKeptRowsArePrinted() throws {
        let dbQueue = try makeDatabase()
        let sql = "SELECT name FROM player WHERE score > 4 ORDER BY score DESC LIMIT 10"
        XCTAssertEqual(try line("result: ", of: sql), "result: rows, row by row for player")
        XCTAssertTrue(try explain(sql, "--json").hasSuffix("\"groups\":{\"rowByRow\":[\"player\"]}}\n"))
        // The index decides about rows with equal scores.
        try write(dbQueue, "CREATE INDEX byScore ON player(score)")
        XCTAssertNil(try line("result: ", of: sql))
    }

    func testRegionsArePrintedAsJSON() throws {
        try makeDatabase()
        XCTAssertEqual(
            try explain("SELECT max(Score) FROM PLAYER", "--json"),
            #"{"region":"player(score)","tables":[{"schema":"main","name":"player","columns":["score"],"rows":"all","predicates":[],"bound":"score >= …"}],"leftOut":[],"list":{"reason":"it has the aggregate max"},"groups":{"rowByRow":["player"],"kept":["MAX"]}}"#
                + "\n")
        XCTAssertEqual(
            try explain("SELECT 1", "--json"),
            #"{"region":"empty","tables":[],"leftOut":[],"list":{"reason":"the statement has no tables"}}"#
                + "\n")
    }

    func testRegionsArePrintedAsText() throws {
        let dbQueue = try makeDatabase()
        try write(dbQueue, "CREATE VIEW best AS SELECT name FROM player WHERE score > 30")
        XCTAssertEqual(
            try explain("SELECT best.name, (SELECT COUNT(*) FROM team) FROM best WHERE name <> ?", "Ada"),
            """
            player: columns name, score; all rows
            team: all columns; all rows
            region: player(name,score),team(*)
            left out: SELECT best.name, (SELECT COUNT(*) FROM team) FROM best WHERE name <> ? (best is not an ordinary table)
            left out: score > 30 (a condition of the view best)

            """)
    }

    func testConditionsOfViewsAreLeftOut() throws {
        let dbQueue = try makeDatabase()
        try write(
            dbQueue,
            """
            CREATE VIEW good AS
                SELECT p.name FROM player p JOIN team t ON t.name = p.name WHERE score > 30 GROUP BY 1 HAVING 1;
            CREATE VIEW best AS SELECT * FROM good, (SELECT 1 WHERE (1 IN (SELECT 2 WHERE 3)) ORDER BY 1);
            """)
        XCTAssertEqual(
            try explain("SELECT name FROM \"Best\""),
            """
            player: columns name, score; all rows
            team: column name; all rows
            region: player(name,score),team(name)
            left out: (1 IN (SELECT 2 WHERE 3)) (a condition of the view best)
            left out: t.name = p.name (a condition of the view good)
            left out: score > 30 (a condition of the view good)
            left out: 1 (a condition of the view good)

            """.replacingOccurrences(of: "the view best", with: "the view Best"))
    }

    func testConditionsOfCommonTablesAreLeftOut() throws {
        try makeDatabase()
        let sql = """
            WITH RECURSIVE a(x) AS (SELECT name FROM player WHERE score > 30), b AS (SELECT 1 FROM team WHERE name = 'x')
            SELECT x FROM a, b WHERE x <> ''
            """
        XCTAssertEqual(
            try explain(sql),
            """
            player: columns name, score; all rows
            team: column name; all rows
            region: player(name,score),team(name)
            left out: \(sql.split(separator: "\n").joined(separator: "\\n")) (only a plain SELECT has conditions)
            left out: score > 30 (a condition of the common table a)
            left out: name = 'x' (a condition of the common table b)

            """)
    }

    func testCommonTablesHideViews() throws {
        let dbQueue = try makeDatabase()
        try write(dbQueue, "CREATE VIEW best AS SELECT name FROM player WHERE score > 30")
        let text = try explain("WITH best AS (SELECT name FROM team) SELECT * FROM best")
        XCTAssertFalse(text.contains("left out"), text)
    }

    func testConditionsOnRowsArePrinted() throws {
        try makeDatabase()
        let sql = """
            SELECT name FROM player WHERE score >= ? AND name IN ('Ada', :other) AND lower(name) = 'ada'
            """
        XCTAssertEqual(
            try explain(sql, "40", "Eve"),
            """
            player: columns name, score; rows where score >= 40 AND name IN ('Ada', 'Eve')
            region: player(name,score)
            left out: lower(name) = 'ada' (not a comparison between a column and a constant)

            """)
        XCTAssertEqual(
            try explain(sql, "40", "Eve", "--json"),
            #"{"region":"player(name,score)","tables":[{"schema":"main","name":"player","columns":["name","score"],"#
                + #""rows":"all","predicates":["score >= 40","name IN ('Ada', 'Eve')"]}],"#
                + #""leftOut":[{"text":"lower(name) = 'ada'","reason":"not a comparison between a column and a constant"}],"#
                + #""list":{"rowByRow":["player"],"watched":[],"order":["row id ascending"]},"#
                + #""groups":{"rowByRow":["player"]}}"#
                + "\n")
    }

    func testConditionsAreLeftOutIfTheQueryMayFail() throws {
        try makeDatabase()
        XCTAssertEqual(
            try explain("SELECT name FROM player WHERE score > 40 AND abs(score) < 90"),
            """
            player: columns name, score; all rows
            region: player(name,score)
            left out: abs(score) < 90 (not a comparison between a column and a constant)
            left out: score > 40 (abs() may fail for rows that do not meet the condition)

            """)
    }

    func testPatternsArePrintedAsConditions() throws {
        let dbQueue = try makeDatabase()
        // The pragma returns no rows in libraries that do not support it.
        let isListed = try dbQueue.read { db in try Row.fetchOne(db, sql: "PRAGMA function_list") != nil }
        try XCTSkipUnless(isListed, "the library does not report its patterns")
        XCTAssertEqual(
            try explain("SELECT name FROM player WHERE name LIKE ? AND name GLOB 'A*'", "a%"),
            """
            player: column name; rows where name LIKE 'a%' AND name GLOB 'A*'
            region: player(name)

            """)
    }

    func testConditionsOfRepeatedTablesAreAlternatives() throws {
        try makeDatabase()
        XCTAssertEqual(
            try explain("SELECT 1 FROM team a, team b WHERE a.name = 'x' AND b.name IS NULL"),
            """
            team: column name; rows where name = 'x' OR name IS NULL
            region: team(name)

            """)
    }

    func testAlternativesArePrinted() throws {
        try makeDatabase()
        XCTAssertEqual(
            try explain(
                "SELECT score FROM player WHERE name = 'x' AND score > 3 OR name IS NULL OR name = 'y'"),
            """
            player: columns name, score; rows where name = 'x' AND score > 3 OR name IS NULL OR name = 'y'
            region: player(name,score)

            """)
        let alternatives = (1...65).map { "score > \($0)" }.joined(separator: " OR ")
        XCTAssertEqual(
            try explain("SELECT score FROM player WHERE \(alternatives)"),
            """
            player: column score; all rows
            region: player(score)
            left out: \(alternatives) (it has more than 64 alternatives)

            """)
    }

    func testUncertainComparisonIsLeftOut() throws {
        try makeDatabase()
        XCTAssertEqual(
            try explain("SELECT score FROM player WHERE name = ?", "2.5"),
            """
            player: columns name, score; all rows
            region: player(name,score)
            left out: name = 2.5 (how these values compare is not certain)

            """)
    }

    func testRowFullAndEmptyRegionsArePrinted() {
        let rows = RegionReport(
            DatabaseRegion(
                table: TableName(schema: "b", name: "a\"b"), columns: ["z", "a"], rowIds: [10, 9]))
        XCTAssertEqual(rows.text, "b.a\"b: columns a, z; rows 9, 10\nregion: b.a\"b(a,z)[9,10]")
        XCTAssertEqual(
            rows.json,
            #"{"region":"b.a\"b(a,z)[9,10]","tables":[{"schema":"b","name":"a\"b","columns":["a","z"],"rows":[9,10],"predicates":[]}],"leftOut":[]}"#
        )
        let everything = RegionReport(.fullDatabase)
        XCTAssertEqual(
            everything.text, "everything: any change of the database counts\nregion: full database")
        XCTAssertEqual(everything.json, #"{"region":"full database","tables":"all","leftOut":[]}"#)
        XCTAssertEqual(
            RegionReport(DatabaseRegion()).text, "nothing: no change of the database counts\nregion: empty")
    }
}
