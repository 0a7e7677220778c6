import Dispatch
import Synchronization
public import VigilEngine

/// A clock that stands still until a test advances it: for `throttled(_:)` and `debounced(_:)`.
///
/// ```swift
/// let clock = ManualClock()
/// let recorder = observation.debounced(.seconds(1)).timed(by: clock).record(in: dbQueue)
/// clock.advance(by: .seconds(1))
/// ```
public final class ManualClock: Sendable {
    private struct Pending: Sendable {
        let due: ContinuousClock.Instant
        let action: @Sendable () -> Void
    }

    private struct State: Sendable {
        var now = ContinuousClock.now
        var delays: [Duration] = []
        var actions: [Pending] = []
        var firesImmediately = false
    }

    private let state = Mutex(State())

    /// Creates a clock.
    public init() {}

    /// The delays that were requested so far.
    package var delays: [Duration] { state.withLock { $0.delays } }

    /// The number of pending actions, such as the end of an interval.
    public var pendingCount: Int { state.withLock { $0.actions.count } }

    /// Advances the time. What is due then happens before it returns; fetches and deliveries may follow.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            defer { state.actions.removeAll { $0.due <= now } }
            return state.actions.filter { $0.due <= now }
        }
        for pending in due { pending.action() }
    }

    /// Fires all pending actions.
    package func fire() {
        let actions = state.withLock { state in
            defer { state.actions = [] }
            return state.actions
        }
        for pending in actions { pending.action() }
    }

    /// Fires all pending actions, and each later one immediately.
    package func fireImmediately() {
        state.withLock { $0.firesImmediately = true }
        fire()
    }
}

extension ManualClock: ObservationTimer {
    /// The time, which only ``advance(by:)`` changes.
    package var now: ContinuousClock.Instant { state.withLock { $0.now } }

    package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let runs = state.withLock { state in
            state.delays.append(delay)
            if !state.firesImmediately {
                state.actions.append(Pending(due: state.now.advanced(by: delay), action: action))
            }
            return state.firesImmediately
        }
        if runs { DispatchQueue.global().async(execute: action) }
    }
}

extension ValueObservation {
    /// Returns an observation whose intervals are measured by a clock of the test.
    public func timed(by clock: ManualClock) -> ValueObservation { timed(by: clock as any ObservationTimer) }
}
