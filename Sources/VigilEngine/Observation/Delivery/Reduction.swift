import Foundation
import Synchronization
import VigilRegions

/// Reduces the values that one observation fetches, in order and off the database connection.
final class Reduction<Reducer: ValueReducer>: Sendable {
    /// The reducer; `nil` while it runs closures of the program, which must not run under a lock.
    private let reducer: Mutex<Reducer?>
    private let queue = DispatchQueue(label: "Vigil.ValueObservation.reduce")

    /// Creates a reduction, or returns `nil` if values may be reduced and scheduled inside the access that
    /// fetched them: if the scheduler allows it, and the reducer is trivial. Such a reducer has no state, and
    /// a change of thread would cost more than the reduction itself.
    init?(_ reducer: Reducer, for scheduler: some ValueObservationScheduler) {
        guard !Reducer._isTrivial || !scheduler._mayScheduleInAccess else { return nil }
        self.reducer = Mutex(reducer)
    }

    /// Reduces a fetched value synchronously. Returns `nil` if there is nothing to deliver.
    func reduceNow(_ fetched: Reducer.Fetched, at commit: CommitNumber) -> Result<Reducer.Value, any Error>? {
        queue.sync { reduce(fetched, at: commit) }
    }

    /// Reduces a fetched value later, in the order of the calls, and passes the result to `deliver`.
    func schedule(
        _ fetched: Reducer.Fetched, at commit: CommitNumber,
        deliver: @escaping @Sendable (Result<Reducer.Value, any Error>?) -> Void
    ) {
        queue.async { deliver(self.reduce(fetched, at: commit)) }
    }

    /// Calls a function after the reductions that are scheduled.
    func afterReductions(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

    private func reduce(_ fetched: Reducer.Fetched, at commit: CommitNumber) -> Result<
        Reducer.Value, any Error
    >? {
        // The queue runs one reduction at a time.
        guard var current = reducer.withLock({ $0.take() }) else { return nil }
        defer { reducer.withLock { $0 = current } }
        return current.reduce(fetched, at: commit)
    }
}

extension ValueReducer {
    /// Reduces a fetched value. Returns `nil` if there is nothing to deliver.
    mutating func reduce(_ fetched: Fetched, at commit: CommitNumber) -> Result<Value, any Error>? {
        do {
            return try _value(fetched, at: commit).map { .success($0) }
        } catch {
            return .failure(error)
        }
    }
}

/// Compares values with a predicate that need not be `Sendable`: calls by several observations run one after
/// another.
///
/// The predicate may start observations, and even reach itself: a thread never waits for itself.
final class DuplicatePredicate<Value: Sendable>: Sendable {
    /// The predicate. Directly behind a mutex, even in an optional, a closure would be wrapped in two more
    /// functions at each access.
    private struct Predicate {
        let areEqual: (Value, Value) -> Bool
    }

    /// The order of the calls.
    private let order = NSRecursiveLock()
    /// Owns the predicate. No thread waits for it: `order` admits one.
    private let predicate: Mutex<Predicate>

    init(_ areEqual: sending @escaping (Value, Value) -> Bool) {
        predicate = Mutex(Predicate(areEqual: areEqual))
    }

    /// Returns whether the values are equal. A comparison inside of another one finds them different: a value
    /// is delivered twice rather than never.
    func callAsFunction(_ one: Value, _ two: Value) -> Bool {
        order.lock()
        defer { order.unlock() }
        return predicate.withLockIfAvailable { $0.areEqual(one, two) } ?? false
    }
}
