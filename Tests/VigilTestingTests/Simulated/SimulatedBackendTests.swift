import VigilStorage
import VigilTesting
import XCTest

/// Features of the simulation beyond those that the contract requires of every backend.
final class SimulatedBackendTests: XCTestCase {
    private func open(
        _ backend: SimulatedBackend = SimulatedBackend(), _ sql: String = ""
    ) throws -> any StorageConnection {
        let connection = try backend.open(.memory(name: nil), options: StorageOptions())
        try connection.run(sql)
        return connection
    }

    private let players = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score REAL, note);
        INSERT INTO player VALUES (1, 'a', 10, NULL), (2, 'b', 20, 5), (3, 'c', 20, 'x');
        """

    // MARK: Forms

    func testConditionsAreJoined() throws {
        let connection = try open(SimulatedBackend(), players)
        let expected: [(String, [Int64])] = [
            ("score = 20", [2, 3]), ("score < 20", [1]), ("score <= 20", [1, 2, 3]), ("score > 10", [2, 3]),
            ("score >= 10 AND id < 3", [1, 2]), ("note IS NULL", [1]), ("note = NULL", []), ("id = 2", [2]),
            ("id = 2 AND name = 'c'", []), ("id = '2'", [2]), ("id = 2.5", []), ("name = 'B'", []),
            ("note > 4", [2, 3]), ("note = '5'", []), ("score = '20'", [2, 3]),
        ]
        for (condition, ids) in expected {
            XCTAssertEqual(
                try connection.integers("SELECT id FROM player WHERE \(condition)"), ids, condition)
        }
    }

    func testResultsAreOrderedAndLimited() throws {
        let connection = try open(SimulatedBackend(), players)
        let expected: [(String, [Int64])] = [
            ("ORDER BY score DESC", [2, 3, 1]), ("ORDER BY name DESC LIMIT 2", [3, 2]),
            ("ORDER BY note", [1, 2, 3]), ("LIMIT 1", [1]), ("LIMIT 0", []), ("LIMIT -1", [1, 2, 3]),
            ("WHERE score > 10 ORDER BY name ASC LIMIT 1", [2]),
        ]
        for (clauses, ids) in expected {
            XCTAssertEqual(try connection.integers("SELECT id FROM player \(clauses)"), ids, clauses)
        }
        XCTAssertEqual(try connection.integers("SELECT COUNT(*) FROM player WHERE score = 20"), [2])
        XCTAssertEqual(try connection.run("SELECT MAX(name) FROM player"), [[.text("c")]])
        XCTAssertEqual(try connection.run("SELECT MAX(name) FROM player WHERE id = 9"), [[.null]])
    }

    func testUpdatesComputeValues() throws {
        let connection = try open(SimulatedBackend(), players)
        try connection.run("UPDATE player SET score = score + 0.5, name = 'z', note = id WHERE id = 1")
        XCTAssertEqual(
            try connection.run("SELECT * FROM player WHERE id = 1"),
            [[.integer(1), .text("z"), .real(10.5), .integer(1)]])
        try connection.run("UPDATE player SET note = note - 7 WHERE id = 2; UPDATE player SET id = id + 10")
        XCTAssertEqual(
            try connection.run("SELECT id, note FROM player"),
            [[.integer(11), .integer(1)], [.integer(12), .integer(-2)], [.integer(13), .text("x")]])
        try connection.run("UPDATE player SET note = 9223372036854775807; UPDATE player SET note = note + 1")
        XCTAssertEqual(try connection.run("SELECT note FROM player LIMIT 1"), [[.real(0x1p63)]])
    }

    func testColumnsConvertValuesByTheirTypes() throws {
        let connection = try open(
            SimulatedBackend(), "CREATE TABLE t(i INTEGER, s VARCHAR(9), r DOUBLE, n DECIMAL(4, 2), b)")
        try connection.run("INSERT INTO t VALUES ('12', 12, 12, '1.5', '12'), ('1x', 0.5, 'y', 2.0, 1)")
        XCTAssertEqual(
            try connection.run("SELECT * FROM t"),
            [
                [.integer(12), .text("12"), .real(12), .real(1.5), .text("12")],
                [.text("1x"), .text("0.5"), .text("y"), .integer(2), .integer(1)],
            ])
    }

    func testNamesAndKeywordsIgnoreCase() throws {
        let connection = try open(SimulatedBackend(), players)
        XCTAssertEqual(
            try connection.run("select \"ID\", Name from main.PLAYER where Score = 10 limit 1"),
            [[.integer(1), .text("a")]])
        try connection.run(
            "create table \"select\"(\"a \"\"b\"\"\" text); insert into \"select\" values ('x')")
        try connection.withStatement("SELECT * FROM \"select\"") {
            XCTAssertEqual($0.columnNames, ["a \"b\""])
        }
    }

    func testTablesAreListed() throws {
        let connection = try open(SimulatedBackend(), players)
        try connection.run("CREATE TABLE IF NOT EXISTS player(x); CREATE TABLE IF NOT EXISTS  b ( y )")
        XCTAssertEqual(
            try connection.run("SELECT name, sql FROM sqlite_master ORDER BY name LIMIT 1"),
            [[.text("b"), .text("CREATE TABLE b ( y )")]])
        try connection.run("DROP TABLE b; DROP TABLE IF EXISTS b")
        XCTAssertEqual(try connection.integers("SELECT COUNT(*) FROM sqlite_master"), [1])
        XCTAssertEqual(connection.code("DELETE FROM sqlite_master"), .error)
    }

    func testUnsupportedFormsAreErrorsThatNameThem() throws {
        let connection = try open(SimulatedBackend(), players)
        let forms: [(String, String)] = [
            ("ALTER TABLE player RENAME TO p", "ALTER"), ("CREATE INDEX i ON player(name)", "CREATE INDEX"),
            ("DROP VIEW v", "DROP VIEW"), ("PRAGMA user_version", "PRAGMA"),
            ("SELECT id FROM player JOIN team", "JOIN"), ("SELECT id + 1 FROM player", "\"+\""),
            ("SELECT id FROM player WHERE id IN (1)", "IN"),
            ("SELECT id FROM player WHERE id = 1 OR 1", "OR"),
            ("SELECT MIN(id) FROM player", "MIN"), ("INSERT INTO player DEFAULT VALUES", "DEFAULT"),
            ("INSERT INTO player SELECT id FROM player", "SELECT"), ("SELECT id FROM temp.player", "temp"),
            ("CREATE TABLE t(a, PRIMARY KEY(a))", "PRIMARY"), ("CREATE TABLE t(a DEFAULT 1)", "DEFAULT"),
            ("SELECT id FROM player WHERE name = 'open", "'open"), ("DELETE FROM", "incomplete"),
        ]
        for (sql, word) in forms {
            XCTAssertThrowsError(try connection.run(sql), sql) { error in
                let error = error as? StorageError
                XCTAssertEqual(error?.code, .error, sql)
                XCTAssertTrue(error?.message.contains(word) == true, "\(sql): \(error?.message ?? "")")
                XCTAssertEqual(error?.sql, sql)
            }
        }
    }

    func testConstraintErrorsHaveSQLiteCodes() throws {
        let connection = try open(
            SimulatedBackend(),
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, n NOT NULL); INSERT INTO t VALUES (1, 'a', 0);
            CREATE TABLE k(code TEXT PRIMARY KEY); INSERT INTO k VALUES ('a'), (NULL), (NULL);
            """)
        let expected: [(String, Int32)] = [
            ("INSERT INTO t VALUES (1, 'b', 0)", 1555), ("INSERT INTO t VALUES (2, 'a', 0)", 2067),
            ("INSERT INTO t VALUES (2, 'b', NULL)", 1299), ("INSERT INTO t VALUES ('x', 'b', 0)", 20),
            ("INSERT INTO k VALUES ('a')", 1555),
        ]
        for (sql, code) in expected {
            XCTAssertEqual(connection.code(sql)?.rawValue, code, sql)
        }
    }

    // MARK: Reports and access

    func testReplaceReportsItsDeletionsFirst() throws {
        let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
        for (reportsEveryRow, lines) in [
            (true, ["delete t 2", "delete t 1", "insert t 2", "commit?"]),
            (false, ["table t", "insert t 2", "commit?"]),
        ] {
            let connection = try open(SimulatedBackend(reportsEveryRow: reportsEveryRow), sql)
            let sink = RecordingSink()
            connection.report(to: sink, interest: .everyRow)
            try connection.run("INSERT OR REPLACE INTO t VALUES (2, 'a')")
            XCTAssertEqual(sink.lines, lines)
        }
    }

    func testVetoHasTheSQLiteCode() throws {
        let connection = try open(SimulatedBackend(), players)
        let sink = RecordingSink()
        sink.allowsCommit = false
        connection.report(to: sink, interest: .changes)
        XCTAssertEqual(connection.code("DELETE FROM player WHERE id = 1")?.rawValue, 531)
        XCTAssertEqual(sink.lines, ["delete player 1", "commit?", "rollback"])
    }

    func testEmptyTransactionsReportNothing() throws {
        let connection = try open(SimulatedBackend(), players)
        let sink = RecordingSink()
        connection.report(to: sink, interest: .everyRow)
        try connection.run("BEGIN; COMMIT; BEGIN; ROLLBACK; SAVEPOINT a; ROLLBACK TO a; RELEASE a")
        XCTAssertEqual(sink.lines, [])
    }

    func testImagesEndWithTheReport() throws {
        final class Keeper: ChangeSink {
            var images: (any RowImages)?
            func didChange(_ event: ChangeEvent) {
                if case .row(let row) = event { images = row.images }
            }
            func willCommit() -> Bool { true }
            func didRollback() {}
        }
        let connection = try open(SimulatedBackend(), players)
        let keeper = Keeper()
        connection.report(to: keeper, interest: .changes)
        try connection.run("UPDATE player SET name = 'z' WHERE id = 1")
        let images = try XCTUnwrap(keeper.images)
        XCTAssertEqual(images.columnNames, ["id", "name", "score", "note"])
        XCTAssertNil(images.oldValue(at: 1))
        XCTAssertNil(images.newValue(at: 1))
    }

    func testStatementsReportTheColumnsThatTheyRead() throws {
        let connection = try open(SimulatedBackend(), players)
        let expected: [(String, Set<String>?)] = [
            ("SELECT COUNT(*) FROM player", nil), ("SELECT id FROM player", nil),
            ("SELECT id FROM player WHERE id = 1", nil), ("SELECT id, name FROM player", ["id", "name"]),
            ("SELECT NAME FROM player ORDER BY SCORE", ["name", "score"]),
            ("UPDATE player SET name = note, score = score + 1", ["note", "score"]),
        ]
        for (sql, columns) in expected {
            try connection.withStatement(sql) {
                XCTAssertEqual($0.access.reads.map(\.columns), [columns], sql)
            }
        }
        try connection.withStatement("DELETE FROM player") { XCTAssertEqual($0.access.reads, []) }
        try connection.withStatement("INSERT OR REPLACE INTO player(id) VALUES (1)") {
            XCTAssertEqual($0.access.writes.map(\.kind), [.insert, .delete])
        }
    }

    func testRunningStatementRejectsValues() throws {
        let connection = try open(SimulatedBackend(), players)
        try connection.withStatement("SELECT id FROM player WHERE id = ?") { statement in
            XCTAssertFalse(try statement.step())
            try statement.bind(.integer(1), at: 1)
            XCTAssertTrue(try statement.step())
            XCTAssertThrowsError(try statement.bind(.integer(2), at: 1)) {
                XCTAssertEqual(($0 as? StorageError)?.code, .misuse)
            }
            statement.reset()
            XCTAssertEqual(statement.row[0].kind, .null)
        }
    }
}
