import Dispatch
import Synchronization
public import VigilEngine

/// The values of an observation that a test has started.
///
/// ```swift
/// let recorder = ValueObservation.tracking { db in try Player.fetchCount(db) }.record(in: dbQueue)
/// let initial = try await recorder.next()
/// try await dbQueue.write { db in try Player(name: "Ada").insert(db) }
/// let count = try await recorder.next()
/// ```
///
/// Values arrive on a queue of the recorder, so neither the main queue nor the caller is needed for them. The
/// observation ends when the recorder is released, or with ``cancel()``. It needs no test framework: a failed
/// expectation is an error.
///
/// All methods are thread-safe.
public final class ObservationRecorder<Value: Sendable>: Sendable {
    fileprivate struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    fileprivate struct State {
        var values: [Value] = []
        var error: (any Error)?
        var isCancelled = false
        /// The number of values that ``next(within:)`` has returned.
        var position = 0
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        var cancellable: AnyDatabaseCancellable?

        /// Removes and returns the waiters that have what they wait for, or never will.
        mutating func takeDone() -> [(Waiter, Result<Void, any Error>)] {
            waiters.keys.sorted().compactMap { number in
                guard let waiter = waiters[number], let outcome = outcome(waiter.count) else { return nil }
                waiters[number] = nil
                return (waiter, outcome)
            }
        }

        /// Returns whether there are enough values; `nil` if there may be later.
        func outcome(_ count: Int) -> Result<Void, any Error>? {
            if values.count >= count { return .success(()) }
            if let error { return .failure(error) }
            return isCancelled ? .failure(RecordingError("the recorder was cancelled")) : nil
        }
    }

    fileprivate let state = Mutex(State())
    private let reader: any DatabaseReader

    fileprivate init(_ reader: any DatabaseReader) { self.reader = reader }

    deinit { state.withLock { $0.cancellable }?.cancel() }

    // MARK: - Values

    /// The values so far, in their order.
    public var values: [Value] { state.withLock { $0.values } }

    /// The error that ended the observation.
    public var error: (any Error)? { state.withLock { $0.error } }

    /// Returns the first value that was not returned yet, and waits for it.
    ///
    /// - Parameter timeout: The longest wait.
    /// - Throws: ``RecordingError`` after the longest wait; the error of the observation;
    ///   `CancellationError`.
    public func next(within timeout: Duration = .seconds(10)) async throws -> Value {
        let values = try await next(1, within: timeout)
        return values[0]
    }

    /// Returns the first values that were not returned yet, and waits for them.
    ///
    /// - Parameters:
    ///   - count: The number of values.
    ///   - timeout: The longest wait.
    /// - Throws: as ``next(within:)``.
    public func next(_ count: Int, within timeout: Duration = .seconds(10)) async throws -> [Value] {
        guard count > 0 else { throw RecordingError("the number of values must be positive") }
        let end = state.withLock { state in
            state.position += count
            return state.position
        }
        do {
            try await wait(for: end, within: timeout)
        } catch {
            // The values were not returned.
            state.withLock { if $0.position == end { $0.position -= count } }
            throw error
        }
        return state.withLock { Array($0.values[(end - count)..<end]) }
    }

    /// Returns a value by its number, and waits for it.
    ///
    /// - Parameters:
    ///   - number: The number of the value since the start: 1 is the first one.
    ///   - timeout: The longest wait.
    /// - Throws: as ``next(within:)``.
    public func value(_ number: Int, within timeout: Duration = .seconds(10)) async throws -> Value {
        guard number > 0 else { throw RecordingError("the first value has the number 1") }
        try await wait(for: number, within: timeout)
        return state.withLock { $0.values[number - 1] }
    }

    /// Checks that all values were returned, after the observations of the database have nothing to do.
    ///
    /// `observationsDidSettle(within:)` of the database describes which writes it waits for.
    ///
    /// - Throws: ``RecordingError`` if there is a value that was not returned; the error of the observation.
    public func expectNoValue() async throws {
        try await reader.observationsDidSettle()
        let (values, error) = state.withLock { ($0.values.dropFirst($0.position), $0.error) }
        if let error { throw error }
        guard values.isEmpty else {
            throw RecordingError("\(values.count) values instead of none: \(Array(values))")
        }
    }

    /// Ends the observation. Values that have arrived remain.
    public func cancel() {
        let (cancellable, done) = state.withLock { state in
            defer { state.cancellable = nil }
            state.isCancelled = true
            return (state.cancellable, state.takeDone())
        }
        cancellable?.cancel()
        for (waiter, outcome) in done { waiter.continuation.resume(with: outcome) }
    }

    // MARK: - Waiting

    private func wait(for count: Int, within timeout: Duration) async throws {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let outcome = state.outcome(count) { return outcome }
                    state.waiters[number] = Waiter(count: count, continuation: continuation)
                    return nil
                }
                if let outcome { return continuation.resume(with: outcome) }
                DispatchQueue.global().asyncAfter(deadline: .now() + timeout / .seconds(1)) { [weak self] in
                    self?.fail(number) { state in
                        RecordingError(
                            "no value within \(timeout): \(state.values.count) values instead of \(count)")
                    }
                }
            }
        } onCancel: {
            fail(number) { _ in CancellationError() }
        }
    }

    private func fail(_ number: Int, _ error: (State) -> any Error) {
        let (waiter, error) = state.withLock { state in
            (state.waiters.removeValue(forKey: number), error(state))
        }
        waiter?.continuation.resume(throwing: error)
    }

    fileprivate func receive(_ update: (inout State) -> Void) {
        let done = state.withLock { state in
            update(&state)
            return state.takeDone()
        }
        for (waiter, outcome) in done { waiter.continuation.resume(with: outcome) }
    }
}

extension ValueObservation {
    /// Starts the observation, and records its values.
    ///
    /// - Parameter reader: The database to observe.
    public func record(in reader: some DatabaseReader) -> ObservationRecorder<Reducer.Value>
    where Reducer.Value: Sendable {
        let recorder = ObservationRecorder<Reducer.Value>(reader)
        let cancellable = start(
            in: reader, scheduling: .async(onQueue: DispatchQueue(label: "Vigil.ObservationRecorder"))
        ) { [weak recorder] error in
            recorder?.receive { $0.error = error }
        } onChange: { [weak recorder] value in
            recorder?.receive { $0.values.append(value) }
        }
        recorder.state.withLock { $0.cancellable = cancellable }
        return recorder
    }
}
