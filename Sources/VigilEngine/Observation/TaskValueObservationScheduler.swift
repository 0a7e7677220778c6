import Synchronization

/// A scheduler that calls back in a task, on Swift's cooperative thread pool. See `.task` and
/// `.task(priority:)`.
///
/// ```swift
/// let cancellable = observation.start(in: dbPool, scheduling: .task(priority: .utility)) { error in
///     print(error)
/// } onChange: { players in
///     print("There are", players.count, "players")
/// }
/// ```
///
/// Callbacks run one at a time, in order. They should not block their thread for long, because other tasks need
/// it.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    private struct State {
        var actions: [@Sendable () -> Void] = []
        /// Whether a task is running the actions.
        var isRunning = false
    }

    private let priority: TaskPriority?
    private let state = Mutex(State())

    init(priority: TaskPriority?) {
        self.priority = priority
    }

    /// Returns `false`: `start` does not wait for the initial value.
    public func immediateInitialValue() -> Bool { false }

    /// Schedules `action` in a task.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            state.actions.append(action)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { Task.detached(priority: priority) { self.run() } }
    }

    /// Runs the scheduled actions until there are none.
    private func run() {
        while true {
            let actions = state.withLock { state in
                if state.actions.isEmpty { state.isRunning = false }
                defer { state.actions = [] }
                return state.actions
            }
            if actions.isEmpty { return }
            for action in actions { action() }
        }
    }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// A scheduler that calls back in a task, without actor isolation.
    public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler(priority: nil) }

    /// Returns a scheduler that calls back in a task of the given priority, without actor isolation.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority: priority)
    }
}

/// A scheduler that calls back on the thread that provides the value, for consumers that pass the value on to a
/// task.
struct ForwardingScheduler: ValueObservationScheduler {
    func immediateInitialValue() -> Bool { false }
    func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}
