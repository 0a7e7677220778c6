#if PostgreSQL
    import Foundation
    import Synchronization
    import VigilStorage
    import VigilTestSupport
    import XCTest

    @testable import VigilPostgres

    /// The rows reported by a feed with a stream.
    final class StreamedRowTests: FeedTestCase {
        private func check(_ definitions: String, _ steps: [(sql: String, rows: [String])]) throws {
            let writer = try connect()
            try writer.execute(definitions)
            let receiver = FeedReceiver()
            _ = try startPrecise(receiver)
            for (sql, rows) in steps {
                receiver.waitForState(.precise)
                receiver.forget()
                try writer.execute("BEGIN; \(sql); INSERT INTO probe VALUES (1); COMMIT")
                receiver.waitForChange(of: "probe")
                let reported = receiver.rows.filter { !$0.hasPrefix("insert probe") }
                XCTAssertEqual(reported.sorted(), rows.sorted(), sql)
            }
        }

        /// The oracle's table: what each identity makes known of the values before a change.
        func testTheIdentityDecidesWhatIsKnown() throws {
            try check(
                """
                CREATE TABLE probe (id int);
                CREATE TABLE plain (id int PRIMARY KEY, team int NOT NULL, body text);
                CREATE TABLE whole (id int PRIMARY KEY, team int NOT NULL, body text);
                CREATE TABLE indexed (id int PRIMARY KEY, team int NOT NULL, body text, UNIQUE (team));
                ALTER TABLE whole REPLICA IDENTITY FULL; ALTER TABLE indexed REPLICA IDENTITY USING INDEX indexed_team_key;
                ALTER TABLE plain ALTER body SET STORAGE EXTERNAL; ALTER TABLE whole ALTER body SET STORAGE EXTERNAL;
                CREATE TABLE nothing (id int PRIMARY KEY, a int); ALTER TABLE nothing REPLICA IDENTITY NOTHING;
                CREATE PUBLICATION vigil FOR TABLE plain, whole, indexed, nothing, probe
                """,
                [
                    (
                        "INSERT INTO plain VALUES (1, 5, NULL); INSERT INTO nothing VALUES (1, 2)",
                        ["insert plain [1]: id 1, team 5, body NULL", "insert nothing [1]: id 1, a 2"]
                    ),
                    ("UPDATE plain SET team = 6", ["update plain [1]: id 1, team ?→6, body ?→NULL"]),
                    (
                        "UPDATE plain SET body = repeat('x', 3000)",
                        ["update plain [1]: id 1, team ?→6, body ?→'\(String(repeating: "x", count: 3_000))'"]
                    ),
                    // A large value that was not changed is not sent.
                    ("UPDATE plain SET team = 7", ["update plain [1]: id 1, team ?→7, body ?="]),
                    ("UPDATE plain SET id = 2", ["update plain [1→2]: id 1→2, team ?→7, body ?="]),
                    ("DELETE FROM plain", ["delete plain [2]: id 2, team ?, body ?"]),
                    (
                        "INSERT INTO whole VALUES (1, 5, repeat('x', 3000))",
                        ["insert whole [1]: id 1, team 5, body '\(String(repeating: "x", count: 3_000))'"]
                    ),
                    (
                        "UPDATE whole SET team = 6",
                        ["update whole [1]: id 1, team 5→6, body '\(String(repeating: "x", count: 3_000))'"]
                    ),
                    (
                        "UPDATE whole SET id = 2, body = repeat('x', 5000)",
                        [
                            "update whole [1→2]: id 1→2, team 6, body "
                                + "'\(String(repeating: "x", count: 3_000))'→?"
                        ]
                    ),
                    ("UPDATE whole SET team = 8", ["update whole [2]: id 2, team 6→8, body ?="]),
                    ("DELETE FROM whole", ["delete whole [2]: id 2, team 8, body ?"]),
                    (
                        "INSERT INTO indexed VALUES (1, 5, 'x')",
                        ["insert indexed [1]: id 1, team 5, body 'x'"]
                    ),
                    // The primary key may have changed.
                    ("UPDATE indexed SET body = 'y'", ["update indexed [?→1]: id ?→1, team 5, body ?→'y'"]),
                    ("UPDATE indexed SET team = 6", ["update indexed [?→1]: id ?→1, team 5→6, body ?→'y'"]),
                    ("DELETE FROM indexed", ["delete indexed [?]: id ?, team 6, body ?"]),
                ])
        }

        func testRowsOfPartitionsBelongToAllTablesAbove() throws {
            try check(
                """
                CREATE TABLE probe (id int); CREATE TABLE keyed (a text, b int, c int, PRIMARY KEY (b, a));
                CREATE TABLE p (id int, k int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
                CREATE TABLE p1 (k int NOT NULL, x int, id int NOT NULL, PRIMARY KEY (id, k)); ALTER TABLE p1 DROP COLUMN x;
                ALTER TABLE p ATTACH PARTITION p1 FOR VALUES IN (1); CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
                CREATE TABLE base (id int PRIMARY KEY); CREATE TABLE child (other int PRIMARY KEY) INHERITS (base);
                CREATE TABLE g (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a + 1) STORED);
                CREATE TABLE h (id int PRIMARY KEY, a int, "B" int, b int GENERATED ALWAYS AS (a + 1) STORED);
                ALTER TABLE h REPLICA IDENTITY FULL;
                CREATE PUBLICATION vigil FOR TABLE probe, keyed, p, base, child, g, h
                """,
                [
                    (
                        "INSERT INTO p VALUES (7, 1)",
                        ["insert p [7,1]: k 1, id 7", "insert p1 [7,1]: k 1, id 7"]
                    ),
                    (
                        "UPDATE p SET k = 2",
                        [
                            "delete p [7,1]: k 1, id 7", "delete p1 [7,1]: k 1, id 7",
                            "insert p [7,2]: id 7, k 2", "insert p2 [7,2]: id 7, k 2",
                        ]
                    ),
                    // The key of the child is another column.
                    (
                        "INSERT INTO child VALUES (3, 4)",
                        ["insert base [3]: id 3, other 4", "insert child [4]: id 3, other 4"]
                    ),
                    (
                        "UPDATE child SET id = 5",
                        ["update base [?→5]: id ?→5, other 4", "update child [4]: id ?→5, other 4"]
                    ),
                    ("INSERT INTO keyed VALUES ('x', 2, 3)", ["insert keyed [2,'x']: a 'x', b 2, c 3"]),
                    ("UPDATE keyed SET c = 4", ["update keyed [2,'x']: a 'x', b 2, c ?→4"]),
                    // The stream does not contain generated columns, which an update computes again.
                    ("INSERT INTO g VALUES (1, 2)", ["insert g [1]: id 1, a 2, b ?"]),
                    ("UPDATE g SET a = 2", ["update g [1]: id 1, a ?→2, b ?"]),
                    ("INSERT INTO h VALUES (1, 2, 3)", ["insert h [1]: id 1, a 2, B 3, b ?"]),
                    ("UPDATE h SET a = 3", ["update h [1]: id 1, a 2→3, B 3, b ?"]),
                    ("TRUNCATE probe", []),
                ])
        }

        /// The settings of roles and databases do not change the spelling of values.
        func testValuesHaveOneSpelling() throws {
            let writer = try connect()
            for setting in [
                "DateStyle = 'German'", "TimeZone = 'Asia/Kathmandu'", "bytea_output = 'escape'",
                "extra_float_digits = 0", "IntervalStyle = 'iso_8601'",
            ] { try writer.execute("ALTER DATABASE \(database) SET \(setting)") }
            try check(
                """
                CREATE TYPE mood AS ENUM ('sad');
                CREATE TABLE probe (id int);
                CREATE TABLE v (id uuid PRIMARY KEY, b bool, o oid, d date, ts timestamp, tz timestamptz, y bytea, m mood,
                    n numeric, f float8, a int[], j jsonb);
                CREATE PUBLICATION vigil FOR TABLE probe, v
                """,
                [
                    (
                        """
                        INSERT INTO v VALUES ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', true, 4294967295, '2000-01-02',
                            '2000-01-01 00:00:01', '2000-01-01 00:00:02+00', '\\x00ff41', 'sad', 1.50, 'NaN', '{1,2}', '{}')
                        """,
                        [
                            "insert v ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']: id 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', "
                                + "b 1, o 4294967295, d 1, ts 1000000, tz 2000000, y 3 bytes, m 'sad', n '1.50', f 'NaN', "
                                + "a '{1,2}', j '{}'"
                        ]
                    )
                ])
        }

        /// The server writes names of functions without arguments, and XML without its declaration.
        func testEqualTextsOfDifferentValuesAreUnknown() throws {
            let body = "<a>\(String(repeating: "x", count: 5_000))</a>"
            try check(
                """
                CREATE TABLE probe (id int); CREATE TABLE hook (id int PRIMARY KEY, f regproc, x xml);
                ALTER TABLE hook REPLICA IDENTITY FULL; CREATE PUBLICATION vigil FOR TABLE probe, hook
                """,
                [
                    (
                        "INSERT INTO hook VALUES (1, 'abs(int4)'::regprocedure, '<?xml version=\"1.0\"?><a/>')",
                        ["insert hook [1]: id 1, f ?, x ?"]
                    ),
                    (
                        "UPDATE hook SET f = 'abs(float8)'::regprocedure, x = '<a/>'",
                        ["update hook [1]: id 1, f ?, x ?"]
                    ),
                    (
                        "UPDATE hook SET x = '<?xml version=\"1.0\"?>\(body)'",
                        ["update hook [1]: id 1, f ?, x ?"]
                    ),
                    ("UPDATE hook SET x = '\(body)'", ["update hook [1]: id 1, f ?, x ?"]),
                ])
        }

        func testALargeTransactionIsReportedByTable() throws {
            let writer = try connect()
            try writer.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION vigil FOR TABLE t")
            let receiver = FeedReceiver()
            _ = try startPrecise(receiver)
            try writer.execute("INSERT INTO t SELECT generate_series(1, 20000)")
            receiver.waitForChange(of: "t")
            XCTAssertEqual(receiver.rows, [])
        }
    }
#endif
