/// Decides the times of a feed's reads of the server's change token, and their meaning as commits.
///
/// Another token than the last one is a commit. So is a failure to read it, because commits may be missed
/// until the next attempt. Between two reads is an ``interval``, longer while nothing is committed, and while
/// the server cannot be reached. The program's own commits do not wait for the end of the interval.
///
/// A value without a clock or threads. Its driver, ``PostgresCommitFeed``, reads and waits.
struct TokenPollMachine {
    typealias Instant = ContinuousClock.Instant

    enum Action: Equatable {
        /// Read the token, and call ``didRead(_:at:)`` or ``didFail(at:)``.
        case read
        /// Call ``pauseDidEnd(_:)`` with the number after the duration.
        case pause(Duration, number: Int)
    }

    private enum State: Equatable {
        /// - Parameter missesCommit: whether the program has committed since the read began.
        case reading(missesCommit: Bool)
        /// - Parameter isShort: whether the program's own commits wait for the end of the short pause.
        case pausing(isShort: Bool)
    }

    /// The time between two reads after a commit. A read takes about 30 µs on a local socket, and somewhat
    /// more processor time with the timer and the thread: 100 of them per second are about 1 % of a core.
    static let interval = Duration.milliseconds(10)
    /// The time between two reads while nothing is committed.
    static let quietInterval = Duration.milliseconds(25)
    /// The number of reads without another token before ``quietInterval`` applies: about a second.
    static let quietCount = 100
    /// The shortest time between two reads: continuous commits of the program cause at most 1,000 per second.
    static let shortestInterval = Duration.milliseconds(1)
    /// The time between two attempts to reach a server.
    static let failureInterval = Duration.milliseconds(500)

    private var state = State.pausing(isShort: false)
    /// The last token; `nil` if it could not be read.
    private var token: Int64?
    /// The number of reads since the token has changed.
    private var unchangedCount = 0
    private var lastRead: Instant?
    private var pauseNumber = 0

    /// - Parameter token: the token before the first commit to report.
    init(token: Int64?) { self.token = token }

    mutating func begin() -> Action { pause(Self.interval) }

    /// Handles the end of a pause. Ignores superseded pauses.
    mutating func pauseDidEnd(_ number: Int) -> Action? {
        guard case .pausing = state, number == pauseNumber else { return nil }
        return read()
    }

    mutating func didCommitHere(at now: Instant) -> Action? {
        switch state {
        case .reading:
            state = .reading(missesCommit: true)
            return nil
        case .pausing(isShort: true): return nil
        case .pausing(isShort: false):
            let rest = lastRead.map { Self.shortestInterval - $0.duration(to: now) } ?? .zero
            return rest > .zero ? pause(rest, isShort: true) : read()
        }
    }

    /// Handles a read token. Returns whether there was a commit.
    mutating func didRead(_ token: Int64?, at now: Instant) -> (isCommit: Bool, Action) {
        let isCommit = token != self.token
        self.token = token
        unchangedCount = isCommit ? 0 : unchangedCount + 1
        let interval = unchangedCount > Self.quietCount ? Self.quietInterval : Self.interval
        return (isCommit, endRead(at: now, interval))
    }

    /// Handles a failure to read the token, as a commit.
    mutating func didFail(at now: Instant) -> Action {
        token = nil
        unchangedCount = 0
        return endRead(at: now, Self.failureInterval)
    }

    private mutating func read() -> Action {
        state = .reading(missesCommit: false)
        return .read
    }

    private mutating func endRead(at now: Instant, _ interval: Duration) -> Action {
        lastRead = now
        return state == .reading(missesCommit: true)
            ? pause(Self.shortestInterval, isShort: true) : pause(interval)
    }

    private mutating func pause(_ duration: Duration, isShort: Bool = false) -> Action {
        state = .pausing(isShort: isShort)
        pauseNumber += 1
        return .pause(duration, number: pauseNumber)
    }
}
