import Vigil
import XCTest

/// The regions that observations register.
final class RegionTrackingTests: XCTestCase {
    private let schema = """
        CREATE TABLE source(name TEXT); INSERT INTO source VALUES ('a');
        CREATE TABLE a(v); CREATE TABLE b(v);
        """

    /// Fetches the number of rows of the table that another table names.
    private static let chosen: @Sendable (Database) throws -> String = { db in
        let name = try String.fetchOne(db, sql: "SELECT name FROM source") ?? ""
        let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(name)") ?? -1
        return "\(name)\(count)"
    }

    func testEachFetchReplacesTheRegion() throws {
        try onEachFixture(schema: schema) { fixture in
            let regions = Values<String>()
            let observed = fixture.observe(
                ValueObservation.tracking(Self.chosen)
                    .handleEvents(willTrackRegion: { regions.append("\($0)") }))
            observed.expect(["a0"])
            try fixture.writer.commit("INSERT INTO a VALUES (1)")
            observed.expect(["a0", "a1"])
            try fixture.writer.commit("UPDATE source SET name = 'b'")
            observed.expect(["a0", "a1", "b0"])
            // The previous table is no longer observed.
            try fixture.writer.commit("INSERT INTO a VALUES (1)")
            try fixture.writer.commit("INSERT INTO b VALUES (1)")
            let values = observed.values.wait(for: "b1")
            if !fixture.isPool { XCTAssertEqual(values, ["a0", "a1", "b0", "b1"]) }
            try fixture.writer.commit("UPDATE source SET name = 'a'")
            observed.values.wait(for: "a2")
            XCTAssertEqual(regions.all, ["a(*),source(name)", "b(*),source(name)", "a(*),source(name)"])
        }
    }

    func testAConstantRegionIsThatOfTheFirstFetch() throws {
        try onEachFixture(schema: schema) { fixture in
            let regions = Values<String>()
            let observed = fixture.observe(
                ValueObservation.trackingConstantRegion(Self.chosen)
                    .handleEvents(willTrackRegion: { regions.append("\($0)") }))
            observed.expect(["a0"])
            try fixture.writer.commit("UPDATE source SET name = 'b'")
            observed.expect(["a0", "b0"])
            try fixture.writer.commit("INSERT INTO b VALUES (1)")
            try fixture.writer.commit("INSERT INTO a VALUES (1)")
            observed.expect(["a0", "b0", "b1"])
            XCTAssertEqual(regions.all, ["a(*),source(name)"])
        }
    }

    func testAMissingGivenTableIsObservedOnceCreated() throws {
        try onEachFixture(schema: schema) { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking(region: DatabaseRegion(table: "later")) { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master WHERE name = 'later'")
                        == 1 ? try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM later") : nil
                })
            observed.expect([nil])
            try fixture.writer.commit("CREATE TABLE later(a)")
            observed.expect([nil, 0])
            try fixture.writer.commit("INSERT INTO LATER VALUES (1)")
            observed.expect([nil, 0, 1])
        }
    }

    func testTheRegionOfAViewFollowsItsDefinition() throws {
        let countV: @Sendable (Database) throws -> Int = { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM v") ?? -1
        }
        let observations: [ValueObservation<ValueReducers.Fetch<Int>>] = [
            .tracking(region: Table("v"), fetch: countV), .trackingConstantRegion(countV),
        ]
        for observation in observations {
            try onEachFixture(schema: schema + "CREATE VIEW v AS SELECT v FROM a") { fixture in
                let observed = fixture.observe(observation)
                observed.expect([0])
                try fixture.writer.commit("INSERT INTO a VALUES (1)")
                observed.expect([0, 1])
                try fixture.writer.write { db in
                    try db.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT v FROM b")
                }
                observed.expect([0, 1, 0])
                try fixture.writer.commit("INSERT INTO b VALUES (1)")
                observed.expect([0, 1, 0, 1])
                try fixture.writer.commit("INSERT INTO a VALUES (1)")
                try fixture.writer.commit("INSERT INTO b VALUES (1)")
                observed.values.wait(for: 2)
                if !fixture.isPool { XCTAssertEqual(observed.values.all, [0, 1, 0, 1, 2]) }
            }
        }
    }

    func testARegionThatCannotBeDerivedIsTheWholeDatabaseUntilItCan() throws {
        try onEachFixture(
            WriterKind.allCases, [.queue], schema: schema + "CREATE VIEW v AS SELECT v FROM a"
        ) { fixture in
            let regions = Values<String>()
            let observed = fixture.observe(
                ValueObservation.tracking(region: Table("v")) { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM b") ?? -1
                }.handleEvents(willTrackRegion: { regions.append("\($0)") }))
            observed.expect([0])
            try fixture.writer.commit("DROP TABLE a")
            observed.expect([0, 0])
            try fixture.writer.commit("INSERT INTO b VALUES (1)")
            observed.expect([0, 0, 1])
            try fixture.writer.commit("CREATE TABLE a(v)")
            observed.expect([0, 0, 1, 1])
            try fixture.writer.commit("INSERT INTO a VALUES (1)")
            observed.expect([0, 0, 1, 1, 1])
            XCTAssertEqual(regions.all, ["a(v)", "full database", "a(v)"])
        }
    }

    func testARolledBackViewLeavesTheRegionAsItWas() throws {
        try onEachFixture(
            [.memory, .file], [.immediate], schema: schema + "CREATE TEMP VIEW v AS SELECT v FROM a"
        ) { fixture in
            let observed = try fixture.writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.execute(sql: "DROP VIEW v; CREATE TEMP VIEW v AS SELECT v FROM b")
                let observed = fixture.observe(
                    ValueObservation.tracking(region: Table("v")) { db in
                        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM v") ?? -1
                    })
                try db.rollback()
                return observed
            }
            observed.expect([0, 0])
            try fixture.writer.commit("INSERT INTO a VALUES (1)")
            observed.expect([0, 0, 1])
        }
    }

    func testAGivenRegionIsIndependentOfTheFetch() throws {
        try onEachFixture(schema: schema) { fixture in
            let regions = Values<String>()
            let observed = fixture.observe(
                ValueObservation
                    .tracking(
                        region: DatabaseRegion(table: "B"), DatabaseRegion(table: "source", columns: ["NAME"])
                    ) { db in
                        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM a") ?? -1
                    }
                    .handleEvents(willTrackRegion: { regions.append("\($0)") }))
            observed.expect([0])
            try fixture.writer.commit("INSERT INTO a VALUES (1)")
            try fixture.writer.commit("INSERT INTO b VALUES (1)")
            observed.expect([0, 1])
            try fixture.writer.commit("INSERT INTO b VALUES (2)")
            observed.expect([0, 1, 1])
            XCTAssertEqual(regions.all, ["b(*),source(NAME)"])
        }
    }

    func testAnEmptyRegionMatchesNothingAndTheFullDatabaseEverything() throws {
        try onEachFixture(schema: schema) { fixture in
            let never = fixture.observe(ValueObservation.tracking { _ in 7 })
            let always = fixture.observe(
                ValueObservation.tracking(region: .fullDatabase) { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM a") ?? -1
                })
            always.expect([0])
            try fixture.writer.commit("INSERT INTO b VALUES (1)")
            always.expect([0, 0])
            try fixture.writer.commit("INSERT INTO a VALUES (1)")
            always.expect([0, 0, 1])
            never.expect([7])
        }
    }

    func testViewsAreLeftOutAndTablesOfTheLibraryAreObserved() throws {
        let schema = """
            CREATE TABLE Player(Id INTEGER PRIMARY KEY AUTOINCREMENT, Score);
            CREATE VIEW v AS SELECT score FROM player;
            """
        try onEachFixture(schema: schema) { fixture in
            let regions = Values<String>()
            let query = "SELECT score FROM v WHERE (SELECT COUNT(*) FROM sqlite_sequence) >= 0"
            let observed = fixture.observe(
                ValueObservation.tracking { db in try Int.fetchAll(db, sql: query) }
                    .handleEvents(willTrackRegion: { regions.append("\($0)") }))
            observed.expect([[]])
            XCTAssertEqual(regions.all.count, 1)
            // An old library reports no columns of a table behind a view.
            XCTAssertTrue(
                ["Player(Score)", "Player(*)"].contains { regions.all[0] == $0 + ",sqlite_sequence(*)" },
                regions.all[0])
            let own = try fixture.writer.read { db in try db.makeStatement(sql: query).databaseRegion }
            XCTAssertTrue("\(own)".lowercased().contains("v("), "\(own)")
            try fixture.writer.commit("INSERT INTO player(score) VALUES (3)")
            observed.expect([[], [3]])
        }
    }

    func testColumnsWithAnEmptyNameOrTheNameOfTheRowIDAreObserved() throws {
        let schema = """
            CREATE TABLE unnamed("" TEXT, a); INSERT INTO unnamed VALUES ('x', 1);
            CREATE TABLE spelled(ROWID TEXT, a); INSERT INTO spelled VALUES ('x', 1);
            """
        let cases = [
            (#"SELECT "" FROM unnamed"#, #"UPDATE unnamed SET "" = 'y'"#),
            ("SELECT * FROM unnamed", #"UPDATE unnamed SET "" = 'y'"#),
            (
                "SELECT ROWID FROM spelled WHERE (SELECT COUNT(*) FROM spelled) > 0",
                "UPDATE spelled SET ROWID = 'y'"
            ),
        ]
        for (query, write) in cases {
            try onEachFixture(schema: schema) { fixture in
                let observed = fixture.observe(
                    ValueObservation.tracking { db in try String.fetchAll(db, sql: query) })
                observed.expect([["x"]])
                try fixture.writer.commit(write)
                observed.expect([["x"], ["y"]])
            }
        }
    }

    func testRecordingsNestAndAccumulate() throws {
        try onEachFixture(WriterKind.allCases, [.queue], schema: schema) { fixture in
            try fixture.writer.read { db in
                var (outer, inner) = (DatabaseRegion(table: "source"), DatabaseRegion())
                try db.recordingSelection(&outer) {
                    _ = try Int.fetchOne(db, sql: "SELECT v FROM a")
                    try db.recordingSelection(&inner) { _ = try Int.fetchOne(db, sql: "SELECT v FROM b") }
                }
                XCTAssertEqual("\(inner)", "b(v)")
                XCTAssertEqual("\(outer)", "a(v),b(v),source(*)")
            }
        }
    }

    func testAFetchWithItsOwnRecordingIsObserved() throws {
        try onEachFixture(schema: schema) { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db -> Int in
                    var region = DatabaseRegion()
                    return try db.recordingSelection(&region) {
                        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM a") ?? -1
                    }
                })
            observed.expect([0])
            try fixture.writer.commit("INSERT INTO a VALUES (1)")
            observed.expect([0, 1])
        }
    }
}
