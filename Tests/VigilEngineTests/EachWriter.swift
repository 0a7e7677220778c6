import Dispatch
import Foundation
import Vigil
import XCTest

/// How long tests wait for expected events. A passing test never waits this long.
let testTimeout: TimeInterval = 60

/// A query that runs for hours unless it is interrupted.
let endlessQuery = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT COUNT(*) FROM n
    """

/// A write that runs for hours unless it is interrupted.
let endlessWrite = """
    INSERT INTO t (a) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000)
    SELECT COUNT(*) FROM n
    """

let insertIntoT = "INSERT INTO t DEFAULT VALUES"

/// Runs a test on a pool with a table `t`, with each backend.
func onEachPool(
    _ configuration: Configuration = Configuration(), _ body: (DatabasePool, String) throws -> Void
) throws {
    for (_, backend) in testedBackends {
        var configuration = configuration
        configuration.backend = backend
        let directory = try TemporaryDirectory()
        let path = directory.file("database.sqlite")
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { db in try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") }
        try body(pool, path)
    }
}

/// Returns a queue in memory, and a queue and a pool with files.
func makeWriters(
    _ configuration: Configuration, in directory: TemporaryDirectory
) throws -> [any DatabaseWriter] {
    [
        try DatabaseQueue(configuration: configuration),
        try DatabaseQueue(path: directory.file("queue.sqlite"), configuration: configuration),
        try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration),
    ]
}

/// Runs a test on in-memory and file queues and on pools with a table `t`, with each backend.
func onEachWriterAsync(
    _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) async throws -> Void
) async throws {
    for (_, backend) in testedBackends {
        var configuration = configuration
        configuration.backend = backend
        let directory = try TemporaryDirectory()
        for writer in try makeWriters(configuration, in: directory) {
            try await writer.write { db in
                try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
            }
            try await body(writer)
        }
    }
}

/// Fetches the number of rows of `t`.
func rowCount(_ reader: any DatabaseReader) async throws -> Int? {
    try await reader.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
}

/// A gate that opens once. Tasks that wait for it block no thread of the cooperative pool.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// Blocks the current thread, such as that of an access, until the gate opens.
    func wait(file: StaticString = #filePath, line: UInt = #line) {
        guard semaphore.wait(timeout: .now() + testTimeout) == .success else {
            return XCTFail("the gate was not opened", file: file, line: line)
        }
        semaphore.signal()
    }

    func passed(file: StaticString = #filePath, line: UInt = #line) async {
        await waitOffPool { self.wait(file: file, line: line) }
    }
}

func assertCancelled<T>(
    _ task: Task<T, any Error>, file: StaticString = #filePath, line: UInt = #line
) async {
    do {
        _ = try await task.value
        XCTFail("it did not throw", file: file, line: line)
    } catch is CancellationError {
    } catch {
        XCTFail("\(error)", file: file, line: line)
    }
}

func assertAsyncError<T>(
    _ code: ResultCode, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> T
) async {
    do {
        _ = try await body()
        XCTFail("it did not throw", file: file, line: line)
    } catch let error as DatabaseError {
        XCTAssertTrue(code ~= error.extendedResultCode, "\(error)", file: file, line: line)
    } catch {
        XCTFail("\(error)", file: file, line: line)
    }
}

/// Cancels the task that makes the access, from inside the access.
func cancelOneself() { withUnsafeCurrentTask { $0?.cancel() } }
