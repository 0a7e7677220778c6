import VigilStorage
import XCTest

@testable import VigilSQLite

/// The reports that every library must deliver: precise where the library supports it, and coarse otherwise.
final class ChangeReportTests: XCTestCase {
    private struct Case {
        let name: String
        let connection: any StorageConnection
        let log: EventLog
        var reportsEveryRow: Bool { connection.capabilities.reportsEveryRow }
    }

    /// Runs a body on each backend, with a schema and a log of the reports from then on.
    private func onEach(
        _ schema: String, interest: ChangeInterest = .changes, _ body: (Case) throws -> Void
    ) throws {
        for named in NamedBackend.all {
            let connection = try named.open(schema)
            let log = EventLog()
            connection.report(to: log, interest: interest)
            try body(Case(name: named.name, connection: connection, log: log))
            connection.report(to: nil, interest: .nothing)
            try connection.close()
        }
    }

    private let player = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
        INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30);
        """

    func testIrrelevantRowsAreReportedAsTheirTableOrNotAtAll() throws {
        try onEach(player + "CREATE TABLE team(name TEXT); CREATE TABLE note(text TEXT);") { test in
            test.log.interests = ["team": .table, "note": .nothing]
            for sql in [
                "INSERT INTO team VALUES ('x')", "INSERT INTO note VALUES ('y')",
                "UPDATE note SET text = 'z'", "INSERT INTO player VALUES (4, 'd', 40)",
            ] {
                try test.connection.run(sql)
            }
            let changes = test.log.take().filter { $0 != "will commit" }
            XCTAssertEqual(changes.count, 2, test.name)
            XCTAssertEqual(changes.first, "table team", test.name)
            XCTAssertTrue(changes.last?.hasPrefix("insert player 4") ?? false, test.name)
        }
    }

    func testRowsAreReportedWithTheValuesThatTheLibraryKnows() throws {
        try onEach(player) { test in
            try test.connection.run("INSERT INTO player VALUES (4, 'd', 40)")
            try test.connection.run("UPDATE player SET score = 11 WHERE id = 1")
            try test.connection.run("DELETE FROM player WHERE id = 2")
            let expected =
                test.reportsEveryRow
                ? [
                    #"insert player 4 to ["4", "d", "40"]"#, "will commit",
                    #"update player 1 from ["1", "a", "10"] to ["1", "a", "11"]"#, "will commit",
                    #"delete player 2 from ["2", "b", "20"]"#, "will commit",
                ]
                : [
                    "insert player 4", "will commit", "update player 1", "will commit", "delete player 2",
                    "will commit",
                ]
            XCTAssertEqual(test.log.take(), expected, test.name)
        }
    }

    func testInsertionsReportTheCounterOfTheirTable() throws {
        let schema = """
            CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT, text);
            CREATE TABLE plain(id INTEGER PRIMARY KEY, text);
            """
        try onEach(schema) { test in
            for table in ["log", "plain"] {
                try test.connection.withStatement("INSERT INTO \(table)(text) VALUES ('a')") { insertion in
                    // The second run uses what the first one looked up.
                    for id in 1...2 {
                        _ = try insertion.step()
                        insertion.reset()
                        let changes = test.log.take().filter { $0 != "will commit" }
                        let counters = changes.filter { $0 == "table sqlite_sequence" }
                        XCTAssertEqual(counters.count, table == "log" ? 1 : 0, "\(test.name): \(changes)")
                        XCTAssertTrue(
                            changes.contains { $0.hasPrefix("insert \(table) \(id)") },
                            "\(test.name): \(changes)")
                    }
                }
            }
            try test.connection.run("UPDATE sqlite_sequence SET seq = 9")
            XCTAssertTrue(test.log.take().contains("table sqlite_sequence"), test.name)
            try test.connection.run("UPDATE log SET text = 'b'")
            XCTAssertFalse(test.log.take().contains("table sqlite_sequence"), test.name)
        }
    }

    func testARowReplacedThroughAnotherKeyIsCovered() throws {
        try onEach(player) { test in
            try test.connection.run("INSERT OR REPLACE INTO player VALUES (9, 'a', 1)")
            XCTAssertTrue(test.log.covers("player", 1), "\(test.name): \(test.log.take())")
            _ = test.log.take()
            try test.connection.run("UPDATE OR REPLACE player SET name = 'b' WHERE id = 3")
            XCTAssertTrue(test.log.covers("player", 2), "\(test.name): \(test.log.take())")
        }
    }

    func testAReplacingConstraintIsCovered() throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT REPLACE);
            INSERT INTO t VALUES (1, 'x');
            """
        try onEach(schema) { test in
            try test.connection.run("INSERT INTO t VALUES (2, 'x')")
            XCTAssertTrue(test.log.covers("t", 1), "\(test.name): \(test.log.take())")
        }
    }

    func testAReplacingTriggerIsCovered() throws {
        let schema = """
            CREATE TABLE source(a); CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE); INSERT INTO t VALUES (1, 'x');
            CREATE TRIGGER copy AFTER INSERT ON source BEGIN INSERT OR REPLACE INTO t VALUES (new.rowid + 10, new.a); END;
            """
        try onEach(schema) { test in
            try test.connection.run("INSERT INTO source VALUES ('x')")
            XCTAssertTrue(test.log.covers("t", 1), "\(test.name): \(test.log.take())")
        }
    }

    func testAChangedRowIDIsReportedWithBothIDs() throws {
        try onEach(player) { test in
            try test.connection.run("UPDATE player SET id = 9 WHERE id = 1")
            XCTAssertTrue(test.log.covers("player", 1), "\(test.name): \(test.log.entries)")
            XCTAssertTrue(test.log.covers("player", 9), "\(test.name): \(test.log.entries)")
        }
    }

    func testTheDeletionOfAllRowsIsCovered() throws {
        try onEach(player) { test in
            try test.connection.run("DELETE FROM player")
            XCTAssertTrue(test.log.covers("player", 2), "\(test.name): \(test.log.entries)")
            _ = test.log.take()
            try test.connection.run("DELETE FROM player")
            XCTAssertFalse(test.log.covers("player"), "nothing was deleted: \(test.log.entries)")
        }
    }

    func testEveryRowIsReportedWhenRequested() throws {
        for named in NamedBackend.all {
            let connection = try named.open(player)
            let early = try connection.prepared("DELETE FROM player")
            let log = EventLog()
            connection.report(to: log, interest: .everyRow)
            XCTAssertFalse(try early.step())
            let rows = log.take().filter { $0.hasPrefix("delete player") }
            XCTAssertEqual(rows.count, 3, "\(named.name), a statement from before: \(rows)")
            try connection.run("INSERT INTO player VALUES (5, 'e', 1)")
            _ = log.take()
            try connection.run("delete from PLAYER")
            XCTAssertEqual(log.take().filter { $0.hasPrefix("delete player 5") }.count, 1, named.name)
        }
    }

    func testTablesCanBeDroppedWhenEveryRowIsRequested() throws {
        let schema =
            player + """
                CREATE TEMP TABLE scratch(a); CREATE VIEW v AS SELECT * FROM player; CREATE INDEX i ON player(score);
                CREATE TRIGGER tr AFTER INSERT ON player BEGIN SELECT 1; END; CREATE VIRTUAL TABLE doc USING fts4(text);
                INSERT INTO doc VALUES ('hello');
                """
        try onEach(schema, interest: .everyRow) { test in
            try test.connection.run(
                "DROP TRIGGER tr; DROP INDEX i; DROP VIEW v; DROP TABLE scratch; DROP TABLE doc")
            try test.connection.run("DROP TABLE player")
            let rest = try test.connection.run(
                "SELECT name FROM sqlite_master UNION ALL SELECT name FROM sqlite_temp_master")
            XCTAssertEqual(rest, [], test.name)
            XCTAssertTrue(test.log.covers("player"), test.name)
        }
    }

    func testTablesWithoutRowIDAreCovered() throws {
        let schema =
            "CREATE TABLE w(a TEXT, b INTEGER, c, PRIMARY KEY (b, a)) WITHOUT ROWID; INSERT INTO w VALUES ('x', 1, 2)"
        try onEach(schema) { test in
            try test.connection.run("UPDATE w SET c = 3")
            let expected =
                test.reportsEveryRow ? #"update w 1|x from ["x", "1", "2"] to ["x", "1", "3"]"# : "table w"
            XCTAssertEqual(test.log.take().first, expected, test.name)
        }
    }

    func testForeignKeyActionsAreReportedForTheirOwnTable() throws {
        let schema = """
            CREATE TABLE parent(id INTEGER PRIMARY KEY); INSERT INTO parent VALUES (1);
            CREATE TABLE child(id INTEGER PRIMARY KEY, p REFERENCES parent ON DELETE CASCADE); INSERT INTO child VALUES (5, 1);
            CREATE TABLE bare(k PRIMARY KEY, p REFERENCES parent ON DELETE SET NULL) WITHOUT ROWID; INSERT INTO bare VALUES (6, 1);
            """
        try onEach(schema) { test in
            try test.connection.run("DELETE FROM parent WHERE id = 1")
            XCTAssertTrue(test.log.covers("child", 5), "\(test.name): \(test.log.entries)")
            XCTAssertTrue(test.log.covers("bare", 6), "\(test.name): \(test.log.entries)")
        }
    }

    func testChangesByNestedTriggersAreReported() throws {
        let schema = """
            CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x); INSERT INTO c VALUES (1);
            CREATE TRIGGER ab AFTER INSERT ON a BEGIN INSERT INTO b VALUES (new.x); END;
            CREATE TRIGGER bc AFTER INSERT ON b BEGIN DELETE FROM c; END;
            """
        try onEach(schema) { test in
            try test.connection.run("INSERT INTO a VALUES (1)")
            XCTAssertTrue(test.log.covers("b", 1), "\(test.name): \(test.log.entries)")
            XCTAssertTrue(test.log.covers("c", 1), "\(test.name): \(test.log.entries)")
        }
    }

    func testAllWritesToFullTextTablesAreCovered() throws {
        let schema = """
            CREATE VIRTUAL TABLE doc USING fts4(text); CREATE TABLE note(text);
            CREATE TRIGGER sync AFTER INSERT ON note BEGIN INSERT INTO doc VALUES (new.text); END;
            """
        try onEach(schema) { test in
            for sql in [
                "INSERT INTO doc VALUES ('hello')", "INSERT INTO note VALUES ('hello')",
                "INSERT INTO doc_content VALUES (99, 'raw')", "DELETE FROM doc WHERE doc MATCH 'hello'",
            ] {
                try test.connection.run(sql)
                XCTAssertTrue(test.log.covers("doc"), "\(test.name), \(sql): \(test.log.entries)")
                XCTAssertFalse(test.log.take().contains("database"), "\(test.name), \(sql)")
            }
        }
    }

    func testVacuumAndSchemaChangesAreCovered() throws {
        try onEach(player) { test in
            try test.connection.run("ALTER TABLE player ADD COLUMN team")
            XCTAssertTrue(test.log.covers("player"), "\(test.name): \(test.log.take())")
            _ = test.log.take()
            try test.connection.run("DROP TABLE player")
            XCTAssertTrue(test.log.covers("player"), "\(test.name): \(test.log.take())")
            _ = test.log.take()
            try test.connection.run("VACUUM")
            XCTAssertEqual(test.log.take().filter { $0 != "will commit" }, ["database"], test.name)
        }
    }

    func testExistingTablesAndViewsAreNotReportedAsCreated() throws {
        let schema =
            player + """
                CREATE VIEW v AS SELECT * FROM player; CREATE TEMP TABLE scratch(a);
                CREATE VIRTUAL TABLE doc USING fts4(text); ATTACH ':memory:' AS other; CREATE TABLE other.t(a);
                """
        try onEach(schema) { test in
            for sql in [
                "CREATE TABLE IF NOT EXISTS player(id UNIQUE)",
                "CREATE TABLE IF NOT EXISTS player AS SELECT 1", "CREATE TABLE IF NOT EXISTS v(a)",
                "CREATE VIEW IF NOT EXISTS v AS SELECT 1", "CREATE TEMP TABLE IF NOT EXISTS scratch(a)",
                "CREATE TABLE IF NOT EXISTS other.t(a)",
                "CREATE VIRTUAL TABLE IF NOT EXISTS doc USING fts4(text)",
            ] {
                try test.connection.withStatement(sql) {
                    XCTAssertFalse($0.access.changesSchema, "\(test.name), \(sql)")
                    XCTAssertFalse(try $0.step())
                }
                XCTAssertEqual(test.log.take(), [], "\(test.name), \(sql)")
            }
            try test.connection.run("CREATE TABLE IF NOT EXISTS other.added(a)")
            XCTAssertTrue(test.log.covers("other.added"), "\(test.name): \(test.log.entries)")
            _ = test.log.take()
            try test.connection.run("CREATE VIEW IF NOT EXISTS other.w AS SELECT 1")
            XCTAssertTrue(test.log.take().contains("database"), test.name)
        }
    }

    func testStatementsWithoutEffectWhenCompiledReportTheirLaterEffect() throws {
        try onEach(player) { test in
            let create = try test.connection.prepared("CREATE TABLE IF NOT EXISTS player(a)")
            let drop = try test.connection.prepared("DROP TABLE IF EXISTS other")
            try test.connection.run("DROP TABLE player; CREATE TABLE other(a)")
            _ = test.log.take()
            XCTAssertFalse(try create.step())
            XCTAssertTrue(create.access.changesSchema, test.name)
            XCTAssertTrue(test.log.covers("player"), "\(test.name): \(test.log.take())")
            _ = test.log.take()
            XCTAssertFalse(try drop.step())
            XCTAssertTrue(test.log.covers("other"), "\(test.name): \(test.log.entries)")
            create.finalize()
            drop.finalize()
        }
    }

    func testExplainedStatementsHaveNoEffects() throws {
        try onEach(player) { test in
            for sql in [
                "EXPLAIN DELETE FROM player", "; EXPLAIN QUERY PLAN UPDATE player SET score = 1 WHERE id = 2",
                "EXPLAIN INSERT INTO player SELECT * FROM player", "/* x */ explain DROP TABLE player",
                "EXPLAIN CREATE VIEW v AS SELECT 1", "EXPLAIN PRAGMA user_version = 3", "EXPLAIN ANALYZE",
                "EXPLAIN COMMIT", "EXPLAIN ROLLBACK TO s",
            ] {
                try test.connection.withStatement(sql) {
                    let access = $0.access
                    XCTAssertTrue(access.isReadOnly, "\(test.name), \(sql)")
                    XCTAssertEqual(access.writes, [], "\(test.name), \(sql)")
                    XCTAssertNil(access.transactionEffect, "\(test.name), \(sql)")
                    XCTAssertFalse(access.changesSchema, "\(test.name), \(sql)")
                    XCTAssertEqual(
                        access.reads.contains { $0.table.name == "player" },
                        sql.contains("FROM player") || sql.contains("UPDATE"), "\(test.name), \(sql)")
                    while try $0.step() {}
                }
                XCTAssertEqual(test.log.take(), [], "\(test.name), \(sql)")
            }
        }
    }

    func testPartlyFailedStatementsCoverTheirRemainingChanges() throws {
        try onEach(player) { test in
            XCTAssertThrowsError(
                try test.connection.run("INSERT OR FAIL INTO player VALUES (7, 'g', 1), (8, 'a', 1)"))
            XCTAssertEqual(
                try test.connection.run("SELECT COUNT(*) FROM player WHERE id = 7"), [[.integer(1)]])
            XCTAssertTrue(test.log.covers("player", 7), "\(test.name): \(test.log.entries)")
            XCTAssertEqual(test.log.take().last, "will commit")
            XCTAssertThrowsError(try test.connection.run("INSERT INTO player VALUES (9, 'a', 1)"))
            XCTAssertEqual(test.log.take().last, "rollback", test.name)
        }
    }

    func testTablesOfTheSameNameInTwoSchemasAreDistinct() throws {
        try onEach(player + "ATTACH ':memory:' AS other; CREATE TABLE other.player(id INTEGER PRIMARY KEY)") {
            test in
            try test.connection.run("INSERT INTO other.player VALUES (1)")
            XCTAssertTrue(test.log.covers("other.player", 1), "\(test.name): \(test.log.entries)")
            XCTAssertFalse(test.log.covers("player", 1), "\(test.name): \(test.log.entries)")
        }
    }

    func testNothingIsReportedAfterReportingEnded() throws {
        try onEach(player) { test in
            test.connection.report(to: nil, interest: .nothing)
            try test.connection.run("DELETE FROM player")
            XCTAssertEqual(test.log.entries, [], test.name)
        }
    }

    func testAVetoedCommitIsRolledBack() throws {
        try onEach(player) { test in
            test.log.vetoesCommits = true
            XCTAssertThrowsError(try test.connection.run("DELETE FROM player"))
            XCTAssertEqual(test.log.entries.suffix(2), ["will commit", "rollback"], test.name)
            XCTAssertEqual(try test.connection.run("SELECT COUNT(*) FROM player"), [[.integer(3)]])
        }
    }

    func testAStatementRecompiledAfterAForeignSchemaChangeCoversItsNewTables() throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let location = StorageLocation.file(path: directory.file("a"))
            let connection = try named.backend.open(location, options: StorageOptions())
            try connection.run("CREATE TABLE a(x); CREATE TABLE log(x)")
            let other = try named.backend.open(location, options: StorageOptions())
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            let insert = try connection.prepared("INSERT INTO a VALUES (1)")
            XCTAssertFalse(try insert.step())
            try other.run("CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO log VALUES (1); END")
            _ = log.take()
            XCTAssertFalse(try insert.step())
            XCTAssertTrue(log.covers("log", 1), "\(named.name): \(log.entries)")
            XCTAssertEqual((connection as? SQLiteConnection)?.reporter.runs.depth, 0, named.name)
            insert.finalize()
            try connection.close()
            try other.close()
        }
    }

    func testVirtualColumnsHaveUnknownValues() throws {
        try onEach("") { test in
            let schema = """
                CREATE TABLE g(id INTEGER PRIMARY KEY, a, v AS (a + 1), w AS (a + 2));
                CREATE TABLE h(id INTEGER PRIMARY KEY, v AS (a + 1), a);
                INSERT INTO g(id, a) VALUES (1, 5); INSERT INTO h(id, a) VALUES (1, 5)
                """
            guard test.reportsEveryRow, (try? test.connection.run(schema)) != nil else { return }
            _ = test.log.take()
            try test.connection.run("UPDATE g SET a = 6; UPDATE h SET a = 6; DELETE FROM g WHERE id = 1")
            XCTAssertEqual(
                test.log.take().filter { $0 != "will commit" },
                [
                    #"update g 1 from ["1", "5", "-", "-"] to ["1", "6", "-", "-"]"#, "update h 1",
                    #"delete g 1 from ["1", "6", "-", "-"]"#,
                ], test.name)
        }
    }

    func testGeneratedColumnsChangeWithTheColumnsTheyDependOn() throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            do {
                try connection.run("CREATE TABLE g(a, v AS (a + 1), s AS (a + 2) STORED)")
            } catch {
                continue  // This library has no generated columns.
            }
            let update = try connection.prepared("UPDATE g SET a = 1")
            XCTAssertEqual(
                update.access.writes, [TableWrite(TableName(name: "g"), .update(columns: ["a", "v", "s"]))],
                named.name)
        }
    }
}
