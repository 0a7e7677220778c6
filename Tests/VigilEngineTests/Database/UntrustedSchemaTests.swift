import Synchronization
import Vigil
import XCTest

/// The schema of an untrusted file never runs a function of the app that is not declared harmless: one test
/// for each part of a schema that can name a function.
final class UntrustedSchemaTests: XCTestCase {
    /// A function that counts its calls, and returns its first argument or 1.
    private final class Launch: Sendable {
        private let calls = Mutex(0)
        var count: Int { calls.withLock { $0 } }

        func function(_ name: String = "launch", pure: Bool = true, harmless: Bool = false)
            -> DatabaseFunction
        {
            DatabaseFunction(name, pure: pure, harmless: harmless) { [self] values in
                calls.withLock { $0 += 1 }
                return values.first ?? 1.databaseValue
            }
        }
    }

    /// Creates a file with a schema on each backend, and opens it as an untrusted file.
    ///
    /// - Parameters:
    ///   - minor: the minor version of SQLite that the schema needs.
    ///   - module: the module of virtual tables that the schema needs.
    private func onEachFile(
        _ schema: String, named name: String = "launch", since minor: Int = 0, module: String? = nil,
        pure: Bool = true, harmless: Bool = false, _ body: (Database, Launch) throws -> Void
    ) throws {
        for (label, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let path = directory.file("untrusted.sqlite")
            var configuration = Configuration()
            configuration.backend = backend
            do {
                let author = try DatabaseQueue(path: path, configuration: configuration)
                let canRun = try author.inDatabase { db in
                    db.add(function: Launch().function(name, pure: pure))
                    let version = try XCTUnwrap(String.fetchOne(db, sql: "SELECT sqlite_version()"))
                    guard Int(version.split(separator: ".")[1]).map({ $0 >= minor }) == true else {
                        return false
                    }
                    if let module,
                        (try? db.execute(sql: "CREATE VIRTUAL TABLE probe USING \(module)(a)")) == nil
                    {
                        return false
                    }
                    try db.execute(sql: schema)
                    return true
                }
                try author.close()
                guard canRun else { continue }
            }
            configuration.trustsFile = false
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { db in
                let launch = Launch()
                db.add(function: launch.function(name, pure: pure, harmless: harmless))
                let failures = testRun?.totalFailureCount ?? 0
                try body(db, launch)
                if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("on \(label)") }
            }
        }
    }

    /// Asserts that statements of the app throw because the schema would call the function, and that it is
    /// not called.
    private func assertRefused(
        _ schema: String, _ statements: [String], since minor: Int = 0, module: String? = nil,
        pure: Bool = true,
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        try onEachFile(schema, since: minor, module: module, pure: pure) { db, launch in
            for sql in statements {
                assertDatabaseError(.SQLITE_ERROR, unsafeUseOfLaunch, file: file, line: line) {
                    _ = try Row.fetchAll(db, sql: sql)
                }
            }
            XCTAssertEqual(launch.count, 0, file: file, line: line)
        }
    }

    // MARK: - Parts of a table

    func testChecksOfColumnsAndTables() throws {
        for pure in [true, false] {
            try assertRefused(
                "CREATE TABLE t(a CHECK (launch(a))); INSERT INTO t VALUES (1)",
                ["INSERT INTO t VALUES (2)", "UPDATE t SET a = 3", "REPLACE INTO t VALUES (2)"], pure: pure)
            try assertRefused(
                "CREATE TABLE t(a, CONSTRAINT c CHECK (a > 0 AND \"launch\" (a)))",
                ["INSERT INTO t VALUES (2)"], pure: pure)
        }
    }

    func testDefaultValues() throws {
        for pure in [true, false] {
            try assertRefused(
                "CREATE TABLE t(a, b DEFAULT (launch()))",
                ["INSERT INTO t(a) VALUES (1)", "INSERT INTO t DEFAULT VALUES"], pure: pure)
        }
    }

    func testGeneratedColumns() throws {
        try assertRefused(
            "CREATE TABLE t(a, b AS (launch(a)) VIRTUAL); INSERT INTO t VALUES (1)",
            ["SELECT b FROM t", "SELECT * FROM t", "UPDATE t SET a = b"], since: 31)
        try assertRefused(
            "CREATE TABLE t(a, b AS (launch(a)) STORED); INSERT INTO t VALUES (1)",
            ["INSERT INTO t VALUES (2)", "UPDATE t SET a = 3"], since: 31)
    }

    func testIndexesOfExpressions() throws {
        try assertRefused(
            "CREATE TABLE t(a); CREATE INDEX i ON t(launch(a)); INSERT INTO t VALUES (1)",
            ["INSERT INTO t VALUES (2)", "UPDATE t SET a = 3", "DELETE FROM t WHERE a = 1", "REINDEX t"])
    }

    func testConditionsOfPartialIndexes() throws {
        try assertRefused(
            "CREATE TABLE t(a); CREATE INDEX i ON t(a) WHERE launch(a); INSERT INTO t VALUES (1)",
            ["INSERT INTO t VALUES (2)", "UPDATE t SET a = 3", "REINDEX"])
    }

    // MARK: - Views and triggers

    func testViewsAndViewsOfViews() throws {
        try assertRefused(
            """
            CREATE VIEW v AS SELECT launch() AS a;
            CREATE VIEW w AS WITH c AS (SELECT a FROM v) SELECT a FROM c WHERE a IN (SELECT a FROM v);
            """,
            [
                "SELECT * FROM v", "SELECT * FROM w", "SELECT 1 WHERE 1 IN (SELECT a FROM w)",
                "CREATE TEMP TABLE copy AS SELECT * FROM v",
            ])
    }

    func testTriggers() throws {
        for moment in ["BEFORE", "AFTER"] {
            try assertRefused(
                """
                CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE TABLE u AS SELECT * FROM t;
                CREATE TRIGGER i \(moment) INSERT ON t BEGIN SELECT launch(); END;
                CREATE TRIGGER u \(moment) UPDATE ON t WHEN launch() BEGIN SELECT 1; END;
                CREATE TRIGGER d \(moment) DELETE ON t BEGIN UPDATE u SET a = launch(); END;
                """, ["INSERT INTO t VALUES (2)", "UPDATE t SET a = 3", "DELETE FROM t WHERE a = 1"],
                pure: false)
        }
        try assertRefused(
            """
            CREATE VIEW v AS SELECT 1 AS a;
            CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN SELECT launch(); END;
            """, ["INSERT INTO v VALUES (2)"])
    }

    func testForeignKeyActions() throws {
        try assertRefused(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1), (2);
            CREATE TABLE c(
                p DEFAULT (launch(2)) REFERENCES p(id) ON DELETE SET DEFAULT ON UPDATE CASCADE, CHECK (launch(p)));
            INSERT INTO c VALUES (1);
            """, ["DELETE FROM p WHERE id = 1", "UPDATE p SET id = 3 WHERE id = 1"])
    }

    // MARK: - Virtual tables

    func testFunctionsThatFullTextTablesName() throws {
        try onEachFile(
            """
            CREATE VIRTUAL TABLE f USING fts4(a, compress=launch, uncompress="launch");
            INSERT INTO f VALUES ('x');
            """, module: "fts4"
        ) { db, launch in
            for sql in [
                "INSERT INTO f VALUES ('y')", "SELECT a FROM f", "INSERT INTO f VALUES (launch('y'))",
                "SELECT launch(a) FROM f",
            ] {
                assertDatabaseError(.SQLITE_ERROR) { _ = try Row.fetchAll(db, sql: sql) }
            }
            XCTAssertEqual(launch.count, 0)
        }
    }

    func testShadowTables() throws {
        try onEachFile(
            """
            CREATE VIRTUAL TABLE f USING fts4(a);
            CREATE TRIGGER i AFTER INSERT ON f_content BEGIN SELECT launch(); END;
            """, module: "fts4"
        ) { db, launch in
            XCTAssertThrowsError(try db.execute(sql: "INSERT INTO f VALUES ('x')"))
            XCTAssertThrowsError(try db.execute(sql: "INSERT INTO f VALUES (launch('x'))"))
            XCTAssertEqual(launch.count, 0)
        }
        try onEachFile(
            """
            CREATE TABLE c(a); INSERT INTO c VALUES ('x');
            CREATE VIEW v AS SELECT rowid, launch(a) AS a FROM c;
            CREATE VIRTUAL TABLE f USING fts4(content="v", a);
            """, module: "fts4"
        ) { db, launch in
            for sql in ["INSERT INTO f(f) VALUES ('rebuild')", "SELECT a, launch(a) FROM f"] {
                XCTAssertThrowsError(try Row.fetchAll(db, sql: sql))
            }
            XCTAssertEqual(launch.count, 0)
        }
    }

    // MARK: - Other ways

    func testOperatorsThatCallFunctions() throws {
        for (name, expression) in [
            ("regexp", "a REGEXP 'x'"), ("like", "a LIKE 'x'"), ("match", "a MATCH 'x'"),
        ] {
            try onEachFile("CREATE TABLE t(a CHECK (\(expression)))", named: name) { db, launch in
                assertDatabaseError(.SQLITE_ERROR) { try db.execute(sql: "INSERT INTO t VALUES ('x')") }
                assertDatabaseError(.SQLITE_ERROR) {
                    try db.execute(sql: "INSERT INTO t SELECT 'x' WHERE '' \(name) 'x'")
                }
                XCTAssertEqual(launch.count, 0)
            }
        }
    }

    func testChecksOfTheWholeDatabase() throws {
        let schema =
            "CREATE TABLE t(a CHECK (launch(a))); CREATE INDEX i ON t(launch(a)); INSERT INTO t VALUES (1)"
        try onEachFile(schema) { db, launch in
            for sql in [
                "PRAGMA integrity_check", "PRAGMA quick_check", "VACUUM", "ANALYZE", "ALTER TABLE t ADD b",
            ] {
                _ = try? Row.fetchAll(db, sql: sql)
            }
            _ = try? Row.fetchAll(db, sql: "SELECT launch(1), * FROM pragma_integrity_check")
            XCTAssertEqual(launch.count, 0)
        }
    }

    func testStatementsThatCallTheFunctionThemselves() throws {
        try assertRefused(
            """
            CREATE TABLE t(a CHECK (launch(a))); CREATE TABLE u(a DEFAULT (/**/[Launch]/**/()), b);
            CREATE VIEW v AS SELECT launch() AS a; CREATE TABLE w(a); CREATE INDEX i ON w(launch(a));
            """,
            [
                "INSERT INTO t VALUES (launch(1))", "INSERT INTO u(b) SELECT launch(1)",
                "SELECT launch(a) FROM v", "WITH x AS (SELECT * FROM v) SELECT launch(a) FROM x",
                "INSERT INTO w VALUES (launch(1))",
            ])
    }

    func testAggregatesAreNotEvenCreated() throws {
        final class Created: Sendable {
            static let count = Mutex(0)
        }
        struct Aggregate: DatabaseAggregate {
            init() { Created.count.withLock { $0 += 1 } }
            func step(_ dbValues: [DatabaseValue]) {}
            func finalize() -> (any DatabaseValueConvertible)? { 1 }
        }
        try onEachFile("CREATE TABLE t(a); INSERT INTO t VALUES (1)") { db, _ in
            db.add(function: DatabaseFunction("summed", argumentCount: 1, aggregate: Aggregate.self))
            try db.execute(
                sql: "CREATE VIEW v AS SELECT summed(a) FROM t; CREATE VIEW w AS SELECT summed(1) WHERE 0")
            let before = Created.count.withLock { $0 }
            for view in ["v", "w"] {
                XCTAssertThrowsError(try Row.fetchAll(db, sql: "SELECT * FROM \(view)"))
            }
            XCTAssertEqual(Created.count.withLock { $0 }, before)
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT summed(a) FROM t"), 1)
        }
    }

    // MARK: - What is possible

    func testStatementsOfTheAppCanCallItsFunctions() throws {
        try onEachFile("CREATE TABLE t(a); INSERT INTO t VALUES (2); CREATE VIEW v AS SELECT launch()") {
            db, launch in
            let statements = [
                "SELECT launch(2)", "SELECT launch(a) FROM t", "SELECT a FROM t WHERE launch(a) = 2",
                "WITH w AS (SELECT launch(a) FROM t) SELECT * FROM w", "SELECT (SELECT launch(a) FROM t)",
            ]
            for sql in statements {
                XCTAssertEqual(try Int.fetchOne(db, sql: sql), 2, sql)
            }
            try db.execute(sql: "UPDATE t SET a = launch(3)")
            try db.execute(
                sql: """
                    CREATE TEMP VIEW mine AS SELECT launch(a) FROM t;
                    CREATE TEMP TRIGGER noted AFTER INSERT ON t BEGIN SELECT launch(); END;
                    INSERT INTO t VALUES (4);
                    """)
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT * FROM mine"), 3)
            XCTAssertGreaterThan(launch.count, statements.count)
        }
    }

    func testAStatementIsRefusedOnceTheSchemaNamesTheFunction() throws {
        try onEachFile("CREATE TABLE t(a); INSERT INTO t VALUES (2)", pure: false) { db, launch in
            let statement = try db.makeStatement(sql: "INSERT INTO t SELECT launch(5)")
            try statement.execute()
            XCTAssertEqual(launch.count, 1)
            try db.execute(sql: "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT launch(); END")
            assertDatabaseError(.SQLITE_ERROR, unsafeUseOfLaunch) { try statement.execute() }
            XCTAssertEqual(launch.count, 1)
        }
    }

    func testTheSchemaCanCallHarmlessFunctions() throws {
        try onEachFile(
            """
            CREATE TABLE t(a CHECK (launch(a)), b DEFAULT (launch(7))); CREATE INDEX i ON t(launch(a));
            CREATE VIEW v AS SELECT launch(a) AS a, b FROM t;
            """, harmless: true
        ) { db, launch in
            try db.execute(sql: "INSERT INTO t(a) VALUES (1)")
            XCTAssertEqual(try Row.fetchOne(db, sql: "SELECT * FROM v"), ["a": 1, "b": 7])
            XCTAssertGreaterThanOrEqual(launch.count, 4)
        }
        try onEachFile("CREATE VIEW v AS SELECT swiftUppercaseString('x')") { db, _ in
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT * FROM v"), "X")
        }
    }
}
