import Dispatch
import Synchronization
import VigilTestSupport

@testable import VigilEngine

/// A timer that fires only when the test requests it.
final class ManualTimer: ObservationTimer {
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

    /// The time, which only ``advance(by:)`` changes.
    var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// The delays that were requested so far.
    var delays: [Duration] { state.withLock { $0.delays } }
    /// The number of pending actions.
    var runningCount: Int { state.withLock { $0.actions.count } }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let runs = state.withLock { state in
            state.delays.append(delay)
            if !state.firesImmediately {
                state.actions.append(Pending(due: state.now.advanced(by: delay), action: action))
            }
            return state.firesImmediately
        }
        if runs { DispatchQueue.global().async(execute: action) }
    }

    /// Fires all pending actions.
    func fire() {
        let actions = state.withLock { state in
            defer { state.actions = [] }
            return state.actions
        }
        for pending in actions { pending.action() }
    }

    /// Advances the time, and fires the actions that are due then.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            defer { state.actions.removeAll { $0.due <= now } }
            return state.actions.filter { $0.due <= now }
        }
        for pending in due { pending.action() }
    }

    /// Fires all pending actions, and each later one immediately.
    func fireImmediately() {
        state.withLock { $0.firesImmediately = true }
        fire()
    }
}

/// A manual timer that the test can wait for.
final class StepTimer: ObservationTimer {
    let manual = ManualTimer()
    /// The delays that were requested, except by the watch for slow fetches.
    let scheduled = Recorder<Duration>()

    var now: ContinuousClock.Instant { manual.now }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        manual.schedule(after: delay, action)
        if delay != RoundPacing.slowFetch { scheduled.append(delay) }
    }
}
