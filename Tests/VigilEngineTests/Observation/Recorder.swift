import Dispatch
import Synchronization
import XCTest

/// Values that arrive on any thread, in order, and that a test can wait for.
final class Recorder<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let isDone: @Sendable ([Value]) -> Bool
        let done: @Sendable () -> Void
    }

    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    var all: [Value] { state.withLock { $0.values } }

    func append(_ value: Value) {
        let done = state.withLock { state in
            state.values.append(value)
            let values = state.values
            let done = state.waiters.filter { $0.isDone(values) }
            state.waiters.removeAll { $0.isDone(values) }
            return done
        }
        for waiter in done { waiter.done() }
    }

    private func add(_ waiter: Waiter) {
        let isDone = state.withLock { state in
            let isDone = waiter.isDone(state.values)
            if !isDone { state.waiters.append(waiter) }
            return isDone
        }
        if isDone { waiter.done() }
    }

    /// Waits until the condition holds. The main queue keeps running.
    @discardableResult
    func wait(until isDone: @escaping @Sendable ([Value]) -> Bool) -> [Value] {
        let arrived = XCTestExpectation(description: "values")
        add(Waiter(isDone: isDone, done: { arrived.fulfill() }))
        if XCTWaiter().wait(for: [arrived], timeout: testTimeout) != .completed {
            XCTFail("not yet: \(all)")
        }
        return all
    }

    @discardableResult
    func wait(count: Int) -> [Value] {
        wait { $0.count >= count }
    }

    /// Waits until the condition holds, without blocking a thread of the cooperative pool.
    @discardableResult
    func reached(_ isDone: @escaping @Sendable ([Value]) -> Bool) async -> [Value] {
        let gate = Gate()
        add(Waiter(isDone: isDone, done: { gate.open() }))
        await gate.passed()
        return all
    }
}

extension Recorder where Value: Equatable {
    @discardableResult
    func wait(for value: Value) -> [Value] {
        wait { $0.contains(value) }
    }
}

/// A stream that records lines, as `print` writes them.
final class Lines: TextOutputStream, Sendable {
    let recorder = Recorder<String>()

    var all: [String] { recorder.all }

    func write(_ string: String) { recorder.append(string) }

    /// Waits for as many lines as are expected, and compares them.
    func expect(_ expected: [String], file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(recorder.wait(count: expected.count), expected, file: file, line: line)
    }
}
