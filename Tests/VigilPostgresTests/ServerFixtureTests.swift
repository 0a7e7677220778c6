#if PostgreSQL && os(Linux)
    import Dispatch
    import VigilTestSupport
    import XCTest

    /// The fixtures of the tests of servers.
    final class ServerFixtureTests: PostgresTestCase {
        // MARK: - PgBouncer

        func testPgBouncerForwardsStatementsInEachMode() throws {
            for mode in PgBouncer.Mode.allCases {
                let bouncer = try PgBouncer(to: address, mode)
                let session = try PlainSession(bouncer.address)
                XCTAssertEqual(try session.query("SELECT current_schema()"), [[schemaName]], mode.rawValue)
                XCTAssertThrowsError(try session.query("SELECT 1 / 0"), mode.rawValue)
                XCTAssertEqual(try session.query("SELECT NULL, 1"), [[nil, "1"]], mode.rawValue)
            }
        }

        func testClientsShareASessionOnlyIfTransactionsArePooled() throws {
            let sql = "SELECT pg_backend_pid()"
            let transactions = try PgBouncer(to: address, .transaction, poolSize: 1)
            let (first, second) = (
                try PlainSession(transactions.address), try PlainSession(transactions.address)
            )
            XCTAssertEqual(try first.query(sql), try second.query(sql))

            let sessions = try PgBouncer(to: address, .session, poolSize: 2)
            let (third, fourth) = (try PlainSession(sessions.address), try PlainSession(sessions.address))
            let process = try third.query(sql)
            XCTAssertNotEqual(process, try fourth.query(sql))
            XCTAssertEqual(process, try third.query(sql))
        }

        func testTheConsoleOfPgBouncerAnswers() throws {
            let bouncer = try PgBouncer(to: address, .transaction)
            try PlainSession(bouncer.address).query("SELECT 1")
            let pools = try PlainSession(bouncer.consoleAddress).query("SHOW POOLS")
            XCTAssertTrue(pools.contains { $0.first == "postgres" && $0.last == "transaction" }, "\(pools)")
        }

        func testConnectionsEndWithPgBouncer() throws {
            let bouncer = try PgBouncer(to: address, .session)
            let session = try PlainSession(bouncer.address)
            try session.query("SELECT 1")
            bouncer.stop()
            XCTAssertThrowsError(try session.query("SELECT 1"))
            XCTAssertThrowsError(try PlainSession(bouncer.address))
        }

        // MARK: - A proxy that stops

        func testTheProxyCountsRoundTrips() throws {
            let proxy = try StoppableProxy(to: address)
            let session = try PlainSession(proxy.address)
            XCTAssertEqual(proxy.roundTripCounts, [1])
            XCTAssertEqual(try session.query("SELECT current_schema()"), [[schemaName]])
            try session.query("SELECT 1; SELECT 2")
            XCTAssertEqual(proxy.roundTripCounts, [3])
            let other = try PlainSession(proxy.address)
            try other.query("SELECT 1")
            XCTAssertEqual(proxy.roundTripCounts, [3, 2])
            XCTAssertEqual(proxy.roundTripCount, 5)
        }

        func testTheProxyForwardsMoreThanASocketHolds() throws {
            let proxy = try StoppableProxy(to: address)
            let session = try PlainSession(proxy.address)
            let text = String(repeating: "text ", count: 1_000_000)
            XCTAssertEqual(try session.query("SELECT '\(text)'"), [[text]])
        }

        /// Runs a query on another thread. The returned function waits for its rows, and returns `nil` if it
        /// has failed.
        private func start(_ sql: String, _ session: PlainSession) -> () -> [[String?]]? {
            let (rows, done) = (Recorder<[[String?]]?>(), DispatchSemaphore(value: 0))
            DispatchQueue.global().async {
                rows.append(try? session.query(sql))
                done.signal()
            }
            return {
                done.wait()
                return rows.all.first ?? nil
            }
        }

        func testAStoppedProxyKeepsRequestsAndForwardsThemLater() throws {
            let proxy = try StoppableProxy(to: address)
            let (session, direct) = (try PlainSession(proxy.address), try PlainSession(address))
            try direct.query("CREATE TABLE t (a int)")
            proxy.stop([.toServer])
            let rows = start("INSERT INTO t VALUES (1) RETURNING a", session)
            for _ in 1...100 {
                XCTAssertEqual(proxy.roundTripCounts, [1])
                XCTAssertEqual(try direct.query("SELECT count(*) FROM t"), [["0"]])
            }
            proxy.resume()
            XCTAssertEqual(rows(), [["1"]])
            XCTAssertEqual(try direct.query("SELECT count(*) FROM t"), [["1"]])
        }

        func testAStoppedProxyKeepsAnswers() throws {
            let proxy = try StoppableProxy(to: address)
            let (session, direct) = (try PlainSession(proxy.address), try PlainSession(address))
            try direct.query("CREATE TABLE t (a int)")
            proxy.stop([.toClient])
            let rows = start("INSERT INTO t VALUES (1) RETURNING a", session)
            while try direct.query("SELECT count(*) FROM t") != [["1"]] {}
            XCTAssertEqual(proxy.roundTripCounts, [1])
            proxy.resume()
            XCTAssertEqual(rows(), [["1"]])
            XCTAssertEqual(proxy.roundTripCounts, [2])
        }

        func testDroppedConnectionsFailAndNewOnesWork() throws {
            let proxy = try StoppableProxy(to: address)
            let session = try PlainSession(proxy.address)
            let process = try session.query("SELECT pg_backend_pid()")[0][0] ?? ""
            proxy.stop()
            proxy.dropConnections()
            proxy.resume()
            XCTAssertThrowsError(try session.query("SELECT 1"))
            let other = try PlainSession(proxy.address)
            // The session of the dropped connection ends too.
            while try other.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(process)") != [] {}
            XCTAssertEqual(proxy.roundTripCounts.count, 2)
        }

        func testAbandonedConnectionsGetNoAnswerAndNewOnesWork() throws {
            let proxy = try StoppableProxy(to: address)
            let (session, direct) = (try PlainSession(proxy.address), try PlainSession(address))
            try direct.query("CREATE TABLE t (a int)")
            proxy.abandonConnections()
            let rows = start("INSERT INTO t VALUES (1)", session)
            let other = try PlainSession(proxy.address)
            for _ in 1...100 {
                XCTAssertEqual(try other.query("SELECT count(*) FROM t"), [["0"]])
            }
            XCTAssertEqual(proxy.roundTripCounts, [1, 101])
            proxy.dropConnections()
            XCTAssertNil(rows())
        }

        func testConnectionsEndWithTheProxy() throws {
            var proxy: StoppableProxy? = try StoppableProxy(to: address)
            let session = try PlainSession(XCTUnwrap(proxy).address)
            proxy = nil
            XCTAssertThrowsError(try session.query("SELECT 1"))
        }

        // MARK: - Addresses and tables

        func testASocketReplacesTheHostOfAnAddress() throws {
            let server = try ServerAddress("postgresql://me:secret@db.example.com:5433/shop?options=-ca%3Db")
            XCTAssertEqual(server.host, "db.example.com")
            XCTAssertEqual(server.port, 5433)
            XCTAssertEqual(server.user, "me")
            XCTAssertNil(server.socketPath)
            let moved = server.onSocket(in: "/tmp/a b", port: 7)
            XCTAssertEqual(moved.socketPath, "/tmp/a b/.s.PGSQL.7")
            XCTAssertEqual(moved["options"], "-ca=b")
            XCTAssertEqual(try ServerAddress(moved.url).host, "/tmp/a b")
        }

        func testManyTablesAreCreatedByOneStatement() throws {
            let session = try PlainSession(address)
            try session.query(ManyTables.sql(30))
            XCTAssertEqual(
                try session.query("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"),
                [["30"]])
        }
    }
#endif
