import Vigil
import XCTest

@testable import VigilEngine

/// Writes that are followed by a read of the same state.
final class ThenReadTests: XCTestCase {
    private struct Refusal: Error {}

    func testTheReadSeesTheWriteAndItsResult() async throws {
        try await onEachWriterAsync { writer in
            let result = try await writer.write { db in
                try db.execute(sql: insertIntoT)
                XCTAssertTrue(db.isInsideTransaction)
                return "inserted"
            } thenRead: { db, text in
                "\(text) \(try countRows(db))"
            }
            XCTAssertEqual(result, "inserted 1")
        }
    }

    func testTheReadDoesNotSeeLaterWritesAndDoesNotBlockThemOnAPool() async throws {
        try await onEachWriterAsync { writer in
            guard let pool = writer as? DatabasePool else { return }
            let isReading = Gate()
            let didWrite = Gate()
            let task = Task {
                try await pool.write { db in
                    try db.execute(sql: insertIntoT)
                } thenRead: { db, _ in
                    isReading.open()
                    didWrite.wait()
                    return try countRows(db)
                }
            }
            await isReading.passed()
            try await pool.write { db in try db.execute(sql: insertIntoT) }
            didWrite.open()
            let count = try await task.value
            XCTAssertEqual(count, 1)
        }
    }

    func testTheReadCannotWrite() async throws {
        try await onEachWriterAsync { writer in
            await assertAsyncError(.SQLITE_READONLY) {
                try await writer.write { db in
                    try db.execute(sql: insertIntoT)
                } thenRead: { db, _ in
                    try db.execute(sql: insertIntoT)
                }
            }
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 1, "the updates are committed")
        }
    }

    func testAFailedWriteIsRolledBackAndNotRead() async throws {
        try await onEachWriterAsync { writer in
            do {
                try await writer.write { db in
                    try db.execute(sql: insertIntoT)
                    throw Refusal()
                } thenRead: { _, _ in
                    XCTFail("it reads")
                }
                XCTFail("it did not throw")
            } catch is Refusal {}
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 0)
        }
    }

    func testACancelledTaskDoesNotWrite() async throws {
        try await onEachWriterAsync { writer in
            let task = Task {
                cancelOneself()
                try await writer.write { db in
                    try db.execute(sql: insertIntoT)
                } thenRead: { _, _ in
                    XCTFail("it reads")
                }
            }
            await assertCancelled(task)
            let count = try await rowCount(writer)
            XCTAssertEqual(count, 0)
        }
    }

    func testAClosedDatabaseThrows() async throws {
        try await onEachWriterAsync { writer in
            try writer.close()
            await assertAsyncError(.SQLITE_MISUSE) {
                try await writer.write(updates: { _ in 1 }, thenRead: { _, one in one })
            }
        }
    }

    func testTheScheduledWriteCompletesOnce() async throws {
        try await onEachWriterAsync { writer in
            let results = Recorder<String>()
            writer.asyncWrite(
                updates: { db in try db.execute(sql: insertIntoT) },
                thenRead: { db, _ in try countRows(db) },
                completion: { results.append("\($0)") })
            writer.asyncWrite(
                updates: { db in
                    try db.execute(sql: insertIntoT)
                    throw Refusal()
                },
                thenRead: { db, _ in try countRows(db) },
                completion: { (result: Result<Int, any Error>) in
                    if case .failure(is Refusal) = result { results.append("refused") }
                })
            let all = await results.reached { $0.count == 2 }
            XCTAssertEqual(Set(all), ["success(1)", "refused"])
        }
    }
}
