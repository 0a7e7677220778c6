#if PostgreSQL
    import CVigilPostgres
    import Dispatch
    import Synchronization
    import VigilStorage
    import XCTest

    @testable import VigilPostgres

    /// Rows that are received while the statement runs.
    final class PostgresStreamTests: PostgresTestCase {
        private let manyRows = "SELECT g, repeat('x', 100) FROM generate_series(1, 1000000) AS g"

        func testTheFirstRowsOfALargeResultNeedNoMemory() throws {
            let connection = try open()
            for command in [nil, TransactionCommand.beginDeferred, .beginImmediate] {
                if let command { try connection.perform(command) }
                let statement = try connection.statement(manyRows)
                XCTAssertTrue(try statement.step())
                XCTAssertEqual(statement.row[0].value, .integer(1))
                XCTAssertNotNil(connection.stream)
                statement.reset()
                XCTAssertNil(connection.stream)
                statement.finalize()
                XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
                if command != nil { try connection.perform(.commit) }
            }
        }

        func testASnapshotSurvivesAStatementThatIsNotReadToItsEnd() throws {
            let (reader, writer) = (try open(), try open())
            try writer.execute("CREATE TABLE t (a int)")
            try reader.beginSnapshot()
            for _ in 0..<3 {
                let statement = try reader.statement(manyRows)
                for _ in 0..<10 { XCTAssertTrue(try statement.step()) }
                statement.finalize()
                XCTAssertTrue(reader.isInTransaction)
                try writer.execute("INSERT INTO t VALUES (1)")
                XCTAssertEqual(try reader.execute("SELECT count(*) FROM t"), [[.integer(0)]])
            }
            try reader.perform(.commit)
            XCTAssertEqual(try reader.execute("SELECT count(*) FROM t"), [[.integer(3)]])
        }

        func testStatementsCanBeNested() throws {
            let connection = try open()
            try connection.perform(.beginImmediate)
            try connection.execute("CREATE TABLE t (a int, b text, c bytea)")
            let outer = try connection.statement(
                "SELECT g, CASE WHEN g % 3 > 0 THEN 'text ' || g END, decode(lpad(to_hex(g), 4, '0'), 'hex') FROM generate_series(1, 500) AS g"
            )
            let insertion = try connection.statement("INSERT INTO t VALUES (?, ?, ?)", isCached: true)
            let second = try connection.statement(
                "SELECT g FROM generate_series(1, 100) AS g", isCached: true)
            var count: Int64 = 0
            while try outer.step() {
                count += 1
                for index in 0..<3 { try insertion.bind(outer.row[index].value, at: index + 1) }
                XCTAssertFalse(try insertion.step())
                XCTAssertTrue(try second.step() || count % 101 == 0)
                XCTAssertEqual(outer.row[0].value, .integer(count))
                XCTAssertEqual(outer.row[1].value, count % 3 > 0 ? .text("text \(count)") : .null)
                XCTAssertEqual(outer.row[2].value, .blob([UInt8(count >> 8), UInt8(count & 0xFF)]))
            }
            XCTAssertEqual(count, 500)
            let lastBytes = (1...500 as ClosedRange<Int64>).reduce(0) { $0 + ($1 & 0xFF) }
            XCTAssertEqual(
                try connection.execute("SELECT count(*), sum(a), count(b), sum(get_byte(c, 1)) FROM t"),
                [[.integer(500), .integer(125_250), .integer(333 + 1), .integer(lastBytes)]])
            for statement in [outer, insertion, second] { statement.finalize() }
            try connection.perform(.commit)
        }

        func testAnErrorAfterSomeRowsIsThrownThere() throws {
            let connection = try open()
            let sql = "SELECT 1000 / (1000 - g) FROM generate_series(1, 2000) AS g"
            func run(_ step: () throws -> Void = {}) throws -> Int {
                let statement = try connection.statement(sql)
                defer { statement.finalize() }
                var count = 0
                do {
                    while try statement.step() {
                        count += 1
                        if count == 10 { try step() }
                    }
                } catch let error as StorageError {
                    XCTAssertEqual(error.sqlState, "22012")
                    return count
                }
                return -1
            }
            XCTAssertEqual(try run(), 999)
            // The rest is received before another statement runs.
            XCTAssertEqual(
                try run { XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]]) }, 999)
            try connection.beginSnapshot()
            XCTAssertEqual(try run(), 999)
            XCTAssertEqual(
                try run { XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]]) }, 999)
            XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
            try connection.perform(.commit)
            try connection.perform(.beginImmediate)
            XCTAssertEqual(try run(), 999)
            assertThrows(.abort, sqlState: "25P02", try connection.execute("SELECT 1"))
            try connection.perform(.rollback)
        }

        func testALossAfterSomeRowsIsThrownThere() throws {
            let (connection, other) = (try open(), try open())
            for begins in [false, true] {
                if begins { try connection.beginSnapshot() }
                let statement = try connection.statement(manyRows)
                XCTAssertTrue(try statement.step())
                try other.execute(
                    "SELECT pg_terminate_backend(?::int)", [.text(connection.session.process)])
                assertThrows(.connectionLost, try statement.allRows())
                XCTAssertEqual(connection.isInTransaction, begins)
                if begins { try connection.perform(.rollback) }
                XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
                statement.finalize()
            }
        }

        func testAnInterruptEndsTheRows() throws {
            let connection = try open()
            for command in [nil, TransactionCommand.beginDeferred] {
                if let command { try connection.perform(command) }
                let statement = try connection.statement(manyRows)
                for _ in 0..<10 { XCTAssertTrue(try statement.step()) }
                connection.interrupter.interrupt()
                assertThrows(.interrupt, try statement.step())
                statement.finalize()
                if command != nil { try connection.perform(.rollback) }
                XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
            }
        }

        func testAWriteReturnsItsRowsOnlyIfItSucceeds() throws {
            let connection = try open()
            try connection.execute("CREATE TABLE t (a int CHECK (a < 1000))")
            let statement = try connection.statement(
                "INSERT INTO t SELECT g FROM generate_series(1, 1000) AS g RETURNING a")
            assertThrows(.init(rawValue: 275), try statement.step())
            statement.finalize()
            XCTAssertEqual(try connection.execute("SELECT count(*) FROM t"), [[.integer(0)]])
        }

        /// A text that is the same in another type is another value.
        func testTheSummaryOfAResultContainsItsTypes() throws {
            let connection = try open()
            func summary(_ sql: String, _ rows: Int = .max) throws -> ResultDigest? {
                connection.beginResultDigest()
                let statement = try connection.statement(sql)
                defer { statement.finalize() }
                var count = 0
                while count < rows, try statement.step() { count += 1 }
                return connection.endResultDigest()
            }
            try connection.execute("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
            let sql = "SELECT a FROM t"
            let first = try summary(sql)
            XCTAssertEqual(try summary(sql), first)
            try connection.execute("ALTER TABLE t ALTER COLUMN a TYPE text USING a::text")
            XCTAssertNotEqual(try summary(sql), first)
            let series = "SELECT g FROM generate_series(1, 3) AS g"
            XCTAssertNotEqual(try summary(series, 2), try summary(series, 3))
            XCTAssertEqual(try summary(series, 2), try summary(series, 2))
        }

        // MARK: - Input in the memory of libpq

        func testInputThatNoLongerMakesTheSocketReadableIsRead() throws {
            let library = try PostgresLibrary.linked()
            let api = UnsafeMutablePointer<vigil_postgres_api>.allocate(capacity: 1)
            defer { api.deallocate() }
            api.initialize(to: library.api.pointee)
            api.pointee.socket = { _ in -1 }
            api.pointee.consumeInput = { _ in
                HeldInput.isRead.store(true, ordering: .relaxed)
                return 1
            }
            api.pointee.isBusy = { _ in HeldInput.isRead.load(ordering: .relaxed) ? 0 : 1 }
            api.pointee.getResult = { _ in nil }
            api.pointee.getCopyData = { _, _, _ in HeldInput.isRead.load(ordering: .relaxed) ? -1 : 0 }

            func receive(_ body: (ServerChannel) -> Void) throws {
                HeldInput.isRead.store(false, ordering: .relaxed)
                let handle = try XCTUnwrap(PostgresSession.connect(address, api: library.api))
                let channel = ServerChannel(handle, api: api, canceller: PostgresInterrupter())
                channel.answerTimeout = .milliseconds(1)
                body(channel)
            }
            try receive { channel in
                XCTAssertTrue(channel.run { _ in 1 }.isEmpty)
                XCTAssertNil(channel.failure)
            }
            try receive { channel in
                guard case .ended = channel.receiveMessage({ _ in }) else {
                    return XCTFail("the message was not read")
                }
            }
        }

        // MARK: - Limits of time

        func testAnAnswerThatTakesTooLongCountsAsALoss() throws {
            let (connection, other) = (try open(), try open())
            try other.execute("SELECT pg_advisory_lock(815)")
            connection.timeouts.answer = .milliseconds(50)
            for begins in [false, true] {
                if begins { try connection.perform(.beginImmediate) }
                assertThrows(.connectionLost, try connection.execute("SELECT pg_advisory_lock(815)"))
                XCTAssertEqual(connection.isInTransaction, begins)
                if begins { try connection.perform(.rollback) }
                connection.timeouts.answer = nil
                XCTAssertEqual(try connection.execute("SELECT 1"), [[.integer(1)]])
                connection.timeouts.answer = .milliseconds(50)
            }
        }

        // MARK: - Statements whose tables have changed

        func testTheFirstStatementOfATransactionFollowsTheSchema() throws {
            let (connection, other) = (try open(), try open())
            try connection.execute("CREATE TABLE t (a int, b text); INSERT INTO t VALUES (1, 'x')")
            let selection = try connection.statement("SELECT * FROM t", isCached: true)
            let insertion = try connection.statement(
                "INSERT INTO t (a, b) VALUES (?, 'y') RETURNING *", isCached: true)
            func run() throws -> [[StorageValue]] {
                try connection.perform(.beginImmediate)
                let rows = try selection.allRows()
                try connection.perform(.commit)
                try connection.perform(.beginImmediate)
                try insertion.bind(.text("2"), at: 1)
                defer { insertion.reset() }
                let inserted = try insertion.allRows()
                try connection.perform(.rollback)
                return rows + inserted
            }
            XCTAssertEqual(try run(), [[.integer(1), .text("x")], [.integer(2), .text("y")]])
            try other.execute("ALTER TABLE t ALTER COLUMN a TYPE text USING a::text")
            XCTAssertEqual(try run(), [[.text("1"), .text("x")], [.text("2"), .text("y")]])
            try other.execute("ALTER TABLE t ALTER COLUMN a TYPE bytea USING a::bytea")
            XCTAssertEqual(try run(), [[.blob([0x31]), .text("x")], [.blob([0x32]), .text("y")]])
            try other.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 7")
            XCTAssertEqual(
                try run(),
                [[.blob([0x31]), .text("x"), .integer(7)], [.blob([0x32]), .text("y"), .integer(7)]])
            selection.finalize()
            insertion.finalize()
        }

        /// The parameters keep the types of the columns from the time when the statement was prepared.
        func testKeptStatementsFollowTheTypesOfColumns() throws {
            let (connection, other) = (try open(), try open())
            try connection.execute("CREATE TABLE t (a int)")
            let insertion = try connection.statement("INSERT INTO t VALUES (?)", isCached: true)
            for (type, value) in [("text", "abc"), ("date", "2026-11-25"), ("bytea", "xyz"), ("text", "d")] {
                try other.execute("DELETE FROM t; ALTER TABLE t ALTER COLUMN a TYPE \(type) USING NULL")
                for begins in [false, true] {
                    if begins { try connection.perform(.beginImmediate) }
                    try insertion.bind(.text(value), at: 1)
                    XCTAssertFalse(try insertion.step())
                    if begins { try connection.perform(.commit) }
                }
                XCTAssertEqual(try connection.execute("SELECT count(*) FROM t"), [[.integer(2)]])
            }
            // A value that does not fit is still an error.
            try other.execute("ALTER TABLE t ALTER COLUMN a TYPE int USING NULL")
            try insertion.bind(.text("abc"), at: 1)
            assertThrows(.error, sqlState: "22P02", try insertion.step())
            assertThrows(.error, sqlState: "22P02", try insertion.step())
            insertion.finalize()
        }

        func testTheFirstStatementOfATransactionIsRepeatedAfterALoss() throws {
            let (connection, other) = (try open(), try open())
            try connection.execute("CREATE TABLE t (a int)")
            let insertion = try connection.statement("INSERT INTO t VALUES (1)", isCached: true)
            try connection.perform(.beginImmediate)
            try other.execute("SELECT pg_terminate_backend(?::int)", [.text(connection.session.process)])
            XCTAssertFalse(try insertion.step())
            try connection.perform(.commit)
            XCTAssertEqual(try connection.execute("SELECT count(*) FROM t"), [[.integer(1)]])
            try connection.perform(.beginImmediate)
            try connection.perform(.savepoint("a"))
            try other.execute("SELECT pg_terminate_backend(?::int)", [.text(connection.session.process)])
            assertThrows(.connectionLost, try insertion.step())
            try connection.perform(.rollback)
            insertion.finalize()
        }
    }

    /// Input in the memory of TLS, not read by libpq.
    private enum HeldInput {
        static let isRead = Atomic(false)
    }
#endif
