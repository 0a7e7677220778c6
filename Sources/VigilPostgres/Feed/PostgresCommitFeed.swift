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
    }

    // `@unchecked Sendable`: guarded by `queue`: it is only used there.
    private final class Source: @unchecked Sendable {
        /// `nil` after the end.
        var connection: PostgresConnection?
        /// The last reported state.
        var feedState = CommitFeedState.starting

        init(_ connection: PostgresConnection) { self.connection = connection }
    }

    /// How long the feed waits for the answer of the server.
    static let answerTimeout = Duration.seconds(5)

    static let coarseState = CommitFeedState.coarse(
        reason: "the driver detects that something was committed on the server, and not what")

    private let receiver: any CommitFeedReceiver
    private let queue = DispatchQueue(label: "vigil.postgres.feed")
    private let source: Source
    private let state: Mutex<State>

    /// Connects to a server, and starts to report its commits.
    ///
    /// - Throws: ``StorageError/Code/cannotOpen`` if the server cannot be reached.
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
        _ connection: PostgresConnection, machine: TokenPollMachine, receiver: any CommitFeedReceiver
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
        queue.async { [source] in source.connection = nil }
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
        guard !isCancelled, let connection = source.connection else { return }
        var isCommit = true
        let action: TokenPollMachine.Action
        do throws(StorageError) {
            let token = try connection.commitToken()
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
        guard source.feedState != feedState, !isCancelled else { return }
        source.feedState = feedState
        receiver.stateDidChange(feedState)
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
