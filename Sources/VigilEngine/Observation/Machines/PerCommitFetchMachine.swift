import VigilRegions

/// Decides which observers fetch which commit, for observers of every commit in their region.
///
/// Fetches run later than the commits, in order. Until an observer's queued fetches have run, its next region
/// is unknown, and so are the commits in it. A fetch is therefore queued for each commit. When it is due, the
/// region read last decides whether the observer fetches.
///
/// A value without threads or locks. Its driver, ``PerCommitFetcher``, begins snapshots and fetches.
struct PerCommitFetchMachine<Observer: Hashable & Sendable> {
    /// One observer's place in the queue to fetch one commit.
    struct QueuedFetch: Sendable {
        let observer: Observer
        let commit: CommitNumber
        /// Whether the region index matched the commit with the observer.
        let isMatched: Bool
        /// The generation of the observer's region at the commit.
        fileprivate let generation: Int
    }

    /// The progress of an observer's fetches and regions.
    private struct Progress {
        var pending = 0
        /// The number of changes of the observer's region.
        var generation = 0
        /// The index matches the current region with commits after this one; with all if it is `nil`.
        var knownAfter: CommitNumber?

        /// Returns whether the index has matched the current region with a commit.
        func isKnown(at commit: CommitNumber) -> Bool { knownAfter.map { commit > $0 } ?? true }
    }

    /// The observers with a region possibly unknown to the index.
    private var observers: [Observer: Progress] = [:]
    /// The last commit with queued fetches.
    private var last = CommitNumber.zero

    /// Whether the index may not know the region of an observer.
    var hasPendingRegions: Bool { !observers.isEmpty }

    /// Queues the fetches of a commit, in order. `matches` are the observers matched by the index.
    mutating func queue(matches: [Observer], at commit: CommitNumber) -> [QueuedFetch] {
        last = commit
        let known = Set(matches)
        let others = observers.keys.filter { !known.contains($0) }
        return matches.map { queue($0, at: commit, isMatched: true) }
            + others.map { queue($0, at: commit, isMatched: false) }
    }

    /// Queues a fetch of an observer at its start, or after a pause.
    mutating func queue(
        _ observer: Observer, at commit: CommitNumber, isMatched: Bool = true
    ) -> QueuedFetch {
        observers[observer, default: Progress()].pending += 1
        return QueuedFetch(
            observer: observer, commit: commit, isMatched: isMatched,
            generation: observers[observer]?.generation ?? 0)
    }

    /// Returns whether a queued fetch is necessary.
    ///
    /// - Parameter isRegionModified: Returns whether the commit modified the observer's last region.
    func shouldFetch(_ queued: QueuedFetch, isRegionModified: () -> Bool) -> Bool {
        guard let progress = observers[queued.observer] else { return false }
        let indexKnew = progress.generation == queued.generation && progress.isKnown(at: queued.commit)
        return indexKnew ? queued.isMatched : isRegionModified()
    }

    /// Handles the registration of another region, during a fetch.
    ///
    /// - Parameter commit: the last commit not matched with it by the index.
    mutating func didRegister(_ observer: Observer, after commit: CommitNumber) {
        observers[observer]?.generation += 1
        observers[observer]?.knownAfter = commit
    }

    /// Handles the end of a queued fetch, necessary or not.
    mutating func didEnd(_ queued: QueuedFetch) {
        guard var progress = observers[queued.observer] else { return }
        progress.pending -= 1
        // The fetcher may be about to receive a commit not matched with the new region, and to queue its
        // fetches.
        let isDone = progress.pending == 0 && (progress.knownAfter ?? .zero) <= last
        observers[queued.observer] = isDone ? nil : progress
    }

    mutating func remove(_ observer: Observer) {
        observers[observer] = nil
    }
}
