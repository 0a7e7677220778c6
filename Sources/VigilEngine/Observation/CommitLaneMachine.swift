import VigilRegions

/// Which observers read which commit, where each commit is to be read by itself.
///
/// Reading happens later, in order. Until then it is not known what an observer reads next, and so which commits
/// concern it: it gets a turn for each of them, and what it has read by then decides whether the turn is taken.
///
/// A value without thread or lock. The driver beside it, ``CommitLane``, takes snapshots and reads.
struct CommitLaneMachine<Observer: Hashable & Sendable> {
    /// One observer's right to read one commit.
    struct Turn: Sendable {
        let observer: Observer
        let commit: CommitNumber
        /// What the index of observed regions said at the commit.
        let isHit: Bool
        /// The region that the observer had then.
        fileprivate let generation: Int
    }

    private struct State {
        var pending = 0
        /// Counts the regions that the observer has had.
        var generation = 0
        /// The index knows the region at commits after this one.
        var knownAfter = CommitNumber.zero
    }

    /// Those whose region may not be what the index knows.
    private var unsettled: [Observer: State] = [:]
    /// The last commit for which turns were given.
    private var last = CommitNumber.zero

    var hasUnsettled: Bool { !unsettled.isEmpty }

    /// A commit: the turns to be taken, in order.
    mutating func turns(at commit: CommitNumber, hits: [Observer]) -> [Turn] {
        last = commit
        let known = Set(hits)
        let others = unsettled.keys.filter { !known.contains($0) }
        return hits.map { turn($0, at: commit, isHit: true) }
            + others.map { turn($0, at: commit, isHit: false) }
    }

    /// An observer begins, or goes on after a pause.
    mutating func turn(_ observer: Observer, at commit: CommitNumber, isHit: Bool = true) -> Turn {
        unsettled[observer, default: State()].pending += 1
        return Turn(
            observer: observer, commit: commit, isHit: isHit,
            generation: unsettled[observer]?.generation ?? 0)
    }

    /// Whether to take a turn.
    ///
    /// - Parameter isConcerned: whether the commit touched what the observer has read last.
    func takes(_ turn: Turn, isConcerned: () -> Bool) -> Bool {
        guard let state = unsettled[turn.observer] else { return false }
        let indexKnew = state.generation == turn.generation && turn.commit > state.knownAfter
        return indexKnew ? turn.isHit : isConcerned()
    }

    /// A turn was taken, or not.
    ///
    /// - Parameter registration: if the observer has read something else than before: the last commit at which the index
    ///   did not know that.
    mutating func didEnd(_ turn: Turn, registration: CommitNumber? = nil) {
        guard var state = unsettled[turn.observer] else { return }
        state.pending -= 1
        if let registration {
            state.generation += 1
            state.knownAfter = registration
        }
        // A commit that the index did not match with the region may be about to ask for turns.
        let isSettled = state.pending == 0 && state.knownAfter <= last
        unsettled[turn.observer] = isSettled ? nil : state
    }

    /// The observer has ended.
    mutating func remove(_ observer: Observer) {
        unsettled[observer] = nil
    }
}
