#if PostgreSQL && os(Linux)
    import Dispatch
    import VigilStorage
    import VigilTestSupport
    import XCTest

    @testable import VigilPostgres

    /// Poolers between the program and the server, and servers that stop answering.
    final class PostgresPoolerTests: PostgresTestCase {
        private func assertIsRefused(
            _ body: @autoclosure () throws -> Void, file: StaticString = #filePath, line: UInt = #line
        ) {
            XCTAssertThrowsError(try body(), file: file, line: line) { error in
                XCTAssertEqual((error as? StorageError)?.code, .cannotOpen, file: file, line: line)
                XCTAssertTrue(
                    "\(error)".contains("pool_mode = transaction"), "\(error)", file: file, line: line)
            }
        }

        func testAPoolerOfTransactionsIsRefused() throws {
            for size in [1, 2, 10] {
                let bouncer = try PgBouncer(to: address, .transaction, poolSize: size)
                for access in [StorageOptions.Access.create, .readOnly] {
                    var options = StorageOptions()
                    options.access = access
                    assertIsRefused(_ = try PostgresConnection(bouncer.address, options: options))
                }
            }
        }

        func testAPoolerOfSessionsWorks() throws {
            let bouncer = try PgBouncer(to: address, .session, poolSize: 3)
            // The pooler resets the sessions that it hands on.
            func connect() throws -> PostgresConnection {
                let connection = try PostgresConnection(bouncer.address)
                try connection.prepareSessions { [unowned connection, schemaName] () throws(StorageError) in
                    try connection.run("SET search_path = \(schemaName)")
                }
                return connection
            }
            let writer = try connect()
            XCTAssertTrue(writer.session.isPooled)
            try writer.execute("CREATE TABLE t (a int)")
            let reader = try connect()
            let insertion = try writer.statement("INSERT INTO t VALUES (?)", isCached: true)
            let count = try reader.statement("SELECT count(*) FROM t", isCached: true)
            for number in 1...20 as ClosedRange<Int64> {
                try writer.perform(.beginImmediate)
                try insertion.bind(.integer(number), at: 1)
                XCTAssertFalse(try insertion.step())
                try writer.perform(.commit)
                XCTAssertFalse(
                    try {
                        try insertion.bind(.integer(0), at: 1); return try insertion.step()
                    }())
                try writer.execute("DELETE FROM t WHERE a = 0")
                try reader.beginSnapshot()
                XCTAssertEqual(try count.allRows(), [[.integer(number)]])
                try reader.perform(.commit)
            }
            insertion.finalize()
            count.finalize()
            try writer.close()
            try reader.close()
        }

        /// The pooler has no free session for the connection that determines its mode.
        func testAPoolerOfSessionsThatAreAllInUseWorks() throws {
            let bouncer = try PgBouncer(to: address, .session, poolSize: 1)
            let connection = try PostgresConnection(bouncer.address)
            XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
        }

        /// A pooler that was not recognized when the connection was made.
        func testNothingRunsInASessionThatWasNotSetUp() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a int)")
            connection.session.isPooled = true
            try connection.perform(.beginImmediate)
            try connection.execute("INSERT INTO t VALUES (1)")
            try connection.perform(.commit)
            XCTAssertEqual(try connection.execute("SELECT a FROM t"), [[.integer(1)]])
            connection.session.process = "0"
            assertIsRefused(try connection.perform(.beginImmediate))
            assertIsRefused(try connection.perform(.beginDeferred))
            assertIsRefused(try connection.beginSnapshot())
            assertIsRefused(_ = try connection.execute("DELETE FROM t"))
            XCTAssertFalse(connection.isInTransaction)
            XCTAssertEqual(try open().execute("SELECT a FROM t"), [[.integer(1)]])
        }

        /// Two programs that name their statements in the same way would run each other's.
        func testTheNamesOfStatementsAreDifferentInEachSession() throws {
            var names: Set<String> = []
            for _ in 0..<10 {
                let connection = try open()
                for _ in 0..<10 { names.insert(connection.statements.newName()) }
            }
            XCTAssertEqual(names.count, 100)
        }

        // MARK: - A server that does not answer

        func testAnInterruptEndsACommandThatTheServerDoesNotAnswer() throws {
            let proxy = try StoppableProxy(to: address)
            let connection = try PostgresConnection(proxy.address)
            let kept = try connection.statement("SELECT 7", isCached: true)
            XCTAssertEqual(try kept.allRows(), [[.integer(7)]])
            for begins in [false, true] {
                if begins { try connection.perform(.beginImmediate) }
                proxy.stop()
                let interrupter = connection.interrupter
                // An interrupt has no effect before the command runs.
                let isOver = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    repeat { interrupter.interrupt() } while isOver.wait(timeout: .now() + 0.01) == .timedOut
                }
                assertThrows(.interrupt, try kept.step())
                isOver.signal()
                proxy.resume()
                XCTAssertEqual(connection.isInTransaction, begins)
                if begins { try connection.perform(.rollback) }
                XCTAssertEqual(try kept.allRows(), [[.integer(7)]])
            }
            kept.finalize()
        }

        /// The server may have committed.
        func testAnInterruptedCommitThatTheServerDoesNotAnswerSaysSo() throws {
            let proxy = try StoppableProxy(to: address)
            let connection = try PostgresConnection(proxy.address)
            try connection.execute("CREATE TABLE t (a int)")
            try connection.perform(.beginImmediate)
            try connection.execute("INSERT INTO t VALUES (1)")
            proxy.stop()
            let interrupter = connection.interrupter
            // An interrupt has no effect before the command runs.
            let (isOver, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            DispatchQueue.global().async {
                repeat { interrupter.interrupt() } while isOver.wait(timeout: .now() + 0.01) == .timedOut
                hasEnded.signal()
            }
            XCTAssertThrowsError(try connection.perform(.commit)) {
                XCTAssertEqual(($0 as? StorageError)?.code, .connectionLost)
                XCTAssertTrue("\($0)".contains("it is not known whether"), "\($0)")
            }
            isOver.signal()
            hasEnded.wait()
            proxy.resume()
            XCTAssertFalse(connection.isInTransaction)
            XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
        }

        func testARowThatDoesNotArriveCanBeInterrupted() throws {
            let proxy = try StoppableProxy(to: address)
            let connection = try PostgresConnection(proxy.address)
            let statement = try connection.statement("SELECT g FROM generate_series(1, 1000000) AS g")
            XCTAssertTrue(try statement.step())
            proxy.stop()
            connection.timeouts.answer = .milliseconds(100)
            assertThrows(.connectionLost, try statement.allRows())
            proxy.resume()
            connection.timeouts.answer = nil
            XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
            statement.finalize()
        }

        /// The network forgets a connection, and new ones work.
        func testATransactionBeginsInAnotherSessionIfTheServerDoesNotAnswer() throws {
            let proxy = try StoppableProxy(to: address)
            let connection = try PostgresConnection(proxy.address)
            connection.timeouts.transaction = .milliseconds(200)
            let process = connection.session.process
            let begins: [() throws -> Void] = [
                { try connection.beginSnapshot() }, { try connection.perform(.beginImmediate) },
            ]
            for begin in begins {
                proxy.abandonConnections()
                try begin()
                XCTAssertNotEqual(connection.session.process, process)
                XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
                proxy.abandonConnections()
                try connection.perform(.rollback)
                XCTAssertFalse(connection.isInTransaction)
            }
            // The answer to the end of a snapshot is awaited by the next command.
            try connection.beginSnapshot()
            proxy.abandonConnections()
            try connection.perform(.commit)
            XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
        }

        /// The task was cancelled while no statement ran.
        func testAnInterruptBetweenStatementsShortensTheRollback() throws {
            let proxy = try StoppableProxy(to: address)
            let connection = try PostgresConnection(proxy.address)
            connection.timeouts.transaction = .seconds(3600)
            try connection.perform(.beginImmediate)
            connection.interrupter.interrupt()
            proxy.abandonConnections()
            try connection.perform(.rollback)
            XCTAssertFalse(connection.isInTransaction)
        }
    }
#endif
