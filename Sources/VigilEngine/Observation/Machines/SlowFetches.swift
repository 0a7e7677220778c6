/// Decides when observers with slow fetches fetch beside the rounds of the others, and on how many readers.
///
/// A value without threads, locks or a clock. A part of ``FetchRoundMachine``.
struct SlowFetches<Observer> {
    /// The number of readers for slow fetches: less than half of them, so that reads and rounds do not have
    /// to wait.
    private let limit: Int
    /// The number of readers for slow fetches, including overtaken rounds: all but one.
    private let overtakingLimit: Int
    /// The observers waiting for a reader. Observers of a group share a fetch.
    private var waiting: [[Observer]] = []
    /// The number of readers requested or in use.
    private var readerCount = 0

    init(readerCount: Int) {
        overtakingLimit = readerCount - 1
        limit = min(overtakingLimit, max(1, (readerCount - 1) / 2))
    }

    /// Whether there are readers for fetches beside the rounds.
    var isPossible: Bool { overtakingLimit > 0 }

    /// Whether the next round can begin before a slow fetch ends.
    var canOvertake: Bool { readerCount < overtakingLimit }

    var isWaiting: Bool { !waiting.isEmpty }

    mutating func add(_ groups: [[Observer]]) { waiting += groups }

    /// Returns whether to request a reader for waiting observers.
    mutating func requestsReader() -> Bool {
        guard requested < waiting.count, readerCount < limit else { return false }
        requested += 1
        readerCount += 1
        return true
    }

    /// The number of open requests.
    private var requested = 0

    /// Removes and returns the observers to fetch for on a requested reader.
    mutating func next() -> [Observer] {
        requested -= 1
        return waiting.removeFirst()
    }

    /// Counts the reader of an overtaken round.
    mutating func didOvertake() { readerCount += 1 }

    /// Handles the end of a slow or overtaken round.
    mutating func didEnd() { readerCount -= 1 }
}

/// The last fetch of an observer, if slow.
struct SlowFetch: Sendable {
    /// Identifies the fetch; `nil` if it cannot be shared.
    let key: FetchKey?
}
