import Synchronization

/// Actions that run one after another, in the order in which they were added, on any thread.
///
/// It neither creates threads nor schedules anything: the caller that adds an action to an idle sequence
/// arranges for ``run()`` to be called.
final class OrderedActions: Sendable {
    typealias Action = @Sendable () -> Void

    private struct State {
        var actions: [Action] = []
        /// Whether a run is arranged or in progress. It includes the actions that are added meanwhile.
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Adds an action. Returns `true` if the caller must arrange for one call of ``run()``.
    func add(_ action: @escaping Action) -> Bool {
        state.withLock { state in
            state.actions.append(action)
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// Runs the actions until there are none.
    func run() {
        while let actions = takeActions() {
            for action in actions { action() }
        }
    }

    /// Removes and returns the actions. Returns `nil`, and ends the run, after the last.
    private func takeActions() -> [Action]? {
        state.withLock { state in
            state.isRunning = !state.actions.isEmpty
            defer { state.actions = [] }
            return state.isRunning ? state.actions : nil
        }
    }
}
