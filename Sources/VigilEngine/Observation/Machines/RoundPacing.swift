import VigilStorage

/// Decides how long the rounds of a pool pause while reads compete with them.
///
/// Rounds without pauses take the processor from reads when commits arrive faster than they are fetched.
/// While reads run, rounds may therefore use ``share`` of the time. The first rounds after a quiet time do
/// not pause, and a pause ends when a stale value reaches ``maximumAge``.
///
/// A value without a clock: the driver passes the time.
struct RoundPacing {
    typealias Instant = ContinuousClock.Instant

    /// The age at which a stale value no longer gives way to reads.
    static let maximumAge = Duration.milliseconds(100)
    /// How long an overdue round waits for a reader before it exceeds the pool's capacity: all readers may be
    /// held by reads waiting for a value of the round.
    static let maximumWait = Duration.seconds(1)
    /// The part of the time for rounds while reads run, as a divisor.
    static let share = 4
    /// The time for rounds without a pause.
    static let allowance = Duration.milliseconds(1)
    /// The number of rounds without a pause after a quiet time, however long they take.
    static let unpacedRounds = 3
    /// The shortest pause. In shorter ones, too few commits would meet to share a round.
    static let minimumPause = Duration.milliseconds(5)

    /// The shortest duration of a slow fetch: the other observers do not wait for its end.
    static let slowFetch = Duration.milliseconds(25)

    /// Why a round ends before all its observers have fetched.
    enum EarlyEnd {
        /// A later snapshot has more frames of the log, which checkpoints can copy: they copy none that a
        /// reader of a snapshot does not see.
        case outdatedSnapshot
        /// A checkpoint has begun to copy the log. It begins again when all is copied and nothing reads it,
        /// so a pause follows.
        case checkpoint
    }

    /// The longest snapshot of a round while commits append to the write-ahead log.
    static let longestSnapshot = Duration.milliseconds(5)
    /// The longest snapshot of a round while the log is copied.
    static let longestSnapshotOfCheckpoint = Duration.milliseconds(1)

    /// The number of fetches of a round before waiting threads may run.
    static let fetchesBetweenYields = 8

    /// The time used by rounds recently: the longer ago, the less it counts.
    private var used = Duration.zero
    private var lastEnd: Instant?
    /// The number of rounds since the last quiet time. Its length depends on the rounds before it.
    private var rounds = 0

    /// Returns whether a round ends early.
    ///
    /// - Parameters:
    ///   - age: the age of its snapshot.
    ///   - log: the log at the begin of the round.
    ///   - now: the log now.
    static func earlyEnd(after age: Duration, from log: LogProgress, to now: LogProgress) -> EarlyEnd? {
        // Without further commits, nothing waits for the end of the snapshot.
        if now == log { return nil }
        if now.copiedFrame > 0 { return age >= longestSnapshotOfCheckpoint ? .checkpoint : nil }
        return age >= longestSnapshot ? .outdatedSnapshot : nil
    }

    /// Handles the end of a round.
    ///
    /// - Parameter reads: whether reads compete with rounds, or a checkpoint does.
    /// - Returns: the pause before the next round; zero if it may begin immediately.
    mutating func roundDidEnd(from begin: Instant, to end: Instant, reads: Bool) -> Duration {
        let elapsed = lastEnd.map { $0.duration(to: end) } ?? .zero
        lastEnd = end
        let duration = begin.duration(to: end)
        used = max(.zero, used - elapsed / Self.share)
        rounds = used == .zero ? 1 : rounds + 1
        used += duration
        // The longest pause pays for all of it: after a quiet time as long, a commit is fetched without a
        // pause.
        used = min(used, Self.allowance + Self.maximumAge / Self.share)
        guard reads, rounds > Self.unpacedRounds, used > Self.allowance else { return .zero }
        let pause = max((used - Self.allowance) * Self.share, Self.minimumPause)
        // A value can be stale since the begin of the round.
        return max(.zero, min(pause, Self.maximumAge - duration))
    }
}
