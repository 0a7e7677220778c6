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
        Self.queue.asyncAfter(deadline: .now() + delay.dispatchInterval, execute: action)
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflows else { return .seconds(Int(clamping: seconds)) }
        return .nanoseconds(Int(clamping: nanoseconds + attoseconds / 1_000_000_000))
    }
}
