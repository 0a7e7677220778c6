import Dispatch
import Synchronization

@testable import VigilEngine

/// A timer that fires only when the test requests it.
final class ManualTimer: ObservationTimer {
    private struct State: Sendable {
        var delays: [Duration] = []
        var actions: [@Sendable () -> Void] = []
        var firesImmediately = false
    }

    private let state = Mutex(State())

    /// The delays that were requested so far.
    var delays: [Duration] { state.withLock { $0.delays } }
    /// The number of pending actions.
    var runningCount: Int { state.withLock { $0.actions.count } }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        let runs = state.withLock { state in
            state.delays.append(delay)
            if !state.firesImmediately { state.actions.append(action) }
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
        for action in actions { action() }
    }

    /// Fires all pending actions, and each later one immediately.
    func fireImmediately() {
        state.withLock { $0.firesImmediately = true }
        fire()
    }
}
