import Dispatch
import Foundation
import Synchronization
import Vigil
import XCTest

final class SuspensionTests: XCTestCase {
    func testASuspendedQueueTakesNoLockUntilItIsResumed() throws {
        try onEachQueue(schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") { dbQueue in
            dbQueue.suspend()
            assertDatabaseError(.SQLITE_ABORT, "Database is suspended") {
                try dbQueue.write { db in try db.execute(sql: insertIntoT) }
            }
            assertDatabaseError(.SQLITE_ABORT, "Database is suspended") { try dbQueue.count("t") }
            assertDatabaseError(.SQLITE_ABORT) {
                try dbQueue.inDatabase { db in try db.execute(sql: "BEGIN IMMEDIATE") }
            }
            dbQueue.resume()
            try dbQueue.write { db in try db.execute(sql: insertIntoT) }
            XCTAssertEqual(try dbQueue.count("t"), 1)
        }
    }

    func testASuspendedPoolStillReads() throws {
        try onEachPool { pool, path in
            try pool.write { db in try db.execute(sql: insertIntoT) }
            pool.suspend()
            XCTAssertEqual(try pool.count("t"), 1)
            XCTAssertEqual(
                try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 1)
            assertDatabaseError(.SQLITE_ABORT, "Database is suspended") {
                try pool.write { db in try db.execute(sql: insertIntoT) }
            }
            assertDatabaseError(.SQLITE_ABORT, "Database is suspended") {
                try pool.writeWithoutTransaction { db in try db.execute(sql: insertIntoT) }
            }
            pool.resume()
            try pool.write { db in try db.execute(sql: insertIntoT) }
            XCTAssertEqual(try pool.count("t"), 2)
        }
    }

    func testAnOpenTransactionIsRolledBackAndReleasesItsLock() throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        try onEachPool(configuration) { pool, path in
            try pool.writeWithoutTransaction { db in
                try db.beginTransaction(.immediate)
                try db.execute(sql: insertIntoT)
            }
            pool.suspend()
            pool.writeWithoutTransaction { db in XCTAssertFalse(db.isInsideTransaction) }
            let other = try DatabasePool(path: path, configuration: pool.configuration)
            try other.write { db in try db.execute(sql: insertIntoT) }
            XCTAssertEqual(try other.count("t"), 1)
        }
    }

    func testAWriteInterruptedBySuspensionIsRolledBackAndNotContinued() throws {
        try onEachPool { pool, _ in
            for resumes in [false, true] {
                assertDatabaseError(.SQLITE_ABORT) {
                    try pool.write { db in
                        try db.execute(sql: insertIntoT)
                        pool.suspend()
                        assertDatabaseError(.SQLITE_ABORT, "Database is suspended") {
                            try db.execute(sql: insertIntoT)
                        }
                        XCTAssertFalse(db.isInsideTransaction)
                        if resumes { pool.resume() }
                        try db.execute(sql: insertIntoT)
                    }
                }
                pool.resume()
                XCTAssertEqual(try pool.count("t"), 0)
            }
        }
    }

    func testARunningStatementIsInterrupted() throws {
        try onEachPool { pool, _ in
            let ended = Gate()
            let begun = Gate()
            DispatchQueue.global().async {
                assertDatabaseError(.SQLITE_INTERRUPT) {
                    try pool.write { db in
                        try db.execute(sql: insertIntoT)
                        let cursor = try Row.fetchCursor(
                            db, sql: "SELECT i FROM (\(endlessRows)) WHERE i = 1 OR i < 0")
                        _ = try cursor.next()
                        begun.open()
                        _ = try cursor.next()
                    }
                }
                ended.open()
            }
            begun.wait()
            pool.suspend()
            ended.wait()
            pool.resume()
            XCTAssertEqual(try pool.count("t"), 0)
        }
    }

    func testNotificationsSuspendRegisteredDatabases() throws {
        var configuration = Configuration()
        configuration.observesSuspensionNotifications = true
        for (_, backend) in testedBackends {
            configuration.backend = backend
            let observing = try DatabaseQueue(configuration: configuration)
            configuration.observesSuspensionNotifications = false
            let other = try DatabaseQueue(configuration: configuration)
            configuration.observesSuspensionNotifications = true
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            assertDatabaseError(.SQLITE_ABORT) { try observing.write { _ in } }
            try other.write { _ in }
            NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
            try observing.write { _ in }
        }
    }

    func testAnObservationContinuesAfterItsFetchWasRefused() throws {
        try onEachFixture([.memory, .file], [.queue]) { fixture in
            let dbQueue = try XCTUnwrap(fixture.writer as? DatabaseQueue)
            let suspends = Mutex(false)
            let observed = fixture.observe(
                ValueObservation.tracking { [unowned dbQueue] db -> Int in
                    if suspends.withLock({ take(&$0) }) { dbQueue.suspend() }
                    return try countRows(db)
                })
            observed.expect([0])
            suspends.withLock { $0 = true }
            try fixture.insert()
            dbQueue.resume()
            observed.expect([0, 1])
        }
    }

    func testAnObservationContinuesAfterItsFetchWasInterrupted() throws {
        try onEachFixture([.memory, .file], [.queue]) { fixture in
            let dbQueue = try XCTUnwrap(fixture.writer as? DatabaseQueue)
            let suspended = SuspendedFetch(dbQueue) { [unowned dbQueue] in
                dbQueue.suspend()
                dbQueue.resume()
            }
            let observed = fixture.observe(ValueObservation.tracking { db in try suspended.count(db) })
            observed.expect([0])
            suspended.interruptNext()
            try fixture.insert()
            observed.expect([0, 1])
        }
    }

    func testASuspendedConnectionQueriesTheJournalModeWhenNeeded() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let dbQueue = try DatabaseQueue(path: directory.file("queue"), configuration: configuration)
            try dbQueue.inDatabase { db in
                try db.execute(sql: "PRAGMA journal_mode = truncate; CREATE TABLE t(a)")
            }
            dbQueue.inDatabase { db in XCTAssertNil(db.journalModeCache) }
            dbQueue.suspend()
            try dbQueue.inDatabase { db in
                XCTAssertThrowsError(try db.execute(sql: "SELECT * FROM t"))
                XCTAssertEqual(db.journalModeCache, "truncate")
            }
            let pool = try DatabasePool(path: directory.file("pool"), configuration: configuration)
            pool.suspend()
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "SELECT * FROM sqlite_master")
                XCTAssertEqual(db.journalModeCache, "wal")
            }
            try pool.read { db in
                try db.execute(sql: "SELECT * FROM sqlite_master")
                XCTAssertNil(db.journalModeCache)
            }
        }
    }
}

private let endlessRows = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT i FROM n
    """

/// Returns whether the flag is set, and clears it.
private func take(_ flag: inout Bool) -> Bool {
    defer { flag = false }
    return flag
}
