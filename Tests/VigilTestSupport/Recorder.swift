import Dispatch
import Foundation
import Synchronization
import XCTest

/// Values that arrive on any thread, in order, and that a test can wait for.
package final class Recorder<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let isDone: @Sendable ([Value]) -> Bool
        let done: @Sendable () -> Void
    }

    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [Waiter] = []
    }

    /// How long tests wait for expected values. A passing test never waits this long.
    private static var timeout: TimeInterval { 60 }

    private let state = Mutex(State())

    package init() {}

    package var all: [Value] { state.withLock { $0.values } }

    package func append(_ value: Value) {
        let done = state.withLock { state in
            state.values.append(value)
            let values = state.values
            let done = state.waiters.filter { $0.isDone(values) }
            state.waiters.removeAll { $0.isDone(values) }
            return done
        }
        for waiter in done { waiter.done() }
    }

    /// Waits until the condition holds. The main queue keeps running.
    @discardableResult
    package func wait(
        file: StaticString = #filePath, line: UInt = #line,
        until isDone: @escaping @Sendable ([Value]) -> Bool
    ) -> [Value] {
        let arrived = XCTestExpectation(description: "values")
        let waiter = Waiter(isDone: isDone, done: { arrived.fulfill() })
        let isDone = state.withLock { state in
            let isDone = waiter.isDone(state.values)
            if !isDone { state.waiters.append(waiter) }
            return isDone
        }
        if isDone { return all }
        if XCTWaiter().wait(for: [arrived], timeout: Self.timeout) != .completed {
            XCTFail("only \(all)", file: file, line: line)
        }
        return all
    }

    @discardableResult
    package func wait(count: Int, file: StaticString = #filePath, line: UInt = #line) -> [Value] {
        wait(file: file, line: line) { $0.count >= count }
    }
}

extension Recorder where Value: Equatable {
    /// Waits until the value arrives.
    @discardableResult
    package func wait(for value: Value, file: StaticString = #filePath, line: UInt = #line) -> [Value]
    where Value: Sendable {
        wait(file: file, line: line) { $0.contains(value) }
    }

    /// Waits until the last value is the given one.
    @discardableResult
    package func wait(last value: Value, file: StaticString = #filePath, line: UInt = #line) -> [Value]
    where Value: Sendable {
        wait(file: file, line: line) { $0.last == value }
    }
}

extension Recorder {
    /// Waits until the condition holds, without blocking a thread of the cooperative pool.
    @discardableResult
    package func reached(_ isDone: @escaping @Sendable ([Value]) -> Bool) async -> [Value] {
        await waitOffPool { self.wait(until: isDone) }
        return all
    }
}

/// Waits without blocking a thread of the cooperative pool.
package func waitOffPool(_ wait: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            wait()
            continuation.resume()
        }
    }
}
