import Synchronization

/// Limits the number of asynchronous operations that run at the same time. The others wait, in their order.
package final class FetchLimiter: Sendable {
    private struct Waiting {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// The number of operations that may begin.
        var free: Int
        var waiting: [Waiting] = []
        var lastNumber = 0

        /// Ends an operation. Returns the one that takes its place.
        mutating func end() -> Waiting? {
            guard waiting.isEmpty else { return waiting.removeFirst() }
            free += 1
            return nil
        }

        mutating func removeWaiting(_ number: Int) -> Waiting? {
            waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0) }
        }
    }

    private let state: Mutex<State>

    package init(limit: Int) {
        state = Mutex(State(free: max(limit, 1)))
    }

    /// The number of operations that wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs an operation as soon as there is room.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before; the error of `operation`.
    package func run<Value>(_ operation: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { state.withLock { $0.end() }?.continuation.resume() }
        return try await operation()
    }

    private func begin() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    state.waiting.append(Waiting(number: number, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            // If it does not wait yet, it will find its task cancelled.
            state.withLock { $0.removeWaiting(number) }?.continuation.resume(throwing: CancellationError())
        }
    }
}
