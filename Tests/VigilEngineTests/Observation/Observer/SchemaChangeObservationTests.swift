import Vigil
import XCTest

/// Observations of tables that are altered, dropped and recreated.
final class SchemaChangeObservationTests: XCTestCase {
    private let columns = ValueObservation.tracking { db in
        try Row.fetchOne(db, sql: "SELECT * FROM t").map { Array($0.columnNames) } ?? []
    }

    func testAnAlteredTableIsFetchedAgainWithItsNewRegion() throws {
        try onEachFixture(schema: tableT + "INSERT INTO t DEFAULT VALUES;") { fixture in
            let regions = Values<String>()
            let observed = fixture.observe(columns.handleEvents(willTrackRegion: { regions.append("\($0)") }))
            observed.expect([["id", "a"]])
            try fixture.writer.commit("ALTER TABLE t ADD COLUMN b")
            observed.expect([["id", "a"], ["id", "a", "b"]])
            try fixture.writer.commit("UPDATE t SET b = 1")
            observed.expect([["id", "a"], ["id", "a", "b"], ["id", "a", "b"]])
            XCTAssertEqual(regions.all, ["t(a,id)", "t(a,b,id)"])
        }
    }

    func testATableRenamedToAnObservedNameIsFetched() throws {
        try onEachFixture(schema: tableT + "CREATE TABLE other(id INTEGER PRIMARY KEY, a);") { fixture in
            try fixture.writer.commit("INSERT INTO other(a) VALUES (1), (2)")
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.writer.commit("DROP TABLE t; ALTER TABLE other RENAME TO t")
            observed.expect([0, 2])
            try fixture.insert()
            observed.expect([0, 2, 3])
        }
    }

    func testATableRecreatedInOneTransactionIsFetchedAgain() throws {
        for observation in [
            rowCounts, .trackingConstantRegion(countRows),
            .tracking(region: DatabaseRegion(table: "t"), fetch: countRows), rowCounts.coalescing(.never),
        ] {
            try onEachFixture(schema: tableT + "INSERT INTO t DEFAULT VALUES;") { fixture in
                let observed = fixture.observe(observation)
                observed.expect([1])
                try fixture.writer.commit("DROP TABLE t; \(tableT)")
                observed.expect([1, 0])
                try fixture.insert()
                observed.expect([1, 0, 1])
            }
        }
    }

    func testADroppedTableEndsTheObservationPermanently() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.writer.commit("DROP TABLE t")
            observed.errors.wait(count: 1)
            try fixture.writer.commit(tableT)
            try fixture.insert()
            let next = fixture.observe(rowCounts)
            next.expect([1])
            XCTAssertEqual(observed.values.all, [0])
        }
    }

    func testAFetchThatToleratesAMissingTableRepeatsOnceItExists() throws {
        // A cached statement is recompiled only when it runs.
        let counts = ValueObservation.tracking { db in
            (try? Int.fetchOne(try db.cachedStatement(sql: "SELECT COUNT(*) FROM t WHERE id > 0"))) ?? -1
        }
        for observation in [counts, counts.coalescing(.never)] {
            try onEachFixture { fixture in
                let observed = fixture.observe(observation)
                observed.expect([0])
                try fixture.writer.commit("ALTER TABLE t RENAME TO away")
                observed.expect([0, -1])
                try fixture.writer.commit("ALTER TABLE away RENAME TO t")
                observed.expect([0, -1, 0])
                try fixture.insert()
                observed.expect([0, -1, 0, 1])
            }
        }
    }

    func testARolledBackSchemaChangeDoesNotMatch() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(columns.map { $0.count })
            observed.expect([0])
            try fixture.writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "ALTER TABLE t ADD COLUMN b; INSERT INTO t DEFAULT VALUES")
                    return .rollback
                }
            }
            try fixture.insert()
            observed.expect([0, 2])
        }
    }

    func testANewViewThatHidesATableIsReadThroughItsTables() throws {
        try onEachFixture(schema: "CREATE TABLE base(a); CREATE VIEW t AS SELECT a FROM base;") { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.writer.commit("INSERT INTO base VALUES (1)")
            observed.expect([0, 1])
            // The region does not contain the view. The fetch after a commit to its table reads the view.
            try fixture.writer.commit(
                """
                DROP VIEW t; CREATE TABLE twice(a); INSERT INTO twice VALUES (1), (2);
                CREATE VIEW t AS SELECT a FROM twice; INSERT INTO base VALUES (2)
                """)
            observed.expect([0, 1, 2])
            try fixture.writer.commit("INSERT INTO twice VALUES (3)")
            observed.expect([0, 1, 2, 3])
        }
    }

    func testATemporaryTableThatHidesAViewIsFetched() throws {
        let schema = "CREATE TABLE base(a); INSERT INTO base VALUES (1); CREATE VIEW t AS SELECT a FROM base;"
        try onEachFixture([.memory, .file], schema: schema) { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([1])
            try fixture.writer.commit("CREATE TEMP TABLE t(a)")
            observed.expect([1, 0])
            try fixture.writer.commit("INSERT INTO t VALUES (1), (2)")
            observed.expect([1, 0, 2])
            try fixture.writer.commit("DROP TABLE temp.t")
            observed.expect([1, 0, 2, 1])
        }
    }

    func testAViewWithoutTablesIsFetchedWhenItIsRedefined() throws {
        try onEachFixture(schema: "CREATE VIEW t AS SELECT 1 AS a;") { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([1])
            try fixture.writer.commit("DROP VIEW t; CREATE VIEW t AS SELECT 1 AS a UNION SELECT 2")
            observed.expect([1, 2])
            try fixture.writer.commit("DROP VIEW t; CREATE TABLE t(a)")
            observed.expect([1, 2, 0])
            try fixture.writer.commit("INSERT INTO t VALUES (1)")
            observed.expect([1, 2, 0, 1])
        }
    }

    func testATemporaryViewWithoutTablesIsFetchedWhenItIsDropped() throws {
        try onEachFixture([.memory, .file]) { fixture in
            try fixture.writer.commit("CREATE TEMP VIEW t AS SELECT 1 UNION SELECT 2")
            let observed = fixture.observe(rowCounts)
            observed.expect([2])
            try fixture.writer.commit("DROP VIEW temp.t")
            observed.expect([2, 0])
        }
    }

    func testExistingTablesAndViewsDoNotMatch() throws {
        try onEachFixture([.memory, .file], schema: tableT + "CREATE VIEW v AS SELECT 1;") { fixture in
            let observed = fixture.observe(rowCounts)
            let schemas = fixture.observe(ValueObservation.tracking { try $0.tableExists("t") })
            observed.expect([0])
            schemas.expect([true])
            try fixture.writer.commit(
                "CREATE TABLE IF NOT EXISTS t(a); CREATE VIEW IF NOT EXISTS v AS SELECT 2")
            try fixture.insert()
            observed.expect([0, 1])
            XCTAssertEqual(schemas.values.all, [true])
        }
    }

    func testAnIndexAndAnotherTableDoNotMatch() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.writer.commit("CREATE TABLE other(a); CREATE INDEX i ON other(a)")
            try fixture.insert()
            observed.values.wait(for: 1)
            XCTAssertEqual(observed.values.all.last, 1)
        }
    }
}
