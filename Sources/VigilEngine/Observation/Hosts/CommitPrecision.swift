import Synchronization
import VigilStorage

/// Whether the changes of commits are known, or else the reason. Each change of this state is logged.
final class CommitPrecision: Sendable {
    /// The origin of the commits.
    enum Origin: String {
        /// The backend's feed.
        case feed = "each commit"
        /// Another connection or process, found by ``ForeignChangeWatcher``.
        case elsewhere = "each commit by another connection"
    }

    private let origin: Origin
    private let log: ObservationLog?
    private let monitor: (any ObservationMonitor)?
    private let current = Mutex(CommitFeedState.starting)

    init(of origin: Origin, log: ObservationLog?, _ monitor: (any ObservationMonitor)?) {
        self.origin = origin
        self.log = log
        self.monitor = monitor
    }

    var state: CommitFeedState { current.withLock { $0 } }

    /// Why each commit counts as a change of the whole database; `nil` if the changes are known, or before
    /// the first check for commits of other connections.
    var coarseReason: String? {
        switch state {
        case .starting: origin == .feed ? "the feed of commits is being connected" : nil
        case .coarse(let reason): reason
        case .precise: nil
        }
    }

    func didChange(to state: CommitFeedState) {
        let isNew = current.withLock { current in
            defer { current = state }
            return current != state
        }
        guard isNew else { return }
        log?.precisionDidChange(to: state, of: origin.rawValue)
        monitor?.precisionDidChange(coarseReason: coarseReason)
    }

    /// Handles that the changes of a commit could not be read, although they usually are.
    func didMissCommit(because reason: String) {
        log?.write("a commit counts as a change of the whole database: \(reason)")
    }
}
