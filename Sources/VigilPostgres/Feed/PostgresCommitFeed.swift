import Dispatch
import Foundation
import Synchronization
import VigilStorage

/// Reports the commits of all clients of a server: of published tables by row, and all others as changes
/// without a known table. Without a publication, each is a change of the whole database.
///
/// It has two sessions of its own: one to look which commits are visible, and the stream. ``FeedMachine``
/// decides, and this driver reads, waits and reports, on one queue.
///
/// A server that does not answer counts as lost: the connection is replaced, and a change is reported.
final class PostgresCommitFeed: TableReporting {
    private struct State {
        var machine: FeedMachine
        var alarms = PauseAlarms<DispatchTime>()
        var isCancelled = false
        /// The last reported state.
        var feedState = CommitFeedState.starting
        /// Whether ``feedState`` was reported.
        var hasEntered = false
        var stream: ReplicationStream?
    }

    /// The connection of the feed. It is only used on `queue`, so nothing waits for its lock.
    private final class Source: Sendable {
        /// `nil` after the end.
        private let connection: Mutex<PostgresConnection?>

        init(_ connection: sending PostgresConnection) { self.connection = Mutex(connection) }

        /// Calls `body` with the connection; returns `nil` after the end.
        func read<Result: Sendable>(
            _ body: (PostgresConnection) throws(StorageError) -> Result
        ) throws(StorageError) -> Result? {
            try connection.withLock { connection throws(StorageError) in
                guard let connection else { return nil }
                return try body(connection)
            }
        }

        func end() { connection.withLock { $0 = nil } }
    }

    /// How long the feed waits for the answer of the server.
    static let answerTimeout = Duration.seconds(5)

    let reportedTables = ReportedTables()
    let analyst: QueryAnalyst
    /// Mirrors of it show no password.
    private let address: StorageAddress
    private let publication: String
    private let receiver: any CommitFeedReceiver
    private let queue = DispatchQueue(label: "vigil.postgres.feed")
    private let source: Source
    private let state: Mutex<State>

    /// Reports the commits of a server. Throws ``StorageError/Code/cannotOpen`` if it is unreachable.
    static func start(
        _ address: String, publication: String = StorageOptions().publication, hasOtherRoles: Bool = false,
        to receiver: any CommitFeedReceiver, answerTimeout: Duration = answerTimeout
    ) throws(StorageError) -> PostgresCommitFeed {
        var options = StorageOptions()
        options.access = .readOnly
        let connection = try PostgresConnection(address, options: options)
        connection.timeouts.answer = answerTimeout
        let look = try connection.look()
        let feed = PostgresCommitFeed(
            connection, QueryAnalyst(address: address, hasOtherRoles: hasOtherRoles), address: address,
            publication: publication, machine: FeedMachine(look.state), receiver: receiver)
        feed.reportedTables.replaceServer(look.state.server)
        feed.analyst.whenOtherRoleIsSeen { [weak feed] in feed?.checkCatalog() }
        feed.pace(feed.state.withLock { $0.machine.begin() })
        return feed
    }

    private init(
        _ connection: sending PostgresConnection, _ analyst: QueryAnalyst, address: String,
        publication: String, machine: FeedMachine, receiver: any CommitFeedReceiver
    ) {
        self.analyst = analyst
        source = Source(connection)
        state = Mutex(State(machine: machine))
        self.address = StorageAddress(address)
        self.publication = publication
        self.receiver = receiver
    }

    deinit { cancel() }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        let stream = state.withLock { state in
            state.isCancelled = true
            return state.stream
        }
        stream?.cancel()
        // Do not wait for a running read.
        queue.async { [source, analyst] in
            source.end()
            analyst.close()
        }
    }

    func didCommitHere() {
        pace(state.withLock { $0.machine.didCommitHere(at: .now) })
    }

    private func checkCatalog() {
        pace(state.withLock { $0.machine.catalogMayHaveChanged(at: .now) })
    }

    private func pace(_ step: LookPacing.Step?) {
        switch step {
        case .look: queue.async { [weak self] in self?.look() }
        case .pause(let duration, let number):
            setAlarm(state.withLock { $0.alarms.begin(until: duration.fromNow, number: number) })
        case nil: break
        }
    }

    private func setAlarm(_ time: DispatchTime?) {
        guard let time else { return }
        queue.asyncAfter(deadline: time) { [weak self] in self?.alarmDidFire(time) }
    }

    private func alarmDidFire(_ time: DispatchTime) {
        let (ended, alarm) = state.withLock { $0.alarms.alarmDidFire(time) }
        setAlarm(alarm)
        if let ended, state.withLock({ $0.machine.pauseDidEnd(ended) }) != nil { look() }
    }

    // MARK: - The stream

    private func openStream(_ number: FeedMachine.StreamNumber, server: String) {
        let source = ReplicationStream.Source(
            address: address.connectionString, publication: publication, server: server)
        let stream = ReplicationStream(source) { [weak self] event in self?.didReceive(event, number) }
        let isCancelled = state.withLock { state in
            state.stream = stream
            return state.isCancelled
        }
        if isCancelled { stream.cancel() }
    }

    /// Handles an event, on the thread of the stream.
    private func didReceive(_ event: ReplicationStream.Event, _ number: FeedMachine.StreamNumber) {
        switch event {
        case .received(let commits, let position):
            let now = Date()
            for commit in commits { receiver.didReceiveCommit(after: commit.lag(at: now)) }
            pace(state.withLock { $0.machine.didReceive(commits, upTo: position, number, at: .now) })
        case .opened:
            queue.async { [weak self] in self?.decide { machine in machine.streamDidOpen(number) } }
        case .ended(let reason):
            queue.async { [weak self] in
                self?.decide { machine in machine.streamDidEnd(number, reason: reason, at: .now) }
            }
        }
    }

    // MARK: - On the queue

    private func look() {
        read { connection throws(StorageError) in
            try connection.look()
        } then: { machine, look in
            machine.didLook(look, at: .now)
        }
    }

    /// Reads, and runs the decisions about the answer, or about the failure to read.
    private func read<Answer: Sendable>(
        _ body: (PostgresConnection) throws(StorageError) -> Answer,
        then decision: (inout FeedMachine, Answer) -> [FeedMachine.Action]
    ) {
        guard !isCancelled else { return }
        do throws(StorageError) {
            guard let answer = try source.read(body) else { return }
            decide { machine in decision(&machine, answer) }
        } catch {
            decide { machine in machine.didFail(at: .now) }
        }
    }

    private func decide(_ decision: (inout FeedMachine) -> [FeedMachine.Action]) {
        let (actions, server) = state.withLock { (decision(&$0.machine), $0.machine.last?.server) }
        reportedTables.replaceServer(server)
        for action in actions { run(action) }
    }

    private func run(_ action: FeedMachine.Action) {
        let publication = publication
        // Another role than before changes the version, so that all observers fetch once.
        let allRoles = analyst.hasSeenOtherRoles
        switch action {
        case .pace(let step): pace(step)
        case .enter(let state): enter(state)
        case .report(let report): self.report(report)
        case .replaceTables(let tables):
            reportedTables.replace(
                tables?.reported, mainSchema: tables?.mainSchema ?? "", rowIDs: tables?.rowIDs ?? [:])
        case .readPublication:
            read { connection throws(StorageError) in
                do throws(StorageError) {
                    return try connection.publicationState(publication, includesAllRoles: allRoles)
                } catch  where error.code != .connectionLost {
                    let reason = "the publication \(publication) cannot be read: \(error.message)"
                    return PublicationState(
                        publication: .unavailable(reason: reason), catalog: "", server: "")
                }
            } then: { machine, state in
                machine.didRead(state, at: .now)
            }
        case .checkCatalog(let known):
            read { connection throws(StorageError) in
                let begin = ContinuousClock.now
                let version = try connection.catalogVersion(includesAllRoles: allRoles)
                let duration = begin.duration(to: .now)
                return (version, version == known ? nil : try connection.publication(publication), duration)
            } then: { machine, answer in
                machine.didCheckCatalog(answer.0, answer.1, taking: answer.2, at: .now)
            }
        case .openStream(let number, let server): openStream(number, server: server)
        case .closeStream: state.withLock { $0.stream.take() }?.cancel()
        case .confirm(let number):
            read { connection throws(StorageError) in
                let fence = try connection.passTransaction()
                let look = try connection.look()
                let version = try connection.catalogVersion(includesAllRoles: allRoles)
                return (fence, look, version)
            } then: { machine, answer in
                machine.didConfirm(number, fence: answer.0, answer.1, catalog: answer.2, at: .now)
            }
        }
    }

    private func enter(_ feedState: CommitFeedState) {
        let isNew = state.withLock { state in
            guard !state.hasEntered || state.feedState != feedState, !state.isCancelled else { return false }
            state.hasEntered = true
            state.feedState = feedState
            return true
        }
        if isNew { receiver.stateDidChange(feedState) }
    }

    private func report(_ report: FeedMachine.Report) {
        guard !isCancelled else { return }
        switch report {
        case .database: receiver.didChange(.database)
        case .tables(let tables, let rows):
            for table in tables { receiver.didChange(.table(table)) }
            let images = StreamedRowImages()
            for row in rows { images.report(row) { receiver.didChange(.row($0)) } }
        }
        receiver.didCommit()
    }
}

extension Duration {
    /// The end of a pause that begins now, on the clock that stops while the machine sleeps.
    fileprivate var fromNow: DispatchTime {
        let nanoseconds = components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
        return .now() + .nanoseconds(Int(nanoseconds))
    }
}
