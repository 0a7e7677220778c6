/// Decides when a silent stream is asked for a sign of life, and when it is lost.
///
/// A connection can be half open: nothing arrives, and nothing reports an error.
struct StreamLiveness {
    typealias Instant = ContinuousClock.Instant

    enum Action: Equatable {
        case request, lose
    }

    /// How long a stream may be silent.
    static let silence = Duration.seconds(5)

    private var lastMessage: Instant
    private var hasRequested = false

    init(at now: Instant) { lastMessage = now }

    mutating func didReceive(at now: Instant) {
        lastMessage = now
        hasRequested = false
    }

    /// Returns what to do about a silence; `nil` if it is short.
    mutating func check(at now: Instant) -> Action? {
        let silence = lastMessage.duration(to: now)
        if hasRequested { return silence > Self.silence * 2 ? .lose : nil }
        guard silence > Self.silence else { return nil }
        hasRequested = true
        return .request
    }
}
