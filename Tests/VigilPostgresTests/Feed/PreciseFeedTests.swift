#if PostgreSQL
    import Foundation
    import Synchronization
    import VigilStorage
    import VigilTestSupport
    import XCTest

    @testable import VigilPostgres

    /// A feed with a stream.
    final class PreciseFeedTests: FeedTestCase {
        private func integer(_ connection: PostgresConnection, _ sql: String) throws -> Int64? {
            guard case .integer(let value)? = try connection.execute(sql).first?.first else { return nil }
            return value
        }

        private let tables = """
            CREATE TABLE t (id int PRIMARY KEY, a int);
            CREATE TABLE other (id int PRIMARY KEY, a int);
            CREATE PUBLICATION vigil FOR TABLE t
            """

        func testACommitOfAPublishedTableIsReportedForItWhenItIsVisible() throws {
            let writer = try connect()
            try writer.execute(tables)
            let reader = Mutex(try PostgresConnection(try databaseAddress))
            let visible = Mutex<Int64>(0)
            let receiver = FeedReceiver { tables in
                guard tables?.contains(TableName(name: "t")) != false else { return }
                let rows = reader.withLock { try? $0.execute("SELECT max(id) FROM t") }
                guard case .integer(let value)? = rows?.first?.first
                else { return }
                visible.withLock { $0 = value }
            }
            let feed = try startPrecise(receiver)
            XCTAssertEqual(feed.reportedTables.state.tables, [TableName(name: "t")])
            for value in 1...50 as ClosedRange<Int64> {
                receiver.forget()
                try writer.execute("INSERT INTO t VALUES (?, 0)", [.integer(value)])
                receiver.waitForChange(of: "t")
                XCTAssertGreaterThanOrEqual(visible.withLock { $0 }, value)
            }
            // The server has the same clock.
            XCTAssertEqual(receiver.lags.count, 50)
            XCTAssertTrue(receiver.lags.allSatisfy { $0 > .zero && $0 < .seconds(60) }, "\(receiver.lags)")
            let count = receiver.databaseCount
            receiver.forget()
            try writer.execute("INSERT INTO other VALUES (1, 1)")
            receiver.waitForCommit()
            try writer.execute("UPDATE t SET a = 1; DELETE FROM t WHERE id = 1")
            receiver.waitForChange(of: "t")
            XCTAssertEqual(receiver.tables, [TableName(name: "t")])
            XCTAssertEqual(receiver.databaseCount, count)
        }

        func testTruncationsPartitionsAndPreparedTransactionsAreReported() throws {
            let writer = try connect()
            try writer.execute(
                """
                CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE u (id int PRIMARY KEY) INHERITS (t);
                CREATE TABLE p (id int PRIMARY KEY) PARTITION BY LIST (id);
                CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1) PARTITION BY LIST (id);
                CREATE TABLE p11 PARTITION OF p1 FOR VALUES IN (1);
                CREATE TABLE q (id int PRIMARY KEY) PARTITION BY LIST (id);
                CREATE TABLE q1 PARTITION OF q FOR VALUES IN (1); CREATE TABLE q2 PARTITION OF q FOR VALUES IN (2);
                CREATE UNLOGGED TABLE l (id int PRIMARY KEY);
                CREATE TABLE f (id int PRIMARY KEY); CREATE TABLE "F" (id int PRIMARY KEY);
                CREATE PUBLICATION vigil FOR TABLE t, p, q1, f
                """)
            let receiver = FeedReceiver()
            let feed = try startPrecise(receiver)
            // `q` has a partition that is not published, and `f` another spelling.
            XCTAssertEqual(
                feed.reportedTables.state.tables,
                Set(["t", "u", "p", "p1", "p11", "q1"].map { TableName(name: $0) }))
            let steps: [(String, Set<String>)] = [
                ("INSERT INTO u VALUES (1)", ["t", "u"]),
                ("INSERT INTO p VALUES (1)", ["p", "p1", "p11"]),
                ("INSERT INTO q VALUES (1)", ["q1"]),
                (
                    "BEGIN; INSERT INTO t VALUES (7); PREPARE TRANSACTION '\(database)'; "
                        + "COMMIT PREPARED '\(database)'", ["t"]
                ),
                (
                    "BEGIN; SAVEPOINT a; INSERT INTO q1 VALUES (1) ON CONFLICT DO NOTHING; INSERT INTO u VALUES (9); "
                        + "ROLLBACK TO a; INSERT INTO t VALUES (10); COMMIT", ["t"]
                ),
                ("TRUNCATE p", ["p", "p1", "p11"]),
            ]
            for (sql, tables) in steps {
                receiver.forget()
                try writer.execute(sql)
                for table in tables { receiver.waitForChange(of: table) }
                XCTAssertEqual(receiver.tables, Set(tables.map { TableName(name: $0) }), sql)
            }
        }

        func testAChangeOfTheCatalogIsAChangeOfTheDatabaseAndOfThePublicationAnotherStream() throws {
            let writer = try connect()
            try writer.execute(tables)
            let receiver = FeedReceiver()
            let feed = try startPrecise(receiver)
            let isOther = { feed.reportedTables.state.tables?.contains(TableName(name: "other")) }
            for (sql, expected) in [
                ("CREATE VIEW v AS SELECT * FROM t", false), ("ALTER TABLE t ADD COLUMN b int", false),
                ("ALTER PUBLICATION vigil ADD TABLE other", true),
                ("TRUNCATE t", true),
                ("ALTER PUBLICATION vigil SET TABLE t, other WHERE (a > 1)", false),
            ] {
                let count = receiver.databaseCount
                try writer.execute(sql)
                receiver.waitForDatabase(after: count)
                while feed.reportedTables.state.tables == nil || isOther() != expected {}
                receiver.waitForState(.precise)
                receiver.forget()
                try writer.execute("UPDATE t SET a = a + 1")
                try writer.execute("INSERT INTO t VALUES (\(receiver.commitCount + 100), 1)")
                receiver.waitForChange(of: "t")
            }
        }

        /// Values committed while streams are killed are all reported.
        func testNothingIsMissedWhileStreamsAreKilled() throws {
            let writer = try connect()
            try writer.execute(tables)
            try writer.execute("INSERT INTO t SELECT g, 0 FROM generate_series(1, 4) g")
            let fetched = Mutex<Int64>(0)
            let reader = Mutex(try PostgresConnection(try databaseAddress))
            let reported = Mutex<ReportedTables?>(nil)
            // An observer of `t`: its region has `t` or everything that is not reported.
            let receiver = FeedReceiver { tables in
                let isReported = reported.withLock { $0?.state.tables != nil }
                let region = isReported ? TableName(name: "t") : ReportedTables.unreported
                guard tables?.contains(region) != false else { return }
                let rows = reader.withLock { try? $0.execute("SELECT sum(a)::int8 FROM t") }
                guard case .integer(let value)? = rows?.first?.first else { return }
                fetched.withLock { $0 = value }
            }
            let name = "&application_name=\(database)"
            let feed = try start(receiver, name)
            reported.withLock { $0 = feed.reportedTables }
            receiver.waitForState(.precise)
            let writers = (1...4).map { number in
                let address = try? databaseAddress
                let thread = ConcurrentWriter(
                    address ?? "", "UPDATE t SET a = a + 1 WHERE id = \(number)", 300)
                return thread
            }
            var kills = 0
            while writers.contains(where: { !$0.isFinished }) {
                let killed = try integer(
                    writer,
                    """
                    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_replication
                    WHERE application_name = '\(database)' AND state = 'streaming'
                    """)
                kills += Int(killed ?? 0)
                receiver.waitForState(.precise)
            }
            let expected = try integer(writer, "SELECT sum(a)::int8 FROM t")
            XCTAssertEqual(expected, 1_200)
            let end = ContinuousClock.now + .seconds(20)
            while fetched.withLock({ $0 }) != expected, ContinuousClock.now < end { sched_yield() }
            XCTAssertEqual(fetched.withLock { $0 }, expected)
            print("feeds: \(kills) killed streams")
        }

        func testReasonsAgainstAStreamAreReported() throws {
            let writer = try connect()
            try writer.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE ROLE \(database) LOGIN")
            defer { _ = try? writer.execute("DROP OWNED BY \(database); DROP ROLE \(database)") }
            let steps = [
                ("", "", "the database has no publication named vigil"),
                (
                    "CREATE PUBLICATION vigil FOR TABLE t WITH (publish = 'insert')", "",
                    "the publication vigil does not publish all of insert, update, delete and truncate"
                ),
                (
                    "ALTER PUBLICATION vigil SET (publish = 'insert, update, delete, truncate')",
                    "&user=\(database)", "the role does not have the attribute REPLICATION"
                ),
            ]
            for (sql, parameters, reason) in steps {
                try writer.execute(sql)
                let receiver = FeedReceiver()
                let feed = try start(receiver, parameters)
                receiver.waitForState(.coarse(reason: reason))
                receiver.forget()
                try writer.execute("INSERT INTO t SELECT count(*) FROM t")
                receiver.waitForCommit()
                XCTAssertNil(feed.reportedTables.state.tables)
                feed.cancel()
            }
        }

        /// Amazon RDS has a role in place of the attribute. Other servers refuse the stream of its members.
        func testARoleStandsForTheAttributeOfReplication() throws {
            let writer = try connect()
            try writer.execute(tables)
            // It remains, because other tests may use it at the same time.
            try writer.execute(
                """
                DO $$ BEGIN CREATE ROLE rds_replication;
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
                CREATE ROLE \(database) LOGIN IN ROLE rds_replication
                """)
            defer { _ = try? writer.execute("DROP OWNED BY \(database); DROP ROLE \(database)") }
            let receiver = FeedReceiver()
            let feed = try start(receiver, "&user=\(database)")
            receiver.waitForReason("the stream of changes cannot be opened: ")
            feed.cancel()
        }

        #if os(Linux)
            /// The proxy of Neon hides the numbers of all processes.
            func testAStreamPassesAProxyWithOtherNumbersOfProcesses() throws {
                let writer = try connect()
                try writer.execute(tables)
                let proxy = try StoppableProxy(to: databaseAddress, hidesProcesses: true)
                XCTAssertTrue(try PostgresConnection(proxy.address).session.isPooled)
                let receiver = FeedReceiver()
                let feed = try PostgresCommitFeed.start(proxy.address, to: receiver)
                receiver.waitForState(.precise)
                receiver.forget()
                try writer.execute("INSERT INTO t VALUES (1, 1)")
                receiver.waitForChange(of: "t")
                feed.cancel()
            }
        #endif

        /// The creation of a slot waits for transactions; the feed reports commits meanwhile, and can end.
        func testAFeedWaitsForOpenTransactionsWithoutAStream() throws {
            let (writer, open) = (try connect(), try connect())
            try writer.execute(tables)
            try open.execute("BEGIN; INSERT INTO other VALUES (1, 1)")
            let receiver = FeedReceiver()
            let feed = try start(receiver)
            let slots = "SELECT 1 FROM pg_replication_slots WHERE database = '\(database)'"
            while try writer.execute(slots).isEmpty {}
            receiver.forget()
            try writer.execute("INSERT INTO t VALUES (1, 1)")
            receiver.waitForCommit()
            XCTAssertFalse(receiver.states.contains(.precise))
            feed.cancel()
            while try !writer.execute(slots).isEmpty {}
            let other = FeedReceiver()
            _ = try start(other)
            while try writer.execute(slots).isEmpty {}
            try open.execute("COMMIT")
            other.waitForState(.precise)
        }
    }

    /// Runs a statement repeatedly, on a thread of its own.
    private final class ConcurrentWriter: Sendable {
        private let finished = Atomic(false)

        var isFinished: Bool { finished.load(ordering: .acquiring) }

        init(_ address: String, _ sql: String, _ count: Int) {
            Thread.detachNewThread { [self] in
                if let connection = try? PostgresConnection(address) {
                    for _ in 0..<count { _ = try? connection.execute(sql) }
                }
                finished.store(true, ordering: .releasing)
            }
        }
    }
#endif
