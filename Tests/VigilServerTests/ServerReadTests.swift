#if PostgreSQL
    import Vigil
    import XCTest

    /// Reads keep the settings that they make, and write nothing.
    final class ServerReadTests: ServerTestCase {
        private func settings(_ db: Database) throws -> [String?] {
            [
                try String.fetchOne(db, sql: "SHOW search_path"),
                try String.fetchOne(db, sql: "SELECT current_setting('app.tenant', true)"),
            ]
        }

        private func makeSettings(_ db: Database) throws {
            try db.execute(sql: "SET LOCAL search_path = pg_catalog")
            _ = try String.fetchOne(db, sql: "SELECT set_config('app.tenant', 'red', true)")
        }

        /// The server is asked to stop, which is an error of the statement.
        func testSettingsRemainAfterACursorThatIsNotReadToItsEnd() throws {
            try makePool().read { db in
                try makeSettings(db)
                let sql = "SELECT g, repeat('x', 100) FROM generate_series(1, 1000000) AS g"
                XCTAssertNotNil(try Row.fetchOne(db, sql: sql))
                XCTAssertEqual(try settings(db), ["pg_catalog", "red"])
            }
        }

        func testTheWritesOfAStatementThatIsNotReadToItsEndRemain() throws {
            let dbPool = try makePool()
            try dbPool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t (n INT);
                        CREATE FUNCTION mark(n INT) RETURNS INT LANGUAGE sql
                            AS 'INSERT INTO t VALUES (n) RETURNING n'
                        """)
            }
            try dbPool.writeWithoutTransaction { db in
                let sql = "SELECT mark(g) FROM generate_series(1, 20000) AS g"
                XCTAssertEqual(try Int.fetchOne(db, sql: sql), 1)
            }
            XCTAssertEqual(try dbPool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }, 20_000)
        }

        func testSettingsRemainAfterAnError() throws {
            try makePool().read { db in
                try makeSettings(db)
                XCTAssertThrowsError(try db.execute(sql: "SELECT * FROM missing"))
                XCTAssertEqual(try settings(db), ["pg_catalog", "red"])
                XCTAssertThrowsError(try db.execute(sql: "SELECT 1 / 0"))
                XCTAssertEqual(try settings(db), ["pg_catalog", "red"])
            }
        }

        /// The same reader serves other reads, and the fetches of observations.
        func testSettingsOfAReadEndWithTheRead() throws {
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            let dbPool = try makePool(configuration)
            let describe: (Database) throws -> [String] = { db in
                try ["search_path", "role", "app.tenant"].map { name in
                    let sql = "SELECT current_setting('\(name)', true)"
                    return try String.fetchOne(db, sql: sql) ?? ""
                }
            }
            let before = try dbPool.read(describe)
            for sql in [
                "SET search_path = pg_catalog", "SET ROLE pg_monitor", "SET SESSION app.tenant = 'red'",
                "SELECT set_config('app.tenant', 'red', false)",
            ] {
                try dbPool.read { db in
                    try db.execute(sql: sql)
                    XCTAssertNotEqual(try describe(db), before, sql)
                }
                XCTAssertEqual(try dbPool.read(describe), before, sql)
            }
        }

        func testAStatementThatIsPreparedAgainRunsWithTheSettingsOfItsRead() throws {
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            let (dbPool, other) = (try makePool(configuration), try makePool())
            let two = "\(schemaName)_two"
            defer {
                XCTAssertNoThrow(try other.write { db in try db.execute(sql: "DROP SCHEMA \(two) CASCADE") })
            }
            try other.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE item (name TEXT); INSERT INTO item VALUES ('one');
                        CREATE SCHEMA \(two); CREATE TABLE \(two).item (name TEXT);
                        INSERT INTO \(two).item VALUES ('two');
                        """)
            }
            let names: @Sendable (Database) throws -> [String] = { db in
                _ = try String.fetchOne(
                    db, sql: "SELECT set_config('search_path', ?, true)", arguments: [two])
                return try Row.fetchAll(db, sql: "SELECT * FROM item").map { $0["name"] }
            }
            XCTAssertEqual(try dbPool.read(names), ["two"])
            try other.write { db in try db.execute(sql: "ALTER TABLE \(two).item ADD x INT") }
            XCTAssertEqual(try dbPool.read(names), ["two"])
        }

        func testAnExplainedWriteIsAWrite() throws {
            let dbPool = try makePool()
            try dbPool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t (id INT); INSERT INTO t VALUES (1);
                        CREATE FUNCTION clear() RETURNS BIGINT LANGUAGE SQL AS $$ DELETE FROM t; SELECT 1 $$;
                        """)
            }
            let deletion = "EXPLAIN ANALYZE DELETE FROM t WHERE id IN (SELECT 1)"
            for sql in [deletion, "EXPLAIN ANALYZE SELECT clear()", "SELECT clear()"] {
                XCTAssertThrowsError(try dbPool.unsafeRead { db in try db.execute(sql: sql) }, sql)
            }
            XCTAssertThrowsError(
                try dbPool.writeWithoutTransaction { db in
                    try db.readOnly { try db.execute(sql: deletion) }
                })
            XCTAssertEqual(try dbPool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }, 1)
        }
    }
#endif
