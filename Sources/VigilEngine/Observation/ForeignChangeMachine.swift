/// When to look whether somebody else committed.
///
/// A sign, such as a write to a file, can come *before* the commit that it announces becomes visible, and no
/// other sign may follow: with a write-ahead log, the writer still waits for the disk and then changes shared memory
/// only. So looks go on after a sign, with pauses that double. A commit that becomes visible some time after its sign
/// is found within twice that time, and in case that signs get lost, as on a network file system, within the
/// longest pause.
///
/// Signs of the app's own writes are as frequent as its commits. So a look is followed by a rest, in which signs
/// wait. The rest is short at first, and gets longer while signs keep coming and looks find nothing: an app that
/// writes without pause is not held up by looks after each commit.
///
/// Nobody looks while nobody observes. Beginning to observe counts as a sign: a commit may be on its way whose sign
/// came before.
///
/// A look can fail. After ``failureLimit`` failed looks in a row, or at once if the file was replaced or deleted, the observations
/// end: their last values may be outdated.
///
/// A value without clock or thread: the driver beside it looks and waits.
struct ForeignChangeMachine {
    enum Action: Equatable {
        case look
        /// Call ``pauseDidEnd(_:)`` with the number after so long, unless another action was given meanwhile.
        case pause(Duration, number: Int)
        /// Nobody observes any more: signs are not needed.
        case endWatch
        /// Call ``didEndObservations()`` when they have ended with the error of the look.
        case endObservations
    }

    enum Finding {
        case unchanged
        case changed
        /// Another connection held a lock, or the look was interrupted: nothing can be said.
        case unknown
        /// The look failed, and the next one may succeed.
        case failed
        /// The file was replaced or deleted.
        case fileMoved
        /// Nobody observes: it was not looked.
        case unobserved
    }

    private enum State: Equatable {
        /// Nobody observes.
        case dormant
        case looking(answersSign: Bool, signCame: Bool)
        /// Signs that come now are answered when the rest ends.
        case resting(signCame: Bool)
        /// A sign that comes now is answered at once.
        case pausing
        case stopped
    }

    static let shortestPause = Duration.milliseconds(1)
    static let longestRest = Duration.milliseconds(16)
    static let failureLimit = 8
    static let longestPauseWithSigns = Duration.seconds(5)
    static let longestPauseWithoutSigns = Duration.milliseconds(100)

    private var state = State.dormant
    private var rest = Self.shortestPause
    private var pause = Self.shortestPause
    private var longestPause = Self.longestPauseWithSigns
    private var number = 0
    /// The number of failed looks since the last successful one.
    private var failures = 0

    var isDormant: Bool { state == .dormant }

    /// Somebody is about to observe, after nobody did.
    ///
    /// - Parameter hasSigns: whether ``didSign()`` will be called; otherwise looks come at shorter intervals.
    mutating func begin(hasSigns: Bool) -> Action? {
        guard state == .dormant else { return nil }
        failures = 0
        longestPause = hasSigns ? Self.longestPauseWithSigns : Self.longestPauseWithoutSigns
        rest = Self.shortestPause
        return beginRest(signCame: false)
    }

    mutating func didSign() -> Action? {
        switch state {
        case .looking(let answersSign, _):
            state = .looking(answersSign: answersSign, signCame: true)
        case .resting:
            state = .resting(signCame: true)
        case .pausing:
            adaptRest(signsKeepComing: pause <= Self.longestRest)
            state = .looking(answersSign: true, signCame: false)
            return .look
        case .dormant, .stopped: break
        }
        return nil
    }

    mutating func pauseDidEnd(_ ended: Int) -> Action? {
        guard ended == number else { return nil }
        switch state {
        case .resting(let signCame):
            if signCame { adaptRest(signsKeepComing: true) }
            state = .looking(answersSign: signCame, signCame: false)
        case .pausing:
            state = .looking(answersSign: false, signCame: false)
        case .dormant, .looking, .stopped:
            return nil
        }
        return .look
    }

    mutating func didLook(_ finding: Finding) -> Action? {
        guard case .looking(let answersSign, let signCame) = state else { return nil }
        if finding == .unobserved {
            state = .dormant
            return .endWatch
        }
        switch finding {
        case .changed:
            adaptRest(signsKeepComing: false)
            failures = 0
        case .unchanged: failures = 0
        case .failed:
            failures += 1
            if failures == Self.failureLimit { return .endObservations }
            // The next looks come soon, as after a sign.
            if failures == 1 { return beginRest(signCame: signCame) }
        case .fileMoved: return .endObservations
        case .unknown, .unobserved: break
        }
        return endLook(answersSign: answersSign, signCame: signCame)
    }

    /// Goes on looking: others may observe, or begin to.
    mutating func didEndObservations() -> Action? {
        guard case .looking(let answersSign, let signCame) = state else { return nil }
        failures = 0
        return endLook(answersSign: answersSign, signCame: signCame)
    }

    private mutating func endLook(answersSign: Bool, signCame: Bool) -> Action {
        if answersSign || signCame { return beginRest(signCame: signCame) }
        pause = min(pause * 2, longestPause)
        number += 1
        state = .pausing
        return .pause(pause, number: number)
    }

    /// The database is closed.
    mutating func stop() {
        state = .stopped
    }

    private mutating func adaptRest(signsKeepComing: Bool) {
        rest = signsKeepComing ? min(rest * 2, Self.longestRest) : Self.shortestPause
    }

    private mutating func beginRest(signCame: Bool) -> Action {
        pause = rest
        number += 1
        state = .resting(signCame: signCame)
        return .pause(rest, number: number)
    }
}
