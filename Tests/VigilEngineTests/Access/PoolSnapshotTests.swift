import Dispatch
import Foundation
import Vigil
import XCTest

final class PoolSnapshotTests: XCTestCase {
    private func count(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
    }

    func testSnapshotsAndReadsSurviveEveryKindOfCheckpoint() throws {
        for kind in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
            try onEachPool { pool, _ in
                try pool.write { db in try db.execute(sql: insertIntoT) }
                let snapshot = try pool.makeSnapshot()
                try pool.read { db in
                    try pool.writeWithoutTransaction { writer in
                        try writer.execute(sql: insertIntoT)
                        // Some kinds cannot finish during a read. They return that as a row, or throw an
                        // error.
                        do {
                            try writer.execute(sql: "PRAGMA wal_checkpoint(\(kind))")
                        } catch DatabaseError.SQLITE_BUSY, DatabaseError.SQLITE_LOCKED {}
                        try writer.execute(sql: insertIntoT)
                    }
                    XCTAssertEqual(try self.count(db), 1, kind)
                }
                XCTAssertEqual(try snapshot.count("t"), 1, kind)
                XCTAssertEqual(try pool.count("t"), 3, kind)
                try snapshot.close()
                // No read is running, so the log can be emptied.
                let busy = try pool.writeWithoutTransaction { db in
                    try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                }
                XCTAssertEqual(busy, 0)
                XCTAssertEqual(try pool.count("t"), 3, kind)
            }
        }
    }

    func testSnapshotsAreMadeFromTheWriterAReaderAndAnObservation() throws {
        try onEachPool { pool, _ in
            let fromWriter = try pool.writeWithoutTransaction { db in
                try db.execute(sql: insertIntoT)
                return try pool.makeSnapshot()
            }
            let fromReader = try pool.read { _ in try pool.makeSnapshot() }
            let (fromObservation, delivered) = (Values<DatabaseSnapshot>(), Gate())
            let cancellable =
                ValueObservation
                .tracking { db -> Int in
                    fromObservation.append(try pool.makeSnapshot())
                    return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                }
                .start(in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }) { _ in delivered.open() }
            delivered.wait()
            cancellable.cancel()
            try pool.write { db in try db.execute(sql: insertIntoT) }
            for snapshot in [fromWriter, fromReader] + fromObservation.all.prefix(1) {
                XCTAssertEqual(try snapshot.count("t"), 1)
            }
        }
    }

    func testASnapshotMadeAfterACommitSeesIt() throws {
        final class Maker: TransactionObserver {
            let pool: DatabasePool
            let snapshots = Values<DatabaseSnapshot>()

            init(_ pool: DatabasePool) { self.pool = pool }

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidRollback(_ db: Database) {}
            func databaseDidCommit(_ db: Database) {
                assertNoError { snapshots.append(try pool.makeSnapshot()) }
            }
        }
        try onEachPool { pool, _ in
            let maker = Maker(pool)
            pool.add(transactionObserver: maker)
            for _ in 1...3 { try pool.write { db in try db.execute(sql: insertIntoT) } }
            XCTAssertEqual(try maker.snapshots.all.map { try $0.count("t") }, [1, 2, 3])
            pool.remove(transactionObserver: maker)
        }
    }

    func testEveryKindOfBarrierKeepsReadersOut() async throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let pool = try DatabasePool(path: directory.file("db"), configuration: configuration)
            try await pool.write { db in try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
            let order = Values<String>()
            let barriers: [@Sendable (@escaping @Sendable (Database) -> Void) -> Void] = [
                { body in assertNoError { try pool.barrierWriteWithoutTransaction { body($0) } } },
                { body in
                    pool.asyncBarrierWriteWithoutTransaction { result in
                        assertNoError { body(try result.get()) }
                    }
                },
                { body in
                    Task { try await pool.barrierWriteWithoutTransaction { body($0) } }
                },
            ]
            for barrier in barriers {
                let (alone, goOn, ended, read) = (Gate(), Gate(), Gate(), Gate())
                DispatchQueue.global().async {
                    barrier { db in
                        alone.open()
                        goOn.wait()
                        assertNoError { try db.execute(sql: insertIntoT) }
                        order.append("barrier")
                        ended.open()
                    }
                }
                await alone.passed()
                pool.asyncRead { _ in
                    order.append("read")
                    read.open()
                }
                goOn.open()
                await ended.passed()
                await read.passed()
            }
            XCTAssertEqual(order.all, ["barrier", "read", "barrier", "read", "barrier", "read"])
            let count = try await rowCount(pool)
            XCTAssertEqual(count, 3)
        }
    }

    func testTheSnapshotOfAFileCannotBeExported() throws {
        try onEachPool { pool, _ in
            let snapshot = try pool.makeSnapshot()
            XCTAssertThrowsError(try snapshot.exportIdentifier()) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
            }
        }
    }
}
