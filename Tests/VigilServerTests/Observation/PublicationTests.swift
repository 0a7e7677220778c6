#if PostgreSQL
    import Foundation
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Observations on a database with a publication, of tables inside and outside of it.
    final class PublicationTests: PublicationTestCase {
        private let tables = """
            CREATE TABLE player (id INT PRIMARY KEY);
            CREATE TABLE other (id INT PRIMARY KEY);
            CREATE UNLOGGED TABLE draft (id INT PRIMARY KEY);
            CREATE PUBLICATION vigil FOR TABLE player
            """

        func testThePublicationOfTheConfigurationCounts() throws {
            try run(
                "CREATE TABLE player (id INT PRIMARY KEY); CREATE PUBLICATION \"a \"\"Shop\" FOR TABLE player"
            )
            let other = try DatabasePool(server: databaseAddress)
            guard case .coarse(let reason)? = other.feedState(timeout: 60) else {
                return XCTFail("the publication vigil does not exist")
            }
            XCTAssertEqual(reason, "the database has no publication named vigil")
            var configuration = Configuration()
            configuration.publication = "a \"Shop"
            let dbPool = try makePrecisePool(configuration)
            try dbPool.close()
            configuration.publication = "a\0b"
            XCTAssertThrowsError(try DatabasePool(server: databaseAddress, configuration: configuration)) {
                XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_MISUSE, "\($0)")
            }
            try other.close()
        }

        func testTablesInsideAndOutsideOfThePublicationAreObserved() throws {
            let writer = try DatabasePool(server: databaseAddress)
            try writer.write { [tables] db in try db.execute(sql: tables) }
            let dbPool = try makePrecisePool()
            var cancellables: [AnyDatabaseCancellable] = []
            let names = ["player", "other", "draft"]
            var values: [Recorder<Int>] = []
            var regions: [Recorder<Int>] = []
            for name in names {
                let counts = Recorder<Int>()
                let observation = ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0
                }
                cancellables.append(
                    observation.start(
                        in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                        onChange: { counts.append($0) }))
                counts.wait(last: 0)
                values.append(counts)
                // A region that was not derived from a statement.
                let events = Recorder<Int>()
                cancellables.append(
                    DatabaseRegionObservation(tracking: Table(name)).start(
                        in: dbPool, onError: { XCTFail("\($0)") },
                        onChange: { db in
                            let count = try? Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)")
                            events.append(count ?? -1)
                        }))
                regions.append(events)
            }
            for id in 1...10 {
                for (index, name) in names.enumerated() {
                    try (id.isMultiple(of: 2) ? dbPool : writer).write { db in
                        try db.execute(sql: "INSERT INTO \(name) VALUES (?)", arguments: [id])
                    }
                    values[index].wait(last: id)
                    regions[index].wait(last: id)
                }
            }
            XCTAssertEqual(dbPool.feedState, .precise)
            for cancellable in cancellables { cancellable.cancel() }
            try dbPool.close()
            try writer.close()
        }

        func testTheTablesOfAPublicationAreRead() throws {
            try run(
                """
                CREATE TABLE half (id INT PRIMARY KEY) PARTITION BY LIST (id);
                CREATE TABLE half_1 PARTITION OF half FOR VALUES IN (1);
                CREATE TABLE half_2 PARTITION OF half FOR VALUES IN (2);
                CREATE SCHEMA shop; CREATE TABLE shop.item (id INT PRIMARY KEY);
                CREATE PUBLICATION vigil FOR TABLE half_1, shop.item;
                CREATE PUBLICATION roots FOR TABLE half, shop.item WITH (publish_via_partition_root)
                """)
            let dbPool = try DatabasePool(server: databaseAddress)
            let item = TableName(schema: "shop", name: "item")
            try dbPool.read { db in
                XCTAssertEqual(
                    try db.reportedTables(ofPublication: "vigil"), [TableName(name: "half_1"), item])
                XCTAssertEqual(try db.reportedTables(ofPublication: "roots"), [item])
                XCTAssertEqual(try db.reportedTables(ofPublication: "missing"), [])
            }
            try dbPool.close()
        }

        /// A stream has no rows of columnar tables, for example.
        func testTablesWithAnotherAccessMethodAreNotReportedByRow() throws {
            try run(
                """
                CREATE ACCESS METHOD other TYPE TABLE HANDLER heap_tableam_handler;
                CREATE TABLE item (id INT PRIMARY KEY); CREATE TABLE store (id INT PRIMARY KEY) USING other;
                CREATE TABLE whole (id INT PRIMARY KEY) PARTITION BY LIST (id);
                CREATE TABLE part PARTITION OF whole FOR VALUES IN (1) USING other;
                CREATE PUBLICATION vigil FOR TABLE item, store, whole
                """)
            let dbPool = try DatabasePool(server: databaseAddress)
            try dbPool.read { db in
                XCTAssertEqual(try db.reportedTables(ofPublication: "vigil"), [TableName(name: "item")])
            }
            try dbPool.close()
        }

        func testADatabaseWithoutAPublicationHasAReasonToBeCoarse() throws {
            let dbPool = try DatabasePool(server: databaseAddress)
            let reason = CommitFeedState.coarse(reason: "the database has no publication named vigil")
            let end = ContinuousClock.now + .seconds(30)
            while dbPool.feedState != reason, ContinuousClock.now < end { sched_yield() }
            XCTAssertEqual(dbPool.feedState, reason)
            try dbPool.close()
        }
    }
#endif
