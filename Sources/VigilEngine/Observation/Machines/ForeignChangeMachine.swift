/// Decides when to check whether another connection has committed.
///
/// A sign, such as a write to a file, can occur *before* the commit that it announces becomes visible,
/// without another sign after it: with a write-ahead log, the writer waits for the disk after writing the log,
/// and then modifies only shared memory. Looks are therefore repeated after a sign, with pauses that double. A
/// commit that becomes visible some time after its sign is detected within twice that time. If signs get lost,
/// as on a network file system, it is detected within the longest pause.
///
/// The app's own writes cause a sign for each commit. A look is therefore followed by a rest, during which
/// signs wait. The rest is short at first, and grows while signs keep arriving and looks detect nothing: an
/// app that writes continuously is not slowed down by a look after each commit.
///
/// Without observers there are no looks. Starting an observation counts as a sign, because a commit may be in
/// progress whose sign has already occurred.
///
/// A look can fail. After ``failureLimit`` failed looks in a row, or immediately if the file was replaced or
/// deleted, the observations end: their last values may be outdated. They also end if the database waits for
/// ``recoveryLimit`` to be recovered. A look whose result is not known is repeated without a limit. Until the
/// observations end or the database is closed, each look is followed by another one, at the latest after the
/// longest pause.
///
/// A value without a clock or threads. Its driver, ``ForeignChangeWatcher``, looks and waits.
struct ForeignChangeMachine {
    enum Action: Equatable {
        case look
        /// Call ``pauseDidEnd(_:)`` with the number after the duration, unless another action was returned in
        /// between.
        case pause(Duration, number: Int)
        /// There are no observers left: stop watching for signs.
        case endWatch
        /// End the observations with the error of the look, then call ``didEndObservations()``.
        case endObservations
    }

    enum Finding {
        case unchanged
        case changed
        /// Another connection held a lock, or the look was interrupted: the result is not known.
        case unknown
        /// A process died during a transaction: the database cannot be read until a connection with write
        /// access recovers it.
        case unrecovered
        /// The look failed, and the next one may succeed.
        case failed
        /// The file was replaced or deleted.
        case fileMoved
        /// There are no observers: the look was skipped.
        case unobserved
    }

    private enum State: Equatable {
        /// There are no observers.
        case dormant
        case looking(answersSign: Bool, hasNewSign: Bool)
        /// A sign that occurs now is answered when the rest ends.
        case resting(hasNewSign: Bool)
        /// A sign that occurs now is answered immediately.
        case pausing
        case stopped
    }

    static let shortestPause = Duration.milliseconds(1)
    static let longestRest = Duration.milliseconds(16)
    static let failureLimit = 8
    /// The total length of the pauses in which a database is expected to be recovered.
    static let recoveryLimit = Duration.seconds(30)
    static let longestPauseWithSigns = Duration.seconds(5)
    static let longestPauseWithoutSigns = Duration.milliseconds(100)

    private var state = State.dormant
    private var rest = Self.shortestPause
    private var pause = Self.shortestPause
    private var longestPause = Self.longestPauseWithSigns
    private var pauseNumber = 0
    /// The number of failed looks since the last successful one.
    private var failures = 0
    /// The total length of the pauses since the database was found to be unrecovered; `nil` if it was not.
    private var unrecoveredTime: Duration?

    /// Whether there are no observers to look for.
    var isDormant: Bool { state == .dormant }

    /// Whether the database is closed.
    var isStopped: Bool { state == .stopped }

    /// Begins to look, because the first observer is about to register.
    ///
    /// - Parameter hasSigns: Whether ``didReceiveSign()`` will be called. Without signs, looks are more frequent.
    mutating func begin(hasSigns: Bool) -> Action? {
        guard state == .dormant else { return nil }
        resetFailures()
        setHasSigns(hasSigns)
        rest = Self.shortestPause
        return beginRest(hasNewSign: false)
    }

    /// Sets whether ``didReceiveSign()`` will be called, from the next pause on.
    mutating func setHasSigns(_ hasSigns: Bool) {
        longestPause = hasSigns ? Self.longestPauseWithSigns : Self.longestPauseWithoutSigns
    }

    /// Handles a sign that another connection may have committed.
    mutating func didReceiveSign() -> Action? {
        switch state {
        case .looking(let answersSign, _):
            state = .looking(answersSign: answersSign, hasNewSign: true)
        case .resting:
            state = .resting(hasNewSign: true)
        case .pausing:
            adaptRest(signsContinue: pause <= Self.longestRest)
            state = .looking(answersSign: true, hasNewSign: false)
            return .look
        case .dormant, .stopped: break
        }
        return nil
    }

    /// Handles the end of a pause. Ignores pauses that another action has superseded.
    mutating func pauseDidEnd(_ ended: Int) -> Action? {
        guard ended == pauseNumber else { return nil }
        switch state {
        case .resting(let hasNewSign):
            if hasNewSign { adaptRest(signsContinue: true) }
            state = .looking(answersSign: hasNewSign, hasNewSign: false)
        case .pausing:
            state = .looking(answersSign: false, hasNewSign: false)
        case .dormant, .looking, .stopped:
            return nil
        }
        unrecoveredTime = unrecoveredTime.map { $0 + pause }
        return .look
    }

    /// Handles the result of a look.
    mutating func didLook(_ finding: Finding) -> Action? {
        guard case .looking(let answersSign, let hasNewSign) = state else { return nil }
        if finding == .unobserved {
            state = .dormant
            return .endWatch
        }
        switch finding {
        case .changed:
            adaptRest(signsContinue: false)
            resetFailures()
        case .unchanged: resetFailures()
        case .failed:
            failures += 1
            if failures == Self.failureLimit { return .endObservations }
            // Repeat the look soon, as after a sign.
            if failures == 1 { return beginRest(hasNewSign: hasNewSign) }
        case .unrecovered:
            guard let time = unrecoveredTime else {
                unrecoveredTime = .zero
                return beginRest(hasNewSign: hasNewSign)
            }
            if time >= Self.recoveryLimit { return .endObservations }
        case .fileMoved: return .endObservations
        case .unknown, .unobserved: break
        }
        return endLook(answersSign: answersSign, hasNewSign: hasNewSign)
    }

    /// Resumes looking after the observations have ended: others may have registered, or may still register.
    mutating func didEndObservations() -> Action? {
        guard case .looking(let answersSign, let hasNewSign) = state else { return nil }
        resetFailures()
        return endLook(answersSign: answersSign, hasNewSign: hasNewSign)
    }

    /// Pauses until the next look, with a rest if the look answered a sign.
    private mutating func endLook(answersSign: Bool, hasNewSign: Bool) -> Action {
        if answersSign || hasNewSign { return beginRest(hasNewSign: hasNewSign) }
        pause = min(pause * 2, longestPause)
        pauseNumber += 1
        state = .pausing
        return .pause(pause, number: pauseNumber)
    }

    /// Stops looking, because the database is closed.
    mutating func stop() {
        state = .stopped
    }

    private mutating func resetFailures() {
        failures = 0
        unrecoveredTime = nil
    }

    private mutating func adaptRest(signsContinue: Bool) {
        rest = signsContinue ? min(rest * 2, Self.longestRest) : Self.shortestPause
    }

    private mutating func beginRest(hasNewSign: Bool) -> Action {
        pause = rest
        pauseNumber += 1
        state = .resting(hasNewSign: hasNewSign)
        return .pause(rest, number: pauseNumber)
    }
}
