#if PostgreSQL
    import Foundation
    import Synchronization
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Pools whose sessions end, and whose server is not available for a time.
    final class LostServerTests: ServerTestCase {
        /// Ends the sessions of an application, on a session of another one.
        private let terminate: @Sendable (_ application: String, _ admin: DatabasePool) throws -> Void = {
            application, admin in
            try admin.read { db in
                _ = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE application_name = ? AND pid <> pg_backend_pid()
                        """, arguments: [application])
            }
        }

        private var application: String { "app_\(schemaName)" }

        private func makeCounters(_ count: Int, _ dbPool: DatabasePool) throws {
            try dbPool.write { db in
                try db.execute(sql: "CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL)")
                try db.execute(sql: "INSERT INTO counter SELECT id, 0 FROM generate_series(1, \(count)) id")
            }
        }

        /// Two statements of one snapshot: the connection can be lost between them.
        private let counters = ValueObservation.tracking { db in
            let counters = try Int.fetchAll(db, sql: "SELECT n FROM counter ORDER BY id")
            let sum = try Int.fetchOne(db, sql: "SELECT SUM(n) FROM counter")
            XCTAssertEqual(sum, counters.reduce(0, +))
            return counters
        }

        func testAnAccessWhoseSessionEndsFailsAndTheNextOneSucceeds() throws {
            let admin = try makePool()
            let dbPool = try makePool(application: application)
            try makeCounters(1, dbPool)
            for _ in 0..<5 {
                XCTAssertThrowsError(
                    try dbPool.write { db in
                        try db.execute(sql: "UPDATE counter SET n = n + 1")
                        try self.terminate(self.application, admin)
                        try db.execute(sql: "UPDATE counter SET n = n + 1")
                    }
                ) { error in
                    XCTAssertEqual(
                        (error as? DatabaseError)?.extendedResultCode, .CONNECTION_LOST, "\(error)")
                }
                let sum = try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT SUM(n) FROM counter") }
                XCTAssertEqual(sum, 0)
            }
        }

        /// Eight writers commit 600 times while sessions are ended 25 times.
        func testNothingIsMissedWhileSessionsEnd() throws {
            let (writerCount, commitCount) = (8, RandomTestSettings.rounds(75))
            let admin = try makePool()
            let dbPool = try makePool(application: application)
            try makeCounters(writerCount, dbPool)
            let values = Recorder<[Int]>()
            let cancellables = (0..<4).map { _ in
                counters.start(
                    in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            }
            let writers = try (0..<writerCount).map { _ in try makePool() }
            let number = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: writerCount) {
                [increment, terminate, application] index in
                for commit in 1...commitCount {
                    // Half of them write through the pool whose sessions end.
                    let pool = index.isMultiple(of: 2) ? writers[index] : dbPool
                    increment(index + 1, commit - 1, pool, admin)
                    guard number.add(1, ordering: .relaxed).newValue.isMultiple(of: 24) else { continue }
                    do { try terminate(application, admin) } catch { XCTFail("\(error)") }
                }
            }
            let expected = Array(repeating: commitCount, count: writerCount)
            let all = values.wait { values in values.filter { $0 == expected }.count == 4 }
            XCTAssertEqual(all.filter { $0 == expected }.count, 4)
            for cancellable in cancellables { cancellable.cancel() }
        }

        /// Adds 1 to a counter, once, although it may not be known whether a commit took place.
        private let increment: @Sendable (Int, Int, DatabasePool, DatabasePool) -> Void = {
            id, n, dbPool, admin in
            let arguments: StatementArguments = [id]
            do {
                var isCommitted = false
                while !isCommitted {
                    do {
                        try dbPool.write { db in
                            try db.execute(
                                sql: "UPDATE counter SET n = n + 1 WHERE id = ?", arguments: arguments)
                        }
                        isCommitted = true
                    } catch DatabaseError.SQLITE_IOERR, DatabaseError.SQLITE_BUSY {
                        let count = try admin.read { db in
                            try Int.fetchOne(
                                db, sql: "SELECT n FROM counter WHERE id = ?", arguments: arguments)
                        }
                        isCommitted = count == n + 1
                    }
                }
            } catch {
                XCTFail("\(error)")
            }
        }

        /// Calls `body` with the address of a database that accepts no connections while it is out of
        /// service.
        private func withDatabase(_ body: (Outage, _ address: String) throws -> Void) throws {
            let outage = Outage(database: "outage_\(schemaName)", admin: try makePool())
            try outage.admin.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE DATABASE \(outage.database)")
            }
            defer {
                try? outage.admin.writeWithoutTransaction { db in
                    try db.execute(sql: "DROP DATABASE \(outage.database) WITH (FORCE)")
                }
            }
            try body(outage, address(database: outage.database))
        }

        /// The statements of an access that fails must not run one by one on a new session, each in a state
        /// of its own.
        func testNoStatementRunsOutsideOfALostSnapshot() throws {
            try withDatabase { outage, address in
                let dbPool = try DatabasePool(server: address)
                try makeCounters(1, dbPool)
                try dbPool.read { db in
                    try outage.begin()
                    XCTAssertThrowsError(try Int.fetchOne(db, sql: "SELECT n FROM counter"))
                    try outage.end()
                    for _ in 0..<2 {
                        XCTAssertThrowsError(try Int.fetchOne(db, sql: "SELECT n FROM counter")) { error in
                            XCTAssertEqual((error as? DatabaseError)?.extendedResultCode, .CONNECTION_LOST)
                        }
                    }
                }
                let count = try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT n FROM counter") }
                XCTAssertEqual(count, 0)
                try dbPool.close()
            }
        }

        /// The caller relies on its state, and may have exported it to other sessions.
        func testALostSnapshotIsNotReplacedByALaterState() throws {
            let admin = try makePool()
            let dbPool = try makePool(application: application)
            try makeCounters(1, dbPool)
            let change: @Sendable () throws -> Void = { [application] in
                try admin.write { db in
                    let sql =
                        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = ?"
                    _ = try Row.fetchAll(db, sql: sql, arguments: [application])
                    try db.execute(sql: "UPDATE counter SET n = n + 1")
                }
            }
            let assertIsLost: @Sendable (Database) throws -> Void = { db in
                XCTAssertThrowsError(try Int.fetchOne(db, sql: "SELECT n FROM counter")) { error in
                    XCTAssertEqual((error as? DatabaseError)?.extendedResultCode, .CONNECTION_LOST)
                }
            }
            let snapshots = [try dbPool.makeSnapshot(), try dbPool.makeSnapshot()]
            _ = try snapshots[0].exportIdentifier()
            try change()
            for snapshot in snapshots + snapshots { try snapshot.read(assertIsLost) }
            let ended = Recorder<Void>()
            dbPool.writeWithoutTransaction { _ in
                dbPool.spawnConcurrentRead { result in
                    do {
                        let db = try result.get()
                        try change()
                        try assertIsLost(db)
                    } catch {
                        XCTFail("\(error)")
                    }
                    ended.append(())
                }
            }
            ended.wait(count: 1)
            let count = try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT n FROM counter") }
            XCTAssertEqual(count, 2)
        }

        /// No session can be opened for a time, as during a restart.
        func testObservationsSurviveAnOutage() throws {
            try withDatabase { outage, address in try surviveOutages(outage, address) }
        }

        private func surviveOutages(_ outage: Outage, _ address: String) throws {
            let (dbPool, other) = (try DatabasePool(server: address), try DatabasePool(server: address))
            try makeCounters(1, dbPool)
            let values = Recorder<[Int]>()
            let cancellable = counters.start(
                in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            values.wait(last: [0])
            for round in 1...2 {
                try outage.begin()
                for _ in 0..<10 {
                    XCTAssertThrowsError(try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT 1") }) {
                        XCTAssertEqual(($0 as? DatabaseError)?.extendedResultCode, .CONNECTION_LOST, "\($0)")
                    }
                }
                // It starts during the outage.
                let late = Recorder<[Int]>()
                let lateCancellable = counters.start(
                    in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                    onChange: { late.append($0) })
                try outage.end()
                try other.write { db in try db.execute(sql: "UPDATE counter SET n = n + 1") }
                values.wait(last: [round])
                late.wait(last: [round])
                lateCancellable.cancel()
            }
            cancellable.cancel()
            try dbPool.close()
            try other.close()
        }
    }

    /// A database that can be made to refuse connections.
    private struct Outage {
        let database: String
        let admin: DatabasePool

        func begin() throws {
            try admin.writeWithoutTransaction { db in
                try db.execute(sql: "ALTER DATABASE \(database) WITH ALLOW_CONNECTIONS false")
                _ = try Row.fetchAll(
                    db, sql: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?",
                    arguments: [database])
            }
        }

        func end() throws {
            try admin.writeWithoutTransaction { db in
                try db.execute(sql: "ALTER DATABASE \(database) WITH ALLOW_CONNECTIONS true")
            }
        }
    }
#endif
