/// Decides when stale observers fetch: all of them together, from one snapshot, one round at a time.
///
/// A value without threads or locks. Its driver, ``PoolObservationHost``, leases readers and fetches.
struct FetchRoundMachine<Observer: Hashable> {
    private enum Phase {
        case idle
        /// A reader is requested or in use.
        case busy
    }

    private var phase = Phase.idle
    /// The stale observers, in the order in which they became stale.
    private(set) var stale: [Observer] = []
    /// The elements of `stale`, for lookups.
    private var members: Set<Observer> = []

    /// Adds stale observers, and returns whether to lease a reader.
    mutating func becameStale(_ observers: [Observer]) -> Bool {
        guard !observers.isEmpty else { return false }
        stale += observers.filter { members.insert($0).inserted }
        return begin()
    }

    /// Begins a round on the leased reader, and returns all stale observers.
    mutating func beginRound() -> [Observer] {
        defer {
            stale = []
            members = []
        }
        return stale
    }

    /// Ends the round, and returns whether to lease a reader for another one.
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
