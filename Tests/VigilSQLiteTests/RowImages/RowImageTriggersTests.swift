import VigilStorage
import XCTest

/// Libraries without pre-update hook report changed rows with their values if row images were requested.
final class RowImageTriggersTests: XCTestCase {
    private let player = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
        INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30);
        """
    private let players = [TableName(name: "player")]

    func testRowsAreReportedWithTheirValues() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            let changes = try [
                "INSERT INTO player VALUES (4, 'd', '40')", "UPDATE player SET score = 11 WHERE id = 1",
                "DELETE FROM player WHERE id = 2",
            ].flatMap { try test.changes(by: $0) }
            XCTAssertEqual(
                changes,
                [
                    #"insert player 4 to ["4", "d", "40"]"#,
                    #"update player 1 from ["1", "a", "10"] to ["1", "a", "11"]"#,
                    #"delete player 2 from ["2", "b", "20"]"#,
                ], test.name)
        }
    }

    func testOtherTablesAreReportedWithoutValues() throws {
        try TriggerBench.onEach(player + "CREATE TABLE other(a);", imagesOf: players) { test in
            XCTAssertEqual(
                try test.changes(by: "INSERT INTO other VALUES (1)"), ["insert other 1"], test.name)
        }
    }

    func testEachRowOfAStatementHasItsOwnValues() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            XCTAssertEqual(
                try test.changes(by: "UPDATE player SET score = score + id"),
                [
                    #"update player 1 from ["1", "a", "10"] to ["1", "a", "11"]"#,
                    #"update player 2 from ["2", "b", "20"] to ["2", "b", "22"]"#,
                    #"update player 3 from ["3", "c", "30"] to ["3", "c", "33"]"#,
                ], test.name)
        }
    }

    func testEmptyingATableReportsEachRow() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            let changes = try test.changes(by: "DELETE FROM player")
            XCTAssertEqual(changes.count, 3, "\(test.name): \(changes)")
            XCTAssertTrue(changes.contains(#"delete player 3 from ["3", "c", "30"]"#), test.name)
        }
    }

    func testAMovedRowIsReportedWithBothRowIDs() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            XCTAssertEqual(
                try test.changes(by: "UPDATE player SET id = 9 WHERE id = 1"),
                [#"update player 1 9 from ["1", "a", "10"] to ["9", "a", "10"]"#], test.name)
        }
    }

    func testReplacingStatementsAreReportedCoarsely() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            XCTAssertEqual(
                try test.changes(by: "INSERT OR REPLACE INTO player VALUES (9, 'a', 1)"),
                ["table player", "insert player 9"], test.name)
            XCTAssertEqual(
                try test.changes(by: "UPDATE OR REPLACE player SET name = 'b' WHERE id = 3"),
                ["table player", "update player 3"], test.name)
            try test.connection.run("PRAGMA recursive_triggers = ON")
            XCTAssertEqual(
                try test.changes(by: "INSERT OR REPLACE INTO player VALUES (9, 'z', 1)"),
                ["table player", "insert player 9"], test.name)
        }
    }

    func testAnUpsertIsReportedAsItsInsertionOrUpdate() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            let upsert =
                "INSERT INTO player VALUES (1, 'a', 5) ON CONFLICT(id) DO UPDATE SET score = excluded.score"
            guard test.knows(upsert) else { return }  // The library is too old for upserts.
            XCTAssertEqual(
                try test.changes(by: upsert), [#"update player 1 from ["1", "a", "10"] to ["1", "a", "5"]"#],
                test.name)
        }
    }

    func testForeignKeyActionsFollowTheChangeThatCausesThem() throws {
        let schema = """
            CREATE TABLE p(id INTEGER PRIMARY KEY, a); INSERT INTO p VALUES (1, 'x');
            CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE); INSERT INTO c VALUES (5, 1), (6, 1);
            """
        try TriggerBench.onEach(schema, imagesOf: [TableName(name: "p"), TableName(name: "c")]) { test in
            XCTAssertEqual(
                try test.changes(by: "DELETE FROM p WHERE id = 1"),
                [
                    #"delete p 1 from ["1", "x"]"#, #"delete c 5 from ["5", "1"]"#,
                    #"delete c 6 from ["6", "1"]"#,
                ], test.name)
        }
    }

    func testARowChangedAgainByForeignKeysReportsBothChanges() throws {
        let schema = """
            CREATE TABLE n(id INTEGER PRIMARY KEY, up REFERENCES n ON UPDATE CASCADE);
            INSERT INTO n VALUES (1, 1), (2, 1);
            """
        try TriggerBench.onEach(schema, imagesOf: [TableName(name: "n")]) { test in
            let changes = try test.changes(by: "UPDATE n SET id = 3 WHERE id = 1")
            XCTAssertEqual(changes.first, #"update n 1 3 from ["1", "1"] to ["3", "1"]"#, test.name)
            XCTAssertTrue(
                changes.contains(#"update n 3 from ["3", "1"] to ["3", "3"]"#), "\(test.name): \(changes)")
            XCTAssertTrue(
                changes.contains(#"update n 2 from ["2", "1"] to ["2", "3"]"#), "\(test.name): \(changes)")
        }
    }

    func testChangesByAUserTriggerAreReportedInOrder() throws {
        let trigger = """
            TRIGGER again AFTER UPDATE ON player WHEN new.score < 100
            BEGIN UPDATE player SET score = 100 WHERE id = new.id; END;
            """
        for kind in ["", "TEMP"] {
            try TriggerBench.onEach(player + "CREATE \(kind) \(trigger)", imagesOf: players) { test in
                XCTAssertEqual(
                    try test.changes(by: "UPDATE player SET score = 11 WHERE id = 1"),
                    [
                        #"update player 1 from ["1", "a", "10"] to ["1", "a", "11"]"#,
                        #"update player 1 from ["1", "a", "11"] to ["1", "a", "100"]"#,
                    ], "\(test.name) \(kind)")
            }
        }
    }

    func testTablesWithBeforeTriggersAreReportedWithoutValues() throws {
        for time in ["BEFORE ", ""] {
            let trigger =
                "CREATE TRIGGER early \(time)UPDATE ON player BEGIN UPDATE player SET score = 99 WHERE id = old.id; END;"
            try TriggerBench.onEach(player + trigger, imagesOf: players) { test in
                let changes = try test.changes(by: "UPDATE player SET name = 'z' WHERE id = 1")
                XCTAssertEqual(changes, ["update player 1", "update player 1"], test.name)
                XCTAssertEqual(try test.triggers(), [], test.name)
            }
        }
    }

    func testAChangeWithAbandonedTriggersIsReportedWithoutValues() throws {
        // Whether triggers run in the order of their creation or in reverse, one of the two precedes the
        // driver's.
        let schema =
            player + """
                CREATE TABLE off(a); CREATE TABLE c(p REFERENCES player ON UPDATE CASCADE); INSERT INTO c VALUES (1);
                CREATE TRIGGER stop AFTER UPDATE ON c BEGIN SELECT RAISE(IGNORE); END;
                CREATE TEMP TRIGGER stop2 AFTER INSERT ON player BEGIN SELECT RAISE(IGNORE); END;
                """
        try TriggerBench.onEach(schema, imagesOf: players) { test in
            _ = try test.changes(by: "INSERT INTO player VALUES (7, 'g', 1), (8, 'h', 1)")
            try test.connection.run("INSERT INTO player VALUES (10, 'g2', 1), (11, 'h2', 1)")
            XCTAssertTrue(test.log.covers("player", 10), "\(test.name): \(test.log.entries)")
            XCTAssertTrue(test.log.covers("player", 11), "\(test.name): \(test.log.entries)")
            _ = test.log.take()
            try test.connection.run("UPDATE player SET id = 12 WHERE id = 1")
            XCTAssertTrue(test.log.covers("player", 1), "\(test.name): \(test.log.entries)")
            XCTAssertTrue(test.log.covers("player", 12), "\(test.name): \(test.log.entries)")
        }
    }

    func testAPartlyFailedStatementReportsItsChangesInOrder() throws {
        try TriggerBench.onEach(player, imagesOf: players) { test in
            XCTAssertThrowsError(
                try test.connection.run("INSERT OR FAIL INTO player VALUES (7, 'g', 1), (8, 'a', 1)"))
            XCTAssertEqual(
                test.log.take(), [#"insert player 7 to ["7", "g", "1"]"#, "will commit"], test.name)
            XCTAssertThrowsError(
                try test.connection.run("INSERT INTO player VALUES (9, 'z', 1), (1, 'y', 1)"))
            XCTAssertEqual(test.log.take(), [#"insert player 9 to ["9", "z", "1"]"#, "rollback"], test.name)
            XCTAssertEqual(
                try test.changes(by: "INSERT OR IGNORE INTO player VALUES (9, 'a', 1), (9, 'i', 1)"),
                [#"insert player 9 to ["9", "i", "1"]"#], test.name)
        }
    }

    func testAllChangesCausedByOneRowAreReported() throws {
        let rows = (1...1000).map { "(\($0), 1)" }.joined(separator: ",")
        let schema = """
            CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1);
            CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE); INSERT INTO c VALUES \(rows);
            """
        try TriggerBench.onEach(schema, imagesOf: [TableName(name: "p"), TableName(name: "c")]) { test in
            let changes = try test.changes(by: "DELETE FROM p")
            XCTAssertEqual(changes.count, 1001, test.name)
            XCTAssertEqual(changes.first, "delete p 1", test.name)
            XCTAssertEqual(changes.last, #"delete c 1000 from ["1000", "1"]"#, test.name)
        }
    }

    func testATableOf200ColumnsIsReportedWithAllValues() throws {
        let names = (0..<200).map { "c\($0)" }
        let values = (0..<200).map { $0 == 150 ? "'text'" : "\($0)" }
        let schema = """
            CREATE TABLE wide(\(names.joined(separator: ","))); CREATE TABLE p(a);
            INSERT INTO wide VALUES (\(values.joined(separator: ",")));
            """
        try TriggerBench.onEach(schema, imagesOf: [TableName(name: "wide")]) { test in
            let old = (0..<200).map { $0 == 150 ? "text" : "\($0)" }
            let new = (0..<200).map { $0 == 199 ? "new" : old[$0] }
            XCTAssertEqual(
                try test.changes(by: "UPDATE wide SET c199 = 'new'"),
                ["update wide 1 from \(old) to \(new)"], test.name)
            XCTAssertEqual(try test.changes(by: "DELETE FROM wide"), ["delete wide 1 from \(new)"], test.name)
        }
    }

    func testTemporaryAndAttachedTablesAreReportedWithTheirValues() throws {
        let schema =
            player + """
                CREATE TEMP TABLE player(id INTEGER PRIMARY KEY, t); INSERT INTO temp.player VALUES (1, 't');
                ATTACH ':memory:' AS other; CREATE TABLE other.player(o); INSERT INTO other.player VALUES ('o');
                """
        let tables = ["main", "temp", "other"].map { TableName(schema: $0, name: "player") }
        try TriggerBench.onEach(schema, imagesOf: tables) { test in
            XCTAssertEqual(
                try test.changes(by: "DELETE FROM player WHERE id = 1"),
                [#"delete temp.player 1 from ["1", "t"]"#], test.name)
            XCTAssertEqual(
                try test.changes(by: "UPDATE other.player SET o = 'p'"),
                [#"update other.player 1 from ["o"] to ["p"]"#], test.name)
            XCTAssertEqual(
                try test.changes(by: "UPDATE main.player SET score = 1 WHERE id = 2"),
                [#"update player 2 from ["2", "b", "20"] to ["2", "b", "1"]"#], test.name)
            try test.connection.run("DETACH other; DROP TABLE temp.player")
            XCTAssertEqual(
                try test.changes(by: "UPDATE player SET score = 2 WHERE id = 2"),
                [#"update player 2 from ["2", "b", "1"] to ["2", "b", "2"]"#], test.name)
        }
    }

    func testAColumnMayHaveTheNameOfTheRowID() throws {
        let schema = #"CREATE TABLE t(rowid, _ROWID_, "a ""b"); INSERT INTO t VALUES (7, 8, 9);"#
        try TriggerBench.onEach(schema, imagesOf: [TableName(name: "t")]) { test in
            XCTAssertEqual(
                try test.changes(by: "UPDATE t SET rowid = 6"),
                [#"update t 1 from ["7", "8", "9"] to ["6", "8", "9"]"#], test.name)
        }
    }

    func testVirtualTablesAndTablesWithoutRowIDStayCoarse() throws {
        let schema = """
            CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID; CREATE VIRTUAL TABLE doc USING fts4(text);
            CREATE VIEW v AS SELECT 1;
            """
        let tables = ["w", "doc", "doc_content", "v", "nothing"].map { TableName(name: $0) }
        try TriggerBench.onEach(schema, imagesOf: tables) { test in
            XCTAssertEqual(try test.changes(by: "INSERT INTO w VALUES (1)"), ["table w"], test.name)
            try test.connection.run("INSERT INTO doc VALUES ('hello')")
            XCTAssertTrue(test.log.covers("doc"), test.name)
            XCTAssertEqual(try test.triggers(), [], test.name)
        }
    }

    func testWritesByAFunctionAreReportedAfterEarlierChanges() throws {
        try TriggerBench.onEach(player + "CREATE TABLE log(a);", imagesOf: players) { test in
            let hosting = try XCTUnwrap(test.connection as? any FunctionHosting)
            unowned let connection = test.connection
            try hosting.add(
                StorageFunction(
                    name: "note", argumentCount: 1, isPure: false,
                    body: .scalar { values throws(StorageError) in
                        let insert = try connection.prepare(
                            "INSERT INTO log VALUES (1)", fromUTF8Offset: 0, isCached: false
                        ).statement
                        _ = try insert?.step()
                        insert?.finalize()
                        return values[0]
                    }))
            let changes = try test.changes(by: "UPDATE player SET score = note(5) WHERE id < 3")
            XCTAssertEqual(
                changes, ["insert log 1", "update player 1", "insert log 2", "update player 2"], test.name)
        }
    }

    func testCallsOfTheFileWithTooFewValuesReadNone() throws {
        let calls = (1...8).map { "SELECT _vigil_images(\($0), new.id, new.id), _vigil_images(\($0));" }
            .joined()
        let hostile = """
            CREATE TRIGGER a AFTER UPDATE ON player BEGIN \(calls) END;
            CREATE TRIGGER b AFTER INSERT ON player BEGIN \(calls) END;
            """
        try TriggerBench.onEach(player + hostile, imagesOf: players) { test in
            for (sql, row) in [
                ("UPDATE player SET score = 5 WHERE id = 1", "update player 1"),
                ("INSERT INTO player VALUES (7, 'g', 70)", "insert player 7"),
            ] {
                let changes = try test.changes(by: sql)
                XCTAssertTrue(changes.contains { $0.hasPrefix(row) }, "\(test.name): \(changes)")
            }
        }
    }
}
