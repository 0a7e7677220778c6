import Dispatch
import Foundation
import Vigil
import XCTest

final class PoolClosingTests: XCTestCase {
    private func assertUsable(_ pool: DatabasePool, file: StaticString = #filePath, line: UInt = #line) throws
    {
        let before = try XCTUnwrap(pool.count("t"))
        try pool.write { db in try db.execute(sql: insertIntoT) }
        XCTAssertEqual(try pool.count("t"), before + 1, file: file, line: line)
        XCTAssertEqual(try pool.makeSnapshot().count("t"), before + 1, file: file, line: line)
    }

    func testAStatementOfTheWriterKeepsThePoolOpen() throws {
        try onEachPool { pool, _ in
            _ = try pool.count("t")
            var statement: Statement? = try pool.writeWithoutTransaction {
                try $0.makeStatement(sql: "SELECT 1")
            }
            XCTAssertNotNil(statement)
            assertDatabaseError(.SQLITE_BUSY) { try pool.close() }
            try assertUsable(pool)
            statement = nil
            try pool.close()
            assertDatabaseError(.SQLITE_MISUSE) { try pool.read { _ in } }
        }
    }

    func testAStatementOfAReaderKeepsThePoolOpen() throws {
        try onEachPool { pool, _ in
            var statement: Statement?
            try pool.read { _ in
                pool.unsafeReentrantWrite { _ in }
                // Opens a second reader.
                let (begun, ended) = (Gate(), Gate())
                DispatchQueue.global().async {
                    assertNoError { try pool.read { _ in begun.open() } }
                    ended.open()
                }
                begun.wait()
                ended.wait()
            }
            try pool.unsafeRead { db in statement = try db.makeStatement(sql: "SELECT 'kept'") }
            XCTAssertThrowsError(try pool.close()) { error in
                let message = (error as? DatabaseError)?.message ?? ""
                XCTAssertTrue(message.contains("unfinalized statement: SELECT 'kept'"), message)
            }
            try assertUsable(pool)
            XCTAssertNotNil(statement)
            statement = nil
            try pool.close()
        }
    }

    func testReaderStatementsThatKeepThePoolOpenAreLogged() throws {
        defer { Database.logError = nil }
        try onEachPool { pool, _ in
            let messages = Values<String>()
            Database.logError = { code, message in
                if code.primaryResultCode == .SQLITE_BUSY { messages.append(message) }
            }
            var kept: [Any] = []
            let (reading, end, ended) = (Gate(), Gate(), Gate())
            DispatchQueue.global().async {
                assertNoError {
                    try pool.read { _ in
                        reading.open()
                        end.wait()
                    }
                }
                ended.open()
            }
            // The other thread holds one reader, so these are two readers.
            reading.wait()
            try pool.read { db in kept.append(try db.makeStatement(sql: "SELECT 'reader'")) }
            end.open()
            ended.wait()
            try pool.read { db in
                kept.append(try db.cachedStatement(sql: "SELECT 'cached'"))
                let cursor = try Row.fetchCursor(db, sql: "SELECT 'cursor' UNION ALL SELECT 1")
                _ = try cursor.next()
                kept.append(cursor)
            }
            for _ in 1...2 {
                assertDatabaseError(.SQLITE_BUSY) { try pool.close() }
                let texts = ["'reader'", "'cached'", "'cursor' UNION ALL SELECT 1"]
                XCTAssertEqual(
                    Set(messages.all), Set(texts.map { "unfinalized statement: SELECT \($0)" }))
            }
            try assertUsable(pool)
            XCTAssertEqual(kept.count, 3)
            kept = []
            try pool.close()
            assertDatabaseError(.SQLITE_MISUSE) { try pool.read { _ in } }
        }
    }

    func testClosingWaitsForRunningReads() throws {
        try onEachPool { pool, _ in
            let (reading, end, closed) = (Gate(), Gate(), Gate())
            let order = Values<String>()
            DispatchQueue.global().async {
                assertNoError {
                    try pool.read { db in
                        reading.open()
                        end.wait()
                        XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
                        order.append("read")
                    }
                }
            }
            reading.wait()
            DispatchQueue.global().async {
                assertNoError { try pool.close() }
                order.append("closed")
                closed.open()
            }
            end.open()
            closed.wait()
            XCTAssertEqual(order.all, ["read", "closed"])
        }
    }

    /// The read waits for the writer, and the exclusive access waits for the read.
    func testAReadThatWritesDoesNotDeadlockWithABarrierOrClose() throws {
        try onEachPool { pool, _ in
            for closes in [false, true] {
                let (reading, ended) = (Gate(), Gate())
                let waiting = DispatchGroup()
                DispatchQueue.global().async(group: waiting) {
                    assertNoError {
                        try pool.read { _ in
                            reading.open()
                            // Long enough for the exclusive access to wait for this read.
                            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.05)
                            try pool.write { db in try db.execute(sql: insertIntoT) }
                        }
                    }
                }
                reading.wait()
                DispatchQueue.global().async(group: waiting) {
                    assertNoError {
                        if closes {
                            try pool.close()
                        } else {
                            try pool.barrierWriteWithoutTransaction { _ in }
                        }
                    }
                    ended.open()
                }
                ended.wait()
                XCTAssertEqual(waiting.wait(timeout: .now() + testTimeout), .success)
            }
        }
    }

    /// The write waits for a reader, and the exclusive access waits for the writer.
    func testAWriteThatReadsDoesNotDeadlockWithABarrier() throws {
        try onEachPool { pool, _ in
            let (writing, ended, delivered) = (Gate(), Gate(), Gate())
            let waiting = DispatchGroup()
            DispatchQueue.global().async(group: waiting) {
                assertNoError {
                    try pool.writeWithoutTransaction { _ in
                        writing.open()
                        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.05)
                        XCTAssertEqual(try pool.count("t"), 0)
                        pool.spawnConcurrentRead { result in
                            assertNoError {
                                _ = try Int.fetchOne(result.get(), sql: "SELECT COUNT(*) FROM t")
                            }
                            delivered.open()
                        }
                    }
                }
            }
            writing.wait()
            DispatchQueue.global().async(group: waiting) {
                assertNoError {
                    try pool.barrierWriteWithoutTransaction { db in try db.execute(sql: insertIntoT) }
                }
                ended.open()
            }
            ended.wait()
            delivered.wait()
            XCTAssertEqual(waiting.wait(timeout: .now() + testTimeout), .success)
            XCTAssertEqual(try pool.count("t"), 1)
        }
    }

    func testAsynchronousAccessesAfterTheCloseFail() async throws {
        try await onEachWriterAsync { writer in
            try writer.close()
            await assertAsyncError(.SQLITE_MISUSE) { try await writer.read { _ in } }
            await assertAsyncError(.SQLITE_MISUSE) { try await writer.unsafeRead { _ in } }
            await assertAsyncError(.SQLITE_MISUSE) { try await writer.write { _ in } }
            await assertAsyncError(.SQLITE_MISUSE) { try await writer.writeWithoutTransaction { _ in } }
            await assertAsyncError(.SQLITE_MISUSE) {
                try await writer.barrierWriteWithoutTransaction { _ in }
            }
            let codes = Values<ResultCode?>()
            let delivered = expectation(description: "delivered")
            delivered.expectedFulfillmentCount = 4
            let complete: @Sendable (Result<Database, any Error>) -> Void = { result in
                if case .failure(let error) = result {
                    codes.append((error as? DatabaseError)?.resultCode)
                }
                delivered.fulfill()
            }
            writer.asyncRead(complete)
            writer.asyncUnsafeRead(complete)
            writer.asyncBarrierWriteWithoutTransaction(complete)
            writer.asyncWrite({ _ in }) { _, result in
                if case .failure(let error) = result { codes.append((error as? DatabaseError)?.resultCode) }
                delivered.fulfill()
            }
            await fulfillment(of: [delivered], timeout: testTimeout)
            XCTAssertEqual(codes.all, Array(repeating: .SQLITE_MISUSE, count: 4))
        }
    }

    func testClosingEndsLoopsOverValues() async throws {
        try await onEachWriterAsync { writer in
            let started = Gate()
            let task = Task {
                var seen: [Int] = []
                let observation = ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                }
                for try await value in observation.values(in: writer) {
                    seen.append(value)
                    started.open()
                }
                return seen
            }
            await started.passed()
            // A pool's observation may deliver its first value before the writer has registered it.
            try await writer.writeWithoutTransaction { _ in }
            try writer.close()
            let seen = try await task.value
            XCTAssertEqual(seen, [0])
        }
    }
}
