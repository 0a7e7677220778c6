#if PostgreSQL
    import Foundation
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Writers that exclude each other only when they conflict.
    final class ServerConflictTests: ServerTestCase {
        private let increment: @Sendable (Database) throws -> Void = { db in
            let n = try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? 0
            try db.execute(sql: "UPDATE counter SET n = ?", arguments: [n + 1])
        }

        private func makeCounter(_ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(sql: "CREATE TABLE counter (n INT NOT NULL); INSERT INTO counter VALUES (0)")
            }
        }

        func testConflictsAreErrorsWithoutRetries() throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try makeCounter(dbPool)
            XCTAssertThrowsError(
                try dbPool.write { db in
                    let n = try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? 0
                    try other.write(self.increment)
                    try db.execute(sql: "UPDATE counter SET n = ?", arguments: [n + 1])
                }
            ) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_BUSY)
                XCTAssertEqual((error as? DatabaseError)?.sqlState, "40001")
            }
        }

        func testConflictsAreRepeated() throws {
            var configuration = Configuration()
            configuration.maximumWriteRetryCount = 1_000
            let pools = try (0..<4).map { _ in try makePool(configuration) }
            try makeCounter(pools[0])
            DispatchQueue.concurrentPerform(iterations: pools.count) { [increment] index in
                for _ in 0..<25 {
                    do { try pools[index].write(increment) } catch { XCTFail("\(error)") }
                }
            }
            let n = try pools[0].read { db in try Int.fetchOne(db, sql: "SELECT n FROM counter") }
            XCTAssertEqual(n, 100)
        }

        func testAWriteWaitsForALockAsLongAsTheBusyModeAllows() throws {
            var configuration = Configuration()
            configuration.busyMode = .timeout(0.05)
            let (dbPool, other) = (try makePool(), try makePool(configuration))
            try makeCounter(dbPool)
            try dbPool.write { db in
                try db.execute(sql: "UPDATE counter SET n = 1")
                XCTAssertThrowsError(
                    try other.write { db in try db.execute(sql: "UPDATE counter SET n = 2") }
                ) { error in
                    XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_BUSY)
                    XCTAssertEqual((error as? DatabaseError)?.sqlState, "55P03")
                }
            }
        }

        func testATaskThatIsCancelledInterruptsItsStatement() async throws {
            let dbPool = try makePool()
            let isRunning = Recorder<Void>()
            let task = Task {
                try await dbPool.read { db in
                    isRunning.append(())
                    try db.execute(sql: "SELECT pg_sleep(600)")
                }
            }
            while isRunning.all.isEmpty { await Task.yield() }
            task.cancel()
            do {
                try await task.value
                XCTFail("the statement was not interrupted")
            } catch {
                XCTAssertTrue(error is CancellationError, "\(error)")
            }
            let one = try await dbPool.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
            XCTAssertEqual(one, 1)
        }
    }
#endif
