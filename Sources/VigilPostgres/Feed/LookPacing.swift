import VigilStorage

/// Decides when a feed looks at the server.
///
/// Between two looks is an ``interval``, longer while nothing is committed, and while the server cannot be
/// reached. The program's own commits, and commits received from the stream, do not wait for its end.
///
/// A value without a clock or threads: a part of ``FeedMachine``.
struct LookPacing {
    typealias Instant = ContinuousClock.Instant

    enum Step: Equatable {
        /// Look, and call ``didLook(moved:waits:at:)`` or ``didFail(at:)``.
        case look
        /// Call ``pauseDidEnd(_:)`` with the number after the duration.
        case pause(Duration, number: Int)
    }

    private enum State: Equatable {
        /// - Parameter missesCommit: whether there was a commit since the look began.
        case looking(missesCommit: Bool)
        /// - Parameter isShort: whether a commit waits for the end of the short pause.
        case pausing(isShort: Bool)
    }

    /// The time between two looks after a commit. A look takes about 30 µs on a local socket, and somewhat
    /// more processor time with the timer and the thread: 100 of them per second are about 1 % of a core.
    static let interval = Duration.milliseconds(10)
    /// The time between two looks while nothing is committed.
    static let quietInterval = Duration.milliseconds(25)
    /// The number of looks without a commit before ``quietInterval`` applies: about a second.
    static let quietCount = 100
    /// The shortest time between two looks: continuous commits cause at most 1,000 per second.
    static let shortestInterval = Duration.milliseconds(1)

    private var state = State.pausing(isShort: false)
    /// The number of looks since the last commit.
    private var unchangedCount = 0
    /// The number of successive looks after which a received commit was not visible yet.
    private var waitCount = 0
    private var retries = Retries.look
    private var lastLook: Instant?
    private var pauseNumber = 0

    mutating func begin() -> Step { look() }

    /// Handles the end of a pause. Ignores superseded pauses.
    mutating func pauseDidEnd(_ number: Int) -> Step? {
        guard case .pausing = state, number == pauseNumber else { return nil }
        return look()
    }

    /// Handles a commit by the program, or one received from the stream.
    mutating func didCommit(at now: Instant) -> Step? {
        switch state {
        case .looking:
            state = .looking(missesCommit: true)
            return nil
        case .pausing(isShort: true): return nil
        case .pausing(isShort: false):
            let rest = lastLook.map { Self.shortestInterval - $0.duration(to: now) } ?? .zero
            return rest > .zero ? pause(rest, isShort: true) : look()
        }
    }

    /// Handles a look.
    ///
    /// - Parameters:
    ///   - moved: whether something was committed since the last look.
    ///   - waits: whether a received commit is not visible yet.
    mutating func didLook(moved: Bool, waits: Bool, at now: Instant) -> Step {
        unchangedCount = moved ? 0 : unchangedCount + 1
        waitCount = waits ? waitCount + 1 : 0
        retries.didSucceed()
        var interval = unchangedCount > Self.quietCount ? Self.quietInterval : Self.interval
        if waits { interval = min(interval, Self.shortestInterval * (1 << min(waitCount - 1, 10))) }
        return endLook(at: now, interval)
    }

    /// Handles a failure to look.
    mutating func didFail(at now: Instant) -> Step {
        unchangedCount = 0
        waitCount = 0
        return endLook(at: now, retries.didFail())
    }

    private mutating func look() -> Step {
        state = .looking(missesCommit: false)
        return .look
    }

    private mutating func endLook(at now: Instant, _ interval: Duration) -> Step {
        lastLook = now
        return state == .looking(missesCommit: true)
            ? pause(Self.shortestInterval, isShort: true) : pause(interval)
    }

    private mutating func pause(_ duration: Duration, isShort: Bool = false) -> Step {
        state = .pausing(isShort: isShort)
        pauseNumber += 1
        return .pause(duration, number: pauseNumber)
    }
}
