import VigilRegions

/// Decides which observers fetch which commit, for observers that fetch every commit that modifies their
/// region.
///
/// Fetches run later than the commits, in order. Until an observer's queued fetches have run, its next region
/// is unknown, and so are the commits that modify it. It therefore gets a turn for each commit. When the turn
/// comes, the region that the observer has read by then decides whether it fetches.
///
/// A value without threads or locks. Its driver, ``PerCommitFetcher``, begins snapshots and fetches.
struct PerCommitFetchMachine<Observer: Hashable & Sendable> {
    /// One observer's place in the queue to fetch one commit.
    struct Turn: Sendable {
        let observer: Observer
        let commit: CommitNumber
        /// Whether the region index matched the commit with the observer.
        let isMatched: Bool
        /// The generation of the observer's region at the commit.
        fileprivate let generation: Int
    }

    /// What decides whether the index knew an observer's region at a commit.
    private struct Progress {
        /// The number of turns that have not ended.
        var pending = 0
        /// The number of times that the observer's region has changed.
        var generation = 0
        /// The index matches the current region with commits after this one.
        var knownAfter = CommitNumber.zero
    }

    /// The observers whose current region may differ from the region in the index.
    private var observers: [Observer: Progress] = [:]
    /// The last commit for which turns were queued.
    private var last = CommitNumber.zero

    /// Whether there are observers whose region in the index may be outdated.
    var hasPendingRegions: Bool { !observers.isEmpty }

    /// Returns the turns for a commit, in order.
    ///
    /// - Parameter matches: The observers that the index matched with the commit.
    mutating func turns(at commit: CommitNumber, matches: [Observer]) -> [Turn] {
        last = commit
        let known = Set(matches)
        let others = observers.keys.filter { !known.contains($0) }
        return matches.map { turn($0, at: commit, isMatched: true) }
            + others.map { turn($0, at: commit, isMatched: false) }
    }

    /// Returns a turn for an observer that starts, or that resumes after a pause.
    mutating func turn(_ observer: Observer, at commit: CommitNumber, isMatched: Bool = true) -> Turn {
        observers[observer, default: Progress()].pending += 1
        return Turn(
            observer: observer, commit: commit, isMatched: isMatched,
            generation: observers[observer]?.generation ?? 0)
    }

    /// Returns whether the observer fetches in this turn.
    ///
    /// - Parameter isRegionModified: Returns whether the commit modified the region that the observer read
    ///   last.
    func shouldFetch(_ turn: Turn, isRegionModified: () -> Bool) -> Bool {
        guard let progress = observers[turn.observer] else { return false }
        let indexKnew = progress.generation == turn.generation && turn.commit > progress.knownAfter
        return indexKnew ? turn.isMatched : isRegionModified()
    }

    /// Handles the registration of another region, during a turn.
    ///
    /// - Parameter commit: the last commit that the index did not match with it.
    mutating func didRegister(_ observer: Observer, after commit: CommitNumber) {
        observers[observer]?.generation += 1
        observers[observer]?.knownAfter = commit
    }

    /// Handles the end of a turn, whether the observer fetched or not.
    mutating func didEnd(_ turn: Turn) {
        guard var progress = observers[turn.observer] else { return }
        progress.pending -= 1
        // The fetcher may be about to receive a commit that was not matched with the new region, and to
        // request its turns.
        let isDone = progress.pending == 0 && progress.knownAfter <= last
        observers[turn.observer] = isDone ? nil : progress
    }

    /// Removes an observer that has ended.
    mutating func remove(_ observer: Observer) {
        observers[observer] = nil
    }
}
