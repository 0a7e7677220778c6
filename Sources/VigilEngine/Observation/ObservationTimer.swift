import Dispatch

/// Tells when a time is over: a clock that tests can wind.
protocol ObservationTimer: Sendable {
    /// Calls `action` once, from any thread.
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void)
}

/// The system's clock.
struct DispatchTimer: ObservationTimer {
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + delay.dispatchInterval, execute: action)
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
