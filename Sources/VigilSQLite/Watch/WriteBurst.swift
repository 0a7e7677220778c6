/// Decides whether the writes of a directory are reported.
///
/// The kernel makes a report of each write, which takes 7 to 9 % of the time of a process that commits
/// without a pause. So after some intervals with reports, writes are not reported for a while, and each
/// interval counts as one with a write. The reports in between cost little: 16 of 216 ms.
///
/// A value without a clock: the driver ends intervals of ``DirectoryWatch/pauseBetweenReads``, until there
/// was one without reports.
struct WriteBurst {
    enum Change {
        /// Do not report writes.
        case mute
        /// Report writes again. There may have been some in between.
        case report
    }

    /// The number of successive intervals with reports before writes are not reported.
    static let length = 4
    /// The number of intervals in which writes are not reported.
    static let mutedLength = 50

    private var intervals = 0
    private var hasReport = false
    private(set) var isMuted = false

    mutating func didReceiveReport() { hasReport = true }

    /// Handles that writes are reported from now on. The last ones may not have been: the next interval ends
    /// the time without reports.
    mutating func willReport() { if isMuted { intervals = Self.mutedLength - 1 } }

    /// Handles the end of an interval.
    mutating func intervalDidEnd() -> Change? {
        let continues = hasReport || isMuted
        hasReport = false
        intervals = continues ? intervals + 1 : 0
        guard intervals == (isMuted ? Self.mutedLength : Self.length) else { return nil }
        intervals = 0
        isMuted.toggle()
        return isMuted ? .mute : .report
    }
}

/// Decides when reports are read.
///
/// The writes of one commit arrive in few batches, which are read at once: a timer costs more. Further ones
/// accumulate for an interval, until an interval was quiet.
struct ReadPace {
    /// The number of batches in ``DirectoryWatch/pauseBetweenReads`` that are read at once.
    static let batchLimit = 4

    /// The number of recent batches that were read at once, and the time until which they are recent.
    private var recent: (batches: Int, end: ContinuousClock.Instant)?
    /// Whether to let reports accumulate before the next read.
    private(set) var rests = false

    /// - Parameter isQuiet: whether there were no reports, and none were suppressed.
    mutating func didRead(isQuiet: Bool, at now: ContinuousClock.Instant) {
        if rests {
            rests = !isQuiet
            return
        }
        var current = recent ?? (0, now)
        if current.end <= now { current = (0, now + DirectoryWatch.pauseBetweenReads) }
        current.batches += 1
        recent = current
        rests = current.batches >= Self.batchLimit
    }
}
