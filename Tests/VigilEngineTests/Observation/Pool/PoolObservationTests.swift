import Dispatch
import Foundation
import Vigil
import XCTest

@testable import VigilEngine

final class PoolObservationTests: XCTestCase {
    func testAnImmediateStartInsideAReadDoesNotWaitForAReader() throws {
        for readers in 1...2 {
            var configuration = Configuration()
            configuration.maximumReaderCount = readers
            try onEachPool(configuration) { pool, _ in
                let values = Values<Int>()
                let cancellables = Values<AnyDatabaseCancellable>()
                let held = Gate()
                let isHeld = expectation(description: "the other readers are leased")
                isHeld.expectedFulfillmentCount = readers
                isHeld.fulfill()
                for _ in 1..<readers {
                    pool.asyncRead { _ in
                        isHeld.fulfill()
                        held.wait()
                    }
                }
                wait(for: [isHeld], timeout: testTimeout)
                try pool.read { _ in
                    for _ in 1...3 {
                        cancellables.append(
                            rowCounts.start(
                                in: pool, scheduling: immediately, onError: { XCTFail("\($0)") },
                                onChange: { values.append($0) }))
                    }
                    XCTAssertEqual(values.all, [0, 0, 0])
                    try pool.write { _ in
                        pool.unsafeReentrantWrite { db in assertNoError { try db.execute(sql: insertIntoT) } }
                    }
                }
                held.open()
                // The pool has not grown.
                try pool.barrierWriteWithoutTransaction { _ in }
                XCTAssertLessThanOrEqual(pool.readers.openCount, readers)
            }
        }
    }

    private static func observe(
        _ reader: any DatabaseReader, _ onChange: @escaping @Sendable (Int) -> Void
    ) -> AnyDatabaseCancellable {
        ValueObservation
            .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
            .start(in: reader, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: onChange)
    }

    func testAReadOnlyPoolAndASnapshotDeliverOneValue() throws {
        try onEachPool { pool, path in
            var configuration = pool.configuration
            configuration.readonly = true
            let snapshot = try pool.makeSnapshot()
            let readOnly = try DatabasePool(path: path, configuration: configuration)
            for reader in [readOnly, snapshot] as [any DatabaseReader] {
                let (values, delivered) = (Values<Int>(), Gate())
                let cancellable = Self.observe(reader) { value in
                    values.append(value)
                    delivered.open()
                }
                delivered.wait()
                try pool.write { db in try db.execute(sql: insertIntoT) }
                try pool.write { db in try db.execute(sql: "DELETE FROM t") }
                try reader.read { _ in }
                XCTAssertEqual(values.all, [0])
                cancellable.cancel()
            }
            assertDatabaseError(.SQLITE_READONLY) {
                try readOnly.write { db in try db.execute(sql: insertIntoT) }
            }
        }
    }

    func testAnObservationStartsWithAnyStateOfTheLog() throws {
        enum Log: CaseIterable { case missing, empty, truncated }
        for log in Log.allCases {
            try onEachPool { pool, path in
                try pool.close()
                let file = path + "-wal"
                switch log {
                case .missing: try? FileManager.default.removeItem(atPath: file)
                case .empty: XCTAssertTrue(FileManager.default.createFile(atPath: file, contents: Data()))
                case .truncated:
                    XCTAssertTrue(
                        FileManager.default.createFile(
                            atPath: file, contents: Data([0x37, 0x7f, 0x06, 0x82, 0, 0])))
                }
                let reopened = try DatabasePool(path: path, configuration: pool.configuration)
                let (first, second) = (Gate(), Gate())
                let cancellable = Self.observe(reopened) { ($0 == 0 ? first : second).open() }
                first.wait()
                try reopened.write { db in try db.execute(sql: insertIntoT) }
                second.wait()
                cancellable.cancel()
            }
        }
    }

    func testAnObservationStartsAfterTheLogWasTruncated() throws {
        try onEachPool { pool, _ in
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: insertIntoT)
                try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            let (first, second) = (Gate(), Gate())
            let cancellable = Self.observe(pool) { ($0 == 1 ? first : second).open() }
            first.wait()
            try pool.write { db in try db.execute(sql: insertIntoT) }
            second.wait()
            cancellable.cancel()
        }
    }

    func testReadersAndObservationsSeeTheCurrentSchema() throws {
        try onEachPool { pool, _ in
            let columns = {
                try pool.read { db in try db.cachedStatement(sql: "SELECT * FROM t").columnNames }
            }
            XCTAssertEqual(try columns(), ["id", "a"])
            XCTAssertEqual(try pool.read { try Row.fetchAll($0, sql: "SELECT * FROM t").count }, 0)
            try pool.write { db in
                try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 7; INSERT INTO t DEFAULT VALUES")
            }
            XCTAssertEqual(try pool.read { try Int.fetchOne($0, sql: "SELECT b FROM t") }, 7)
            let delivered = Gate()
            let cancellable =
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT SUM(b) FROM t") }
                .start(in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }) { value in
                    if value == 9 { delivered.open() }
                }
            try pool.write { db in try db.execute(sql: "UPDATE t SET b = 9") }
            delivered.wait()
            cancellable.cancel()
            try pool.write { db in try db.execute(sql: "DROP TABLE t") }
            assertDatabaseError(.SQLITE_ERROR) { try pool.count("t") }
        }
    }

    func testAHundredObservationsShareFiveReaders() throws {
        for writesMeanwhile in [false, true] {
            try onEachPool { pool, _ in
                let group = DispatchGroup()
                let (writing, goOn) = (Gate(), Gate())
                if writesMeanwhile {
                    DispatchQueue.global().async(group: group) {
                        assertNoError {
                            try pool.write { db in
                                try db.execute(sql: insertIntoT)
                                writing.open()
                                goOn.wait()
                                try db.execute(sql: "DELETE FROM t")
                            }
                        }
                    }
                    writing.wait()
                }
                let initial = expectation(description: "initial values")
                let changed = expectation(description: "changes")
                initial.expectedFulfillmentCount = 100
                changed.expectedFulfillmentCount = 100
                let seen = (0..<100).map { _ in Values<Int>() }
                let cancellables = (0..<100).map { index in
                    Self.observe(pool) { value in
                        if seen[index].all.isEmpty { initial.fulfill() }
                        seen[index].append(value)
                        if value == 1 { changed.fulfill() }
                    }
                }
                // Observations start without waiting for the writer.
                wait(for: [initial], timeout: testTimeout)
                goOn.open()
                group.wait()
                try pool.write { db in try db.execute(sql: insertIntoT) }
                wait(for: [changed], timeout: testTimeout)
                cancellables.forEach { $0.cancel() }
                for values in seen { XCTAssertEqual(values.all, values.all.sorted()) }
            }
        }
    }

    func testACommitDoesNotWaitForReaders() throws {
        try onEachPool { pool, _ in
            let (first, second) = (Gate(), Gate())
            let cancellable = Self.observe(pool) { ($0 == 0 ? first : second).open() }
            first.wait()
            // All readers are held by reads that wait for the write.
            let committed = Gate()
            let held = DispatchGroup()
            let holding = expectation(description: "holding")
            holding.expectedFulfillmentCount = pool.configuration.maximumReaderCount
            for _ in 1...pool.configuration.maximumReaderCount {
                DispatchQueue.global().async(group: held) {
                    assertNoError {
                        try pool.read { _ in
                            holding.fulfill()
                            committed.wait()
                        }
                    }
                }
            }
            wait(for: [holding], timeout: testTimeout)
            try pool.write { db in try db.execute(sql: insertIntoT) }
            committed.open()
            held.wait()
            second.wait()
            cancellable.cancel()
        }
    }
}
