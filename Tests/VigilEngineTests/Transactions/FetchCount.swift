import Synchronization
import XCTest

/// A counter that signals when it reaches a number.
final class FetchCount: Sendable {
    private struct State: Sendable {
        var count = 0
        var awaited: [Int: XCTestExpectation] = [:]
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func add() {
        let reached = state.withLock { state in
            state.count += 1
            return state.awaited.removeValue(forKey: state.count)
        }
        reached?.fulfill()
    }

    func reach(_ number: Int, _ test: XCTestCase) -> XCTestExpectation {
        let expectation = test.expectation(description: "\(number)")
        let isReached = state.withLock { state in
            if state.count < number { state.awaited[number] = expectation }
            return state.count >= number
        }
        if isReached { expectation.fulfill() }
        return expectation
    }
}
