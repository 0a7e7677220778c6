/// Decides when to check whether another connection has committed.
///
/// A hint, such as a write to a file, can occur *before* its commit becomes visible, without another hint
/// after it: with a write-ahead log, the writer waits for the disk after writing the log, and then modifies
/// only shared memory. Checks are therefore repeated after a hint, with pauses that double. A commit is
/// detected within twice the time from its hint to its visibility. If hints get lost, as on a network file
/// system, it is detected within the longest pause.
///
/// The program's own writes cause a hint for each commit. A check is therefore followed by a rest, and hints
/// wait for its end. The rest is short at first, and grows while hints keep arriving and checks detect
/// nothing: a program with continuous writes does not pay for a check after each commit.
///
/// With a write-ahead log, a check also finds out whether a commit is in progress. If none is, the next one
/// begins with a write, which causes a hint: there are no repeated checks then.
///
/// There are no checks without observers. The start of an observation counts as a hint, because the hint of a
/// commit in progress may have been given already.
///
/// A check can fail. After ``failureLimit`` failures in a row, or immediately if the file was replaced or
/// deleted, the observations end: their last values may be outdated. They also end if the database waits
/// ``recoveryLimit`` for its recovery. A check without a known result is repeated without a limit. Until the
/// observations end or the database is closed, each check is followed by another one, at the latest after the
/// longest pause.
///
/// A value without a clock or threads. Its driver is ``ForeignChangeWatcher``.
struct ForeignChangeMachine {
    enum Action: Equatable {
        case check
        /// Call ``pauseDidEnd(_:)`` with the number after the duration, unless another action was returned in
        /// between.
        case pause(Duration, number: Int)
        /// There are no observers left: stop watching for hints.
        case endWatch
        /// End the observations with the error of the check, then call ``didEndObservations()``.
        case endObservations
    }

    enum CheckResult {
        case unchanged
        case changed
        /// Another connection held a lock, or the check was interrupted: the result is not known.
        case unknown
        /// A process died during a transaction: the database cannot be read until a connection with write
        /// access recovers it.
        case unrecovered
        /// The check failed, and the next one may succeed.
        case failed
        /// The file was replaced or deleted.
        case fileMoved
        /// There are no observers: the check was skipped.
        case unobserved
    }

    private enum State: Equatable {
        /// There are no observers.
        case dormant
        case checking(answersHint: Bool, hasNewHint: Bool)
        /// A hint that occurs now is answered when the rest ends.
        case resting(hasNewHint: Bool)
        /// A hint that occurs now is answered immediately.
        case pausing
        case stopped
    }

    static let shortestPause = Duration.milliseconds(1)
    static let longestRest = Duration.milliseconds(16)
    /// The longest rest that is not worth a pause if no commit is in progress: hints are not more frequent.
    static let omittedRest = Duration.milliseconds(4)
    static let failureLimit = 8
    /// The total length of the pauses in which a database is expected to be recovered.
    static let recoveryLimit = Duration.seconds(30)
    static let longestPauseWithHints = Duration.seconds(5)
    static let longestPauseWithoutHints = Duration.milliseconds(100)

    private var state = State.dormant
    private var rest = Self.shortestPause
    private var pause = Self.shortestPause
    private var longestPause = Self.longestPauseWithHints
    private var pauseNumber = 0
    /// Whether the last check found that no commit was in progress.
    private var isSettled = false
    /// The number of failed checks since the last successful one.
    private var failures = 0
    /// The total length of the pauses since the database was found to be unrecovered; `nil` if it was not.
    private var unrecoveredTime: Duration?

    /// Whether there are no observers to check for.
    var isDormant: Bool { state == .dormant }

    /// Whether the database is closed.
    var isStopped: Bool { state == .stopped }

    /// Begins to check, because the first observer is about to register.
    ///
    /// - Parameter hasHints: Whether ``didReceiveHint()`` will be called. If not, checks are more frequent.
    mutating func begin(hasHints: Bool) -> Action? {
        guard state == .dormant else { return nil }
        resetFailures()
        setHasHints(hasHints)
        rest = Self.shortestPause
        return beginRest(hasNewHint: false)
    }

    /// Sets whether ``didReceiveHint()`` will be called, from the next pause on.
    mutating func setHasHints(_ hasHints: Bool) {
        longestPause = hasHints ? Self.longestPauseWithHints : Self.longestPauseWithoutHints
    }

    /// Handles a hint that another connection may have committed.
    mutating func didReceiveHint() -> Action? {
        switch state {
        case .checking(let answersHint, _):
            state = .checking(answersHint: answersHint, hasNewHint: true)
        case .resting:
            state = .resting(hasNewHint: true)
        case .pausing:
            if !isSettled { adaptRest(hintsContinue: pause <= Self.longestRest) }
            state = .checking(answersHint: true, hasNewHint: false)
            return .check
        case .dormant, .stopped: break
        }
        return nil
    }

    /// Handles the end of a pause. Ignores pauses that another action has superseded.
    mutating func pauseDidEnd(_ ended: Int) -> Action? {
        guard ended == pauseNumber else { return nil }
        switch state {
        case .resting(let hasNewHint):
            if hasNewHint {
                if !isSettled { adaptRest(hintsContinue: true) }
            } else if isSettled {
                rest = Self.shortestPause
                return beginPause(longestPause)
            }
            state = .checking(answersHint: hasNewHint, hasNewHint: false)
        case .pausing:
            state = .checking(answersHint: false, hasNewHint: false)
        case .dormant, .checking, .stopped:
            return nil
        }
        unrecoveredTime = unrecoveredTime.map { $0 + pause }
        return .check
    }

    /// - Parameter logWaitsForReaders: Whether readers keep a log from beginning again. Fetches that follow
    ///   each other closely would do so forever: the rest is then long enough for a checkpoint.
    /// - Parameter isInProgress: Whether another connection has begun to write a commit; `nil` if that is not
    ///   known.
    mutating func didCheck(
        _ result: CheckResult, logWaitsForReaders: Bool = false, isInProgress: Bool? = nil
    ) -> Action? {
        guard case .checking(let answersHint, let hasNewHint) = state else { return nil }
        // Without hints, and after a check without a result, later commits would not be noticed.
        isSettled =
            isInProgress == false && longestPause == Self.longestPauseWithHints
            && (result == .unchanged || result == .changed)
        if isInProgress == true { rest = Self.shortestPause }
        if result == .unobserved {
            state = .dormant
            return .endWatch
        }
        switch result {
        case .changed:
            adaptRest(hintsContinue: false)
            if logWaitsForReaders { rest = Self.longestRest }
            resetFailures()
        case .unchanged:
            if isSettled, answersHint { adaptRest(hintsContinue: true) }
            resetFailures()
        case .failed:
            failures += 1
            if failures == Self.failureLimit { return .endObservations }
            // Repeat the check soon, as after a hint.
            if failures == 1 { return beginRest(hasNewHint: hasNewHint) }
        case .unrecovered:
            guard let time = unrecoveredTime else {
                unrecoveredTime = .zero
                return beginRest(hasNewHint: hasNewHint)
            }
            if time >= Self.recoveryLimit { return .endObservations }
        case .fileMoved: return .endObservations
        case .unknown, .unobserved: break
        }
        return endCheck(answersHint: answersHint, hasNewHint: hasNewHint)
    }

    /// Resumes checking after the observations have ended: others may have registered, or may still register.
    mutating func didEndObservations() -> Action? {
        guard case .checking(let answersHint, let hasNewHint) = state else { return nil }
        resetFailures()
        return endCheck(answersHint: answersHint, hasNewHint: hasNewHint)
    }

    /// Pauses until the next check, with a rest if the check answered a hint.
    private mutating func endCheck(answersHint: Bool, hasNewHint: Bool) -> Action {
        if isSettled, !hasNewHint, rest <= Self.omittedRest { return beginPause(longestPause) }
        if answersHint || hasNewHint { return beginRest(hasNewHint: hasNewHint) }
        return beginPause(isSettled ? longestPause : min(pause * 2, longestPause))
    }

    private mutating func beginPause(_ duration: Duration) -> Action {
        pause = duration
        pauseNumber += 1
        state = .pausing
        return .pause(duration, number: pauseNumber)
    }

    /// Stops checking, because the database is closed.
    mutating func stop() {
        state = .stopped
    }

    private mutating func resetFailures() {
        failures = 0
        unrecoveredTime = nil
    }

    private mutating func adaptRest(hintsContinue: Bool) {
        rest = hintsContinue ? min(rest * 2, Self.longestRest) : Self.shortestPause
    }

    private mutating func beginRest(hasNewHint: Bool) -> Action {
        pause = rest
        pauseNumber += 1
        state = .resting(hasNewHint: hasNewHint)
        return .pause(rest, number: pauseNumber)
    }
}
