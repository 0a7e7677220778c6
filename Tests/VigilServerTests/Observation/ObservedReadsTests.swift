#if PostgreSQL
    import Vigil
    import VigilStorage
    import VigilTestSupport
    import XCTest

    /// Observations with a feed that reports changes by table.
    final class ObservedReadsTests: ServerTestCase {
        private func makePool(
            _ tables: [String], _ configuration: Configuration = Configuration(),
            feedApplication: String? = nil
        ) throws -> (DatabasePool, ScriptedFeed) {
            let dbPool = try makePool()
            try dbPool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player (id INT PRIMARY KEY, team INT); CREATE TABLE team (id INT PRIMARY KEY);
                        CREATE TABLE part (id INT) PARTITION BY LIST (id); CREATE TABLE leaf PARTITION OF part DEFAULT;
                        CREATE VIEW members AS SELECT id FROM player;
                        CREATE FUNCTION size() RETURNS bigint LANGUAGE sql STABLE
                            BEGIN ATOMIC SELECT count(*) FROM player; END;
                        CREATE FUNCTION opaque() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
                            BEGIN RETURN (SELECT count(*) FROM player); END $$;
                        """)
            }
            try dbPool.close()
            let feed = try ScriptedFeed(address(application: feedApplication), schema: schemaName)
            let observed = try DatabasePool(
                backend: ScriptedBackend(feed: feed), location: .server(StorageAddress(address)),
                configuration: configuration)
            try feed.begin(tables)
            return (observed, feed)
        }

        private struct Observed {
            let regions = Recorder<String>()
            let values = Recorder<[Int]>()
            let fetches = Recorder<Int>()
            var cancellable: AnyDatabaseCancellable?
        }

        private func observe(_ sql: String, in dbPool: DatabasePool) -> Observed {
            var observed = Observed()
            let (regions, values, fetches) = (observed.regions, observed.values, observed.fetches)
            observed.cancellable = ValueObservation.tracking { db in
                let rows = try Int.fetchAll(db, sql: sql)
                fetches.append(rows.count)
                return rows
            }
            .handleEvents(willTrackRegion: { regions.append("\($0)") })
            .start(
                in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            return observed
        }

        private func region(
            _ sql: String, _ dbPool: DatabasePool, isEndedEarly: Bool = false
        ) throws -> String {
            try dbPool.read { db in
                var region = DatabaseRegion()
                try db.recordingSelection(&region) {
                    if isEndedEarly {
                        XCTAssertNotNil(try Row.fetchOne(db, sql: sql), sql)
                    } else {
                        _ = try Row.fetchAll(db, sql: sql)
                    }
                }
                return "\(region)"
            }
        }

        func testRegionsNameTheReadTables() throws {
            let (dbPool, _) = try makePool(["player", "team", "part", "leaf"])
            let regions = [
                "SELECT * FROM player": "player(id,team)", "SELECT * FROM members": "player(id)",
                "SELECT player FROM player": "player(*)", "SELECT size(), * FROM team": "player(*),team(id)",
                "SELECT 1": "empty", "SELECT * FROM part": "part(id)",
                "SELECT opaque()": "pg_vigil.unreported(*)",
                "SELECT opaque(), * FROM team": "pg_vigil.unreported(*),team(*)",
                "SELECT * FROM pg_class": "pg_vigil.unreported(*)",
            ]
            for (sql, expected) in regions {
                // The second run uses a kept statement.
                for _ in 1...2 {
                    let region = try region(sql, dbPool)
                    // The statement may have changed the session.
                    let isOpaque = sql.contains("opaque")
                    XCTAssertEqual(region, isOpaque ? "full database" : expected, sql)
                }
            }
        }

        /// Each update can move a row behind others.
        func testTheFirstRowDependsOnAllColumns() throws {
            let (dbPool, _) = try makePool(["player", "team"])
            try dbPool.write { db in try db.execute(sql: "INSERT INTO player VALUES (1, 1), (2, 2)") }
            let regions = [
                "SELECT id FROM player": "player(*)", "SELECT id FROM members": "player(*)",
                "SELECT team FROM player ORDER BY team": "player(*)",
                "SELECT max(id) FROM player": "player(id)",
                "SELECT (SELECT max(id) FROM player)": "player(id)",
            ]
            for (sql, expected) in regions {
                // The second run uses a kept statement.
                for _ in 1...2 { XCTAssertEqual(try region(sql, dbPool, isEndedEarly: true), expected, sql) }
            }
        }

        /// Observations fetch in one snapshot, and one of them may call a function that can change anything.
        func testReadsAreKnownAfterAStatementThatMayChangeTheSession() throws {
            let (dbPool, _) = try makePool(["player", "team"])
            let other = "\(schemaName)_2"
            try dbPool.write { db in
                try db.execute(
                    sql: """
                        CREATE SCHEMA \(other); CREATE TABLE \(other).team (id INT);
                        CREATE FUNCTION move(path text) RETURNS text LANGUAGE plpgsql AS $$
                            BEGIN RETURN set_config('search_path', path, true); END $$
                        """)
            }
            defer { try? dbPool.write { db in try db.execute(sql: "DROP SCHEMA \(other) CASCADE") } }
            try dbPool.read { db in
                func region() throws -> String {
                    var region = DatabaseRegion()
                    try db.recordingSelection(&region) { _ = try Row.fetchAll(db, sql: "SELECT * FROM team") }
                    return "\(region)"
                }
                for _ in 1...2 {
                    _ = try Int.fetchOne(db, sql: "SELECT opaque()")
                    XCTAssertEqual(try region(), "team(id)")
                    _ = try String.fetchOne(db, sql: "SELECT move(?)", arguments: [other])
                    let moved = try region()
                    XCTAssertTrue(moved.contains("\(other).team(*)"), moved)
                    // The snapshot returns to its beginning, and to the search path of that time.
                    XCTAssertThrowsError(try Row.fetchAll(db, sql: "SELECT 1 / 0"))
                    XCTAssertEqual(try region(), "team(id)")
                }
            }
        }

        func testUnreportedTablesAreObservedWithTheToken() throws {
            let (dbPool, feed) = try makePool(["player", "part"])
            XCTAssertEqual(try region("SELECT * FROM player", dbPool), "player(id,team)")
            XCTAssertEqual(try region("SELECT * FROM team", dbPool), "team(*),pg_vigil.unreported(*)")
            // The partition is not reported.
            XCTAssertEqual(try region("SELECT * FROM part", dbPool), "part(id),pg_vigil.unreported(*)")
            try feed.begin(["team"])
            XCTAssertEqual(try region("SELECT * FROM team", dbPool), "team(id)")
            feed.end()
            XCTAssertEqual(try region("SELECT * FROM team", dbPool), "full database")
        }

        func testOnlyChangesOfReadTablesAreFetched() throws {
            let (dbPool, feed) = try makePool(["player", "team"])
            let observed = observe("SELECT id FROM members", in: dbPool)
            observed.values.wait(last: [])
            observed.regions.wait(last: "player(id)")
            let count = observed.fetches.all.count
            for id in 1...5 {
                try dbPool.write { db in try db.execute(sql: "INSERT INTO team VALUES (\(id))") }
                feed.report("team")
            }
            try dbPool.write { db in try db.execute(sql: "INSERT INTO player VALUES (1)") }
            feed.report("player")
            observed.values.wait(last: [1])
            XCTAssertLessThanOrEqual(observed.fetches.all.count, count + 1)
            observed.cancellable?.cancel()
        }

        /// Each kind of object through which a query reads is changed between two fetches. Then its new
        /// reads are observed.
        func testChangedDefinitionsAreObserved() throws {
            let changes = [
                ("SELECT id FROM members", "CREATE OR REPLACE VIEW members AS SELECT id FROM team"),
                (
                    "SELECT size()::int FROM generate_series(1, size())",
                    "CREATE OR REPLACE FUNCTION size() RETURNS bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT count(*) FROM team; END"
                ),
                (
                    "SELECT id FROM player",
                    "ALTER TABLE player RENAME TO former; ALTER TABLE team RENAME TO player"
                ),
                (
                    "SELECT id FROM player",
                    """
                    ALTER TABLE player ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
                    CREATE POLICY p ON player USING (EXISTS (SELECT FROM team))
                    """
                ),
            ]
            for (sql, change) in changes {
                let (dbPool, feed) = try makePool(["player", "team", "former"])
                let observed = observe(sql, in: dbPool)
                // The function reads no column.
                let columns = sql.contains("size") ? "*" : "id"
                observed.regions.wait(last: "player(\(columns))")
                try dbPool.write { db in try db.execute(sql: change) }
                XCTAssertTrue(try feed.look())
                let expected = change.contains("POLICY") ? "player(*),team(*)" : "team(\(columns))"
                observed.regions.wait(
                    last: change.contains("RENAME") ? "player(id)" : expected)
                let table = change.contains("RENAME") ? "player" : "team"
                let count = observed.fetches.all.count
                try dbPool.write { db in try db.execute(sql: "INSERT INTO \(table) VALUES (7)") }
                feed.report(table)
                observed.fetches.wait { $0.count > count }
                observed.cancellable?.cancel()
                try dbPool.close()
                try makePool().write { db in
                    try db.execute(
                        sql: "DROP SCHEMA \(self.schemaName) CASCADE; CREATE SCHEMA \(self.schemaName)")
                }
            }
        }

        /// The server does not notice a better fitting function.
        func testKeptStatementsArePreparedAgainAfterChangesOfTheCatalog() throws {
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            let (dbPool, feed) = try makePool(["player"], configuration)
            try dbPool.write { db in
                try db.execute(
                    sql: """
                        CREATE FUNCTION kind(id bigint) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'bigint';
                        INSERT INTO player VALUES (1)
                        """)
            }
            XCTAssertTrue(try feed.look())
            let values = Recorder<[String]>()
            let cancellable = ValueObservation.tracking { db in
                try String.fetchAll(db, sql: "SELECT kind(id) FROM player")
            }
            .start(
                in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            values.wait(last: ["bigint"])
            let read = "SELECT kind(1)"
            XCTAssertEqual(try dbPool.read { try String.fetchOne($0, sql: read) }, "bigint")
            try dbPool.write { db in
                try db.execute(
                    sql: "CREATE FUNCTION kind(id int) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'int'")
            }
            XCTAssertTrue(try feed.look())
            XCTAssertEqual(try dbPool.read { try String.fetchOne($0, sql: read) }, "int")
            values.wait(last: ["int"])
            cancellable.cancel()
        }

        /// The server keeps the types of parameters, and would store 7 as the text.
        func testKeptWritesArePreparedAgainAfterChangesOfTheCatalog() throws {
            let (dbPool, feed) = try makePool(["player"])
            let insertion = "INSERT INTO code VALUES (?)"
            try dbPool.write { db in try db.execute(sql: "CREATE TABLE code (name INT)") }
            XCTAssertTrue(try feed.look())
            for number in 1...2 {
                try dbPool.write { db in try db.execute(sql: insertion, arguments: [number]) }
            }
            try makePool().write { db in
                try db.execute(sql: "ALTER TABLE code ALTER COLUMN name TYPE TEXT")
            }
            XCTAssertTrue(try feed.look())
            try dbPool.write { db in try db.execute(sql: insertion, arguments: ["007"]) }
            let names = try dbPool.read { db in
                try String.fetchAll(db, sql: "SELECT name FROM code ORDER BY name")
            }
            XCTAssertEqual(names, ["007", "1", "2"])
        }

        /// Also of a kept statement.
        func testAQueryIsAnalysedAgainAfterAFailureThatPasses() throws {
            let application = "feed_\(schemaName)"
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            let (dbPool, _) = try makePool(["player"], configuration, feedApplication: application)
            XCTAssertEqual(try region("SELECT id FROM player", dbPool), "player(id)")
            try dbPool.write { db in
                let sql =
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = ?"
                _ = try Row.fetchAll(db, sql: sql, arguments: [application])
            }
            let sql = "SELECT team FROM player"
            XCTAssertEqual(try region(sql, dbPool), "full database")
            let end = ContinuousClock.now + .seconds(60)
            while try region(sql, dbPool) == "full database", ContinuousClock.now < end {}
            XCTAssertEqual(try region(sql, dbPool), "player(team)")
        }

        /// An analysis uses a transaction number, and so moves the token. The fetch that follows must not
        /// analyse again.
        func testAnalysesDoNotRepeatThemselves() throws {
            let (dbPool, feed) = try makePool(["player"])
            let observed = ["SELECT id FROM team", "SELECT opaque()::int", "SELECT id FROM player"].map {
                observe($0, in: dbPool)
            }
            for observed in observed { observed.fetches.wait { !$0.isEmpty } }
            var reportCount = 0
            while true {
                let counts = observed.map(\.fetches.all.count)
                guard try feed.look() else { break }
                reportCount += 1
                // Tests that run beside this one move the token too.
                guard reportCount < 100 else { return XCTFail("the token moves without end") }
                // A read after the report is fetched with, or after, the observations.
                for (observed, count) in zip(observed, counts).prefix(2) {
                    observed.fetches.wait { $0.count > count }
                }
            }
            for observed in observed { observed.cancellable?.cancel() }
        }

        func testNamedRegionsAreObservedWithTheToken() throws {
            let (dbPool, feed) = try makePool(["player"])
            let fetches = Recorder<Int>()
            let cancellable = ValueObservation.tracking(region: Table("team")) { db in
                fetches.append(1)
                return try Int.fetchAll(db, sql: "SELECT id FROM team")
            }
            .start(
                in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { _ in })
            fetches.wait { !$0.isEmpty }
            try dbPool.write { db in try db.execute(sql: "INSERT INTO team VALUES (1)") }
            let count = fetches.all.count
            XCTAssertTrue(try feed.look())
            fetches.wait { $0.count > count }
            cancellable.cancel()
        }

        func testAnObservationWaitsForASessionOfTheServerOfTheFeed() throws {
            let (dbPool, feed) = try makePool(["player"])
            feed.move(to: "another server")
            let observed = observe("SELECT id FROM player", in: dbPool)
            while observed.fetches.all.isEmpty,
                dbPool.observations.contains(where: { $0.postponingError == nil })
            {}
            XCTAssertEqual(observed.fetches.all, [])
            // Other reads do not depend on the feed.
            XCTAssertEqual(try dbPool.read { try Int.fetchAll($0, sql: "SELECT id FROM player") }, [])
            feed.move(to: nil)
            observed.values.wait(last: [])
            observed.cancellable?.cancel()
        }

        func testExplanationsNameWhatIsNotReported() throws {
            let (dbPool, _) = try makePool(["player"])
            try dbPool.read { db in
                let known = try db.explainObservation(sql: "SELECT id FROM members")
                XCTAssertEqual("\(known.region)", "player(id)")
                XCTAssertFalse(known.isAnyCommit)
                XCTAssertEqual(known.omissions, [])
                let partial = try db.explainObservation(sql: "SELECT opaque(), id FROM team")
                XCTAssertTrue(partial.isAnyCommit)
                XCTAssertEqual(
                    partial.omissions.map(\.text), ["opaque()", "\(self.schemaName).team"])
            }
        }
    }
#endif
