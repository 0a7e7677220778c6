import Foundation
import Vigil
import XCTest

/// Queries of databases on a PostgreSQL server.
final class ServerTests: XCTestCase {
    private let secret = "geheim-7"

    func testThePasswordOfAnUnreachableServerIsNotPrinted() throws {
        for address in [
            "postgres://u:\(secret)@localhost:1/shop", "postgresql://u@localhost:1/?password=\(secret)",
        ] {
            for arguments in [["watch", address, "SELECT 1"], ["explain", address, "SELECT 1"]] {
                let ending = try ToolProcess.run(arguments)
                XCTAssertEqual(ending.status, 1)
                XCTAssertFalse((ending.output + ending.error).contains(secret), ending.error)
                XCTAssertTrue(ending.error.hasPrefix("vigil: error: "), ending.error)
            }
        }
    }

    func testOnlyFilesAreEncrypted() throws {
        let address = "postgres://u:\(secret)@localhost:1/shop"
        for arguments in [
            ["watch", address, "SELECT 1", "--key-env", "HOME"],
            ["explain", address, "SELECT 1", "--compatibility", "3"],
            ["cipher", "check", address],
        ] {
            let ending = try ToolProcess.run(arguments)
            // The commands of encryption are errors of their own without the trait SQLCipher.
            XCTAssertNotEqual(ending.status, 0)
            XCTAssertFalse(ending.error.contains(secret), ending.error)
            guard arguments[0] != "cipher" else { continue }
            XCTAssertTrue(ending.error.contains("only files are encrypted"), ending.error)
        }
    }

    #if PostgreSQL
        /// Calls `body` with the address of a new schema, and a pool on it.
        private func withSchema(_ body: (String, DatabasePool) throws -> Void) throws {
            guard let server = ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] else {
                throw XCTSkip("VIGIL_POSTGRES is not set: eval \"$(Scripts/postgres start --standby)\"")
            }
            let schema = "tool_" + UUID().uuidString.lowercased().filter { $0 != "-" }
            let admin = try DatabasePool(server: server)
            try admin.write { db in try db.execute(sql: "CREATE SCHEMA \(schema)") }
            defer { try? admin.write { db in try db.execute(sql: "DROP SCHEMA \(schema) CASCADE") } }
            let address = "\(server)&options=-csearch_path%3D\(schema)"
            let dbPool = try DatabasePool(server: address)
            try dbPool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player (id INT PRIMARY KEY, name TEXT);
                        INSERT INTO player VALUES (1, 'Ada')
                        """)
            }
            try body(address, dbPool)
            try dbPool.close()
        }

        func testChangesAreWatched() throws {
            try withSchema { address, dbPool in
                let tool = try ToolProcess([
                    "watch", address, "SELECT id, name FROM player ORDER BY id", "--format", "json",
                    "--count", "3",
                ])
                XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"id":1,"name":"Ada"}]}"#)
                try dbPool.write { db in try db.execute(sql: "CREATE TABLE other (a INT)") }
                try dbPool.write { db in try db.execute(sql: "INSERT INTO player VALUES (2, 'Grace')") }
                XCTAssertEqual(
                    try tool.line(), #"{"n":1,"rows":[{"id":1,"name":"Ada"},{"id":2,"name":"Grace"}]}"#)
                try dbPool.write { db in try db.execute(sql: "DELETE FROM player WHERE id = 1") }
                XCTAssertEqual(try tool.line(), #"{"n":2,"rows":[{"id":2,"name":"Grace"}]}"#)
                XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
            }
        }

        func testTheWatchContinuesAfterItsSessionsEnd() throws {
            try withSchema { address, dbPool in
                let application = "tool_\(UUID().uuidString)"
                let tool = try ToolProcess([
                    "watch", "\(address)&application_name=\(application)", "SELECT COUNT(*) AS n FROM player",
                    "--format", "json", "--count", "2",
                ])
                XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"n":1}]}"#)
                try dbPool.write { db in
                    let ended = try Bool.fetchAll(
                        db,
                        sql:
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?",
                        arguments: [application])
                    XCTAssertGreaterThan(ended.count, 1)
                    try db.execute(sql: "INSERT INTO player VALUES (2, 'Grace')")
                }
                XCTAssertEqual(try tool.line(), #"{"n":1,"rows":[{"n":2}]}"#)
                XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
            }
        }

        func testChangesAreExplained() throws {
            try withSchema { address, _ in
                let text = try ToolProcess.run([
                    "explain", address, "SELECT name FROM player WHERE id = ?", "1",
                ])
                XCTAssertTrue(
                    text.output.contains("changes: every commit on the server"), text.output + text.error)
                let json = try ToolProcess.run(["explain", address, "SELECT name FROM player", "--json"])
                XCTAssertTrue(json.output.hasPrefix(#"{"changes":"any commit","#), json.output + json.error)
                let wrong = try ToolProcess.run(["explain", address, "SELEC"])
                XCTAssertEqual(wrong.error, "vigil: error: syntax error at or near \"SELEC\"\n")
            }
        }

        func testPublicationsAreExamined() throws {
            try withSchema { address, dbPool in
                try dbPool.write { db in
                    try db.execute(
                        sql: """
                            ALTER TABLE player ADD team INT NOT NULL DEFAULT 0;
                            CREATE UNIQUE INDEX "by team" ON player (team, id);
                            CREATE TABLE whole (id INT PRIMARY KEY); ALTER TABLE whole REPLICA IDENTITY FULL;
                            CREATE TABLE audit (a INT); CREATE UNLOGGED TABLE draft (id INT PRIMARY KEY);
                            CREATE TABLE "x
                            DROP" (a INT)
                            """)
                }
                let doctor = try ToolProcess.run(["postgres", "doctor", address])
                XCTAssertEqual(doctor.status, 0, doctor.error)
                for line in [
                    "player: not published: each commit on the server counts",
                    "  identity: the primary key (id)",
                    "  better: ALTER TABLE player REPLICA IDENTITY USING INDEX \"by team\";",
                    "  identity: the whole row; all conditions and columns are exact",
                    "  identity: none; the server refuses updates and deletions while the table is published",
                    "draft: not reported, because it is unlogged: each commit on the server counts",
                ] { XCTAssertTrue(doctor.output.contains(line + "\n"), "\(line)\n\(doctor.output)") }
                let setup = try ToolProcess.run([
                    "postgres", "setup", address, "--publication", "some \"one", "player", "whole", "audit",
                ])
                XCTAssertTrue(
                    setup.output.contains("CREATE PUBLICATION \"some \"\"one\" FOR TABLE player, whole;\n"),
                    setup.output + setup.error)
                XCTAssertTrue(setup.output.contains("-- audit is left out"), setup.output)
                let all = try ToolProcess.run(["postgres", "setup", address])
                XCTAssertFalse(all.output.contains("ALL TABLES"), all.output)
                XCTAssertFalse(all.output.contains("\nDROP"), all.output)
                let missing = try ToolProcess.run(["postgres", "doctor", address, "missing"])
                XCTAssertEqual(missing.error, "vigil: error: no such table: missing\n")
                let file = try ToolProcess.run(["postgres", "doctor", "players.db"])
                XCTAssertEqual(file.status, 64)
            }
        }

        func testPartitionedTablesWithoutIdentityAreLeftOut() throws {
            try withSchema { address, dbPool in
                try dbPool.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE log (at INT, text TEXT) PARTITION BY RANGE (at);
                            CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (0) TO (9) PARTITION BY RANGE (at);
                            CREATE TABLE log_11 PARTITION OF log_1 FOR VALUES FROM (0) TO (9);
                            CREATE TABLE child (PRIMARY KEY (id)) INHERITS (player);
                            ALTER TABLE child REPLICA IDENTITY NOTHING
                            """)
                }
                let arguments = ["postgres", "setup", address, "--publication", "some one", "log", "player"]
                let setup = try ToolProcess.run(arguments)
                for text in [
                    "-- log is left out: the server would refuse its updates and deletions. Remedy:\n"
                        + "-- ALTER TABLE log_11 REPLICA IDENTITY FULL;\n",
                    "-- player is left out: the server would refuse its updates and deletions. Remedy:\n"
                        + "-- ALTER TABLE child REPLICA IDENTITY DEFAULT;\n",
                ] { XCTAssertTrue(setup.output.contains(text), setup.output + setup.error) }
                XCTAssertFalse(setup.output.contains("PUBLICATION"), setup.output)
                try dbPool.write { db in
                    try db.execute(sql: "ALTER TABLE log_11 REPLICA IDENTITY FULL")
                    try db.execute(sql: "ALTER TABLE child REPLICA IDENTITY DEFAULT")
                }
                let complete = try ToolProcess.run(arguments)
                XCTAssertTrue(
                    complete.output.contains("CREATE PUBLICATION \"some one\" FOR TABLE log, player;\n"),
                    complete.output + complete.error)
            }
        }

        func testReservedWordsAreQuoted() throws {
            try withSchema { address, dbPool in
                try dbPool.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE "user" (id INT PRIMARY KEY, "order" INT NOT NULL);
                            CREATE UNIQUE INDEX "check" ON "user" (id, "order")
                            """)
                }
                let publication = ["--publication", "group"]
                let setup = try ToolProcess.run(["postgres", "setup", address, "user"] + publication)
                XCTAssertTrue(
                    setup.output.contains("CREATE PUBLICATION \"group\" FOR TABLE \"user\";\n"),
                    setup.output + setup.error)
                let doctor = try ToolProcess.run(["postgres", "doctor", address, "user"] + publication)
                XCTAssertTrue(
                    doctor.output.contains("ALTER TABLE \"user\" REPLICA IDENTITY USING INDEX \"check\";"),
                    doctor.output + doctor.error)
            }
        }

        /// The role that runs the statements may have another search path.
        func testStatementsFindTheTablesOfTheSearchPath() throws {
            try withSchema { address, dbPool in
                let schema = try dbPool.read { db in
                    try String.fetchOne(db, sql: "SELECT current_schema()::text") ?? ""
                }
                let arguments = ["postgres", "setup", address, "--publication", "some one", "player"]
                let setup = try ToolProcess.run(arguments)
                let statements = """
                    SET search_path = \(schema);
                    CREATE PUBLICATION "some one" FOR TABLE player;

                    """
                XCTAssertTrue(setup.output.hasSuffix(statements), setup.output + setup.error)
            }
        }

        func testTablesArePublishedWithAllPartitionsAndChildren() throws {
            try withSchema { address, dbPool in
                let name = "tool_" + UUID().uuidString.lowercased().filter { $0 != "-" }
                try dbPool.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE half (id INT PRIMARY KEY) PARTITION BY RANGE (id);
                            CREATE TABLE half_1 PARTITION OF half FOR VALUES FROM (0) TO (9);
                            CREATE TABLE half_2 PARTITION OF half FOR VALUES FROM (9) TO (19);
                            CREATE TABLE deep (id INT PRIMARY KEY) PARTITION BY RANGE (id);
                            CREATE TABLE deep_1 PARTITION OF deep FOR VALUES FROM (0) TO (9) PARTITION BY RANGE (id);
                            CREATE TABLE deep_11 PARTITION OF deep_1 FOR VALUES FROM (0) TO (9);
                            CREATE TABLE parent (id INT PRIMARY KEY);
                            CREATE TABLE child (PRIMARY KEY (id)) INHERITS (parent);
                            CREATE TABLE covered (id INT, a INT, PRIMARY KEY (id) INCLUDE (a));
                            CREATE PUBLICATION \(name) FOR TABLE half_1, deep, child, covered
                            """)
                }
                defer { try? dbPool.write { db in try db.execute(sql: "DROP PUBLICATION \(name)") } }
                let tables = ["--publication", name, "half", "deep", "parent", "covered"]
                let doctor = try ToolProcess.run(["postgres", "doctor", address] + tables)
                for line in [
                    "half: not published completely, without half_2: each commit on the server counts",
                    "deep: reported by row",
                    "parent: not published completely, without parent: each commit on the server counts",
                    "covered: reported by row\n  identity: the primary key (id)",
                ] { XCTAssertTrue(doctor.output.contains(line + "\n"), "\(line)\n\(doctor.output)") }
                let setup = try ToolProcess.run(["postgres", "setup", address] + tables)
                let addition = "ALTER PUBLICATION \(name) ADD TABLE half, ONLY parent;"
                XCTAssertTrue(setup.output.contains(addition + "\n"), setup.output + setup.error)
                try dbPool.write { db in
                    try db.execute(sql: addition)
                    try db.execute(sql: "ALTER PUBLICATION \(name) SET (publish_via_partition_root)")
                }
                let roots = try ToolProcess.run(["postgres", "setup", address] + tables)
                XCTAssertFalse(roots.output.contains("ADD TABLE"), roots.output)
                XCTAssertTrue(
                    roots.output.contains("SET (publish_via_partition_root = false);\n"), roots.output)
            }
        }

        func testTablesWithAnotherAccessMethodAreLeftOut() throws {
            try withSchema { address, dbPool in
                let method = "tool_" + UUID().uuidString.lowercased().filter { $0 != "-" }
                try dbPool.write { db in
                    try db.execute(
                        sql: """
                            CREATE ACCESS METHOD \(method) TYPE TABLE HANDLER heap_tableam_handler;
                            CREATE TABLE store (id INT PRIMARY KEY) USING \(method)
                            """)
                }
                defer {
                    try? dbPool.write { db in try db.execute(sql: "DROP ACCESS METHOD \(method) CASCADE") }
                }
                let reason = "it has another access method than heap"
                let doctor = try ToolProcess.run(["postgres", "doctor", address, "store"])
                let line = "store: not reported, because \(reason): each commit on the server counts\n"
                XCTAssertTrue(doctor.output.contains(line), doctor.output + doctor.error)
                let setup = try ToolProcess.run(["postgres", "setup", address, "store"])
                XCTAssertTrue(
                    setup.output.contains("-- store is left out: \(reason)\n"), setup.output + setup.error)
            }
        }

        /// Amazon RDS has a role in place of the attribute, and refuses to set the attribute.
        func testARoleStandsForTheAttributeOfReplication() throws {
            try withSchema { address, dbPool in
                let role = "tool_" + UUID().uuidString.lowercased().filter { $0 != "-" }
                try dbPool.write { db in
                    // It remains, because other tests may use it at the same time.
                    try db.execute(
                        sql: """
                            DO $$ BEGIN CREATE ROLE rds_replication;
                            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
                            CREATE ROLE \(role) LOGIN
                            """)
                }
                defer { try? dbPool.write { db in try db.execute(sql: "DROP ROLE \(role)") } }
                let arguments = ["postgres", "doctor", "\(address)&user=\(role)"]
                let refused = try ToolProcess.run(arguments)
                let lines = """
                    server: the role \(role) is not a member of rds_replication
                      better: GRANT rds_replication TO \(role);

                    """
                XCTAssertTrue(refused.output.contains(lines), refused.output + refused.error)
                try dbPool.write { db in try db.execute(sql: "GRANT rds_replication TO \(role)") }
                let member = try ToolProcess.run(arguments)
                XCTAssertTrue(member.output.hasPrefix("server: "), member.output + member.error)
                XCTAssertFalse(member.output.contains(role), member.output)
            }
        }

        /// A pool with a feed has three sessions or more.
        func testTheCatalogIsReadWithoutAFeed() throws {
            try withSchema { address, dbPool in
                let role = "tool_" + UUID().uuidString.lowercased().filter { $0 != "-" }
                try dbPool.write { db in
                    try db.execute(sql: "CREATE ROLE \(role) LOGIN REPLICATION CONNECTION LIMIT 2")
                }
                defer { try? dbPool.write { db in try db.execute(sql: "DROP ROLE \(role)") } }
                let doctor = try ToolProcess.run(["postgres", "doctor", "\(address)&user=\(role)"])
                XCTAssertEqual(doctor.error, "")
                XCTAssertTrue(doctor.output.hasPrefix("server: "), doctor.output)
            }
        }
    #endif
}
