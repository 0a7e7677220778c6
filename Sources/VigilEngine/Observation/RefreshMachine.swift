/// When to read for stale observers, and for which: all of them at once, from one snapshot, one round at a time.
///
/// A value without thread or lock. The driver beside it, ``ObservationScheduler``, borrows readers and reads.
struct RefreshMachine<Observer: Hashable> {
    private enum Phase {
        case idle
        /// A reader was asked for, or is being used.
        case busy
    }

    private var phase = Phase.idle
    private(set) var stale: [Observer] = []
    /// The same, to find them.
    private var members: Set<Observer> = []

    /// Answers whether to borrow a reader.
    mutating func becameStale(_ observers: [Observer]) -> Bool {
        guard !observers.isEmpty else { return false }
        stale += observers.filter { members.insert($0).inserted }
        return begin()
    }

    /// The reader is there: those to read for, all that are stale by now.
    mutating func beginRound() -> [Observer] {
        defer {
            stale = []
            members = []
        }
        return stale
    }

    /// Answers whether to borrow a reader again.
    mutating func endRound() -> Bool {
        phase = .idle
        return begin()
    }

    private mutating func begin() -> Bool {
        guard phase == .idle, !stale.isEmpty else { return false }
        phase = .busy
        return true
    }
}
