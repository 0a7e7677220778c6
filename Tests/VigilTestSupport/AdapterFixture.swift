import Dispatch
package import Vigil
package import XCTest

/// An observation of the number of rows of the table `t` that ``XCTestCase/onEachAdapterWriter(_:_:)``
/// creates, which counts its fetches.
package struct CountedRows: Sendable {
    package let fetches = Recorder<Int>()
    package let starts = Recorder<Int>()

    package init() {}

    package var observation: ValueObservation<ValueReducers.Trace<ValueReducers.Fetch<Int>>> {
        ValueObservation.tracking(countRowsOfT).handleEvents(
            willStart: { starts.append(1) }, willFetch: { fetches.append(1) })
    }
}

/// Fetches the number of rows of `t`.
package let countRowsOfT: @Sendable (Database) throws -> Int = { db in
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
}

extension DatabaseWriter {
    /// Inserts rows into `t`, in one transaction.
    package func insertIntoT(_ count: Int = 1) throws {
        try writeWithoutTransaction { db in
            try db.inTransaction {
                for _ in 0..<count { try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
                return .commit
            }
        }
    }

    /// Inserts a row into `t` inside of a callback, which cannot throw.
    package func insertIntoTOrFail(file: StaticString = #filePath, line: UInt = #line) {
        do {
            try insertIntoT()
        } catch {
            XCTFail("\(error)", file: file, line: line)
        }
    }
}

extension XCTestCase {
    /// Runs a test on an in-memory queue, a file queue and a pool with a table `t`, with each backend.
    package func onEachAdapterWriter(
        _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        for (name, backend) in testedBackends {
            var configuration = configuration
            configuration.backend = backend
            // These tests do not cover power loss.
            configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
            let directory = try TemporaryDirectory()
            let writers: [(String, any DatabaseWriter)] = [
                ("memory", try DatabaseQueue(configuration: configuration)),
                ("queue", try DatabaseQueue(path: directory.file("queue.db"), configuration: configuration)),
                ("pool", try DatabasePool(path: directory.file("pool.db"), configuration: configuration)),
            ]
            for (kind, writer) in writers {
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
                }
                let failures = testRun?.totalFailureCount ?? 0
                try body(writer)
                if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("on \(name), \(kind)") }
            }
        }
    }

    /// Waits for the actions that are scheduled on the main queue.
    package func drainMainQueue() {
        let drained = expectation(description: "main queue")
        DispatchQueue.main.async { drained.fulfill() }
        wait(for: [drained], timeout: 60)
    }
}

/// Asserts that values belong to commits, in order: all of them on a queue, a part with the last one on a
/// pool.
package func assertCommits(
    _ values: [Int], are expected: [Int], in writer: any DatabaseWriter,
    file: StaticString = #filePath, line: UInt = #line
) {
    guard writer is DatabasePool else {
        return XCTAssertEqual(values, expected, file: file, line: line)
    }
    XCTAssertEqual(values.last, expected.last, file: file, line: line)
    XCTAssertEqual(values, values.sorted(), file: file, line: line)
    XCTAssertTrue(Set(values).isSubset(of: expected), "\(values)", file: file, line: line)
}
