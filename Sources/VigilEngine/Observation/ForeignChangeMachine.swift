/// When to look whether somebody else committed.
///
/// A sign, such as a write to a file, can come *before* the commit that it announces becomes visible, and no
/// other sign may follow. So one sign leads to a series of looks with growing pauses. Signs of the app's own writes
/// are as frequent as its commits: there is never more than one look per ``shortestPause``. And in case that
/// signs get lost, as on a network file system, there is a look now and then without any.
///
/// A value without clock or thread: the driver beside it looks and waits.
struct ForeignChangeMachine {
    enum Action: Equatable {
        case look
        /// Call ``pauseDidEnd(_:)`` with the number after so long, unless another action was given meanwhile.
        case pause(Duration, number: Int)
    }

    enum Finding {
        case unchanged
        case changed
        /// Another connection held a lock: nothing can be said.
        case unknown
    }

    private enum State {
        case looking(signCame: Bool)
        /// `isShort`: signs that come now are answered when the pause ends.
        case pausing(number: Int, isShort: Bool)
        case stopped
    }

    static let shortestPause = Duration.milliseconds(2)
    /// With pauses that double, this many looks cover half a minute after a sign.
    private static let looksAfterSign = 14
    static let heartbeat = Duration.seconds(5)

    private var state = State.pausing(number: 0, isShort: false)
    private var looksLeft = 0
    private var pauses = 0

    mutating func didSign() -> Action? {
        looksLeft = Self.looksAfterSign
        switch state {
        case .looking:
            state = .looking(signCame: true)
            return nil
        case .pausing(_, isShort: true), .stopped:
            return nil
        case .pausing(_, isShort: false):
            state = .looking(signCame: false)
            return .look
        }
    }

    mutating func pauseDidEnd(_ number: Int) -> Action? {
        guard case .pausing(number: number, _) = state else { return nil }
        state = .looking(signCame: false)
        return .look
    }

    mutating func didLook(_ finding: Finding) -> Action? {
        guard case .looking(let signCame) = state else { return nil }
        if signCame { looksLeft = Self.looksAfterSign }
        pauses += 1
        guard looksLeft > 0 else {
            state = .pausing(number: pauses, isShort: false)
            return .pause(Self.heartbeat, number: pauses)
        }
        let step = Self.looksAfterSign - looksLeft
        looksLeft -= 1
        state = .pausing(number: pauses, isShort: step == 0)
        return .pause(Self.shortestPause * (1 << step), number: pauses)
    }

    mutating func stop() {
        state = .stopped
    }
}
