/// Decides when an interval without commits has passed.
///
/// A value without a clock: the driver passes the time. One timer runs at a time. A commit does not restart
/// it; when it fires, it is started again for the time that is missing.
struct DebounceMachine {
    typealias Instant = ContinuousClock.Instant

    /// The time of the last commit, `nil` while no timer is running.
    private var lastCommit: Instant?

    /// Handles a commit. Returns the delay of the timer to start, or `nil` if one is running.
    mutating func didMatchCommit(at now: Instant, interval: Duration) -> Duration? {
        defer { lastCommit = now }
        return lastCommit == nil ? interval : nil
    }

    /// Handles the timer. Returns the delay of the timer to start, or `nil` if the interval has passed since
    /// the last commit.
    mutating func timerDidFire(at now: Instant, interval: Duration) -> Duration? {
        guard let lastCommit else { return nil }
        let remaining = now.duration(to: lastCommit.advanced(by: interval))
        if remaining > .zero { return remaining }
        self.lastCommit = nil
        return nil
    }
}
