#if PostgreSQL
    import Foundation
    import Synchronization
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Counts the runs of a closure.
    private final class RunCount: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }

        func increment() { number.withLock { $0 += 1 } }
    }

    /// The isolation levels of transactions that write, and the repetition of those that conflict.
    final class IsolationTests: ServerTestCase {
        private func makePool(_ level: Configuration.IsolationLevel) throws -> DatabasePool {
            var configuration = Configuration()
            configuration.isolationLevel = level
            return try makePool(configuration)
        }

        private func makeDoctors(_ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(
                    sql: """
                        DROP TABLE IF EXISTS doctor; CREATE TABLE doctor (id INT PRIMARY KEY, isOnCall BOOL NOT NULL);
                        INSERT INTO doctor VALUES (1, true), (2, true)
                        """)
            }
        }

        private static func count(_ db: Database) throws -> Int {
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM doctor WHERE isOnCall") ?? -1
        }

        private static func leave(_ db: Database, _ id: Int) throws {
            if try count(db) == 2 {
                try db.execute(sql: "UPDATE doctor SET isOnCall = false WHERE id = ?", arguments: [id])
            }
        }

        func testEachLevelSeesWhatItPromises() throws {
            let levels: [(Configuration.IsolationLevel, String, after: Int)] = [
                (.readCommitted, "read committed", 1), (.repeatableRead, "repeatable read", 2),
                (.serializable, "serializable", 2),
            ]
            for (level, name, after) in levels {
                let (dbPool, other) = (try makePool(level), try makePool(level))
                try makeDoctors(other)
                try dbPool.write { db in
                    XCTAssertEqual(try String.fetchOne(db, sql: "SHOW transaction_isolation"), name)
                    XCTAssertEqual(try Self.count(db), 2)
                    try other.write { db in try Self.leave(db, 1) }
                    XCTAssertEqual(try Self.count(db), after, name)
                }
            }
        }

        func testOnlySerializableTransactionsExcludeWriteSkew() throws {
            for (level, remaining) in [
                (Configuration.IsolationLevel.readCommitted, 0), (.repeatableRead, 0), (.serializable, 1),
            ] {
                let (dbPool, other) = (try makePool(level), try makePool(level))
                try makeDoctors(other)
                var error: DatabaseError?
                do {
                    try dbPool.write { db in
                        let count = try Self.count(db)
                        try other.write { db in try Self.leave(db, 1) }
                        if count == 2 {
                            try db.execute(sql: "UPDATE doctor SET isOnCall = false WHERE id = 2")
                        }
                    }
                } catch let conflict as DatabaseError {
                    error = conflict
                }
                XCTAssertEqual(error?.sqlState, level == .serializable ? "40001" : nil)
                XCTAssertEqual(try other.read(Self.count), remaining)
            }
        }

        func testSQLCanBeginAtAnotherLevel() throws {
            var configuration = Configuration()
            configuration.isolationLevel = .readCommitted
            try makePool(configuration).writeWithoutTransaction { db in
                for level in ["REPEATABLE READ", "SERIALIZABLE", "READ COMMITTED"] {
                    try db.execute(sql: "BEGIN ISOLATION LEVEL \(level)")
                    XCTAssertEqual(
                        try String.fetchOne(db, sql: "SHOW transaction_isolation"), level.lowercased())
                    try db.execute(sql: "COMMIT")
                }
            }
        }

        /// Makes a closure that conflicts in its first runs, by changing what it has read in another pool.
        private func conflicting(_ other: DatabasePool, times: Int) -> (
            runs: RunCount, write: @Sendable (Database) throws -> Void
        ) {
            let runs = RunCount()
            return (
                runs,
                { db in
                    runs.increment()
                    let n = try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? 0
                    if runs.value <= times {
                        try other.write { db in try db.execute(sql: "UPDATE counter SET n = n + 10") }
                    }
                    try db.execute(sql: "UPDATE counter SET n = ?", arguments: [n + 1])
                }
            )
        }

        private func makeCounter(_ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(sql: "CREATE TABLE counter (n INT NOT NULL); INSERT INTO counter VALUES (0)")
            }
        }

        func testSendableClosuresAreRepeatedByDefault() async throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try await other.write { db in
                try db.execute(sql: "CREATE TABLE counter (n INT NOT NULL); INSERT INTO counter VALUES (0)")
            }
            let (runs, write) = conflicting(other, times: 3)
            try await dbPool.write(write)
            XCTAssertEqual(runs.value, 4)
            let (failing, failingWrite) = conflicting(other, times: .max)
            do {
                try await dbPool.write(failingWrite)
                XCTFail("no conflict")
            } catch let error as DatabaseError {
                XCTAssertEqual(error.sqlState, "40001")
            }
            XCTAssertEqual(failing.value, 4)
            let n = try await other.read { db in try Int.fetchOne(db, sql: "SELECT n FROM counter") }
            XCTAssertEqual(n, 71)
            let (scheduled, scheduledWrite) = conflicting(other, times: 1)
            let done = expectation(description: "written")
            dbPool.asyncWrite(scheduledWrite) { _, result in
                if case .failure(let error) = result { XCTFail("\(error)") }
                done.fulfill()
            }
            await fulfillment(of: [done], timeout: 60)
            XCTAssertEqual(scheduled.value, 2)
        }

        func testOtherClosuresAreNotRepeatedUnlessRequested() throws {
            let other = try makePool()
            try makeCounter(other)
            for (count, runCount) in [(nil, 1), (0, 1), (2, 3)] as [(Int?, Int)] {
                var configuration = Configuration()
                configuration.maximumWriteRetryCount = count
                let (runs, write) = conflicting(other, times: .max)
                XCTAssertThrowsError(try makePool(configuration).write(write)) { error in
                    XCTAssertEqual((error as? DatabaseError)?.sqlState, "40001")
                }
                XCTAssertEqual(runs.value, runCount)
            }
        }

        func testOutdatedStatementsAreRepeated() async throws {
            let (dbPool, other) = (try makePool(), try makePool())
            try await other.write { db in
                try db.execute(
                    sql: "CREATE TABLE item (id INT PRIMARY KEY, name TEXT); CREATE TABLE log (n INT)")
            }
            let runs = RunCount()
            let write: @Sendable (Database) throws -> [String] = { db in
                runs.increment()
                try db.execute(sql: "INSERT INTO log VALUES (1)")
                return try Row.fetchAll(db, sql: "SELECT * FROM item").flatMap { Array($0.columnNames) }
            }
            try await other.write { db in try db.execute(sql: "INSERT INTO item VALUES (1, 'a')") }
            let columns = try await dbPool.write(write)
            XCTAssertEqual(columns, ["id", "name"])
            try await other.write { db in try db.execute(sql: "ALTER TABLE item ADD COLUMN extra INT") }
            let newColumns = try await dbPool.write(write)
            XCTAssertEqual(newColumns, ["id", "name", "extra"])
            XCTAssertEqual(runs.value, 3)
            let count = try await dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log") }
            XCTAssertEqual(count, 2)
        }
    }
#endif
