import VigilRegions

/// Decides which observers fetch which commit, for observers of every commit in their region.
///
/// Fetches run later than the commits, in order. Until an observer's queued fetches have run, its next region
/// is unknown, and so are the commits in it. It therefore gets a turn for each commit. In the turn, the
/// region read last decides whether the observer fetches.
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

    /// The progress of an observer's turns and regions.
    private struct Progress {
        /// The number of turns before their end.
        var pending = 0
        /// The number of changes of the observer's region.
        var generation = 0
        /// The index matches the current region with commits after this one.
        var knownAfter = CommitNumber.zero
    }

    /// The observers with a region possibly unknown to the index.
    private var observers: [Observer: Progress] = [:]
    /// The last commit with queued turns.
    private var last = CommitNumber.zero

    /// Whether the index may not know the region of an observer.
    var hasPendingRegions: Bool { !observers.isEmpty }

    /// Returns the turns for a commit, in order.
    ///
    /// - Parameter matches: The observers matched by the index.
    mutating func turns(at commit: CommitNumber, matches: [Observer]) -> [Turn] {
        last = commit
        let known = Set(matches)
        let others = observers.keys.filter { !known.contains($0) }
        return matches.map { turn($0, at: commit, isMatched: true) }
            + others.map { turn($0, at: commit, isMatched: false) }
    }

    /// Returns a turn for an observer at its start, or after a pause.
    mutating func turn(_ observer: Observer, at commit: CommitNumber, isMatched: Bool = true) -> Turn {
        observers[observer, default: Progress()].pending += 1
        return Turn(
            observer: observer, commit: commit, isMatched: isMatched,
            generation: observers[observer]?.generation ?? 0)
    }

    /// Returns whether the observer fetches in this turn.
    ///
    /// - Parameter isRegionModified: Returns whether the commit modified the observer's last region.
    func shouldFetch(_ turn: Turn, isRegionModified: () -> Bool) -> Bool {
        guard let progress = observers[turn.observer] else { return false }
        let indexKnew = progress.generation == turn.generation && turn.commit > progress.knownAfter
        return indexKnew ? turn.isMatched : isRegionModified()
    }

    /// Handles the registration of another region, during a turn.
    ///
    /// - Parameter commit: the last commit not matched with it by the index.
    mutating func didRegister(_ observer: Observer, after commit: CommitNumber) {
        observers[observer]?.generation += 1
        observers[observer]?.knownAfter = commit
    }

    /// Handles the end of a turn, whether the observer fetched or not.
    mutating func didEnd(_ turn: Turn) {
        guard var progress = observers[turn.observer] else { return }
        progress.pending -= 1
        // The fetcher may be about to receive a commit not matched with the new region, and to request its
        // turns.
        let isDone = progress.pending == 0 && progress.knownAfter <= last
        observers[turn.observer] = isDone ? nil : progress
    }

    /// Removes an observer after its end.
    mutating func remove(_ observer: Observer) {
        observers[observer] = nil
    }
}
