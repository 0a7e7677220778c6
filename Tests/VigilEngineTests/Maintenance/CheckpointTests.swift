import Foundation
import Vigil
import XCTest

final class CheckpointTests: XCTestCase {
    private func onEachPool(_ body: (DatabasePool) throws -> Void) throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let dbPool = try DatabasePool(
                path: directory.file("database.sqlite"), configuration: configuration)
            try dbPool.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            try body(dbPool)
        }
    }

    func testCheckpointCopiesTheLogIntoTheDatabase() throws {
        try onEachPool { dbPool in
            for mode in [Database.CheckpointMode.passive, .full, .restart] {
                try dbPool.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
                let (logged, moved) = try dbPool.writeWithoutTransaction { try $0.checkpoint(mode) }
                XCTAssertGreaterThan(logged, 0)
                XCTAssertEqual(logged, moved)
            }
            let (logged, moved) = try dbPool.writeWithoutTransaction { try $0.checkpoint(.truncate, on: nil) }
            XCTAssertEqual([logged, moved], [0, 0])
            let size = try FileManager.default.attributesOfItem(atPath: dbPool.path + "-wal")[.size] as? Int
            XCTAssertEqual(size, 0)
        }
    }

    func testReaderBlocksTruncation() throws {
        try onEachPool { dbPool in
            let snapshot = try dbPool.makeSnapshot()
            try dbPool.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
            try dbPool.writeWithoutTransaction { db in
                assertDatabaseError(.SQLITE_BUSY) { try db.checkpoint(.truncate) }
                let (logged, moved) = try db.checkpoint()
                XCTAssertLessThan(moved, logged)
            }
            try snapshot.close()
        }
    }

    func testCheckpointWithoutLogReturnsNoFrames() throws {
        try onEachQueue { dbQueue in
            let (logged, moved) = try dbQueue.inDatabase { try $0.checkpoint() }
            XCTAssertEqual([logged, moved], [-1, -1])
        }
    }
}
