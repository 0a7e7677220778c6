#if PostgreSQL
    import Dispatch
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    final class PostgresConnectionTests: PostgresTestCase {
        // MARK: - Lost connections

        private func terminate(_ connection: PostgresConnection, from other: PostgresConnection) throws {
            try terminate(XCTUnwrap(connection.serverProcess), from: other)
        }

        private func terminate(_ process: Int64, from other: PostgresConnection) throws {
            XCTAssertEqual(
                try other.execute("SELECT pg_terminate_backend(?::int)", [.integer(process)]), [[.integer(1)]]
            )
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = ?::int"
            while try other.execute(sql, [.integer(process)]) != [[.integer(0)]] {}
        }

        func testTheNextAccessAfterALossReconnects() throws {
            let (connection, other) = (try open(), try open())
            try connection.execute("CREATE TABLE t (a int)")
            let statement = try connection.statement("SELECT count(*) FROM t", isCached: true)
            let insertion = try connection.statement("INSERT INTO t VALUES (?)", isCached: true)
            for round in 1...30 as ClosedRange<Int64> {
                let token = try connection.look().state
                // In turn: in a transaction, while idle, and before a transaction.
                switch round % 3 {
                case 0:
                    try connection.perform(.beginImmediate)
                    try connection.execute("INSERT INTO t VALUES (-1)")
                    try terminate(connection, from: other)
                    assertThrows(.connectionLost, try connection.execute("INSERT INTO t VALUES (-1)"))
                    XCTAssertTrue(connection.isInTransaction)
                    assertThrows(.connectionLost, try connection.execute("INSERT INTO t VALUES (-1)"))
                    try connection.perform(.rollback)
                case 1:
                    try terminate(connection, from: other)
                    try insertion.bind(.integer(-1), at: 1)
                    assertThrows(.connectionLost, try insertion.step())
                default: try terminate(connection, from: other)
                }
                XCTAssertFalse(connection.isInTransaction)
                try connection.perform(.beginImmediate)
                try insertion.bind(.integer(round), at: 1)
                XCTAssertFalse(try insertion.step())
                try connection.perform(.commit)
                XCTAssertNotEqual(try connection.look().state, token)
                XCTAssertEqual(try statement.allRows(), [[.integer(round)]])
            }
            statement.finalize()
            insertion.finalize()
            try connection.close()
        }

        func testACommitWhoseAnswerIsLostSaysSo() throws {
            let (connection, other) = (try open(), try open())
            try connection.perform(.beginImmediate)
            try terminate(connection, from: other)
            XCTAssertThrowsError(try connection.perform(.commit)) {
                XCTAssertTrue("\($0)".contains("it is not known whether"), "\($0)")
            }
            XCTAssertFalse(connection.isInTransaction)
            XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
        }

        func testASnapshotThatWasNotUsedIsTakenAgainAfterALoss() throws {
            let (connection, other) = (try open(), try open())
            let kept = try connection.statement("SELECT 1", isCached: true)
            let process = try XCTUnwrap(connection.serverProcess)
            try connection.beginSnapshot()
            try terminate(process, from: other)
            XCTAssertEqual(try kept.allRows(), [[.integer(1)]])
            try terminate(connection, from: other)
            assertThrows(.connectionLost, try kept.step())
            try connection.perform(.rollback)
            let next = try XCTUnwrap(connection.serverProcess)
            try connection.beginSnapshot()
            try terminate(next, from: other)
            XCTAssertEqual(try connection.execute("SELECT 2"), [[.integer(2)]])
            XCTAssertTrue(connection.isInTransaction)
            try connection.perform(.commit)
            kept.finalize()
        }

        /// Otherwise the statements of one snapshot would each read another state.
        func testNoStatementRunsOutsideOfASnapshotThatCannotBeTakenAgain() throws {
            let (other, database) = (try open(), "outage_\(schemaName)")
            try other.execute("CREATE DATABASE \(database)")
            defer { XCTAssertNoThrow(try other.execute("DROP DATABASE \(database) WITH (FORCE)")) }
            let connection = try PostgresConnection(address + "&dbname=\(database)")
            let process = try XCTUnwrap(connection.serverProcess)
            let kept = try connection.statement("SELECT 1", isCached: true)
            try connection.beginSnapshot()
            try other.execute("ALTER DATABASE \(database) WITH ALLOW_CONNECTIONS false")
            try terminate(process, from: other)
            assertThrows(.connectionLost, try kept.step())
            try other.execute("ALTER DATABASE \(database) WITH ALLOW_CONNECTIONS true")
            XCTAssertTrue(connection.isInTransaction)
            assertThrows(.connectionLost, try kept.step())
            assertThrows(.connectionLost, try connection.execute("SELECT 1"))
            assertThrows(.connectionLost, try connection.perform(.commit))
            XCTAssertFalse(connection.isInTransaction)
            XCTAssertEqual(try kept.allRows(), [[.integer(1)]])
            kept.finalize()
            try connection.close()
        }

        func testSettingsHoldAfterReconnecting() throws {
            let (connection, other) = (try open(), try open())
            try terminate(connection, from: other)
            let sql = "SELECT timestamptz '2026-01-01 00:00+02', '\\x00'::bytea, current_schema()"
            try connection.perform(.beginDeferred)
            XCTAssertEqual(
                try connection.execute(sql),
                [[.text("2025-12-31 22:00:00+00:00"), .blob([0]), .text(schemaName)]])
            try connection.perform(.commit)
        }

        // MARK: - Interrupts

        /// Calls `body` on another thread while a statement of the connection waits for a lock.
        private func whileWaiting(
            _ connection: PostgresConnection, _ other: PostgresConnection,
            _ body: @escaping @Sendable () -> Void
        ) throws {
            let process = try XCTUnwrap(connection.serverProcess)
            let watcher = try open()
            let box = SendableBox(watcher)
            DispatchQueue.global().async {
                let sql = "SELECT count(*) FROM pg_locks WHERE pid = ?::int AND NOT granted"
                while (try? box.value.execute(sql, [.integer(process)])) == [[.integer(0)]] {}
                body()
            }
        }

        func testAnInterruptEndsARunningStatement() throws {
            let (connection, other) = (try open(), try open())
            try other.execute("SELECT pg_advisory_lock(4711)")
            for _ in 0..<20 {
                let interrupter = connection.interrupter
                try whileWaiting(connection, other) { interrupter.interrupt() }
                assertThrows(
                    .interrupt, sqlState: "57014", try connection.execute("SELECT pg_advisory_lock(4711)"))
                XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
            }
            try other.execute("SELECT pg_advisory_unlock(4711)")
        }

        func testAnInterruptAtAnyTimeEndsAtMostTheRunningStatement() throws {
            let connection = try open()
            let statement = try connection.statement("SELECT 1", isCached: true)
            let interrupter = connection.interrupter
            let (stop, done) = (Counter(), DispatchSemaphore(value: 0))
            DispatchQueue.global().async {
                while stop.values.isEmpty { interrupter.interrupt() }
                done.signal()
            }
            var interrupted = 0
            for _ in 0..<300 {
                do {
                    let hasRow = try statement.step()
                    XCTAssertTrue(hasRow)
                } catch {
                    XCTAssertEqual(error.code, .interrupt)
                    interrupted += 1
                }
                statement.reset()
            }
            stop.add(1)
            done.wait()
            for _ in 0..<100 { XCTAssertEqual(try statement.allRows(), [[.integer(1)]]) }
            statement.finalize()
            XCTAssertLessThanOrEqual(interrupted, 300)
        }

        func testAnInterruptEndsAStatementWhoseRowsAreBeingRead() throws {
            let connection = try open()
            let statement = try connection.statement("SELECT generate_series(1, 3)")
            XCTAssertTrue(try statement.step())
            connection.interrupter.interrupt()
            assertThrows(.interrupt, try statement.step())
            XCTAssertEqual(try statement.allRows().count, 3)
            statement.finalize()
        }

        func testAnInterruptAfterTheEndHasNoEffect() throws {
            let connection = try open()
            let interrupter = connection.interrupter
            interrupter.interrupt()
            XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
            try connection.close()
            interrupter.interrupt()
        }

        // MARK: - Reports

        func testWritesAreReportedAsChangesOfTheDatabase() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a int PRIMARY KEY)")
            let sink = Sink()
            connection.report(to: sink, interest: .changes)
            try connection.execute("SELECT * FROM t")
            XCTAssertEqual(sink.take(), [])
            try connection.execute("INSERT INTO t VALUES (1)")
            XCTAssertEqual(sink.take(), ["change", "commit"])
            XCTAssertThrowsError(try connection.execute("INSERT INTO t VALUES (1)"))
            XCTAssertEqual(sink.take(), ["change", "rollback"])
            try connection.perform(.beginImmediate)
            try connection.execute("INSERT INTO t VALUES (2)")
            XCTAssertEqual(sink.take(), ["change"])
            try connection.perform(.commit)
            XCTAssertEqual(sink.take(), ["commit"])
            try connection.perform(.beginImmediate)
            try connection.execute("INSERT INTO t VALUES (3)")
            try connection.execute("ROLLBACK")
            XCTAssertEqual(sink.take(), ["change", "rollback"])
            try connection.perform(.beginImmediate)
            try connection.execute("SELECT * FROM t")
            try connection.perform(.commit)
            XCTAssertEqual(sink.take(), [])
            sink.permitsCommit = false
            try connection.perform(.beginImmediate)
            try connection.execute("INSERT INTO t VALUES (3)")
            assertThrows(.constraint, try connection.perform(.commit))
            XCTAssertEqual(sink.take(), ["change", "commit", "rollback"])
            XCTAssertFalse(connection.isInTransaction)
            withExtendedLifetime(sink) {}
        }

        // MARK: - Secrets

        func testThePasswordIsInNoError() throws {
            let strings = [
                "postgres://user:hunter2@localhost:1/db", "postgres://user:hun/ter2@localhost:1/db",
                "postgres://user:hun@ter2@localhost:1/db", "postgres://user:hun%ter2@localhost/db",
                "postgres://user:hun%74er2@localhost:1/db?connect_timeout=x",
                "postgres://localhost:1/db?user=a&password=hunter2",
                "postgres://localhost:1/db?passwort=hunter2",
                "host=localhost port=1 password=hunter2", "host=localhost password=hun ter2",
                "password='hun ter2",
                "password = 'hunter2' port=hunter2", "postgres://user:hunter2@hunter2:1/db",
                "postgres://user:hun/ter2@localhost:1/db?application_name=a@b",
                "postgres://user:hun?ter2@localhost:1/db", "postgres://user:hun/?ter2=x@localhost:1/db",
            ]
            for string in strings {
                XCTAssertThrowsError(try PostgresConnection(string), string) { error in
                    XCTAssertEqual((error as? StorageError)?.code, .cannotOpen, string)
                    let text = "\(error) \(String(reflecting: error))"
                    for secret in ["hunter2", "ter2", "hun "] { XCTAssertFalse(text.contains(secret), text) }
                }
            }
        }

        func testAnAtSignInAParameterIsNoPassword() {
            let strings = [
                "postgres://127.0.0.1:1/db?user=ann@example.com",
                "postgres://[::1]:1/db?application_name=a@b",
                "postgres://127.0.0.1:1,[::1]:1/db?user=a@b:c&connect_timeout=1",
                "postgres://user:hunter2@127.0.0.1:1/db?application_name=a@b",
            ]
            for string in strings {
                XCTAssertThrowsError(try PostgresConnection(string), string) { error in
                    XCTAssertTrue("\(error)".contains("failed"), "\(error)")
                    XCTAssertFalse("\(error)".contains("hunter2"), "\(error)")
                }
            }
        }

        func testAMissingServerIsAnErrorThatNamesIt() {
            XCTAssertThrowsError(try PostgresConnection("postgres:///db?host=/nowhere")) {
                XCTAssertTrue("\($0)".contains("/nowhere"), "\($0)")
            }
        }

        // MARK: - Server

        func testOtherServersAreRefused() {
            XCTAssertTrue(PostgresSession.isPostgreSQL("PostgreSQL 15.8 (Debian 15.8-0+deb12u1) on x86_64"))
            XCTAssertFalse(PostgresSession.isPostgreSQL("CockroachDB CCL v23.1.11"))
            XCTAssertFalse(PostgresSession.isPostgreSQL("PostgreSQL 11.2-YB-2.20.0.0-b0 on x86_64"))
            XCTAssertFalse(PostgresSession.isPostgreSQL("PostgreSQL 8.0.2 on i686, Redshift 1.0"))
        }
    }

    /// Passes an object to another thread, which uses it alone.
    private final class SendableBox<Value>: @unchecked Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private final class Sink: ChangeSink {
        private var events: [String] = []
        var permitsCommit = true

        func take() -> [String] {
            defer { events = [] }
            return events
        }

        func didChange(_ event: ChangeEvent) { events.append("change") }

        func willCommit() -> Bool {
            events.append("commit")
            return permitsCommit
        }

        func didRollback() { events.append("rollback") }
    }
#endif
