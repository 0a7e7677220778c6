#if PostgreSQL
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    /// The state that a session of the server keeps, also when another one takes its place.
    final class PostgresSessionTests: PostgresTestCase {
        private func terminate(_ connection: PostgresConnection) throws {
            let process = connection.session.process
            let other = try open()
            try other.execute("SELECT pg_terminate_backend(?::int)", [.text(process)])
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = ?::int"
            while try other.execute(sql, [.text(process)]) != [[.integer(0)]] {}
        }

        private func setting(_ name: String, _ connection: PostgresConnection) throws -> String? {
            guard case .text(let value)? = try connection.execute("SHOW \(name)").first?.first else {
                return nil
            }
            return value
        }

        // MARK: - Preparation

        func testEachSessionIsPreparedBeforeItsFirstCommand() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE tenant (name text)")
            try connection.prepareSessions { [unowned connection] () throws(StorageError) in
                try connection.run("SET app.tenant = 'blue'; SET statement_timeout = 12345")
            }
            let kept = try connection.statement("SELECT current_setting('app.tenant')", isCached: true)
            let commands: [(String, () throws -> Void)] = [
                ("a statement", { try connection.execute("SELECT 1") }),
                ("a snapshot", { try connection.beginSnapshot() }),
                ("a transaction that reads", { try connection.perform(.beginDeferred) }),
                ("a transaction that writes", { try connection.perform(.beginImmediate) }),
                ("a savepoint", { try connection.perform(.savepoint("a")) }),
                ("a query of the driver", { _ = try connection.look().state }),
                ("an SQL text", { try connection.execute("BEGIN") }),
            ]
            for (name, begin) in commands {
                try terminate(connection)
                do { try begin() } catch let error as StorageError where error.code == .connectionLost {
                    // It could not be known whether the statement had an effect. The next one runs in a new
                    // session.
                    try begin()
                }
                XCTAssertEqual(try kept.allRows(), [[.text("blue")]], name)
                XCTAssertEqual(try setting("statement_timeout", connection), "12345ms", name)
                if connection.isInTransaction { try connection.perform(.rollback) }
            }
            kept.finalize()
        }

        func testASessionThatCannotBePreparedIsNotUsed() throws {
            let connection = try open()
            var failures = 0
            try connection.prepareSessions { [unowned connection] () throws(StorageError) in
                if failures > 0 {
                    failures -= 1
                    throw StorageError(.authorization, "no such tenant")
                }
                try connection.run("SET app.tenant = 'blue'")
            }
            try terminate(connection)
            failures = 2
            assertThrows(.authorization, try connection.beginSnapshot())
            XCTAssertFalse(connection.isInTransaction)
            assertThrows(.authorization, try connection.execute("SELECT 1"))
            XCTAssertEqual(
                try connection.execute("SELECT current_setting('app.tenant')"), [[.text("blue")]])
        }

        /// BEGIN is sent with the first statement.
        func testATransactionWhoseSessionCannotBePreparedFails() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a int)")
            var fails = false
            try connection.prepareSessions { () throws(StorageError) in
                if fails { throw StorageError(.authorization, "no such tenant") }
            }
            try connection.perform(.beginImmediate)
            try terminate(connection)
            fails = true
            assertThrows(.authorization, try connection.execute("INSERT INTO t VALUES (1)"))
            XCTAssertTrue(connection.isInTransaction)
            fails = false
            // Nothing has run in the transaction, so it can be begun in another session.
            try connection.execute("INSERT INTO t VALUES (2)")
            try connection.perform(.commit)
            XCTAssertEqual(try connection.execute("SELECT a FROM t"), [[.integer(2)]])
        }

        func testATransactionInWhichNothingRunsNeedsNoServer() throws {
            let connection = try open()
            let count = connection.roundTripCount
            for command in [TransactionCommand.commit, .rollback] {
                for begin in [TransactionCommand.beginImmediate, .beginDeferred] {
                    try connection.perform(begin)
                    XCTAssertTrue(connection.isInTransaction)
                    assertThrows(.error, try connection.perform(begin))
                    try connection.perform(command)
                    XCTAssertFalse(connection.isInTransaction)
                }
            }
            XCTAssertEqual(connection.roundTripCount, count)
            try connection.execute("CREATE TABLE t (a int)")
            let insertion = try connection.statement("INSERT INTO t VALUES (1)", isCached: true)
            let before = connection.roundTripCount
            try connection.perform(.beginImmediate)
            XCTAssertFalse(try insertion.step())
            XCTAssertTrue(connection.isInTransaction)
            try connection.perform(.commit)
            XCTAssertEqual(connection.roundTripCount, before + 2)
            insertion.finalize()
        }

        /// BEGIN is sent with the savepoint.
        func testALossBeforeASavepointDoesNotEndTheTransactionUnnoticed() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a int)")
            try connection.perform(.beginImmediate)
            try terminate(connection)
            XCTAssertThrowsError(try connection.perform(.savepoint("a"))) {
                XCTAssertEqual(($0 as? StorageError)?.code, .connectionLost)
                XCTAssertEqual(($0 as? StorageError)?.sql, "SAVEPOINT \"a\"")
            }
            XCTAssertTrue(connection.isInTransaction)
            try connection.execute("INSERT INTO t VALUES (1)")
            try connection.perform(.rollback)
            XCTAssertEqual(try connection.execute("SELECT a FROM t"), [])
        }

        func testTheFirstStatementOfATransactionCanFail() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)")
            let insertion = try connection.statement("INSERT INTO t VALUES (1)", isCached: true)
            let selection = try connection.statement("SELECT 1 / (a - 1) FROM t", isCached: true)
            for (statement, state) in [(insertion, "23505"), (selection, "22012")] {
                for command in [TransactionCommand.rollback, .commit] {
                    try connection.perform(.beginImmediate)
                    XCTAssertThrowsError(try statement.step()) {
                        XCTAssertEqual(($0 as? StorageError)?.sqlState, state)
                    }
                    XCTAssertTrue(connection.isInTransaction)
                    assertThrows(.abort, sqlState: "25P02", try connection.execute("SELECT 1"))
                    if command == .commit {
                        assertThrows(.abort, try connection.perform(.commit))
                    } else {
                        try connection.perform(.rollback)
                    }
                    XCTAssertFalse(connection.isInTransaction)
                    XCTAssertEqual(try connection.execute("SELECT a FROM t"), [[.integer(1)]])
                }
            }
            for statement in [insertion, selection] { statement.finalize() }
            try connection.perform(.beginImmediate)
            assertThrows(.error, try connection.execute("SELEC 1"))
            try connection.perform(.rollback)
            try connection.perform(.beginImmediate)
            try connection.perform(.savepoint("a"))
            try connection.execute("INSERT INTO t VALUES (2)")
            try connection.perform(.rollbackTo("a"))
            try connection.perform(.commit)
            XCTAssertEqual(try connection.execute("SELECT a FROM t"), [[.integer(1)]])
        }

        /// The statements of a preparation must not run in two sessions.
        func testALossDuringThePreparationFailsTheCommand() throws {
            let connection = try open()
            var kills = 0
            try connection.prepareSessions { [unowned connection] () throws(StorageError) in
                try connection.run("SET app.first = '1'")
                if kills > 0 {
                    kills -= 1
                    _ = try? connection.run("SELECT pg_terminate_backend(pg_backend_pid())")
                }
                try connection.run("SET app.second = '2'")
            }
            try terminate(connection)
            kills = 1
            assertThrows(.connectionLost, try connection.beginSnapshot())
            XCTAssertEqual(
                try connection.execute("SELECT current_setting('app.first'), current_setting('app.second')"),
                [[.text("1"), .text("2")]])
        }

        func testTheMainSchemaIsThatOfThePreparation() throws {
            let (connection, other) = (try open(), "\(schemaName)_x")
            try connection.execute("CREATE SCHEMA \"\(other)\"")
            defer { XCTAssertNoThrow(try connection.execute("DROP SCHEMA \"\(other)\"")) }
            XCTAssertEqual(connection.mainSchema, schemaName)
            try connection.prepareSessions { [unowned connection] () throws(StorageError) in
                try connection.run("SET search_path = \"\(other)\"")
            }
            XCTAssertEqual(connection.mainSchema, other)
            try terminate(connection)
            try connection.beginSnapshot()
            XCTAssertEqual(connection.mainSchema, other)
            try connection.perform(.commit)
        }

        // MARK: - Connecting

        func testTheLimitsOfTimeCanBeOverridden() {
            func names(_ string: String, _ environment: String...) -> [String] {
                PostgresSession.parameters(string, hasEnvironment: { environment.contains($0) }).map(\.0)
            }
            let limits = [
                "connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
                "tcp_user_timeout",
            ]
            let others = ["dbname", "client_encoding", "fallback_application_name"]
            // libpq lets the parameters of the string, which is the value of `dbname`, override earlier ones.
            XCTAssertEqual(names("postgres:///a"), limits + others)
            XCTAssertEqual(names("postgres:///a", "PGCONNECT_TIMEOUT"), limits.dropFirst() + others)
            XCTAssertEqual(names("postgres:///a", "PGSERVICE"), others)
            XCTAssertEqual(names("service = shop"), others)
            XCTAssertEqual(names("postgres:///?service=shop"), others)
        }

        // MARK: - Settings

        func testSettingsOfTheProgramDoNotChangeHowValuesAreReadLater() throws {
            let connection = try open()
            let sql =
                "SELECT date '2026-11-25', timestamptz '2026-11-25 12:00+00', '\\x005c61'::bytea, 0.1::float8 + 0.2"
            let expected = try connection.execute(sql)
            XCTAssertEqual(
                expected,
                [
                    [
                        .text("2026-11-25"), .text("2026-11-25 12:00:00+00:00"), .blob([0, 0x5C, 0x61]),
                        .real(0.1 + 0.2),
                    ]
                ])
            for change in [
                "SET DateStyle = 'German'", "SET bytea_output = 'escape'", "SET extra_float_digits = -4",
                "SET TimeZone = 'Asia/Tokyo'", "SET IntervalStyle = 'iso_8601'",
                "SET standard_conforming_strings = off",
                "SELECT set_config('extra_float_digits', '-4', false)", "RESET ALL",
                "SET SESSION DateStyle = 'SQL'", "SET client_encoding = 'LATIN1'", "SET NAMES 'LATIN1'",
                "DISCARD ALL",
            ] {
                try connection.execute(change)
                for command in [TransactionCommand.beginDeferred, .beginImmediate] {
                    try connection.perform(command)
                    XCTAssertEqual(try connection.execute(sql), expected, change)
                    XCTAssertEqual(try connection.execute(#"SELECT 'a\é'"#), [[.text(#"a\é"#)]], change)
                    try connection.perform(.rollback)
                    try connection.execute(change)
                }
                try connection.beginSnapshot()
                XCTAssertEqual(try connection.execute(sql), expected, change)
                try connection.perform(.commit)
            }
        }

        func testARollbackDoesNotUndoTheRestoredSettings() throws {
            let connection = try open()
            try connection.perform(.beginImmediate)
            try connection.execute("SET DateStyle = 'German'")
            try connection.perform(.commit)
            try connection.perform(.beginImmediate)
            XCTAssertEqual(try connection.execute("SELECT date '2026-11-25'"), [[.text("2026-11-25")]])
            try connection.perform(.rollback)
            try connection.perform(.beginImmediate)
            XCTAssertEqual(try connection.execute("SELECT date '2026-11-25'"), [[.text("2026-11-25")]])
            try connection.perform(.rollback)
        }

        func testDatesInAnotherStyleAreAnError() throws {
            let connection = try open()
            try connection.perform(.beginImmediate)
            try connection.execute("SET LOCAL DateStyle = 'German'; SET LOCAL bytea_output = 'escape'")
            for type in ["date", "timestamp", "timestamptz"] {
                XCTAssertThrowsError(try connection.execute("SELECT \(type) '2026-11-25'")) {
                    XCTAssertTrue("\($0)".contains("DateStyle is German"), "\($0)")
                }
            }
            // The error is that of the driver: the server has not noticed it.
            XCTAssertEqual(
                try connection.execute("SELECT (date '2026-11-25')::text, '\\x5c00ff41'::bytea"),
                [[.text("25.11.2026"), .blob([0x5C, 0, 0xFF, 0x41])]])
            try connection.perform(.commit)
        }

        func testNoTextIsExchangedInAnotherEncoding() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a text)")
            try connection.perform(.beginImmediate)
            try connection.execute("SET client_encoding = 'LATIN1'")
            for sql in ["INSERT INTO t VALUES ('é')", "CREATE TABLE \"é\" (a int)", "SELECT 'é'"] {
                XCTAssertThrowsError(try connection.execute(sql), sql) {
                    XCTAssertTrue("\($0)".contains("client_encoding is LATIN1"), "\($0)")
                }
            }
            try connection.execute("SET client_encoding = 'UTF8'")
            try connection.execute("INSERT INTO t VALUES ('é')")
            XCTAssertEqual(try connection.execute("SELECT length(a) FROM t"), [[.integer(1)]])
            try connection.perform(.commit)
        }

        func testATimeZoneOfThePreparationRemains() throws {
            let connection = try open()
            try connection.prepareSessions { [unowned connection] () throws(StorageError) in
                try connection.run("SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'German'")
            }
            for _ in 0..<2 {
                try connection.perform(.beginImmediate)
                XCTAssertEqual(
                    try connection.execute(
                        "SELECT timestamptz '2026-11-25 12:00+00', now()::date = now()::date"),
                    [[.text("2026-11-25 21:00:00+09:00"), .integer(1)]])
                try connection.perform(.commit)
                try connection.execute("SET TimeZone = 'Europe/Berlin'")
            }
        }

        /// A pooler hands the session of a reader to other programs.
        func testReadersLeaveNoSettingBehind() throws {
            var options = StorageOptions()
            options.access = .readOnly
            let reader = try open(options)
            try reader.execute("SELECT 1")
            XCTAssertEqual(try setting("default_transaction_read_only", reader), "off")
            let writer = try open()
            try writer.setReadOnly(true)
            try writer.execute("SELECT 1")
            XCTAssertEqual(try setting("default_transaction_read_only", writer), "off")
        }

        func testAStatementOfAReaderFollowsTheSchema() throws {
            var options = StorageOptions()
            options.access = .readOnly
            let (reader, writer) = (try open(options), try open())
            try writer.execute("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
            let selection = try reader.statement("SELECT a FROM t WHERE a = ?", isCached: true)
            try selection.bind(.text("1"), at: 1)
            XCTAssertEqual(try selection.allRows(), [[.integer(1)]])
            try writer.execute("ALTER TABLE t ALTER COLUMN a TYPE text USING a::text")
            XCTAssertEqual(try selection.allRows(), [[.text("1")]])
            try writer.execute("ALTER TABLE t ALTER COLUMN a TYPE bytea USING a::bytea")
            XCTAssertEqual(try selection.allRows(), [[.blob([0x31])]])
            // It reads, so it can be repeated.
            try terminate(reader)
            XCTAssertEqual(try selection.allRows(), [[.blob([0x31])]])
            XCTAssertFalse(reader.isInTransaction)
            selection.finalize()
        }

        func testAStatementOfAReaderHasItsOwnTransaction() throws {
            var options = StorageOptions()
            options.access = .readOnly
            let (reader, writer) = (try open(options), try open())
            try writer.execute("CREATE TABLE t AS SELECT generate_series(1, 1000) AS a")
            let statement = try reader.statement("SELECT a FROM t", isCached: true)
            XCTAssertTrue(try statement.step())
            XCTAssertFalse(reader.isInTransaction)
            try writer.execute("DELETE FROM t")
            XCTAssertEqual(try reader.execute("SELECT count(*) FROM t"), [[.integer(0)]])
            XCTAssertEqual(try statement.allRows().count, 999)
            XCTAssertTrue(try statement.allRows().isEmpty)
            statement.finalize()
            assertThrows(.error, try reader.execute("SELECT 1 / 0"))
            XCTAssertEqual(try reader.execute("SELECT 1"), [[.integer(1)]])
            try reader.close()
        }

        // MARK: - Errors

        func testAnErrorOfAFunctionDoesNotEndTheSession() throws {
            let connection = try open()
            try connection.execute(
                """
                CREATE FUNCTION fail(code text) RETURNS int LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'from the function' USING ERRCODE = code; END $$
                """)
            let process = try connection.serverProcess
            for code in ["57P01", "57P02", "57P03", "57P05", "08006", "25P03"] {
                XCTAssertThrowsError(try connection.execute("SELECT fail(?)", [.text(code)])) {
                    let error = $0 as? StorageError
                    XCTAssertEqual(error?.sqlState, code)
                    XCTAssertNotEqual(error?.code, .connectionLost)
                    XCTAssertEqual(error?.message, "from the function")
                }
                XCTAssertEqual(try connection.serverProcess, process)
            }
        }

        func testErrorsNameTheObjectsThatTheyConcern() throws {
            let connection = try open()
            try connection.execute(
                "CREATE TABLE player (id int PRIMARY KEY, score int NOT NULL CONSTRAINT positive CHECK (score > 0))"
            )
            func diagnostics(_ sql: String) -> StorageDiagnostics? {
                do { try connection.execute(sql) } catch { return (error as? StorageError)?.diagnostics }
                return nil
            }
            let check = diagnostics("INSERT INTO player VALUES (1, -1)")
            XCTAssertEqual(check?.constraintName, "positive")
            XCTAssertEqual(check?.tableName, "player")
            XCTAssertEqual(check?.schemaName, schemaName)
            let null = diagnostics("INSERT INTO player VALUES (1, NULL)")
            XCTAssertEqual(null?.columnName, "score")
            let hint = diagnostics("SELECT scor FROM player")?.hint
            XCTAssertTrue(hint?.contains("player.score") == true, hint ?? "")
        }

        func testAMirrorShowsNoPassword() throws {
            let secret = "s3cr3t-word"
            let connection = try PostgresConnection(address + "&password=\(secret)")
            var text = ""
            dump(connection, to: &text)
            XCTAssertFalse(text.contains(secret))
            XCTAssertTrue(text.contains("PostgresConnection"))
        }
    }
#endif
