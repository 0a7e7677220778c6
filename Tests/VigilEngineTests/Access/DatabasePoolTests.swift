import Dispatch
import Foundation
import Synchronization
import Vigil
import XCTest

final class DatabasePoolTests: XCTestCase {
    private let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a)"

    private func onEachPool(
        _ configuration: Configuration = Configuration(), _ body: (DatabasePool) throws -> Void
    ) throws {
        for (_, backend) in testedBackends {
            var configuration = configuration
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let pool = try DatabasePool(path: directory.file("database.sqlite"), configuration: configuration)
            try pool.write { db in try db.execute(sql: schema) }
            try body(pool)
        }
    }

    private let insert = "INSERT INTO t DEFAULT VALUES"

    func testWritesAreReadByTheReaders() throws {
        try onEachPool { pool in
            try pool.write { db in try db.execute(sql: insert) }
            XCTAssertEqual(try pool.count("t"), 1)
            try pool.read { db in
                XCTAssertEqual("\(db)", "Vigil.DatabasePool.reader.1")
                XCTAssertEqual(db.isInsideTransaction, true)
            }
            pool.writeWithoutTransaction { db in XCTAssertEqual("\(db)", "Vigil.DatabasePool.writer") }
        }
    }

    func testAReadIsASnapshot() throws {
        try onEachPool { pool in
            try pool.read { db in
                // The snapshot is that of the beginning of the read, although nothing has been read yet.
                try pool.write { db in try db.execute(sql: insert) }
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            }
            XCTAssertEqual(try pool.count("t"), 1)
        }
    }

    func testAnUnsafeReadSeesConcurrentCommits() throws {
        try onEachPool { pool in
            try pool.unsafeRead { db in
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
                try pool.write { db in try db.execute(sql: insert) }
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 1)
            }
        }
    }

    func testATransactionLeftOpenByAnUnsafeReadDoesNotAffectTheNext() throws {
        try onEachPool { pool in
            try pool.unsafeRead { db in
                try db.beginTransaction()
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            }
            try pool.write { db in try db.execute(sql: insert) }
            XCTAssertEqual(try pool.count("t"), 1)
        }
    }

    func testReadersCannotWrite() throws {
        try onEachPool { pool in
            for access in [pool.read, pool.unsafeRead] as [((Database) throws -> Void) throws -> Void] {
                assertDatabaseError(.SQLITE_READONLY) {
                    try access { db in try db.execute(sql: self.insert) }
                }
            }
        }
    }

    func testReadsRunConcurrentlyWithReadsAndAWrite() throws {
        try onEachPool { pool in
            let together = DispatchGroup()
            let meeting = Meeting(of: 3)
            for _ in 1...2 {
                DispatchQueue.global().async(group: together) {
                    assertNoError { try pool.read { _ in meeting.join() } }
                }
            }
            try pool.write { _ in meeting.join() }
            together.wait()
            XCTAssertTrue(meeting.isComplete)
        }
    }

    func testAConcurrentReadSeesOnlyTheLastCommit() throws {
        try onEachPool { pool in
            let counted = expectation(description: "counted")
            let goOn = DispatchSemaphore(value: 0)
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: insert)
                pool.asyncConcurrentRead { result in
                    goOn.wait()
                    XCTAssertEqual(try? Int.fetchOne(result.get(), sql: "SELECT COUNT(*) FROM t"), 1)
                    counted.fulfill()
                }
                try db.execute(sql: insert)
            }
            goOn.signal()
            wait(for: [counted], timeout: 30)
            XCTAssertEqual(try pool.count("t"), 2)
        }
    }

    func testABarrierExcludesOtherAccesses() throws {
        try onEachPool { pool in
            let reading = DispatchSemaphore(value: 0)
            let endOfReading = DispatchSemaphore(value: 0)
            let order = Values<String>()
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) {
                assertNoError {
                    try pool.read { _ in
                        reading.signal()
                        endOfReading.wait()
                        order.append("read")
                    }
                }
            }
            reading.wait()
            DispatchQueue.global().async(group: group) {
                assertNoError { try pool.barrierWriteWithoutTransaction { _ in order.append("barrier") } }
            }
            endOfReading.signal()
            group.wait()
            XCTAssertEqual(order.all, ["read", "barrier"])
            XCTAssertEqual(try pool.count("t"), 0)
        }
    }

    func testASnapshotNeverChanges() throws {
        try onEachPool { pool in
            try pool.write { db in try db.execute(sql: insert) }
            let snapshot = try pool.makeSnapshot()
            try pool.write { db in try db.execute(sql: "DELETE FROM t") }
            XCTAssertEqual(try snapshot.count("t"), 1)
            XCTAssertEqual(try pool.count("t"), 0)
            assertDatabaseError(.SQLITE_READONLY) {
                try snapshot.read { db in try db.execute(sql: self.insert) }
            }
            try snapshot.close()
            assertDatabaseError(.SQLITE_MISUSE) { try snapshot.count("t") }
        }
    }

    func testReadsAndWritesCanBeNested() throws {
        try onEachPool { pool in
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: insert)
                XCTAssertEqual(try pool.count("t"), 1)
                try pool.unsafeReentrantWrite { db in try db.execute(sql: insert) }
                XCTAssertEqual(
                    try pool.unsafeReentrantRead { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 2)
            }
            try pool.read { outer in
                try pool.unsafeReentrantRead { inner in XCTAssertTrue(inner === outer) }
            }
        }
    }

    func testAccessesOfAClosedPoolFail() throws {
        try onEachPool { pool in
            _ = try pool.count("t")
            try pool.close()
            try pool.close()
            assertDatabaseError(.SQLITE_MISUSE) { try pool.read { _ in } }
            assertDatabaseError(.SQLITE_MISUSE) { try pool.write { _ in } }
            assertDatabaseError(.SQLITE_MISUSE) { try pool.makeSnapshot().read { _ in } }
        }
    }

    func testIdleReadersAreClosedToSaveMemory() throws {
        try onEachPool { pool in
            _ = try pool.count("t")
            pool.releaseMemory()
            XCTAssertEqual(try pool.count("t"), 0)
            pool.releaseMemoryEventually()
            XCTAssertEqual(try pool.count("t"), 0)
        }
    }

    func testReadersStayOpenIfTheyArePersistent() throws {
        for isPersistent in [false, true] {
            var configuration = Configuration()
            configuration.persistentReadOnlyConnections = isPersistent
            let connections = Values<Bool>()
            configuration.prepareDatabase { _ in connections.append(true) }
            try onEachPool(configuration) { pool in
                for release in [pool.releaseMemory, pool.releaseMemoryEventually] {
                    _ = try pool.count("t")
                    let count = connections.all.count
                    release()
                    _ = try pool.count("t")
                    XCTAssertEqual(connections.all.count - count, isPersistent ? 0 : 1)
                }
            }
        }
    }

    func testAReaderBeingOpenedIsReplacedAfterItsRead() throws {
        for (_, backend) in testedBackends {
            let (isOpening, mayOpen, hasRead) = (Gate(), Gate(), Gate())
            let blocks = Mutex(false)
            let connections = Values<Bool>()
            var configuration = Configuration()
            configuration.backend = backend
            configuration.prepareDatabase { _ in
                connections.append(true)
                guard blocks.withLock({ $0 }) else { return }
                isOpening.open()
                mayOpen.wait()
            }
            let directory = try TemporaryDirectory()
            let pool = try DatabasePool(path: directory.file("database.sqlite"), configuration: configuration)
            try pool.write { db in try db.execute(sql: schema) }
            blocks.withLock { $0 = true }
            DispatchQueue.global().async {
                XCTAssertEqual(try? pool.count("t"), 0)
                hasRead.open()
            }
            isOpening.wait()
            pool.invalidateReadOnlyConnections()
            mayOpen.open()
            hasRead.wait()
            let count = connections.all.count
            XCTAssertEqual(try pool.count("t"), 0)
            XCTAssertEqual(connections.all.count, count + 1)
        }
    }

    func testReleasingMemoryReleasesKeptStatements() throws {
        try onEachPool { pool in
            try pool.write { db in
                let statement = try db.cachedStatement(sql: "SELECT 1")
                XCTAssertTrue(try statement === db.cachedStatement(sql: "SELECT 1"))
                db.releaseMemory()
                XCTAssertFalse(try statement === db.cachedStatement(sql: "SELECT 1"))
            }
        }
    }

    func testAccessesHaveTheServiceOfTheirQueue() {
        var configuration = Configuration()
        configuration.qos = .utility
        XCTAssertEqual([configuration.readQoS, configuration.writeQoS], [.utility, .utility])
        configuration.targetQueue = DispatchQueue(label: "Vigil.target", qos: .background)
        XCTAssertEqual([configuration.readQoS, configuration.writeQoS], [.background, .background])
        configuration.writeTargetQueue = DispatchQueue(label: "Vigil.writeTarget", qos: .utility)
        XCTAssertEqual([configuration.readQoS, configuration.writeQoS], [.background, .utility])
    }

    func testASnapshotCanBeReadInsideOfItsAccesses() throws {
        try onEachPool { pool in
            let snapshot: any DatabaseSnapshotReader = try pool.makeSnapshot()
            let count = try snapshot.read { _ in
                try snapshot.reentrantRead { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
            }
            XCTAssertEqual(count, 0)
        }
    }

    func testATaskCancelledWhileWaitingForAReaderDoesNotLeaseOne() async throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(path: directory.file("db"), configuration: configuration)
        let (reading, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            try? pool.read { _ in
                reading.signal()
                end.wait()
            }
        }
        await waitOffPool { reading.wait() }
        let task = Task { try await pool.read { _ in XCTFail("it was cancelled") } }
        task.cancel()
        do {
            try await task.value
            XCTFail("it did not throw")
        } catch is CancellationError {}
        end.signal()
        await waitOffPool { group.wait() }
        let one = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
        XCTAssertEqual(one, 1)
    }

    func testPoolObservationsDeliverTheFirstAndTheLastValue() throws {
        try onEachPool { pool in
            let values = Values<Int>()
            let done = expectation(description: "last value")
            let cancellable =
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
                .start(in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }) { value in
                    values.append(value)
                    if value == 100 { done.fulfill() }
                }
            for _ in 1...100 { try pool.write { db in try db.execute(sql: insert) } }
            wait(for: [done], timeout: 30)
            let all = values.all
            XCTAssertEqual(all, all.sorted())
            cancellable.cancel()
        }
    }

    func testAPoolDeliversOneInitialValueWithoutCommits() throws {
        try onEachPool { pool in
            for _ in 1...20 {
                let values = Values<Int>()
                let (first, second) = (expectation(description: "first"), expectation(description: "second"))
                let cancellable =
                    ValueObservation
                    .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE a") ?? -1 }
                    .start(in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }) { value in
                        values.append(value)
                        (value == 0 ? first : second).fulfill()
                    }
                wait(for: [first], timeout: 30)
                try pool.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
                wait(for: [second], timeout: 30)
                XCTAssertEqual(values.all, [0, 1])
                cancellable.cancel()
                try pool.write { db in try db.execute(sql: "DELETE FROM t") }
            }
        }
    }

    func testObservationsDoNotFetchOnTheWriter() throws {
        try onEachPool { pool in
            let labels = Values<String>()
            let changed = expectation(description: "changed")
            let cancellable =
                ValueObservation
                .tracking { db -> Int in
                    labels.append("\(db)")
                    return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                }
                .start(in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }) { value in
                    if value == 1 { changed.fulfill() }
                }
            try pool.write { db in try db.execute(sql: insert) }
            wait(for: [changed], timeout: 30)
            XCTAssertFalse(labels.all.contains { $0.contains("writer") }, "\(labels.all)")
            cancellable.cancel()
        }
    }
}

/// A barrier that threads only pass together.
private final class Meeting: @unchecked Sendable {
    // Guarded by `condition`.
    private var missing: Int
    private let condition = NSCondition()

    init(of count: Int) { missing = count }

    var isComplete: Bool { condition.withLock { missing == 0 } }

    func join() {
        condition.lock()
        defer { condition.unlock() }
        missing -= 1
        condition.broadcast()
        while missing > 0, condition.wait(until: Date() + 30) {}
    }
}

func assertNoError(_ body: () throws -> Void) {
    do {
        try body()
    } catch {
        XCTFail("\(error)")
    }
}
