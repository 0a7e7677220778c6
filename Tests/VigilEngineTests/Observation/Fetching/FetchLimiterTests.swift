import Synchronization
import VigilTestSupport
import XCTest

@testable import VigilEngine

final class FetchLimiterTests: XCTestCase {
    /// Operations that run until they are released.
    private final class Operations: Sendable {
        let began = Recorder<Int>()
        private let releases = Mutex<[Int: CheckedContinuation<Void, Never>]>([:])

        func run(_ number: Int) async {
            await withCheckedContinuation { continuation in
                releases.withLock { $0[number] = continuation }
                began.append(number)
            }
        }

        func release(_ number: Int) {
            releases.withLock { $0.removeValue(forKey: number) }?.resume()
        }
    }

    func testOperationsBeginInTheirOrderWhenThereIsRoom() async throws {
        let limiter = FetchLimiter(limit: 2)
        let operations = Operations()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<5 {
            tasks.append(Task { try await limiter.run { await operations.run(number) } })
            // The next task comes after this one in the queue.
            if number < 2 {
                await operations.began.reached { $0.count == number + 1 }
            } else {
                while limiter.waitingCount != number - 1 { await Task.yield() }
            }
        }
        XCTAssertEqual(operations.began.all, [0, 1])
        operations.release(1)
        await operations.began.reached { $0 == [0, 1, 2] }
        tasks[3].cancel()
        let cancelled = await tasks[3].result
        XCTAssertThrowsError(try cancelled.get()) { XCTAssertTrue($0 is CancellationError) }
        operations.release(0)
        await operations.began.reached { $0 == [0, 1, 2, 4] }
        operations.release(2)
        operations.release(4)
        for (number, task) in tasks.enumerated() where number != 3 { try await task.value }
        // The room is free again.
        try await limiter.run {}
        try await limiter.run {}
    }

    func testAFailedOperationFreesItsRoom() async throws {
        struct Failure: Error {}
        let limiter = FetchLimiter(limit: 1)
        for _ in 0..<3 {
            do {
                try await limiter.run { throw Failure() }
                XCTFail("no error")
            } catch is Failure {}
        }
        try await limiter.run {}
    }

    func testACancelledTaskRunsNothing() async throws {
        let limiter = FetchLimiter(limit: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await limiter.run { XCTFail("run") }
        }
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        try await limiter.run {}
    }
}
