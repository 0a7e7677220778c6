import VigilStorage
import XCTest

/// The shapes of statements for which conditions are recognized.
final class StatementShapeTests: RecognitionTestCase {
    func testClausesAfterAConditionDoNotChangeIt() throws {
        for ending in [
            "GROUP BY name", "GROUP BY name HAVING COUNT(*) > 1 OR score = 1", "ORDER BY score DESC",
            "LIMIT 5",
            "LIMIT 5 OFFSET 2", "GROUP BY name ORDER BY COUNT(*) LIMIT 1", ";", "-- end",
        ] {
            try assertFinds(
                "player: team = 5", in: "SELECT COUNT(*), name FROM player WHERE team = 5 \(ending)")
        }
        for results in [
            "*", "player.*", "DISTINCT name", "ALL name", "MAX(score)", "1", "team AS t", "'FROM', \"name\"",
        ] {
            try assertFinds("player: team = 5", in: "SELECT \(results) FROM player WHERE team = 5")
        }
        try assertFinds("player: team = 5", in: "SELECT * FROM player NOT INDEXED WHERE team = 5")
    }

    func testTablesAreRecognizedByAllTheirNames() throws {
        for name in [
            "player", "PLAYER", "main.player", "\"player\"", "[player]", "`player`", "'player'",
            "main.'player'",
        ] {
            try assertFinds("player: team = 5", in: "SELECT * FROM \(name) WHERE team = 5")
        }
        for name in ["player p", "player AS p", "player 'p'", "player AS [p]"] {
            try assertFinds("player: team = 5", in: "SELECT * FROM \(name) WHERE p.team = 5")
        }
        try assertFinds("temp.draft: team = 5", in: "SELECT * FROM draft WHERE team = 5")
        try assertFinds("temp.draft: team = 5", in: "SELECT * FROM temp.draft WHERE team = 5")
        try assertFinds("other.team: city = 'x'", in: "SELECT * FROM other.team WHERE city = 'x'")
        try assertFinds("team: name = 'x'", in: "SELECT * FROM team WHERE name = 'x'")
        try assertFinds(
            "team: name = 'x'", "other.team: name = 'y'",
            in: "SELECT * FROM team, other.team o WHERE main.team.name = 'x' AND o.name = 'y'")
    }

    func testATemporaryTableHidesOthers() throws {
        for (name, connection) in try connections() {
            try connection.run("CREATE TEMP TABLE player(team TEXT)")
            let tables = try connection.prepared("SELECT * FROM player WHERE team = 5").rowConditions.tables
            XCTAssertEqual(tables.map(\.table), [TableName(schema: "temp", name: "player")], name)
            XCTAssertEqual(tables.first?.alternatives.first?.first?.affinity, .text, name)
            try connection.run("DROP TABLE temp.player; CREATE TEMP VIEW player AS SELECT * FROM main.player")
            XCTAssertEqual(
                try connection.prepared("SELECT * FROM player WHERE team = 5").rowConditions.tables, [], name)
        }
    }

    func testInnerJoinsHaveTheConditionsOfBoth() throws {
        for join in ["JOIN", "INNER JOIN", "CROSS JOIN"] {
            try assertFinds(
                "player: team = 5 AND score > 1", "team: name = 'x'",
                in: """
                    SELECT * FROM player p \(join) team t ON t.id = p.team AND t.name = 'x' AND p.score > 1
                    WHERE p.team = 5
                    """)
        }
        try assertFinds("player: team = 5", in: "SELECT * FROM player, plain WHERE team = 5 AND a = b")
        try assertFinds(
            "plain: a = 1 | b = 2", in: "SELECT * FROM plain x, plain y WHERE x.a = 1 AND y.b = 2")
        try assertFinds(in: "SELECT * FROM plain x, plain y WHERE x.a = 1")
    }

    func testTheRightTableOfALeftJoinHasConditionsOnlyInItsOwnOn() throws {
        let join = "SELECT * FROM player p LEFT JOIN team t ON"
        try assertFinds("player: team = 5", in: "\(join) t.id = p.team WHERE p.team = 5")
        try assertFinds("team: name = 'x'", in: "\(join) t.id = p.team AND t.name = 'x' AND p.team = 5")
        try assertFinds(in: "\(join) t.id = p.team WHERE t.name = 'x'")
        try assertFinds(in: "\(join) t.id = p.team WHERE t.name IS NULL")
        try assertFinds(
            "plain: a = 1", "player: score = 2",
            in: "\(join) t.id = p.team JOIN plain ON plain.a = 1 AND p.score = 2 AND t.name = 'x'")
        try assertLeavesOut(
            ("t.name IS NULL", "the table is joined by a LEFT JOIN"),
            in: "SELECT * FROM player p LEFT JOIN team t ON t.id = 5 WHERE t.name IS NULL AND p.id = 5")
        try assertLeavesOut(
            ("p.team = 5", "the condition decides which rows a LEFT JOIN adds from another table"),
            in: "\(join) t.id = 5 AND p.team = 5 WHERE p.id = 5")
    }

    func testOtherJoinsHaveNoConditions() throws {
        for sql in [
            "player NATURAL JOIN team WHERE score = 5", "player JOIN team USING (id) WHERE score = 5",
            "(player JOIN team ON player.team = team.id) WHERE score = 5",
            "(SELECT * FROM player) WHERE score = 5", "best WHERE score = 5", "box WHERE low = 5",
        ] {
            try assertFinds(in: "SELECT * FROM \(sql)")
        }
        for (name, connection) in try connections() {
            for join in ["RIGHT", "FULL"] {
                // Old libraries support neither kind of join.
                let sql = "SELECT * FROM player p \(join) JOIN team t ON t.id = p.team WHERE p.team = 5"
                let preparation = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false)
                guard let statement = preparation?.statement else { continue }
                XCTAssertEqual(statement.rowConditions.tables, [], "\(name): \(sql)")
            }
        }
    }

    func testQueriesOfOtherShapesHaveNoConditions() throws {
        for sql in [
            "SELECT * FROM player WHERE team = 5 UNION SELECT * FROM player WHERE team = 6",
            "SELECT * FROM player WHERE team = 5 EXCEPT SELECT * FROM player",
            "WITH player AS (SELECT 1 AS team) SELECT * FROM player WHERE team = 5",
            "WITH x AS (SELECT * FROM player WHERE team = 5) SELECT * FROM x",
            "EXPLAIN SELECT * FROM player WHERE team = 5", "DELETE FROM player WHERE team = 5",
            "INSERT INTO plain SELECT id, name FROM player WHERE team = 5", "SELECT 5 AS a WHERE a = 5",
        ] {
            try assertFinds(in: sql)
        }
    }

    func testATableReadByASubqueryHasNoConditions() throws {
        for sql in [
            "SELECT (SELECT COUNT(*) FROM player) FROM player WHERE team = 5",
            "SELECT * FROM player WHERE team = 5 AND id IN (SELECT max(id) FROM 'player')",
            "SELECT * FROM player WHERE team = 5 AND EXISTS (SELECT 1 FROM best)",
            "SELECT * FROM player WHERE team = 5 AND EXISTS (SELECT 1 FROM box)",
            "SELECT * FROM player ORDER BY (SELECT max(score) FROM [player]), team = 5",
            "SELECT * FROM player, (SELECT max(score) AS m FROM player) WHERE team = 5 AND score = m",
            "SELECT * FROM single WHERE a = 5 AND a IN single",
            "SELECT * FROM single WHERE a = 5 AND a IN main.single",
        ] {
            try assertFinds(in: sql)
        }
        try assertFinds(
            "player: team = 5",
            in: "SELECT (SELECT name FROM team t WHERE t.id = p.team) FROM player p WHERE p.team = 5")
        try assertFinds(
            "player: score = 5",
            in: "SELECT * FROM player WHERE score = 5 AND id IN (SELECT id FROM plain WHERE a = 7)")
    }

    func testColumnsAreNotConfused() throws {
        // A name first refers to a column of that name, and only then to a result column.
        try assertFinds("player: team = 5", in: "SELECT score AS team FROM player WHERE team = 5")
        try assertFinds(in: "SELECT score AS points FROM player WHERE points = 5")
        // An alias hides the name of the table.
        try assertFinds(
            "plain: a = 1", "player: rowid = 2",
            in: "SELECT * FROM plain player, player plain WHERE player.a = 1 AND plain.id = 2")
    }

    func testConditionsFollowTheSchema() throws {
        for (name, connection) in try connections() {
            let statement = try connection.prepared("SELECT * FROM plain WHERE a = '5'")
            func affinity() -> ColumnAffinity? {
                statement.rowConditions.tables.first?.alternatives.first?.first?.affinity
            }
            XCTAssertEqual(affinity(), ColumnAffinity.none, name)
            try connection.run("DROP TABLE plain; CREATE TABLE plain(a INTEGER)")
            XCTAssertFalse(try statement.step(), name)
            XCTAssertEqual(affinity(), .numeric, name)
            try connection.run("BEGIN; DROP TABLE plain; CREATE TABLE plain(a TEXT)")
            XCTAssertFalse(try statement.step(), name)
            XCTAssertEqual(affinity(), .text, name)
            try connection.run("ROLLBACK; BEGIN; DROP TABLE plain; CREATE TABLE plain(a REAL); COMMIT")
            XCTAssertFalse(try statement.step(), name)
            XCTAssertEqual(affinity(), .real, name)
        }
    }
}
