#if PostgreSQL
    import Dispatch
    import Foundation
    import Synchronization
    import VigilStorage
    import VigilTestSupport
    import XCTest

    @testable import VigilPostgres

    final class PostgresCommitFeedTests: PostgresTestCase {
        private var application: String { "feed_\(schemaName)" }

        private func start(
            _ receiver: FeedReceiver, answerTimeout: Duration = PostgresCommitFeed.answerTimeout
        ) throws -> PostgresCommitFeed {
            try PostgresCommitFeed.start(
                "\(address)&application_name=\(application)", to: receiver, answerTimeout: answerTimeout)
        }

        /// Returns the process of the server that serves the feed.
        private func feedProcess(_ connection: PostgresConnection) throws -> Int64 {
            let rows = try connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE application_name = ?", [.text(application)])
            guard case .integer(let process) = try XCTUnwrap(rows.first?.first) else { return 0 }
            return process
        }

        func testASnapshotForObservationsHasTheServerOfTheFeed() throws {
            let server = try XCTUnwrap(start(FeedReceiver()).reportedTables.state.server)
            let feed = OtherFeed()
            var options = StorageOptions()
            options.access = .readOnly
            options.commitFeed = feed
            let (reader, admin) = (try open(options), try open())
            for known in [nil, server] {
                feed.reportedTables.replaceServer(known)
                try reader.beginObservedSnapshot()
                try reader.perform(.commit)
            }
            let process = reader.session.process
            feed.reportedTables.replaceServer("another server")
            assertThrows(.connectionLost, try reader.beginObservedSnapshot())
            XCTAssertFalse(reader.isInTransaction)
            try reader.beginSnapshot()
            XCTAssertNotEqual(reader.session.process, process)
            try reader.perform(.commit)
            // The snapshot is begun again in another session.
            feed.reportedTables.replaceServer(server)
            try reader.beginObservedSnapshot()
            feed.reportedTables.replaceServer("another server")
            try admin.execute(
                "SELECT pg_terminate_backend(?::int, 60000)", [.text(reader.session.process)])
            assertThrows(.connectionLost, try reader.execute("SELECT 1"))
            XCTAssertTrue(reader.isInTransaction)
            try reader.perform(.rollback)
        }

        func testACommitIsReportedWhenItIsVisible() throws {
            let (writer, reader) = (try open(), try open())
            try writer.execute("CREATE TABLE t (a int)")
            let receiver = FeedReceiver()
            let feed = try start(receiver)
            for value in 1...5 as ClosedRange<Int64> {
                receiver.forget()
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                // Others may commit too, before.
                receiver.waitForCommit()
                while try reader.execute("SELECT max(a) FROM t") != [[.integer(value)]] {}
            }
            XCTAssertEqual(receiver.states, [FeedReceiver.coarseState])
            feed.cancel()
            feed.cancel()
        }

        /// Functions of the schema hide the server's.
        func testAServerThatRefusesFunctionsOfItsLogIsObserved() throws {
            let writer = try open()
            try writer.execute(
                """
                CREATE TABLE t (a int);
                CREATE FUNCTION current_setting(text) RETURNS text LANGUAGE sql RETURN 'replica';
                CREATE FUNCTION pg_current_wal_insert_lsn() RETURNS pg_lsn LANGUAGE plpgsql
                    AS 'BEGIN RAISE object_not_in_prerequisite_state; END'
                """)
            let receiver = FeedReceiver()
            let feed = try PostgresCommitFeed.start("\(address)%2Cpg_catalog", to: receiver)
            receiver.waitForState(.coarse(reason: "the server has the setting wal_level = replica"))
            receiver.forget()
            try writer.execute("INSERT INTO t VALUES (1)")
            receiver.waitForCommit()
            feed.cancel()
        }

        func testOwnCommitsAreReported() throws {
            let writer = try open()
            try writer.execute("CREATE TABLE t (a int)")
            let receiver = FeedReceiver()
            let feed = try start(receiver)
            for value in 1...50 as ClosedRange<Int64> {
                receiver.forget()
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                feed.didCommitHere()
                receiver.waitForCommit()
            }
            feed.cancel()
        }

        func testALostConnectionIsAChangeAndIsReplaced() throws {
            let writer = try open()
            try writer.execute("CREATE TABLE t (a int)")
            let receiver = FeedReceiver()
            let feed = try start(receiver)
            for value in 1...3 as ClosedRange<Int64> {
                receiver.forget()
                let process = try feedProcess(writer)
                try writer.execute("SELECT pg_terminate_backend(?::int)", [.integer(process)])
                receiver.waitForCommit()
                receiver.forget()
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                receiver.waitForCommit()
            }
            feed.cancel()
        }

        #if os(Linux)
            /// As behind a connection that is half open, nothing arrives, and nothing reports an error.
            func testAServerThatDoesNotAnswerCountsAsLost() throws {
                let writer = try open()
                try writer.execute("CREATE TABLE t (a int)")
                let proxy = try StoppableProxy(to: address)
                let receiver = FeedReceiver()
                let feed = try PostgresCommitFeed.start(
                    proxy.address, to: receiver, answerTimeout: .milliseconds(300))
                for value in 1...2 as ClosedRange<Int64> {
                    receiver.forget()
                    proxy.abandonConnections()
                    try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                    receiver.waitForCommit()
                }
                feed.cancel()
            }

            func testCancellingDoesNotWaitForTheServer() throws {
                let proxy = try StoppableProxy(to: address)
                let receiver = FeedReceiver()
                let feed = try PostgresCommitFeed.start(
                    proxy.address, to: receiver, answerTimeout: .seconds(3600))
                receiver.waitForState(FeedReceiver.coarseState)
                proxy.stop()
                feed.cancel()
            }

            /// The feed reports a change although it cannot connect again, and continues when it can.
            func testANetworkThatBreaksIsAChange() throws {
                let writer = try open()
                try writer.execute("CREATE TABLE t (a int)")
                let proxy = try StoppableProxy(to: address)
                let receiver = FeedReceiver()
                let feed = try PostgresCommitFeed.start(
                    "\(proxy.address)&connect_timeout=2", to: receiver, answerTimeout: .milliseconds(300))
                receiver.waitForState(FeedReceiver.coarseState)
                proxy.stop()
                receiver.waitForState(.starting)
                receiver.forget()
                receiver.waitForCommit()
                proxy.resume()
                receiver.waitForState(FeedReceiver.coarseState)
                receiver.forget()
                try writer.execute("INSERT INTO t VALUES (1)")
                receiver.waitForCommit()
                feed.cancel()
            }
        #endif

        func testNothingIsReportedAfterTheEnd() throws {
            let writer = try open()
            try writer.execute("CREATE TABLE t (a int)")
            let (cancelled, other) = (FeedReceiver(), FeedReceiver())
            let (first, second) = (try start(cancelled), try start(other))
            first.cancel()
            first.didCommitHere()
            let count = cancelled.commitCount
            for value in 1...5 as ClosedRange<Int64> {
                other.forget()
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                other.waitForCommit()
            }
            // A report that began before may have ended afterwards.
            XCTAssertLessThanOrEqual(cancelled.commitCount - count, 1)
            second.cancel()
        }

        func testAFeedCanBeCancelledByItsReceiver() throws {
            let writer = try open()
            let box = Mutex<PostgresCommitFeed?>(nil)
            let receiver = FeedReceiver { _ in box.withLock { $0 }?.cancel() }
            let feed = try start(receiver)
            box.withLock { $0 = feed }
            try writer.execute("CREATE TABLE t (a int)")
            receiver.waitForCommit()
            box.withLock { $0 = nil }
        }

        func testAFeedEndsWhenItIsReleased() throws {
            weak var feed: PostgresCommitFeed?
            do {
                let started = try start(FeedReceiver())
                feed = started
            }
            // A read may still be running.
            while feed != nil {}
            XCTAssertThrowsError(
                try PostgresCommitFeed.start("postgres:///x?host=/nowhere", to: FeedReceiver()))
        }

        func testABackendHasAFeedOfServersOnly() throws {
            let backend = PostgresBackend()
            XCTAssertNil(try backend.commitFeed(of: .memory(name: nil), options: .init(), to: FeedReceiver()))
            XCTAssertThrowsError(
                try backend.commitFeed(
                    of: .server(StorageAddress("postgres:///x?host=/nowhere")), options: .init(),
                    to: FeedReceiver())
            ) { XCTAssertEqual(($0 as? StorageError)?.systemName, "PostgreSQL") }
        }
    }

    /// A feed without reports.
    private final class OtherFeed: TableReporting {
        let reportedTables = ReportedTables()
        let analyst = QueryAnalyst(address: "")

        func cancel() {}
    }
#endif
