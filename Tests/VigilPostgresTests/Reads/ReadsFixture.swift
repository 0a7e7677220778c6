import VigilStorage
import XCTest

@testable import VigilPostgres

/// A test of the reads of queries, in a schema with one object of each kind that a query can read through.
class ReadsTestCase: PostgresTestCase {
    private(set) var analyst = QueryAnalyst(address: "")

    override func setUpWithError() throws {
        try super.setUpWithError()
        analyst = QueryAnalyst(address: address)
        let connection = try open()
        try connection.run(Self.objects)
        try connection.close()
    }

    override func tearDownWithError() throws {
        analyst.close()
        try super.tearDownWithError()
    }

    static let objects = """
        CREATE TABLE team (id int PRIMARY KEY, name text);
        CREATE TABLE player (id int PRIMARY KEY, team int, name text, score int);
        CREATE TABLE audit (a int); CREATE TABLE secret (uid text, team int);
        CREATE TABLE part (k int, v int) PARTITION BY RANGE (k);
        CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (0) TO (10);
        CREATE TABLE part2 PARTITION OF part FOR VALUES FROM (10) TO (20) PARTITION BY LIST (v);
        CREATE TABLE part2a PARTITION OF part2 DEFAULT;
        CREATE TABLE base (a int); CREATE TABLE derived (b int) INHERITS (base);
        CREATE UNLOGGED TABLE draft (a int); CREATE SEQUENCE counter; SELECT nextval('counter');
        CREATE VIEW v1 AS SELECT p.name, t.name AS team FROM player p JOIN team t ON t.id = p.team;
        CREATE VIEW v2 AS SELECT * FROM v1 WHERE team <> 'x';
        CREATE VIEW v3 AS SELECT * FROM (SELECT count(*) AS n FROM audit) t WHERE n >= 0;
        CREATE MATERIALIZED VIEW mv AS SELECT count(*) FROM player;
        CREATE FUNCTION fsql() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(*) FROM audit; END;
        CREATE FUNCTION fnested(int DEFAULT 1) RETURNS bigint LANGUAGE sql STABLE
            BEGIN ATOMIC SELECT 1; SELECT fsql() + $1; END;
        CREATE FUNCTION fdefault(a bigint DEFAULT fsql()) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN a;
        CREATE FUNCTION freturn(int) RETURNS bigint LANGUAGE sql STABLE
            RETURN (SELECT count(*) FROM team WHERE id = $1);
        CREATE FUNCTION frows() RETURNS SETOF player LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM player; END;
        CREATE FUNCTION ffirst() RETURNS text LANGUAGE sql STABLE
            BEGIN ATOMIC SELECT id FROM team; SELECT name FROM v1; END;
        CREATE FUNCTION fwrites() RETURNS int LANGUAGE sql
            BEGIN ATOMIC INSERT INTO audit VALUES (1); SELECT 1; END;
        CREATE FUNCTION ftext() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM audit';
        CREATE FUNCTION fpl() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
            BEGIN RETURN (SELECT count(*) FROM audit); END $$;
        CREATE FUNCTION flies() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
            BEGIN RETURN (SELECT count(*) FROM audit); END $$;
        CREATE FUNCTION same(int, int) RETURNS bool LANGUAGE sql STABLE
            BEGIN ATOMIC SELECT EXISTS (SELECT FROM audit WHERE a = $1 + $2); END;
        CREATE OPERATOR === (FUNCTION = same, LEFTARG = int, RIGHTARG = int);
        CREATE FUNCTION step(int, int) RETURNS int LANGUAGE sql STABLE
            BEGIN ATOMIC SELECT $1 + $2 + count(*)::int FROM audit; END;
        CREATE AGGREGATE agg(int) (SFUNC = step, STYPE = int); CREATE AGGREGATE plain(int) (SFUNC = int4pl, STYPE = int);
        CREATE TABLE doc (id int, team int); ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
        ALTER TABLE doc FORCE ROW LEVEL SECURITY;
        CREATE POLICY p ON doc USING (team IN (SELECT team FROM secret WHERE uid = current_user));
        CREATE VIEW docs AS SELECT * FROM doc;
        CREATE TABLE versioned (id int); ALTER TABLE versioned ENABLE ROW LEVEL SECURITY;
        CREATE POLICY p ON versioned USING (xmin::text <> '0');
        CREATE TABLE placed (id int); ALTER TABLE placed ENABLE ROW LEVEL SECURITY;
        CREATE POLICY p ON placed USING (tableoid > 0);
        CREATE COLLATION plain FROM "C"; CREATE TYPE pair AS (a int, b int);
        CREATE FUNCTION topair(player) RETURNS pair LANGUAGE sql STABLE
            BEGIN ATOMIC SELECT ROW($1.id, count(*)::int)::pair FROM team; END;
        CREATE CAST (player AS pair) WITH FUNCTION topair(player);
        INSERT INTO team SELECT i, 'Team' || i FROM generate_series(1, 3) i;
        INSERT INTO player SELECT i, i % 3, 'P' || i, i FROM generate_series(1, 9) i;
        INSERT INTO audit VALUES (1); INSERT INTO part SELECT i, i FROM generate_series(0, 19) i;
        INSERT INTO base VALUES (1); INSERT INTO derived VALUES (1, 2); INSERT INTO doc VALUES (1, 1);
        INSERT INTO secret VALUES (current_user, 1);
        """

    /// Returns the analysis of a query, and the tables that a run of the query locks: all that it reads.
    func analyse(_ sql: String, on connection: PostgresConnection, version: Int = 1) throws
        -> (analysis: QueryAnalysis, locked: Set<String>)
    {
        try connection.beginSnapshot()
        defer { try? connection.perform(.rollback) }
        let identity = try XCTUnwrap(connection.transaction.identity)
        let statement = try XCTUnwrap(connection.statement(sql) as? PostgresStatement)
        defer { statement.finalize() }
        let analysis = analyst.reads(
            of: statement.text.serverText, types: statement.preparation.parameterTypes, identity: identity,
            version: version)
        for index in 0..<statement.parameterCount { try statement.bind(.integer(1), at: index + 1) }
        do {
            while try statement.step() {}
        } catch {
            // Some statements fail in a transaction that only reads. They have locked what they read.
        }
        let rows = try connection.query(
            """
            SELECT DISTINCT relname FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = relation
            WHERE pid = pg_catalog.pg_backend_pid() AND relkind IN ('r', 'p', 'v', 'm', 'f')
            AND relnamespace = $1::pg_catalog.regnamespace
            """, [schemaName])
        return (analysis, Set(rows.compactMap { $0[0] }))
    }

    static let views: Set<String> = ["v1", "v2", "v3", "docs"]

    /// Returns the locked tables that are not among the reads, nor below them, nor views; none if the reads
    /// are unknown or not reported.
    func missing(_ analysis: QueryAnalysis, _ locked: Set<String>) -> Set<String> {
        guard case .known(let reads) = analysis, reads.unreported.isEmpty else { return [] }
        var known = Set(reads.tables.union(reads.children).map(\.name))
        if known.contains("part") { known.insert("part2") }
        return locked.subtracting(known).subtracting(Self.views)
    }
}

extension QueryAnalysis {
    /// The names of the tables, followed by ~ if something is not reported; ? if the reads are unknown.
    var summary: String {
        guard case .known(let reads) = self else { return "?" }
        return (reads.tables.map(\.name).sorted() + (reads.unreported.isEmpty ? [] : ["~"])).joined(
            separator: " ")
    }
}
