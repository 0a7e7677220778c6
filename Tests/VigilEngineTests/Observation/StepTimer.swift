import VigilTestSupport
import VigilTesting

@testable import VigilEngine

/// A manual clock that the test can wait for.
final class StepTimer: ObservationTimer {
    let manual = ManualClock()
    /// The delays that were requested, except by the watch for slow fetches.
    let scheduled = Recorder<Duration>()

    var now: ContinuousClock.Instant { manual.now }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
        manual.schedule(after: delay, action)
        if delay != RoundPacing.slowFetch { scheduled.append(delay) }
    }
}
