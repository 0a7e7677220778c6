import VigilStorage
import VigilTestSupport
import XCTest

@testable import VigilPostgres

final class QueryReadsTests: ReadsTestCase {
    /// Queries, with the tables that they read.
    private static let shapes: [(sql: String, reads: String)] = [
        ("SELECT 1", ""), ("VALUES (1), (2)", ""), ("TABLE team", "team"), ("SELECT", ""),
        ("SELECT * FROM player", "player"), ("SELECT p FROM player p", "player"),
        ("SELECT FROM player", "player"), ("SELECT count(*) FROM player", "player"),
        ("SELECT name FROM player WHERE team = ?", "player"),
        ("SELECT name FROM player WHERE team = :team AND score > :score OR name = :name::text", "player"),
        ("SELECT name FROM player WHERE id = ANY (ARRAY[1, 2]) AND name LIKE '%{\\\\}%'", "player"),
        ("SELECT * FROM player JOIN team USING (id)", "player team"),
        ("SELECT * FROM player NATURAL JOIN team", "player team"),
        ("SELECT * FROM player p LEFT JOIN team t ON t.id = p.team AND false", "player team"),
        ("SELECT * FROM player, team WHERE false", "player team"),
        ("SELECT p.* FROM player p FULL JOIN team t ON t.id = p.team", "player team"),
        ("WITH t AS (SELECT * FROM team) SELECT * FROM player p, t WHERE t.id = p.team", "player team"),
        ("WITH t AS (SELECT * FROM team) SELECT * FROM player", "player team"),
        ("WITH t AS MATERIALIZED (SELECT * FROM team) SELECT * FROM t", "team"),
        ("WITH player AS (SELECT 1) SELECT * FROM player", ""),
        (
            "WITH RECURSIVE r AS (SELECT id FROM player UNION ALL SELECT id + 1 FROM r WHERE id < 3) SELECT * FROM r",
            "player"
        ),
        (
            "WITH RECURSIVE r AS (SELECT id FROM player UNION ALL SELECT id + 9 FROM r WHERE id < 9) CYCLE id SET c USING p SELECT * FROM r",
            "player"
        ),
        (
            "WITH RECURSIVE r AS (SELECT id FROM player UNION ALL SELECT id + 9 FROM r WHERE id < 9) SEARCH BREADTH FIRST BY id SET o SELECT * FROM r",
            "player"
        ),
        ("SELECT * FROM player p, LATERAL (SELECT * FROM team t WHERE t.id = p.team) x", "player team"),
        ("SELECT name FROM player UNION SELECT name FROM team", "player team"),
        (
            "SELECT id FROM player EXCEPT (SELECT id FROM team INTERSECT SELECT a FROM audit)",
            "audit player team"
        ),
        ("SELECT * FROM player WHERE EXISTS (SELECT FROM audit)", "audit player"),
        ("SELECT (SELECT max(a) FROM audit)", "audit"), ("SELECT ARRAY(SELECT id FROM team)", "team"),
        ("SELECT 1 WHERE (1, 2) IN (SELECT id, team FROM player)", "player"),
        ("SELECT 1 WHERE (1, 2) > (SELECT id, team FROM player LIMIT 1)", "player"),
        ("SELECT * FROM player WHERE id > ALL (SELECT id FROM team)", "player team"),
        ("SELECT CASE WHEN EXISTS (TABLE audit) THEN 1 ELSE (SELECT 2 FROM team LIMIT 1) END", "audit team"),
        (
            "SELECT COALESCE((SELECT a FROM audit), 1), GREATEST(1, (SELECT 1 FROM team LIMIT 1))",
            "audit team"
        ),
        (
            "SELECT id FROM player ORDER BY (SELECT a FROM audit), id LIMIT (SELECT 1 FROM team LIMIT 1)",
            "audit player team"
        ),
        (
            "SELECT team, sum(score) FROM player GROUP BY team HAVING sum(score) > (SELECT a FROM audit)",
            "audit player"
        ),
        (
            "SELECT team, count(*) FROM player GROUP BY GROUPING SETS ((team), ()) ORDER BY grouping(team)",
            "player"
        ),
        ("SELECT DISTINCT ON (team) * FROM player ORDER BY team, score DESC", "player"),
        ("SELECT sum(score) OVER (PARTITION BY team ORDER BY id) FROM player", "player"),
        (
            "SELECT sum(score) OVER w FROM player WINDOW w AS (ORDER BY score RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
            "player"
        ),
        ("SELECT count(*) FILTER (WHERE EXISTS (TABLE audit)) FROM player", "audit player"),
        ("SELECT string_agg(name, ',' ORDER BY id) FROM player", "player"),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY score) FROM player", "player"),
        ("SELECT jsonb_agg(p) FROM player p", "player"), ("SELECT row_to_json(p) FROM player p", "player"),
        ("SELECT json_build_object('n', name, 'r', random()) FROM player", "player"),
        ("SELECT * FROM jsonb_to_recordset('[{\"a\":1}]') AS x (a int)", ""),
        ("SELECT * FROM player, unnest(ARRAY[1, 2]) WITH ORDINALITY AS u (n, o)", "player"),
        ("SELECT * FROM ROWS FROM (generate_series(1, 3), unnest(ARRAY[1]))", ""),
        ("SELECT * FROM generate_series(1, (SELECT max(a) FROM audit))", "audit"),
        ("SELECT * FROM player TABLESAMPLE system (50)", "player ~"),
        (
            "SELECT * FROM player TABLESAMPLE bernoulli ((SELECT 50 FROM team LIMIT 1)) REPEATABLE (1)",
            "player team ~"
        ),
        ("SELECT * FROM XMLTABLE('/a' PASSING (xml '<a/>') COLUMNS x text PATH 'b')", ""),
        ("SELECT ctid, xmin, tableoid FROM player", "player ~"), ("SELECT (p).name FROM player p", "player"),
        ("SELECT score::text || name FROM player ORDER BY lower(name) COLLATE \"C\" LIMIT 3", "player"),
        ("SELECT now(), random(), upper('x'), current_user, current_date, version(), age(now())", ""),
        ("SELECT to_char(now(), 'YYYY'), date_trunc('day', now()), extract(year FROM now())", ""),
        ("SELECT to_tsvector('english', name) @@ to_tsquery('english', 'p1') FROM player", "player"),
        ("SELECT \"player\".\"name\" AS \"relid 99999\", '}{)(' AS \"a\\b\" FROM player -- )\n", "player"),
        (
            "SELECT NULLIF(a, 1), a IS DISTINCT FROM 2, a IS NULL, (a = 1) IS TRUE, NOT a = 1 FROM audit",
            "audit"
        ),
        ("SELECT (ARRAY[1, 2])[1], ROW(1, 2) = ROW(1, 3), ARRAY[1] || 2, '{1}'::int[] @> ARRAY[1]", ""),
        // Views, partitions, children.
        ("SELECT * FROM v1", "player team"), ("SELECT * FROM v2", "player team"),
        ("SELECT n FROM v3", "audit"),
        ("SELECT * FROM v2 JOIN v3 ON true", "audit player team"),
        ("SELECT * FROM part", "part"), ("SELECT * FROM part WHERE k = 3", "part"),
        ("SELECT * FROM part1", "part1"), ("SELECT * FROM part2", "part2"), ("SELECT * FROM base", "base"),
        ("SELECT * FROM ONLY base", "base"), ("SELECT * FROM derived", "derived"),
        // Functions.
        ("SELECT fsql()", "audit"), ("SELECT fnested()", "audit"), ("SELECT fdefault()", "audit"),
        ("SELECT freturn(id) FROM player", "player team"), ("SELECT * FROM frows()", "player"),
        ("SELECT * FROM player WHERE id === 3", "audit player"),
        ("SELECT agg(score) FROM player", "audit player"), ("SELECT plain(score) FROM player", "player"),
        ("SELECT agg(score) OVER (ORDER BY id) FROM player", "audit player"),
        ("SELECT p::pair FROM player p", "player team"),
        // Policies.
        ("SELECT * FROM doc", "doc secret"), ("SELECT * FROM docs", "doc secret"),
        ("SELECT id FROM versioned", "versioned ~"), ("SELECT id FROM placed", "placed"),
        // Not reported.
        ("SELECT * FROM draft", "draft ~"), ("SELECT * FROM mv", "~"),
        ("SELECT last_value FROM counter", "~"),
        ("SELECT ftext()", "~"), ("SELECT fpl(), name FROM team", "team ~"), ("SELECT flies()", "~"),
        ("SELECT currval('counter')", "~"), ("SELECT relname FROM pg_class", "~"),
        ("SELECT query_to_xml('SELECT * FROM audit', true, true, '')", "~"),
        ("SELECT set_config('vigil.x', '1', true)", "~"), ("SELECT 'player'::regclass::oid > 0", ""),
        ("SELECT pg_relation_size('player') > 0", "~"), ("SELECT * FROM information_schema.tables", "~"),
        // Unknown.
        ("SELECT fwrites()", "?"),
        ("SELECT \(Array(repeating: "?::int", count: 101).joined(separator: " + "))", "?"),
    ]

    func testReadsOfQueriesContainAllLockedTables() throws {
        let connection = try open()
        XCTAssertGreaterThanOrEqual(Self.shapes.count, 75)
        for (sql, expected) in Self.shapes {
            let (analysis, locked) = try analyse(sql, on: connection)
            XCTAssertEqual(analysis.summary, expected, "\(sql)\n\(analysis)")
            XCTAssertEqual(missing(analysis, locked), [], sql)
        }
    }

    func testReadsOfRandomQueriesContainAllLockedTables() throws {
        var queries = RandomServerQuery(random: SeededRandom(seed: RandomTestSettings.seed))
        print("seed \(queries.random.seed)")
        let connection = try open()
        for round in 0..<RandomTestSettings.rounds(35) {
            let sql = queries.select(depth: 2)
            let (analysis, locked) = try analyse(sql, on: connection, version: 1 + round / 25)
            XCTAssertEqual(missing(analysis, locked), [], "\(sql)\n\(analysis)")
            XCTAssertNotEqual(analysis.summary, "?", "\(sql)\n\(analysis)")
        }
    }

    func testPartitionsAreChildrenOfTheNamedTable() throws {
        let (analysis, _) = try analyse("SELECT * FROM part", on: open())
        guard case .known(let reads) = analysis else { return XCTFail("\(analysis)") }
        XCTAssertEqual(Set(reads.children.map(\.name)), ["part1", "part2a"])
    }

    func testTheOrderOfRowsDependsOnAllColumnsUnlessThereIsOneRow() throws {
        let connection = try open()
        let feed = ReportedTables()
        let player = TableName(name: "player")
        feed.replace([player], mainSchema: connection.mainSchema, rowIDs: [player: "id"])
        let queries: [(sql: String, hasOneRow: Bool)] = [
            ("SELECT name FROM player", false), ("SELECT name FROM player WHERE team = 1", false),
            ("SELECT name FROM player WHERE id = ?", true),
            ("SELECT name FROM player WHERE 1 = id AND team > 2", true),
            ("SELECT name FROM player WHERE id IN (1, 2)", false),
            ("SELECT name FROM player WHERE id = ANY (?)", false),
            ("SELECT name FROM player WHERE id > 1", false),
            ("SELECT p.name FROM player p JOIN team t ON t.id = p.team WHERE p.id = 1", false),
            ("SELECT max(score) FROM player", true),
            ("SELECT max(score) FROM player GROUP BY team", false),
        ]
        for (sql, hasOneRow) in queries {
            guard case .known(let reads) = try analyse(sql, on: connection).analysis else {
                XCTFail("unknown: \(sql)")
                continue
            }
            let expected = hasOneRow ? [] : [TableRead(player, columns: nil)]
            XCTAssertEqual(reads.orderingReads(reportedBy: feed.state), expected, sql)
        }
    }

    func testFunctionsOfOtherLanguagesMayChangeTheSession() throws {
        let connection = try open()
        XCTAssertTrue(try analyse("SELECT fpl()", on: connection).analysis.mayChangeSession)
        XCTAssertTrue(
            try analyse("SELECT set_config('a.b', '', true)", on: connection).analysis.mayChangeSession)
        XCTAssertFalse(try analyse("SELECT fsql()", on: connection).analysis.mayChangeSession)
    }

    func testCheckOfDomainIsReadByAllQueries() throws {
        let connection = try open()
        try connection.execute("CREATE DOMAIN small AS int CHECK (value < 10 AND fsql() >= 0)")
        XCTAssertEqual(try analyse("SELECT id FROM team", on: connection).analysis.summary, "audit team")
    }

    func testLockedTableIsUnknownWithoutLongWait() throws {
        let (connection, other) = (try open(), try open())
        try connection.beginSnapshot()
        defer { try? connection.perform(.rollback) }
        let identity = try XCTUnwrap(connection.transaction.identity)
        try other.execute("BEGIN; LOCK TABLE team")
        let start = ContinuousClock.now
        for _ in 0..<20 {
            let analysis = analyst.reads(of: "SELECT * FROM team", types: [], identity: identity, version: 1)
            XCTAssertEqual(analysis.summary, "?")
        }
        XCTAssertLessThan(start.duration(to: .now), .seconds(1))
        try other.execute("ROLLBACK")
    }

    func testLockedTableIsUnknownWithoutLongWaitAfterALostSession() throws {
        let application = "analyst_\(schemaName)"
        let analyst = QueryAnalyst(address: "\(address)&application_name=\(application)")
        defer { analyst.close() }
        let (connection, other) = (try open(), try open())
        try connection.beginSnapshot()
        defer { try? connection.perform(.rollback) }
        let identity = try XCTUnwrap(connection.transaction.identity)
        func summary(_ sql: String) -> String {
            analyst.reads(of: sql, types: [PostgresType.int4], identity: identity, version: 1).summary
        }
        XCTAssertEqual(summary("SELECT $1 FROM player"), "player")
        try other.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = ?",
            [.text(application)])
        try other.execute("BEGIN; LOCK TABLE team")
        let start = ContinuousClock.now
        XCTAssertEqual(summary("SELECT $1 FROM team"), "?")
        XCTAssertLessThan(start.duration(to: .now), .seconds(2))
        try other.execute("ROLLBACK")
    }

    func testSessionsOfOtherRolesAndSearchPathsAreAnalysedApart() throws {
        let connection = try open()
        let (role, second) = ("r_\(schemaName)", "\(schemaName)_2")
        try connection.execute(
            """
            CREATE ROLE \(role); GRANT USAGE ON SCHEMA \(schemaName) TO \(role); GRANT SELECT ON team TO \(role);
            CREATE SCHEMA \(second); CREATE TABLE \(second).team (id int)
            """)
        defer {
            _ = try? connection.execute(
                "RESET ROLE; DROP SCHEMA \(second) CASCADE; DROP OWNED BY \(role); DROP ROLE \(role)")
        }
        func tables() throws -> Set<String> {
            guard case .known(let reads) = try analyse("SELECT * FROM team", on: connection).analysis else {
                return []
            }
            return Set(reads.tables.map(\.schema))
        }
        XCTAssertEqual(try tables(), [schemaName])
        try connection.execute("SET search_path = \(second), \(schemaName)")
        XCTAssertEqual(try tables(), [second])
        // The role may not use the first schema, so the server skips it.
        try connection.execute("SET ROLE \(role)")
        XCTAssertEqual(try tables(), [schemaName])
        XCTAssertEqual(try analyse("SELECT * FROM player", on: connection).analysis.summary, "player")
    }

    /// Roles are renamed without a change of rows, and the catalog's version has only the roles of readers.
    func testNamesOfRolesAreUnreported() throws {
        let connection = try open()
        for column in ["id::oid::regrole", "ARRAY[id::oid::regrole]", "'vigil=r/vigil'::aclitem"] {
            let (analysis, _) = try analyse("SELECT \(column) FROM team", on: connection)
            XCTAssertEqual(analysis.summary, "team ~", column)
        }
        XCTAssertEqual(try analyse("SELECT id::regtype FROM team", on: connection).analysis.summary, "team")
    }

    func testSessionWithTemporaryTablesIsUnknown() throws {
        let connection = try open()
        try connection.execute("CREATE TEMPORARY TABLE team (id int)")
        XCTAssertEqual(try analyse("SELECT * FROM team", on: connection).analysis.summary, "?")
    }

    func testSessionOfAnotherServerIsUnknown() throws {
        let connection = try open()
        try connection.beginSnapshot()
        var identity = try XCTUnwrap(connection.transaction.identity)
        identity.server = "another server"
        XCTAssertEqual(
            analyst.reads(of: "SELECT 1", types: [], identity: identity, version: 1),
            .unavailable(
                reason:
                    "the server could not analyse it: the session has another user, role, search path or server"
            ))
    }

    func testStandbyDoesNotAnalyse() throws {
        let standby = try Self.address("VIGIL_POSTGRES_STANDBY")
        let analyst = QueryAnalyst(address: standby)
        let connection = try PostgresConnection(standby)
        try connection.beginSnapshot()
        let identity = try XCTUnwrap(connection.transaction.identity)
        XCTAssertEqual(
            analyst.reads(of: "SELECT 1", types: [], identity: identity, version: 1),
            .unavailable(reason: "the server could not analyse it: a standby does not analyse queries"))
    }

    func testARoleThatReceivesThePrivilegeAnalysesWithTheNextVersion() throws {
        let admin = try open()
        let name = "vigil_\(schemaName)"
        try admin.execute("CREATE ROLE \(name) LOGIN")
        try admin.run("CREATE DATABASE \(name)")
        defer {
            _ = try? admin.run("DROP DATABASE \(name) WITH (FORCE)")
            _ = try? admin.run("DROP ROLE \(name)")
        }
        try admin.execute("REVOKE TEMPORARY ON DATABASE \(name) FROM PUBLIC")
        let server = "\(address)&dbname=\(name)&user=\(name)"
        let (analyst, connection) = (QueryAnalyst(address: server), try PostgresConnection(server))
        defer { analyst.close() }
        try connection.beginSnapshot()
        let identity = try XCTUnwrap(connection.transaction.identity)
        func summary(_ version: Int) -> String {
            analyst.reads(of: "SELECT 1", types: [], identity: identity, version: version).summary
        }
        XCTAssertEqual(summary(1), "?")
        try admin.execute("GRANT TEMPORARY ON DATABASE \(name) TO \(name)")
        XCTAssertEqual(summary(1), "?")
        XCTAssertEqual(summary(2), "")
    }

    func testRepeatedFailureWritesNothing() throws {
        let connection = try open()
        _ = try analyse("SELECT 1", on: connection)
        try connection.beginSnapshot()
        let identity = try XCTUnwrap(connection.transaction.identity)
        let other = try open()
        func nextTransaction() throws -> String? {
            try other.query("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")[0][0]
        }
        // Any session of the server may write in the meantime, such as autovacuum. A failure that writes
        // changes the number each time.
        for version in 2..<500 {
            let before = try nextTransaction()
            let analysis = analyst.reads(
                of: "SELECT * FROM missing", types: [], identity: identity, version: version)
            XCTAssertEqual(analysis.summary, "?")
            if try nextTransaction() == before { return }
        }
        XCTFail("each failure wrote")
    }
}
