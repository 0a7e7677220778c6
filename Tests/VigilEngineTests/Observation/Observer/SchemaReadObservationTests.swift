import Vigil
import XCTest

/// Observations that read the schema.
final class SchemaReadObservationTests: XCTestCase {
    /// Waits until the observation is registered. Until then, any commit may match it.
    private func settle<Value>(_ observed: Observed<Value>, _ fixture: ObservationFixture, count: Int = 1)
        throws
    {
        observed.values.wait(count: count)
        try fixture.writer.barrierWriteWithoutTransaction { _ in }
        fixture.writer.writeWithoutTransaction { _ in }
    }

    /// Runs statements, and compares the value that the observation delivers after each. A statement with the
    /// value `nil` must not make it fetch.
    private func assertReports<Value: Equatable & Sendable>(
        _ first: Value, _ statements: [(sql: String, value: Value?)], schema: String = tableT,
        version: [Int] = [], file: StaticString = #filePath, line: UInt = #line,
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) throws {
        try onEachFixture(WriterKind.allCases, [.queue], schema: schema) { fixture in
            let library = try fixture.writer.read {
                try String.fetchOne($0, sql: "SELECT sqlite_version()") ?? ""
            }
            guard !library.split(separator: ".").compactMap({ Int($0) }).lexicographicallyPrecedes(version)
            else {
                return
            }
            let observed = fixture.observe(.tracking(fetch).coalescing(.never))
            var expected = [first]
            try settle(observed, fixture)
            for (sql, value) in statements {
                try fixture.writer.writeWithoutTransaction { db in try db.execute(sql: sql) }
                if let value { expected.append(value) }
                try settle(observed, fixture, count: expected.count)
                XCTAssertEqual(
                    observed.values.wait(count: expected.count), expected, sql, file: file, line: line)
                XCTAssertEqual(
                    fixture.writer.observations.map(\.changeCount), [expected.count - 1], sql, file: file,
                    line: line)
            }
            XCTAssertEqual(observed.errors.all.map { "\($0)" }, [], file: file, line: line)
        }
    }

    func testReadsOfTableExistenceAreObserved() throws {
        try assertReports(
            false,
            [
                ("CREATE TABLE Player(a)", true), ("INSERT INTO player VALUES (1)", nil),
                ("UPDATE player SET a = 2", nil), ("INSERT INTO t DEFAULT VALUES", nil),
                ("BEGIN; DROP TABLE player; ROLLBACK", nil), ("DROP TABLE player", false),
                ("BEGIN; CREATE TABLE player(a); INSERT INTO player VALUES (1); COMMIT", true),
                ("ALTER TABLE player RENAME TO other", false),
            ]
        ) { db in try db.tableExists("player") }
    }

    func testReadsOfViewAndTriggerExistenceAreObserved() throws {
        try assertReports(
            [false, false],
            [
                ("CREATE VIEW v AS SELECT * FROM t", [true, false]),
                ("CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END", [true, true]),
                ("INSERT INTO t DEFAULT VALUES", nil), ("DROP VIEW v", [false, true]),
                ("DROP TABLE t", [false, false]),
            ]
        ) { db in [try db.viewExists("v"), try db.triggerExists("r")] }
    }

    func testReadsOfColumnsPrimaryKeysAndIndexesAreObserved() throws {
        try assertReports(
            ["id", "a", "id"],
            [
                ("INSERT INTO t DEFAULT VALUES", nil), ("DELETE FROM t WHERE id = 1", nil),
                ("ALTER TABLE t ADD COLUMN b", ["id", "a", "b", "id"]),
                ("CREATE INDEX i ON t(b)", ["id", "a", "b", "id", "i"]),
                ("DROP INDEX i", ["id", "a", "b", "id"]),
            ]
        ) { db in
            try db.columns(in: "t").map(\.name) + db.primaryKey("t").columns + db.indexes(on: "t").map(\.name)
        }
    }

    func testReadsOfForeignKeysAndUniqueKeysAreObserved() throws {
        try assertReports(
            [0, 0],
            [
                ("CREATE UNIQUE INDEX i ON t(a)", [0, 1]),
                ("ALTER TABLE t ADD COLUMN b REFERENCES t(id)", [1, 1]),
                ("INSERT INTO t DEFAULT VALUES", nil),
            ]
        ) { db in
            [try db.foreignKeys(on: "t").count, try db.table("t", hasUniqueKey: ["a"]) ? 1 : 0]
        }
    }

    func testDumpsOfTheSchemaAreObserved() throws {
        try assertReports(
            false,
            [
                ("INSERT INTO t DEFAULT VALUES", nil), ("CREATE TABLE u(abc)", true),
                ("DROP TABLE u", false),
            ]
        ) { db in
            let lines = Lines()
            try db.dumpSchema(to: lines)
            return lines.all.contains { $0.contains("abc") }
        }
    }

    func testQueriesOfTheSchemaTableAreObserved() throws {
        for name in ["sqlite_master", "main.SQLITE_MASTER"] {
            try assertReports(
                ["t"],
                [
                    ("INSERT INTO t DEFAULT VALUES", nil), ("CREATE TABLE u(a)", ["t", "u"]),
                    ("DROP TABLE t", ["u"]), ("CREATE INDEX i ON u(a)", ["i", "u"]),
                ]
            ) { db in try String.fetchAll(db, sql: "SELECT name FROM \(name) ORDER BY name") }
        }
    }

    func testValuesOfPragmasAreObserved() throws {
        let statements: [(sql: String, value: [Int]?)] = [
            ("PRAGMA user_version = 1", [1, 0]), ("INSERT INTO t DEFAULT VALUES", nil),
            ("BEGIN; PRAGMA user_version = 3; ROLLBACK", nil), ("PRAGMA application_id = 7", [1, 7]),
            ("BEGIN; INSERT INTO t DEFAULT VALUES; PRAGMA user_version = 2; COMMIT", [2, 7]),
        ]
        try assertReports([0, 0], statements) { db in
            try ["user_version", "application_id"].map { try Int.fetchOne(db, sql: "PRAGMA \($0)") ?? -1 }
        }
        try assertReports([0, 0], statements, version: [3, 16]) { db in
            try ["user_version", "application_id"].map { name in
                try Int.fetchOne(db, sql: "SELECT \(name) FROM pragma_\(name)") ?? -1
            }
        }
    }

    func testACursorThatIsNeverIteratedIsObserved() throws {
        try assertReports(["id", "a"], [("ALTER TABLE t ADD COLUMN b", ["id", "a", "b"])]) { db in
            try Row.fetchCursor(db, sql: "SELECT * FROM t").columnNames
        }
        try assertReports(["id", "a"], [("ALTER TABLE t ADD COLUMN b", ["id", "a", "b"])]) { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM t")
            return try Row.fetchCursor(statement).columnNames
        }
    }

    func testAViewThatCannotBeCompiledEndsNoOtherObservation() throws {
        try assertReports(
            ["t", "u", "v"],
            [
                ("INSERT INTO t DEFAULT VALUES", nil), ("INSERT INTO u VALUES (1)", nil),
                ("DROP TABLE u", ["t", "v"]), ("CREATE TABLE w(a)", ["t", "v", "w"]),
                ("INSERT INTO t DEFAULT VALUES", nil), ("CREATE TABLE u(b)", ["t", "u", "v", "w"]),
            ], schema: tableT + "CREATE TABLE u(b); CREATE VIEW v AS SELECT a, b FROM t, u", version: [3, 37]
        ) { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view')
                    AND name <> 'sqlite_schema' ORDER BY name
                    """)
        }
    }

    func testTemporaryTablesMatchReadsOfTableExistence() throws {
        try onEachFixture([.memory, .file], [.queue]) { fixture in
            let observed = fixture.observe(
                .tracking { db in
                    [
                        try db.tableExists("u"), try db.tableExists("u", in: "main"),
                        try db.tableExists("u", in: "temp"),
                    ]
                })
            observed.expect([[false, false, false]])
            try fixture.writer.commit("CREATE TEMP TABLE u(a)")
            observed.expect([[false, false, false], [true, false, true]])
        }
    }

    func testOnlyTheNamedDatabaseMatches() throws {
        try onEachFixture([.memory, .file], [.queue]) { fixture in
            try fixture.writer.writeWithoutTransaction { db in try db.execute(sql: "ATTACH ':memory:' AS b") }
            let regions = Values<String>()
            let observed = fixture.observe(
                ValueObservation.tracking { db in try db.tableExists("u", in: "B") }
                    .handleEvents(willTrackRegion: { regions.append("\($0)") }))
            observed.expect([false])
            try fixture.writer.commit("CREATE TABLE main.u(a)")
            try fixture.writer.commit("CREATE TABLE b.u(a)")
            observed.expect([false, true])
            XCTAssertEqual(regions.all, ["b.sqlite_master(*)"])
        }
    }

    func testAnAttachedDatabaseAddsTables() throws {
        try onEachFixture([.file], [.queue]) { fixture in
            try fixture.writer.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ':memory:' AS b; CREATE TABLE b.u(a)")
            }
            let observed = fixture.observe(.tracking { db in try db.tableExists("u") })
            observed.expect([true])
            try fixture.writer.writeWithoutTransaction { db in try db.execute(sql: "DETACH b") }
            observed.expect([true, false])
        }
    }

    func testSchemaChangesByAnotherQueueAreObserved() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            // A fetch may read while the other queue commits.
            configuration.busyMode = .timeout(10)
            let other = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            // The first commit to an empty file may not be detected: old SQLCipher does not change the data
            // version.
            try other.commit(tableT)
            configuration.foreignChanges = .observed
            let dbQueue = try DatabaseQueue(path: directory.file("db"), configuration: configuration)
            let values = Recorder<Bool>()
            let cancellable = ValueObservation.tracking { db in try db.tableExists("u") }.start(
                in: dbQueue, scheduling: immediately, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            try other.commit("CREATE TABLE u(a)")
            values.wait(for: true)
            cancellable.cancel()
        }
    }

    func testARegionObservationOfTheSchemaTableIsNotifiedOfSchemaChanges() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let commits = Recorder<Int>()
            let cancellable = DatabaseRegionObservation(tracking: DatabaseRegion(table: "sqlite_schema"))
                .start(
                    in: fixture.writer, onError: { XCTFail("\($0)") }, onChange: { _ in commits.append(1) })
            try fixture.insert()
            XCTAssertEqual(commits.all, [])
            try fixture.writer.commit("CREATE TABLE u(a)")
            XCTAssertEqual(commits.all, [1])
            cancellable.cancel()
        }
    }
}
