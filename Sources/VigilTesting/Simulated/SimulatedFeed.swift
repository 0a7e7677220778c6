import Dispatch
import Foundation
import Synchronization
import VigilStorage

/// How the feed of a ``SimulatedBackend`` reports commits.
///
/// ```swift
/// let backend = SimulatedBackend(feed: SimulatedFeedOptions(seed: 7, lossProbability: 0.05))
/// ```
///
/// Like the stream of a server with logical replication, the feed learns of a commit before other connections
/// can see it. The delays are random numbers of yields to other threads, repeatable with the seed.
public struct SimulatedFeedOptions: Sendable {
    /// The seed of all random decisions.
    public var seed: UInt64
    /// The greatest delay between the moment when the feed learns of a commit and the one when others can see
    /// it, and between that and the report: the number of yields. With 0, a commit is reported on the queue
    /// of the feed before the committing call returns.
    public var longestLag: Int
    /// The probability of a loss of the unreported commits, and a report of a change of the whole
    /// database instead.
    public var lossProbability: Double
    /// The probability that the feed becomes coarse at a commit, or precise if it is coarse.
    public var coarseProbability: Double
    /// Whether commits are reported as soon as the feed learns of them: a planted bug for tests to find.
    package var reportsInvisibleCommits = false

    /// Creates options.
    public init(
        seed: UInt64, longestLag: Int = 8, lossProbability: Double = 0, coarseProbability: Double = 0
    ) {
        self.seed = seed
        self.longestLag = longestLag
        self.lossProbability = lossProbability
        self.coarseProbability = coarseProbability
    }
}

/// Reports the commits of a simulated database from a queue of its own.
final class SimulatedFeed: StorageCommitFeed {
    private struct Commit: Sendable {
        let number: Int64
        let changes: [SimulatedFeedChange]
    }

    private struct State {
        /// The known and unreported commits, in order.
        var commits: [Commit] = []
        /// The last visible commit.
        var visible: Int64 = 0
        /// The last lost commit; a change of the whole database is due when it is visible.
        var lost: Int64?
        var isCoarse = false
        var isCancelled = false
        var random: SplitMix64

        mutating func chance(_ probability: Double) -> Bool {
            Double.random(in: 0..<1, using: &random) < probability
        }

        mutating func loseCommits() {
            lost = commits.last?.number
            commits = []
            isCoarse = true
        }

        /// Returns the last lost commit, if it is visible: only then may the loss be reported.
        mutating func takeLoss() -> Int64? {
            guard let lost, lost <= visible else { return nil }
            self.lost = nil
            return lost
        }

        mutating func takeCommit(_ options: SimulatedFeedOptions) -> Report {
            let commit = commits.removeFirst()
            if chance(isCoarse ? max(options.coarseProbability, 0.5) : options.coarseProbability) {
                isCoarse.toggle()
                return .wholeDatabase(isCoarse ? .coarse(reason: "simulated") : .precise)
            }
            return isCoarse ? .wholeDatabase(nil) : .commit(commit)
        }
    }

    private enum Report {
        case commit(Commit)
        case wholeDatabase(CommitFeedState?)
    }

    private let options: SimulatedFeedOptions
    private let state: Mutex<State>
    private let receiver: any CommitFeedReceiver
    private let queue = DispatchQueue(label: "Vigil.SimulatedFeed")
    private let store: SimulatedStore
    private let number: Int

    init(
        _ options: SimulatedFeedOptions, of store: SimulatedStore, number: Int,
        to receiver: any CommitFeedReceiver
    ) {
        self.options = options
        self.store = store
        self.number = number
        self.receiver = receiver
        state = Mutex(State(random: SplitMix64(seed: options.seed)))
        store.addFeed(number, self)
        queue.async { receiver.stateDidChange(.precise) }
    }

    deinit { cancel() }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        store.removeFeed(number)
    }

    // MARK: - On the thread of the commit

    /// Learns of a commit before other connections can see it. Returns after a random delay.
    func didDecode(_ number: Int64, _ changes: [SimulatedFeedChange]) {
        let lag = state.withLock { state in
            state.commits.append(Commit(number: number, changes: changes))
            return Int.random(in: 0...options.longestLag, using: &state.random)
        }
        let readsBefore = store.readCount
        wake()
        for _ in 0..<lag { sched_yield() }
        guard options.reportsInvisibleCommits else { return }
        // Let the fetch of the report begin.
        let end = DispatchTime.now() + .milliseconds(20)
        while store.readCount == readsBefore, DispatchTime.now() < end { sched_yield() }
    }

    /// Other connections can see a commit, and all commits before it.
    func becameVisible(_ number: Int64) {
        state.withLock { $0.visible = max($0.visible, number) }
        wake()
    }

    private func wake() {
        if options.longestLag == 0 {
            queue.sync { reportAll() }
        } else {
            queue.async { [self] in reportAll() }
        }
    }

    // MARK: - On the queue of the feed

    private func reportAll() {
        while let (report, lag) = next() {
            for _ in 0..<lag { sched_yield() }
            switch report {
            case .wholeDatabase(let state):
                if let state { receiver.stateDidChange(state) }
                receiver.didChange(.database)
            case .commit(let commit):
                for change in commit.changes { change.report(to: receiver) }
            }
            receiver.didCommit()
        }
    }

    private func next() -> (Report, lag: Int)? {
        state.withLock { state in
            guard !state.isCancelled else { return nil }
            let lag = Int.random(in: 0...options.longestLag, using: &state.random)
            if state.lost == nil, let first = state.commits.first {
                guard first.number <= state.visible || options.reportsInvisibleCommits else { return nil }
                if state.chance(options.lossProbability) { state.loseCommits() }
            }
            guard state.lost == nil else {
                return state.takeLoss().map { _ in
                    (.wholeDatabase(.coarse(reason: "the feed was interrupted")), lag)
                }
            }
            guard !state.commits.isEmpty else { return nil }
            return (state.takeCommit(options), lag)
        }
    }
}
