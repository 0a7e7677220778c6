/// Calls back where a function runs its argument: on a scheduler of another library.
///
/// The function may run actions in any order, at the same time, or before it returns. Callbacks run one after
/// another in their order nevertheless. Each observation needs a scheduler of its own.
package final class ExternalScheduler: ValueObservationScheduler {
    package typealias Action = @Sendable () -> Void

    private let run: @Sendable (@escaping Action) -> Void
    private let actions = OrderedActions()

    /// - Parameter run: Runs its argument once, on any thread.
    package init(_ run: @escaping @Sendable (@escaping Action) -> Void) {
        self.run = run
    }

    /// Returns `false`: `start` does not wait for the initial value.
    package func immediateInitialValue() -> Bool { false }

    /// Schedules `action` after the previous ones.
    package func schedule(_ action: @escaping Action) {
        guard actions.add(action) else { return }
        run { [actions] in actions.run() }
    }
}
