import Dispatch

/// Calls back where a function runs its argument: on a scheduler of another library.
///
/// The function may run actions in any order, at the same time, or before it returns. Callbacks run one after
/// another in their order nevertheless, and never inside the access that fetched the value, so they may write
/// to the database. Each observation needs a scheduler of its own.
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
        let caller = CallingThread()
        run { [self] in
            if caller.isCurrent {
                // The function has not returned, so this is still the access. Call the function again outside
                // of it, because the function decides where actions run.
                DispatchQueue.global().async { self.run { self.actions.run() } }
            } else {
                actions.run()
            }
        }
        caller.didReturn()
    }
}

/// The thread of a call, for as long as the call lasts.
private final class CallingThread: Sendable {
    private let thread = AccessThread()

    var isCurrent: Bool { thread.isCurrent }

    func didReturn() { thread.release() }
}
