import XCTest

@testable import VigilPostgres

final class CatalogVersionTests: ReadsTestCase {
    /// Changes of each kind of object that decides what a query reads.
    private static let changes = [
        "CREATE TABLE a_new (id int)", "DROP TABLE audit CASCADE", "ALTER TABLE team RENAME TO teams",
        "ALTER TABLE team ADD COLUMN x int", "ALTER TABLE team DROP COLUMN name CASCADE",
        "ALTER TABLE team RENAME COLUMN name TO title", "ALTER TABLE derived ALTER COLUMN b TYPE bigint",
        "ALTER TABLE base SET UNLOGGED", "ALTER TABLE secret SET SCHEMA pg_catalog",
        "REVOKE ALL ON team FROM PUBLIC, vigil", "REVOKE SELECT ON mv FROM CURRENT_USER",
        "GRANT SELECT ON mv TO PUBLIC",
        "CREATE OR REPLACE VIEW v3 AS SELECT count(*) AS n FROM team", "ALTER VIEW v1 SET (security_barrier)",
        "CREATE OR REPLACE FUNCTION fsql() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(*) FROM team; END",
        "ALTER FUNCTION fpl() IMMUTABLE", "CREATE FUNCTION fsql(text) RETURNS int LANGUAGE sql RETURN 1",
        "CREATE OR REPLACE AGGREGATE plain(int) (SFUNC = step, STYPE = int)",
        "ALTER TABLE doc DISABLE ROW LEVEL SECURITY", "DROP POLICY p ON doc",
        "ALTER POLICY p ON doc USING (true)", "CREATE POLICY q ON doc USING (true)",
        "ALTER TABLE team ENABLE ROW LEVEL SECURITY", "ALTER TABLE doc NO FORCE ROW LEVEL SECURITY",
        "CREATE TABLE part3 PARTITION OF part DEFAULT", "ALTER TABLE part DETACH PARTITION part1",
        "ALTER TABLE derived NO INHERIT base", "CREATE TABLE more () INHERITS (base)",
        "CREATE OPERATOR ==== (FUNCTION = same, LEFTARG = int, RIGHTARG = int)",
        "DROP OPERATOR === (int, int)",
        "CREATE DOMAIN d AS int CHECK (value > 0)", "CREATE TYPE e AS ENUM ('a')",
        "ALTER TYPE pair RENAME ATTRIBUTE b TO c", "ALTER TYPE pair ADD ATTRIBUTE c int",
        "ALTER TYPE pair DROP ATTRIBUTE b CASCADE", "ALTER TYPE pair RENAME TO couple",
        "DROP CAST (player AS pair)", "CREATE TYPE triple AS (a int)",
        "CREATE COLLATION c FROM \"C\"", "ALTER COLLATION plain RENAME TO c", "DROP COLLATION plain",
        "CREATE SCHEMA AUTHORIZATION CURRENT_USER",
        "CREATE ROLE vigil_temporary BYPASSRLS; ALTER TABLE doc OWNER TO vigil_temporary",
        "GRANT pg_monitor TO CURRENT_USER", "CREATE PUBLICATION vigil_temporary FOR TABLE team",
        "CREATE TEXT SEARCH CONFIGURATION c (COPY = english)", "ALTER TABLE team DROP CONSTRAINT team_pkey",
        "ALTER TABLE team REPLICA IDENTITY FULL",
        "DO $$ BEGIN EXECUTE 'REVOKE TEMPORARY ON DATABASE ' || current_database() || ' FROM PUBLIC'; END $$",
    ]

    /// Changes with their reversals.
    private static let reversedChanges = [
        "ALTER TABLE doc DISABLE ROW LEVEL SECURITY; ALTER TABLE doc ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE base SET UNLOGGED; ALTER TABLE base SET LOGGED",
        "ALTER TABLE team RENAME TO aside; ALTER TABLE aside RENAME TO team",
        "ALTER VIEW v1 SET (security_invoker); ALTER VIEW v1 RESET (security_invoker)",
    ]

    private static let others = [
        "INSERT INTO team VALUES (9, 'x')", "ANALYZE team",
        "CREATE TEMPORARY TABLE t (id int PRIMARY KEY)",
        "CREATE TEMPORARY VIEW t AS SELECT 1", "CREATE TYPE pg_temp.t AS (a int)",
        "CREATE COLLATION pg_temp.c FROM \"C\"", "REFRESH MATERIALIZED VIEW mv",
        "COMMENT ON TABLE team IS 'x'", "SELECT nextval('counter')",
    ]

    /// Changes of roles that readers with the role of the session cannot have.
    private static let changesOfOtherRoles = [
        "CREATE ROLE vigil_temporary", "CREATE ROLE vigil_temporary IN ROLE pg_monitor",
        "CREATE ROLE vigil_temporary SUPERUSER", "CREATE ROLE vigil_temporary ROLE CURRENT_USER",
    ]

    func testEachChangeOfTheCatalogChangesTheVersion() throws {
        try checkVersions(changes: Self.changes, others: Self.others + Self.changesOfOtherRoles.dropLast())
        try checkVersions(changes: Array(Self.changesOfOtherRoles.suffix(1)), others: [])
    }

    func testAChangeAndItsReversalChangeTheVersion() throws {
        let aside = "\(schemaName)_aside"
        let schema = """
            ALTER SCHEMA \(schemaName) RENAME TO \(aside); ALTER SCHEMA \(aside) RENAME TO \(schemaName)
            """
        try checkVersions(changes: Self.reversedChanges + [schema], others: [])
    }

    func testEachChangeOfARoleChangesTheVersionForReadersWithOtherRoles() throws {
        try checkVersions(changes: Self.changesOfOtherRoles, others: Self.others, includesAllRoles: true)
    }

    func testARoleThatIsDroppedMeanwhileDoesNotChangeTheVersionOfASnapshot() throws {
        let (connection, feed, other) = (try open(), try open(), try open())
        let role = "\(schemaName)_role"
        try connection.run(
            """
            CREATE ROLE \(role);
            GRANT SELECT ON team, mv TO \(role);
            DO $$ BEGIN EXECUTE 'GRANT CREATE ON DATABASE ' || current_database() || ' TO \(role)'; END $$
            """)
        try feed.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        let snapshot = try XCTUnwrap(try feed.query("SELECT pg_export_snapshot()").first?[0])
        let before = try feed.catalogVersion(includesAllRoles: false)
        try connection.run("DROP OWNED BY \(role); DROP ROLE \(role)")
        XCTAssertNotEqual(try connection.catalogVersion(includesAllRoles: false), before)
        try other.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try other.run("SET TRANSACTION SNAPSHOT '\(snapshot)'")
        XCTAssertEqual(try other.catalogVersion(includesAllRoles: false), before)
        try other.run("ROLLBACK")
        try feed.run("ROLLBACK")
    }

    /// Checks that statements, each undone before the next, change the version or leave it.
    private func checkVersions(changes: [String], others: [String], includesAllRoles: Bool = false) throws {
        let (connection, feed) = (try open(), try open())
        for sql in changes + others {
            // Both see the same roles, which other tests may create and drop in the meantime.
            try feed.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
            let snapshot = try XCTUnwrap(try feed.query("SELECT pg_export_snapshot()").first?[0])
            try feed.run("SET search_path = pg_catalog")
            let before = try feed.catalogVersion(includesAllRoles: includesAllRoles)
            try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try connection.run("SET TRANSACTION SNAPSHOT '\(snapshot)'")
            XCTAssertEqual(try connection.catalogVersion(includesAllRoles: includesAllRoles), before)
            try connection.run(sql)
            // Inside of the transaction, which is then undone.
            let after = try connection.catalogVersion(includesAllRoles: includesAllRoles)
            if others.contains(sql) {
                XCTAssertEqual(after, before, sql)
            } else {
                XCTAssertNotEqual(after, before, sql)
            }
            try connection.run("ROLLBACK")
            try feed.run("ROLLBACK")
        }
    }
}
