import Dispatch
import Synchronization
import VigilStorage

/// Reports the commits of all clients of a server as changes of the whole database.
///
/// Its source is a token, read on a connection of its own at the times given by ``TokenPollMachine``. A
/// commit is reported after the read of its token, so every later snapshot contains it.
///
/// A server that does not answer counts as lost: the connection is replaced, and a change is reported.
final class PostgresCommitFeed: StorageCommitFeed {
    private struct State {
        var machine: TokenPollMachine
        var isCancelled = false
        /// The last reported state.
        var feedState = CommitFeedState.starting
    }

    /// The connection of the feed. It is only used on `queue`, so nothing waits for its lock.
    private final class Source: Sendable {
        /// `nil` after the end.
        private let connection: Mutex<PostgresConnection?>

        init(_ connection: sending PostgresConnection) { self.connection = Mutex(connection) }

        func commitToken() throws(StorageError) -> Int64? {
            try connection.withLock { connection throws(StorageError) in try connection?.commitToken() }
        }

        func end() { connection.withLock { $0 = nil } }
    }

    /// How long the feed waits for the answer of the server.
    static let answerTimeout = Duration.seconds(5)

    static let coarseState = CommitFeedState.coarse(
        reason: "the driver detects that something was committed on the server, and not what")

    private let receiver: any CommitFeedReceiver
    private let queue = DispatchQueue(label: "vigil.postgres.feed")
    private let source: Source
    private let state: Mutex<State>

    /// Reports the commits of a server. Throws ``StorageError/Code/cannotOpen`` if it is unreachable.
    static func start(
        _ address: String, to receiver: any CommitFeedReceiver, answerTimeout: Duration = answerTimeout
    ) throws(StorageError) -> PostgresCommitFeed {
        var options = StorageOptions()
        options.access = .readOnly
        let connection = try PostgresConnection(address, options: options)
        connection.timeouts.answer = answerTimeout
        let token = try connection.commitToken()
        let feed = PostgresCommitFeed(
            connection, machine: TokenPollMachine(token: token), receiver: receiver)
        feed.queue.async { [weak feed] in feed?.enter(Self.coarseState) }
        feed.run(feed.state.withLock { $0.machine.begin() })
        return feed
    }

    private init(
        _ connection: sending PostgresConnection, machine: TokenPollMachine, receiver: any CommitFeedReceiver
    ) {
        source = Source(connection)
        state = Mutex(State(machine: machine))
        self.receiver = receiver
    }

    deinit { cancel() }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        // Do not wait for a running read.
        queue.async { [source] in source.end() }
    }

    func didCommitHere() {
        run(state.withLock { $0.machine.didCommitHere(at: .now) })
    }

    private func run(_ action: TokenPollMachine.Action?) {
        switch action {
        case .read: queue.async { [weak self] in self?.read() }
        case .pause(let duration, let number):
            queue.asyncAfter(deadline: .now() + .nanoseconds(duration.nanoseconds)) { [weak self] in
                guard let self, state.withLock({ $0.machine.pauseDidEnd(number) }) != nil else { return }
                read()
            }
        case nil: break
        }
    }

    // MARK: - On the queue

    private func read() {
        guard !isCancelled else { return }
        var isCommit = true
        let action: TokenPollMachine.Action
        do throws(StorageError) {
            guard let token = try source.commitToken() else { return }
            (isCommit, action) = state.withLock { $0.machine.didRead(token, at: .now) }
            enter(Self.coarseState)
        } catch {
            action = state.withLock { $0.machine.didFail(at: .now) }
            enter(.starting)
        }
        if isCommit { report() }
        run(action)
    }

    private func enter(_ feedState: CommitFeedState) {
        let isNew = state.withLock { state in
            guard state.feedState != feedState, !state.isCancelled else { return false }
            state.feedState = feedState
            return true
        }
        if isNew { receiver.stateDidChange(feedState) }
    }

    private func report() {
        guard !isCancelled else { return }
        receiver.didChange(.database)
        receiver.didCommit()
    }
}

extension Duration {
    /// The duration in nanoseconds, for pauses of at most some minutes.
    fileprivate var nanoseconds: Int {
        Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}
