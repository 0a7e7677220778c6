import VigilStorage
import VigilTestSupport
import XCTest

@testable import VigilPostgres

/// The conditions of queries on a server. Parameters are printed as `$1`.
final class QueryConditionsTests: ReadsTestCase {
    private static let kinds = """
        CREATE TYPE mood AS ENUM ('sad', 'it''s ok'); CREATE DOMAIN positive AS int CHECK (value > 0);
        CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE TABLE kinds (id int8 PRIMARY KEY, i2 int2, i4 int4, o oid, b bool, u uuid, t text, v varchar(9),
            c char(3), d date, ts timestamp, tz timestamptz, y bytea, m mood, n numeric, f float8, p positive,
            g int GENERATED ALWAYS AS (i4 + 1) STORED, cs text COLLATE folded, cc text COLLATE "C", j jsonb, a int[],
            "q x" int)
        """

    private func conditions(_ sql: String, _ connection: PostgresConnection) throws -> [String]? {
        guard case .known(let reads) = try analyse(sql, on: connection).analysis else { return nil }
        if reads.refusal != nil { return ["refused"] }
        return reads.conditions.sorted { $0.key.name < $1.key.name }.flatMap { table, tests in
            tests.map { "\(table.name) " + $0.text { "$\($0)" } }
        }
    }

    private func check(_ queries: [(sql: String, conditions: [String])], line: UInt = #line) throws {
        let connection = try open()
        try connection.run(Self.kinds)
        for (sql, expected) in queries {
            XCTAssertEqual(try conditions(sql, connection), expected, sql, line: line)
        }
    }

    func testComparisonsOfEachType() throws {
        var queries: [(String, [String])] = []
        let id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        let constants: [(column: String, constant: String, value: String, isOrdered: Bool)] = [
            ("id", "7", "7", true), ("id", "'7'::int2", "7", true), ("i2", "-7", "-7", true),
            ("i2", "7000000000", "7000000000", true), ("i4", "7", "7", true), ("o", "'7'", "7", true),
            ("o", "'4294967295'", "4294967295", true), ("b", "true", "1", true), ("b", "'f'", "0", true),
            ("u", "'\(id.uppercased())'", "'\(id)'", true), ("t", "'é{} \\ ()'", "'é{} \\ ()'", false),
            ("v", "'x'", "'x'", false), ("v", "'x'::text", "'x'", false), ("cc", "''", "''", false),
            ("y", #"'\x00ff'"#, "x'00ff'", true),
            ("m", "'it''s ok'", "'it''s ok'", false), (#""q x""#, "1", "1", true),
        ]
        for (column, constant, value, isOrdered) in constants {
            let name = column == #""q x""# ? "q x" : column
            let table = "SELECT 1 FROM kinds WHERE"
            queries.append(("\(table) \(column) = \(constant)", ["kinds \(name) = \(value)"]))
            queries.append(("\(table) \(constant) = \(column)", ["kinds \(name) = \(value)"]))
            queries.append(("\(table) \(column) <> \(constant)", []))
            queries.append(
                (
                    "\(table) \(column) IN (\(constant), \(constant))",
                    ["kinds \(name) IN (\(value), \(value))"]
                ))
            if !constant.contains("::") {
                queries.append(("\(table) \(column) = ?", ["kinds \(name) = $1"]))
                queries.append(
                    ("\(table) \(column) IN (?, \(constant))", ["kinds \(name) IN ($1, \(value))"]))
                queries.append(("\(table) \(column) = ANY (?)", ["kinds \(name) = ANY ($1)"]))
            }
            for (symbol, flipped) in [("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")] {
                let expected = isOrdered ? ["kinds \(name) \(symbol) \(value)"] : []
                queries.append(("\(table) \(column) \(symbol) \(constant)", expected))
                queries.append(("\(table) \(constant) \(flipped) \(column)", expected))
            }
        }
        // Times in the text of a query depend on the session.
        for column in ["d", "ts", "tz"] {
            queries += [
                ("SELECT 1 FROM kinds WHERE \(column) = '2026-11-27'", []),
                ("SELECT 1 FROM kinds WHERE \(column) IN (?, ?)", ["kinds \(column) IN ($1, $2)"]),
                (
                    "SELECT 1 FROM kinds WHERE \(column) BETWEEN ? AND ?",
                    ["kinds \(column) >= $1", "kinds \(column) <= $2"]
                ),
            ]
        }
        try check(queries)
    }

    func testOtherTypesAndSpellingsHaveNoConditions() throws {
        try check(
            [
                "c = 'x'", "n = 1", "f = 1", "p = 1", "g = 1", "cs = 'x'", "t = 'x' COLLATE folded",
                "j = '1'",
                "i4 = 1.5", "d = now()::timestamp", "ts = current_date", "t IN ('x' COLLATE folded)",
                "i4 <> 1", "NOT i4 = 1", "i4 = 1 OR i4 = 2", "i4 NOT IN (1, 2)", "i4 = id",
                "i4 <> ALL ('{1}')",
                "i4 IS DISTINCT FROM 1", "b IS NOT TRUE", "i4 = ANY ('{1,2}')", "g IS NULL", "kinds IS NULL",
                "ctid = '(0,1)'", "i4::int2 = 1", "i4 = 1::int2 + 1",
            ].map { ("SELECT 1 FROM kinds WHERE \($0)", Self.isRefused($0) ? ["refused"] : []) })
    }

    private static func isRefused(_ condition: String) -> Bool {
        ["::int2", "now()", "current_date", "ctid"].contains { condition.contains($0) }
    }

    func testShapes() throws {
        let team = "player team = 5"
        try check([
            (
                "SELECT * FROM player WHERE team = 5 AND name = 'x' AND score > 3",
                [team, "player name = 'x'", "player score > 3"]
            ),
            (
                "SELECT * FROM player WHERE score BETWEEN 1 AND ?",
                ["player score >= 1", "player score <= $1"]
            ),
            (
                "SELECT * FROM player WHERE team IS NULL AND (name IS NOT NULL AND score < 2)",
                ["player team IS NULL", "player name IS NOT NULL", "player score < 2"]
            ),
            ("SELECT * FROM kinds WHERE b AND NOT b", ["kinds b = 1", "kinds b = 0"]),
            ("SELECT * FROM player WHERE team = NULL::int AND name IS NULL", ["player name IS NULL"]),
            ("SELECT * FROM player WHERE team = 5 AND (name = 'x' OR score = 3)", [team]),
            (
                "SELECT sum(1 / score) FROM player WHERE team = 5 GROUP BY name ORDER BY 1 / count(*) LIMIT 2",
                [team]
            ),
            ("SELECT name FROM player WHERE team = 5 GROUP BY name HAVING sum(1 / score) > 1", [team]),
            ("SELECT team FROM player WHERE team = 5 GROUP BY team HAVING 1 / team > 0", ["refused"]),
            ("SELECT (SELECT 1 / a FROM audit) FROM player WHERE team = 5", [team]),
            ("SELECT * FROM player AS p (x, y) WHERE y = 5", [team]),
            ("SELECT * FROM ONLY player WHERE team = 5", [team]),
            ("SELECT * FROM part WHERE k = 3", ["part k = 3"]),
            (
                "SELECT * FROM player p JOIN team t ON t.id = p.team AND t.name = 'x' WHERE p.team = 5",
                [team, "team name = 'x'"]
            ),
            ("SELECT * FROM player p, team t WHERE t.id = p.team AND t.id = 5", ["team id = 5"]),
            (
                "SELECT * FROM player p LEFT JOIN team t ON t.id = p.team AND t.name = 'x' WHERE p.team = 5",
                [team]
            ),
            (
                "SELECT * FROM player p LEFT JOIN team t ON t.id = p.team AND p.score = 3 WHERE t.id IS NULL",
                []
            ),
            (
                "SELECT * FROM team t RIGHT JOIN player p ON t.id = p.team WHERE t.id = 3 AND p.team = 5",
                [team]
            ),
            ("SELECT * FROM team t FULL JOIN player p ON t.id = p.team WHERE t.id = 3 AND p.team = 5", []),
            (
                "SELECT * FROM (player JOIN audit ON a = id) LEFT JOIN team USING (name) WHERE player.team = 5 AND a = 1",
                ["audit a = 1", team]
            ),
            (
                "SELECT * FROM player JOIN team USING (name) WHERE team.id = 1 AND name = 'x'",
                ["player name = 'x'", "team id = 1"]
            ),
            ("SELECT * FROM kinds WHERE i4 IN (7::bool::int4, 1)", ["refused"]),
            (
                "SELECT * FROM kinds WHERE i2::int8 = 7 AND i2 IN (1, 2) AND i4 IN (1, 3000000000)",
                ["kinds i2 = 7", "kinds i2 IN (1, 2)", "kinds i4 IN (1, 3000000000)"]
            ),
            // A part that may fail for a row of another team.
            ("SELECT * FROM player WHERE team = 5 AND 1 / score > 0", ["refused"]),
            ("SELECT * FROM player WHERE team = 5 AND length(name) > 0", ["refused"]),
            ("SELECT * FROM player WHERE team = 5 AND name LIKE 'x%'", ["refused"]),
            ("SELECT * FROM player WHERE team = 5 AND EXISTS (SELECT 1 / a FROM audit)", ["refused"]),
            ("SELECT * FROM player WHERE team = 5 OR CASE WHEN score = 1 THEN true END", ["refused"]),
            ("SELECT * FROM player p LEFT JOIN team t ON 1 / p.score = t.id WHERE p.team = 5", ["refused"]),
            ("SELECT * FROM player, LATERAL (SELECT 1 / score AS x) s WHERE team = 5", ["refused"]),
            ("SELECT * FROM player, generate_series(1, score) WHERE team = 5", ["refused"]),
            ("SELECT * FROM player, generate_series(1, 2) WHERE team = 5", [team]),
            ("SELECT * FROM player, (SELECT 1 / a AS x FROM audit) s WHERE team = 5 AND x = 1", [team]),
            // A table that occurs twice.
            ("SELECT * FROM player p, player q WHERE p.team = 5 AND q.team = 5", []),
            ("SELECT *, (SELECT count(*) FROM player) FROM player WHERE team = 5", []),
            ("SELECT * FROM player, v1 WHERE player.team = 5", []),
            ("SELECT frows(), * FROM player WHERE team = 5", []),
            ("SELECT * FROM player TABLESAMPLE system (50) WHERE team = 5", []),
            ("SELECT * FROM player WHERE team = 5 UNION SELECT * FROM player WHERE team = 6", []),
            ("WITH p AS (SELECT * FROM player WHERE team = 5) SELECT * FROM p", []),
            ("SELECT * FROM v1 WHERE team = 'x'", []),
            // Policies for rows.
            ("SELECT * FROM doc WHERE id = 1", []),
        ])
    }

    func testColumnsOfTables() throws {
        let connection = try open()
        func columns(_ sql: String) throws -> String? {
            guard case .known(let reads) = try analyse(sql, on: connection).analysis else { return nil }
            let texts = reads.tables.sorted { $0.name < $1.name }.map { table in
                "\(table.name)(\(reads.columns[table].map { $0.sorted().joined(separator: ",") } ?? "*"))"
            }
            return texts.joined(separator: " ") + (reads.unreported.isEmpty ? "" : " ~")
        }
        let queries = [
            ("SELECT name FROM player WHERE team = 5 ORDER BY score", "player(name,score,team)"),
            ("SELECT count(*) FROM player", "player()"), ("SELECT FROM player", "player()"),
            ("SELECT * FROM team", "team(id,name)"), ("SELECT player FROM player", "player(*)"),
            ("SELECT p.id, p FROM player p", "player(*)"),
            ("SELECT row_to_json(p) FROM player p", "player(*)"),
            ("SELECT player.name FROM player JOIN team USING (id)", "player(id,name) team(id)"),
            ("SELECT team.id FROM player NATURAL JOIN team", "player(id,name) team(id,name)"),
            ("SELECT name FROM v1", "player(name,team) team(id,name)"),
            ("SELECT id, fsql(), (SELECT score FROM player LIMIT 1) FROM player", "audit() player(*)"),
            ("SELECT name FROM v1 LIMIT 1", "player(*) team(*)"),
            ("SELECT name FROM v2 OFFSET 1", "player(*) team(*)"),
            ("SELECT DISTINCT ON (team) name FROM v1", "player(*) team(*)"),
            ("SELECT name, (SELECT name FROM v1 LIMIT 1) FROM v1, audit", "audit(*) player(*) team(*)"),
            ("SELECT name, ffirst() FROM v1", "player(*) team(*)"),
            ("SELECT ffirst(), fsql(), freturn(1)", "audit() player(*) team(*)"),
            ("SELECT name FROM frows()", "player(id,name,score,team)"),
            ("SELECT name FROM frows() LIMIT 1", "player(*)"),
            ("SELECT fsql(), freturn(1) FROM player LIMIT 1", "audit() player(*) team(id)"),
            ("SELECT id FROM doc", "doc(*) secret(team,uid)"), ("SELECT v FROM part1", "part1(v)"),
            ("SELECT tableoid, id FROM player", "player(id)"),
            ("SELECT xmin, id FROM player", "player(id) ~"),
            ("SELECT id FROM player WHERE ctid IS NULL", "player(id) ~"),
            ("SELECT id FROM player TABLESAMPLE bernoulli ((SELECT a FROM audit))", "audit(a) player(*) ~"),
        ]
        for (sql, expected) in queries { XCTAssertEqual(try columns(sql), expected, sql) }
    }

    /// The dependencies of a view name the columns it reads, but for whole rows.
    func testColumnsContainThoseOfTheDependenciesOfAView() throws {
        var queries = RandomServerQuery(random: SeededRandom(seed: RandomTestSettings.seed))
        print("seed \(queries.random.seed)")
        let connection = try open()
        var count = 0
        for round in 0..<RandomTestSettings.rounds(30) {
            let sql = queries.select(depth: 2)
            guard case .known(let reads) = try analyse(sql, on: connection, version: 1 + round / 100).analysis
            else { continue }
            try connection.run("BEGIN; CREATE VIEW probe AS \(sql)")
            let rows = try connection.query(
                """
                SELECT c.relname, a.attname FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
                JOIN pg_class c ON c.oid = d.refobjid JOIN pg_attribute a ON attrelid = c.oid AND attnum = refobjsubid
                WHERE r.ev_class = 'probe'::regclass AND d.classid = 'pg_rewrite'::regclass AND refobjsubid > 0
                    AND c.relkind IN ('r', 'p') AND c.oid >= 16384
                """)
            try connection.run("ROLLBACK")
            for row in rows {
                let table = QueryReads.Table(schema: schemaName, name: row[0] ?? "")
                XCTAssertTrue(reads.tables.contains(table), "\(table) \(sql)")
                XCTAssertTrue(reads.columns[table]?.contains(row[1] ?? "") ?? true, "\(table) \(row) \(sql)")
                count += 1
            }
        }
        XCTAssertGreaterThan(count, 50)
    }
}
