import Dispatch

/// Calls back after a delay. Tests replace it with a clock that they control.
package protocol ObservationTimer: Sendable {
    var now: ContinuousClock.Instant { get }

    /// Calls `action` once after `delay`, on any thread.
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void)
}

/// A timer that uses the system's clock.
///
/// It has a queue of its own: on a global queue, its actions would wait for the program's work there.
package struct DispatchTimer: ObservationTimer {
    private static let queue = DispatchQueue(label: "Vigil.DispatchTimer", qos: .userInitiated)

    package init() {}

    package var now: ContinuousClock.Instant { .now }

    package func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        Self.queue.asyncAfter(deadline: delay.fromNow, execute: action)
    }
}

extension Duration {
    /// The end of a duration that begins now, on the clock that stops while the machine sleeps.
    var fromNow: DispatchTime {
        let (seconds, attoseconds) = components
        guard seconds.magnitude < 1 << 31 else { return seconds < 0 ? .now() : .distantFuture }
        return .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    }
}
