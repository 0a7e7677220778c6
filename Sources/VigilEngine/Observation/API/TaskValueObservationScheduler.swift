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
/// Callbacks run one at a time, in order. They should not block their thread for long, because other tasks
/// need it.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    private let priority: TaskPriority?
    private let actions = OrderedActions()

    init(priority: TaskPriority?) {
        self.priority = priority
    }

    /// Returns `false`: `start` does not wait for the initial value.
    public func immediateInitialValue() -> Bool { false }

    /// `true`: actions run in a task.
    public var _mayScheduleInAccess: Bool { true }

    /// Schedules `action` in a task.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        guard actions.add(action) else { return }
        Task.detached(priority: priority) { [actions] in actions.run() }
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

/// A scheduler that calls back on the thread that provides the value, for consumers that pass the value on to
/// a task.
struct ForwardingScheduler: ValueObservationScheduler {
    func immediateInitialValue() -> Bool { false }
    /// Whether the consumer uses no database before it has passed the value on.
    var _mayScheduleInAccess = true
    func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}
