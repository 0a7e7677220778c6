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
/// A value without clock or thread: the driver beside it looks and waits.
struct ForeignChangeMachine {
    enum Action: Equatable {
        case look
        /// Call ``pauseDidEnd(_:)`` with the number after so long, unless another action was given meanwhile.
        case pause(Duration, number: Int)
        /// Nobody observes any more: signs are not needed.
        case endWatch
    }

    enum Finding {
        case unchanged
        case changed
        /// Another connection held a lock: nothing can be said.
        case unknown
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
    static let longestPauseWithSigns = Duration.seconds(5)
    static let longestPauseWithoutSigns = Duration.milliseconds(100)

    private var state = State.dormant
    private var rest = Self.shortestPause
    private var pause = Self.shortestPause
    private var longestPause = Self.longestPauseWithSigns
    private var number = 0

    var isDormant: Bool { state == .dormant }

    /// Somebody is about to observe, after nobody did.
    ///
    /// - Parameter hasSigns: whether ``didSign()`` will be called; otherwise looks come at shorter intervals.
    mutating func begin(hasSigns: Bool) -> Action? {
        guard state == .dormant else { return nil }
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
        if finding == .changed { adaptRest(signsKeepComing: false) }
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
