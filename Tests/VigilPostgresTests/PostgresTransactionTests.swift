#if PostgreSQL
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    final class PostgresTransactionTests: PostgresTestCase {
        private func table() throws -> PostgresConnection {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)")
            return connection
        }

        private func count(_ connection: PostgresConnection) throws -> StorageValue? {
            try connection.execute("SELECT count(*) FROM t").first?.first
        }

        func testTransactionsAreCommittedAndRolledBack() throws {
            let connection = try table()
            for (command, expected) in [(TransactionCommand.rollback, 1 as Int64), (.commit, 2)] {
                try connection.perform(.beginImmediate)
                XCTAssertTrue(connection.isInTransaction)
                try connection.execute("INSERT INTO t VALUES (2)")
                try connection.perform(command)
                XCTAssertFalse(connection.isInTransaction)
                XCTAssertEqual(try count(connection), .integer(expected))
            }
        }

        func testCommandsThatDoNotFitAreErrors() throws {
            let connection = try table()
            assertThrows(.error, try connection.perform(.commit))
            assertThrows(.error, try connection.perform(.rollback))
            assertThrows(.error, try connection.execute("COMMIT"))
            try connection.perform(.beginDeferred)
            assertThrows(.error, try connection.perform(.beginDeferred))
            assertThrows(.error, try connection.beginSnapshot())
            assertThrows(.error, try connection.execute("BEGIN"))
            XCTAssertTrue(connection.isInTransaction)
            try connection.perform(.rollback)
        }

        func testTheCommitOfAFailedTransactionIsAnError() throws {
            let connection = try table()
            for commit in [{ try connection.perform(.commit) }, { _ = try connection.execute("COMMIT") }] {
                try connection.perform(.beginImmediate)
                try connection.execute("INSERT INTO t VALUES (2)")
                assertThrows(.init(rawValue: 2067), try connection.execute("INSERT INTO t VALUES (2)"))
                assertThrows(.abort, sqlState: "25P02", try commit())
                XCTAssertFalse(connection.isInTransaction)
                XCTAssertEqual(try count(connection), .integer(1))
            }
        }

        func testACommitThatViolatesADeferredConstraintRollsBack() throws {
            let connection = try table()
            try connection.execute("CREATE TABLE u (a int REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
            try connection.perform(.beginImmediate)
            try connection.execute("INSERT INTO u VALUES (7)")
            assertThrows(.init(rawValue: 787), sqlState: "23503", try connection.perform(.commit))
            XCTAssertFalse(connection.isInTransaction)
        }

        func testSnapshotsAreTakenAtOnce() throws {
            let (reader, writer) = (try table(), try open())
            try reader.beginSnapshot()
            try writer.execute("INSERT INTO t VALUES (2)")
            XCTAssertEqual(try count(reader), .integer(1))
            try reader.perform(.rollback)
            XCTAssertEqual(try count(reader), .integer(2))
            try reader.perform(.beginDeferred)
            try writer.execute("INSERT INTO t VALUES (3)")
            XCTAssertEqual(try count(reader), .integer(3))
            try writer.execute("INSERT INTO t VALUES (4)")
            XCTAssertEqual(try count(reader), .integer(3))
            try reader.perform(.commit)
        }

        func testSettingsOfASnapshotAreUndone() throws {
            let connection = try open()
            func limit() throws -> [[StorageValue]] {
                try connection.execute("SELECT current_setting('statement_timeout')")
            }
            let before = try limit()
            try connection.beginSnapshot()
            XCTAssertFalse(connection.undoSettings())
            for fails in [false, true] {
                try connection.execute("SET LOCAL statement_timeout = 12345")
                XCTAssertEqual(try limit(), [[.text("12345ms")]])
                try connection.execute("SET LOCAL lock_timeout = 12345")
                if fails {
                    // The transaction has failed.
                    try connection.execute("SAVEPOINT a")
                    XCTAssertThrowsError(try connection.execute("SELECT nonsense"))
                }
                XCTAssertTrue(connection.undoSettings())
                XCTAssertEqual(try limit(), before)
                XCTAssertFalse(connection.undoSettings())
            }
            try connection.execute("SET LOCAL statement_timeout = 12345")
            XCTAssertEqual(try limit(), [[.text("12345ms")]])
            XCTAssertNotEqual(try connection.exportSnapshot(), "")
            try connection.perform(.commit)
        }

        func testSnapshotsSurviveStatementsThatFail() throws {
            let (reader, writer) = (try table(), try open())
            try reader.beginSnapshot()
            try writer.execute("INSERT INTO t VALUES (2)")
            for sql in [
                "SELECT 1 / (SELECT count(*) - 1 FROM t)", "SELECT * FROM missing",
                "INSERT INTO t VALUES (3)",
            ] {
                XCTAssertThrowsError(try reader.execute(sql))
                XCTAssertTrue(reader.isInTransaction)
                XCTAssertEqual(try count(reader), .integer(1))
            }
            try reader.perform(.savepoint("a"))
            XCTAssertThrowsError(try reader.execute("SELECT * FROM missing"))
            try reader.perform(.rollbackTo("a"))
            XCTAssertEqual(try count(reader), .integer(1))
            try reader.perform(.commit)
            XCTAssertEqual(try count(reader), .integer(2))
            try reader.perform(.beginDeferred)
            XCTAssertThrowsError(try reader.execute("SELECT * FROM missing"))
            assertThrows(.abort, try count(reader))
            try reader.perform(.rollback)
        }

        func testSavepointsAreNested() throws {
            let connection = try table()
            let long = String(repeating: "x", count: 100)
            for name in ["a", "A\"b", "", long, "Ü"] {
                try connection.perform(.beginImmediate)
                try connection.perform(.savepoint(name))
                try connection.execute("INSERT INTO t VALUES (2)")
                try connection.perform(.savepoint(name))
                try connection.execute("INSERT INTO t VALUES (3)")
                try connection.perform(.rollbackTo(name))
                try connection.perform(.release(name))
                XCTAssertEqual(try count(connection), .integer(2))
                try connection.perform(.rollbackTo(name))
                XCTAssertEqual(try count(connection), .integer(1))
                try connection.perform(.release(name))
                XCTAssertTrue(connection.isInTransaction)
                assertThrows(.error, try connection.perform(.release(name)))
                try connection.perform(.rollback)
            }
        }

        func testASavepointOutsideOfATransactionBeginsOne() throws {
            let connection = try table()
            try connection.perform(.savepoint("a"))
            XCTAssertTrue(connection.isInTransaction)
            try connection.execute("INSERT INTO t VALUES (2)")
            try connection.perform(.savepoint("b"))
            try connection.perform(.release("b"))
            XCTAssertTrue(connection.isInTransaction)
            try connection.perform(.release("a"))
            XCTAssertFalse(connection.isInTransaction)
            XCTAssertEqual(try count(connection), .integer(2))
        }

        func testASavepointRecoversAFailedTransaction() throws {
            let connection = try table()
            try connection.perform(.beginImmediate)
            try connection.perform(.savepoint("a"))
            assertThrows(.error, try connection.execute("SELECT * FROM missing"))
            try connection.perform(.rollbackTo("a"))
            XCTAssertEqual(try count(connection), .integer(1))
            try connection.perform(.commit)
        }

        func testConflictsAreBusyErrors() throws {
            let (one, two) = (try table(), try open())
            try one.perform(.beginImmediate)
            try two.perform(.beginImmediate)
            XCTAssertEqual(try count(one), .integer(1))
            XCTAssertEqual(try count(two), .integer(1))
            try one.execute("INSERT INTO t VALUES (2)")
            try two.execute("INSERT INTO t VALUES (3)")
            try one.perform(.commit)
            assertThrows(.busy, sqlState: "40001", try two.perform(.commit))
            XCTAssertFalse(two.isInTransaction)
        }

        func testLockTimeoutsAreBusyErrorsThatTheBusyHandlerRetries() throws {
            let one = try table()
            let calls = Counter()
            var options = StorageOptions()
            options.busyHandler = {
                calls.add($0)
                return $0 < 2
            }
            let two = try open(options)
            try two.execute("SET lock_timeout = '1ms'")
            try one.perform(.beginImmediate)
            try one.execute("UPDATE t SET a = 5")
            assertThrows(.busy, sqlState: "55P03", try two.execute("UPDATE t SET a = 6"))
            XCTAssertEqual(calls.values, [0, 1, 2])
            try one.perform(.rollback)
            try two.execute("UPDATE t SET a = 6")
        }

        // MARK: - Tokens of commits

        func testTheTokenChangesWithCommitsOnly() throws {
            let (reader, writer) = (try table(), try open())
            var token = try reader.look().state
            func assertToken(changes: Bool, line: UInt = #line) throws {
                let new = try reader.look().state
                XCTAssertEqual(new != token, changes, line: line)
                token = new
            }
            try assertToken(changes: false)
            try writer.execute("SELECT * FROM t")
            try assertToken(changes: false)
            try writer.execute("INSERT INTO t VALUES (2)")
            try assertToken(changes: true)
            try writer.perform(.beginImmediate)
            try writer.execute("INSERT INTO t VALUES (3)")
            token = try reader.look().state
            try writer.perform(.commit)
            try assertToken(changes: true)
            try reader.execute("INSERT INTO t VALUES (4)")
            try assertToken(changes: true)
        }

        func testTheTokenOfAStandbyChangesWithItsReplay() throws {
            let standbyAddress = try Self.address("VIGIL_POSTGRES_STANDBY")
            let writer = try table()
            let standby = try PostgresConnection(standbyAddress)
            try waitForReplay(of: writer, on: standby)
            var token = try standby.look().state
            for value in 2...30 as ClosedRange<Int64> {
                try writer.execute("INSERT INTO t VALUES (?)", [.integer(value)])
                try waitForReplay(of: writer, on: PostgresConnection(standbyAddress))
                let new = try standby.look().state
                XCTAssertNotEqual(new, token)
                token = new
            }
            assertThrows(.readOnly, sqlState: "25006", try standby.execute("CREATE TABLE never (a int)"))
            assertThrows(.readOnly, try standby.perform(.beginImmediate))
            try standby.perform(.beginDeferred)
            try standby.perform(.rollback)
        }

        func testAStandbyThatBecomesAPrimaryAcceptsWrites() throws {
            let connection = try table()
            connection.session.isStandby = true
            try connection.perform(.beginImmediate)
            try connection.execute("INSERT INTO t VALUES (2)")
            try connection.perform(.commit)
            XCTAssertEqual(try count(connection), .integer(2))
        }

        func testAReaderNoticesThatAStandbyHasBecomeAPrimary() throws {
            let connection = try open()
            connection.session.isStandby = true
            try connection.beginSnapshot()
            XCTAssertFalse(connection.session.isStandby)
            try connection.perform(.commit)
        }

        /// It has an effect in a transaction in which nothing has run.
        func testAnEmptyTransactionCanBePrepared() throws {
            let connection = try open()
            let name = "prepared_\(schemaName)"
            let preparation = try connection.statement("PREPARE TRANSACTION '\(name)'")
            let begins: [() throws -> Void] = [
                { try connection.perform(.beginImmediate) }, { try connection.beginSnapshot() },
            ]
            for begin in begins {
                try begin()
                XCTAssertFalse(try preparation.step())
                XCTAssertFalse(connection.isInTransaction)
                try connection.execute("ROLLBACK PREPARED '\(name)'")
            }
            preparation.finalize()
        }

        /// Waits until the standby has replayed all commits of the primary so far.
        private func waitForReplay(of primary: PostgresConnection, on standby: PostgresConnection) throws {
            let position = try XCTUnwrap(
                try primary.execute("SELECT pg_current_wal_lsn()::text").first?.first)
            let query = "SELECT pg_last_wal_replay_lsn() >= ?::pg_lsn"
            while try standby.execute(query, [position]) != [[.integer(1)]] {}
        }
    }
#endif
