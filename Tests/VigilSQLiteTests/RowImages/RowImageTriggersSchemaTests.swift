import VigilStorage
import XCTest

/// The driver's triggers are invisible, and do not interfere with statements of the user.
final class RowImageTriggersSchemaTests: XCTestCase {
    private let player = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 20);
        """
    private let players = [TableName(name: "player")]
    private let update = "UPDATE player SET score = score + 1 WHERE id = 1"

    private func hasValues(_ changes: [String]) -> Bool {
        changes.contains { $0.contains(" from [") || $0.contains(" to [") }
    }

    func testTheSchemaDoesNotShowTheTriggers() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            XCTAssertTrue(hasValues(try test.changes(by: update)), test.name)
            XCTAssertEqual(try test.triggers().count, 3, test.name)
            let reading = try XCTUnwrap(test.connection as? any SchemaReading)
            XCTAssertEqual(try reading.schemaObjects(in: "temp"), [], test.name)
            XCTAssertEqual(try reading.schemaObjects(in: "main").map(\.name), ["player"], test.name)
            XCTAssertEqual(try test.connection.tables(), players, test.name)
            XCTAssertNil(try test.connection.table("sqlite_temp_master", in: nil), test.name)
            XCTAssertEqual(try test.connection.run("SELECT name FROM sqlite_master"), [[.text("player")]])
        }
    }

    func testTriggersDoNotChangeStatementAccess() throws {
        let schema =
            player + """
                CREATE TABLE log(a); CREATE TRIGGER t AFTER UPDATE ON player BEGIN INSERT INTO log VALUES (old.name); END;
                """
        for named in NamedBackend.withoutHook {
            let plain = try named.backend.open(.memory(name: nil), options: StorageOptions())
            try plain.run(schema)
            try TriggerBench.onEach(schema, imagesOf: players) { test in
                guard test.name == named.name else { return }
                let early = try test.connection.prepared(update)
                XCTAssertFalse(try early.step())
                XCTAssertEqual(try test.triggers().count, 3, test.name)
                for sql in [
                    update, "DELETE FROM player WHERE id = 5", "INSERT INTO player VALUES (9, 'x', 1)",
                    "SELECT score FROM player",
                ] {
                    XCTAssertEqual(
                        try test.connection.prepared(sql).access, try plain.prepared(sql).access,
                        "\(test.name): \(sql)")
                }
                XCTAssertFalse(try early.step())
                XCTAssertEqual(early.access, try plain.prepared(update).access, test.name)
                early.finalize()
            }
        }
    }

    func testTriggersDoNotChangeCountsAndTheLastRowID() throws {
        for named in NamedBackend.withoutHook {
            let plain = try named.backend.open(.memory(name: nil), options: StorageOptions())
            try plain.run(player)
            try TriggerBench.onEach(player, imagesOf: players) { test in
                guard test.name == named.name else { return }
                for sql in [
                    "INSERT INTO player VALUES (7, 'x', 1), (8, 'y', 1)", update, "DELETE FROM player",
                ] {
                    try test.connection.run(sql)
                    try plain.run(sql)
                    XCTAssertEqual(test.connection.changesCount, plain.changesCount, "\(test.name): \(sql)")
                    XCTAssertEqual(test.connection.totalChangesCount, plain.totalChangesCount, test.name)
                    XCTAssertEqual(test.connection.lastInsertedRowID, plain.lastInsertedRowID, test.name)
                }
            }
        }
    }

    func testTheTraceDoesNotShowTheTriggers() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            let tracing = try XCTUnwrap(test.connection as? any EmbeddedConnection)
            var texts: [String] = []
            tracing.trace(.statement) { event in
                if case .statement(let statement) = event { texts.append(statement.sql) }
            }
            try test.connection.run(update)
            XCTAssertEqual(texts, [update], test.name)
            tracing.trace([], nil)
        }
    }

    func testTriggersCauseNoTransactionReports() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            try test.connection.perform(.beginImmediate)
            XCTAssertEqual(test.log.take(), [], test.name)
            XCTAssertEqual(try test.triggers().count, 3, test.name)
            try test.connection.perform(.rollback)
            _ = test.log.take()
            try test.connection.provideImages(of: [])
            try test.connection.perform(.beginDeferred)
            try test.connection.perform(.commit)
            XCTAssertEqual(test.log.take(), [], test.name)
            XCTAssertEqual(try test.triggers(), [], test.name)
        }
    }

    func testTriggersAreNotCreatedInsideATransaction() throws {
        try TriggerBench.onEach(player, imagesOf: []) { test in
            try test.connection.run("BEGIN")
            try test.connection.provideImages(of: players)
            XCTAssertFalse(hasValues(try test.changes(by: update)), test.name)
            XCTAssertEqual(try test.triggers(), [], test.name)
            try test.connection.run("ROLLBACK")
            try test.connection.run("SAVEPOINT s")
            XCTAssertTrue(hasValues(try test.changes(by: update)), test.name)
            try test.connection.run("ROLLBACK TO s; RELEASE s")
            XCTAssertTrue(hasValues(try test.changes(by: update)), test.name)
        }
    }

    func testTriggersSurviveRollbacks() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            for _ in 1...3 {
                try test.connection.perform(.beginDeferred)
                XCTAssertTrue(hasValues(try test.changes(by: update)), test.name)
                try test.connection.perform(.rollback)
            }
            XCTAssertEqual(try test.triggers().count, 3, test.name)
        }
    }

    func testAnAddedColumnIsReportedWithItsValues() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            try test.connection.run(update)
            try test.connection.run("ALTER TABLE player ADD COLUMN team DEFAULT 5")
            XCTAssertEqual(
                try test.changes(by: "UPDATE player SET team = 6 WHERE id = 2"),
                [#"update player 2 from ["2", "b", "20", "5"] to ["2", "b", "20", "6"]"#], test.name)
        }
    }

    func testTablesCanBeRenamedDroppedAndRecreated() throws {
        try TriggerBench.onEach(player, imagesOf: players + [TableName(name: "user")]) { test in
            try test.connection.run(update)
            try test.connection.run("ALTER TABLE player RENAME TO user")
            XCTAssertEqual(
                try test.changes(by: "UPDATE user SET score = 1 WHERE id = 2"),
                [#"update user 2 from ["2", "b", "20"] to ["2", "b", "1"]"#], test.name)
            try test.connection.run("DROP TABLE user; CREATE TABLE player(x); INSERT INTO player VALUES (1)")
            XCTAssertEqual(
                try test.changes(by: "UPDATE player SET x = 2"), [#"update player 1 from ["1"] to ["2"]"#],
                test.name)
        }
    }

    func testColumnsCanBeRenamedAndDroppedWhereSupported() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            try test.connection.run(update)
            let alter = "ALTER TABLE player DROP COLUMN name"
            guard test.knows(alter) else { return }
            try test.connection.run("ALTER TABLE player RENAME COLUMN score TO points")
            try test.connection.perform(.beginDeferred)
            try test.connection.perform(.savepoint("s"))
            try test.connection.run(alter)
            try test.connection.perform(.rollbackTo("s"))
            try test.connection.run(alter)
            try test.connection.perform(.commit)
            XCTAssertEqual(
                try test.changes(by: "UPDATE player SET points = 1 WHERE id = 2"),
                [#"update player 2 from ["2", "20"] to ["2", "1"]"#], test.name)
        }
    }

    func testARolledBackSchemaChangeLeavesNothingBehind() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            try test.connection.run(update)
            try test.connection.run("BEGIN; ALTER TABLE player ADD COLUMN team; ROLLBACK")
            XCTAssertEqual(
                try test.changes(by: "DELETE FROM player WHERE id = 2"),
                [#"delete player 2 from ["2", "b", "20"]"#], test.name)
            XCTAssertEqual(try test.triggers().count, 3, test.name)
        }
    }

    func testANewBeforeTriggerEndsTheValues() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            XCTAssertTrue(hasValues(try test.changes(by: update)), test.name)
            for kind in ["", "TEMP"] {
                try test.connection.run(
                    "CREATE \(kind) TRIGGER early BEFORE UPDATE ON player BEGIN SELECT 1; END")
                XCTAssertFalse(hasValues(try test.changes(by: update)), "\(test.name) \(kind)")
                try test.connection.run("DROP TRIGGER early")
                XCTAssertTrue(hasValues(try test.changes(by: update)), "\(test.name) \(kind)")
            }
        }
    }

    func testColumnsDroppedByAnotherConnectionDoNotPreventWrites() throws {
        for named in NamedBackend.withoutHook {
            let directory = try TemporaryDirectory()
            let location = StorageLocation.file(path: directory.file("a"))
            let connection = try named.backend.open(location, options: StorageOptions())
            try connection.run(player)
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            try connection.provideImages(of: players)
            let early = try connection.prepared(update)
            XCTAssertFalse(try early.step())
            let other = try named.backend.open(location, options: StorageOptions())
            let remake = """
                DROP TABLE player; CREATE TABLE player(id INTEGER PRIMARY KEY, score, other);
                INSERT INTO player VALUES (1, 1, 1);
                """
            try other.run(remake)
            _ = log.take()
            XCTAssertFalse(try early.step(), named.name)
            XCTAssertTrue(log.covers("player", 1), "\(named.name): \(log.entries)")
            try connection.run("INSERT INTO player VALUES (7, 7, 7)")
            XCTAssertEqual(
                log.take().filter { $0.contains("7") }, [#"insert player 7 to ["7", "7", "7"]"#], named.name)
            try other.run("DROP TABLE player; CREATE TABLE player(a); INSERT INTO player VALUES (1)")
            try connection.run("BEGIN; DELETE FROM player; COMMIT")
            XCTAssertTrue(log.covers("player", 1), "\(named.name): \(log.entries)")
            early.finalize()
            try connection.close()
            try other.close()
        }
    }

    func testTheDatabaseCanBeRebuiltAndReplacedByACopy() throws {
        for named in NamedBackend.withoutHook {
            let source = try named.backend.open(.memory(name: nil), options: StorageOptions())
            try source.run("CREATE TABLE player(x, y); INSERT INTO player VALUES (1, 2)")
            try TriggerBench.onEach(player, imagesOf: players) { test in
                guard test.name == named.name else { return }
                try test.connection.run(update)
                XCTAssertEqual(try test.changes(by: "VACUUM"), ["database"], test.name)
                XCTAssertTrue(hasValues(try test.changes(by: update)), test.name)
                let backup = try XCTUnwrap(source as? any EmbeddedConnection).beginBackup(to: test.connection)
                XCTAssertTrue(try backup.copy(pageCount: -1), test.name)
                try backup.finish()
                XCTAssertEqual(
                    try test.changes(by: "UPDATE player SET y = 3"),
                    [#"update player 1 from ["1", "2"] to ["1", "3"]"#], test.name)
            }
        }
    }

    func testStatementErrorsAreUnchanged() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            try test.connection.run(update)
            XCTAssertThrowsError(try test.connection.run("UPDATE player SET missing = 1")) { error in
                XCTAssertEqual((error as? StorageError)?.message, "no such column: missing", test.name)
            }
            XCTAssertEqual(try test.triggers().count, 3, test.name)
        }
    }

    func testAnUnreachableTableCanStillBeWritten() throws {
        for named in NamedBackend.withoutHook {
            let directory = try TemporaryDirectory()
            let location = StorageLocation.file(path: directory.file("a"))
            let connection = try named.backend.open(location, options: StorageOptions())
            try connection.run(player)
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            try connection.run("PRAGMA query_only = ON")
            try connection.provideImages(of: players)
            try connection.perform(.beginDeferred)
            try connection.perform(.commit)
            try connection.run("PRAGMA query_only = OFF")
            try connection.run(update)
            XCTAssertTrue(log.covers("player", 1), "\(named.name): \(log.entries)")
            try connection.close()
        }
    }

    func testUntrustedFilesCanStillBeWritten() throws {
        for named in NamedBackend.withoutHook {
            var options = StorageOptions()
            options.trustsFile = false
            let connection = try named.backend.open(.memory(name: nil), options: options)
            try connection.run(player)
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            try connection.provideImages(of: players)
            try connection.run(update)
            XCTAssertEqual(
                log.entries.first, #"update player 1 from ["1", "a", "10"] to ["1", "a", "11"]"#, named.name)
            try connection.close()
        }
    }

    func testReadOnlyConnectionsAndLibrariesWithTheHookAreLeftAlone() throws {
        for named in NamedBackend.all {
            let connection = try named.backend.open(.memory(name: nil), options: StorageOptions())
            guard connection.capabilities.reportsRowImages else { continue }
            try connection.run(player)
            connection.report(to: EventLog(), interest: .changes)
            try connection.provideImages(of: players)
            try connection.run(update)
            XCTAssertEqual(try connection.run("SELECT * FROM sqlite_temp_master"), [], named.name)
        }
        for named in NamedBackend.withoutHook {
            let directory = try TemporaryDirectory()
            let location = StorageLocation.file(path: directory.file("a"))
            try named.backend.open(location, options: StorageOptions()).run(player)
            var options = StorageOptions()
            options.access = .readOnly
            let connection = try named.backend.open(location, options: options)
            let log = EventLog()
            connection.report(to: log, interest: .changes)
            try connection.provideImages(of: players)
            try connection.perform(.beginDeferred)
            try connection.perform(.commit)
            XCTAssertEqual(try connection.run("SELECT * FROM sqlite_temp_master"), [], named.name)
        }
    }
}
