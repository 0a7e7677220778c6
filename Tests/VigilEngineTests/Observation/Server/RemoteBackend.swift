import Dispatch
import Synchronization
import VigilTestSupport

@testable import Vigil
@testable import VigilStorage

/// A backend that behaves as a server does, although its database is a file: a feed reports each commit as a
/// change of the whole database, and connections are lost.
final class RemoteBackend: CommitFeeding {
    fileprivate struct State {
        /// How often the statements that contain a text fail.
        var losses: [(text: String, count: Int, error: StorageError)] = []
        var feeds: [RemoteFeed] = []
        /// How often a commit fails because of a conflict.
        var conflicts = 0
    }

    private let base: any StorageBackend
    fileprivate let state = Mutex(State())

    init(_ base: any StorageBackend) { self.base = base }

    var name: String { "remote" }

    /// Loses the connection of each of the next statements whose SQL contains `text`.
    func loseConnection(ofStatementsWith text: String, count: Int) {
        fail(
            statementsWith: text, count: count,
            with: StorageError(.connectionLost, "the connection to the server was lost"))
    }

    /// Makes each of the next statements fail whose SQL contains `text`.
    func fail(statementsWith text: String, count: Int, with error: StorageError) {
        state.withLock { $0.losses.append((text, count, error)) }
    }

    /// The number of own commits of which feeds were notified.
    var ownCommitCount: Int {
        state.withLock { $0.feeds }.reduce(0) { $0 + $1.ownCommits.load(ordering: .relaxed) }
    }

    /// Makes the next commits fail, because they cannot be serialized.
    func failCommits(_ count: Int) {
        state.withLock { $0.conflicts = count }
    }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        RemoteConnection(try base.open(location, options: options), self)
    }

    func commitFeed(
        of location: StorageLocation, options: StorageOptions, to receiver: any CommitFeedReceiver
    ) throws(StorageError) -> (any StorageCommitFeed)? {
        let feed = RemoteFeed(receiver)
        state.withLock { $0.feeds.append(feed) }
        return feed
    }

    fileprivate func didCommit() {
        for feed in state.withLock({ $0.feeds }) { feed.report() }
    }
}

private final class RemoteFeed: StorageCommitFeed {
    private let receiver: Mutex<(any CommitFeedReceiver)?>
    private let queue = DispatchQueue(label: "remote.feed")
    let ownCommits = Atomic(0)

    init(_ receiver: any CommitFeedReceiver) {
        self.receiver = Mutex(receiver)
        queue.async { receiver.stateDidChange(.coarse(reason: "remote")) }
    }

    func cancel() { receiver.withLock { $0 = nil } }

    func didCommitHere() { ownCommits.add(1, ordering: .relaxed) }

    func report() {
        queue.async { [self] in
            let receiver = receiver.withLock { $0 }
            receiver?.didChange(.database)
            receiver?.didCommit()
        }
    }
}

private final class RemoteConnection: ForwardingConnection, ResultDigesting {
    private let backend: RemoteBackend
    private var sink: RemoteSink?
    private var changesBefore = 0
    var digest: ResultHasher?
    var hasResults = false

    init(_ base: any StorageConnection, _ backend: RemoteBackend) {
        self.backend = backend
        super.init(base)
    }

    override var capabilities: StorageCapabilities {
        var capabilities = base.capabilities
        capabilities.reportsRowImages = false
        capabilities.reportsOwnChanges = false
        capabilities.hasForeignChangeToken = false
        capabilities.readsEachCommit = false
        capabilities.excludesWriters = false
        return capabilities
    }

    /// Fails if the connection is lost now, or the statement fails: an open transaction is rolled back.
    func check(_ sql: String) throws(StorageError) {
        let error = backend.state.withLock { state -> StorageError? in
            guard let index = state.losses.firstIndex(where: { $0.count > 0 && sql.contains($0.text) }) else {
                return nil
            }
            state.losses[index].count -= 1
            return state.losses[index].error
        }
        guard let error else { return }
        if base.isInTransaction, error.code == .connectionLost { try? base.perform(.rollback) }
        throw error
    }

    override func beginSnapshot() throws(StorageError) {
        try check("beginSnapshot")
        try base.beginSnapshot()
    }

    override func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        var preparation = try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
        preparation.statement = preparation.statement.map { RemoteStatement($0, self) }
        return preparation
    }

    override func perform(_ command: TransactionCommand) throws(StorageError) {
        if case .commit = command {
            try check("COMMIT")
            let isConflict = backend.state.withLock { state in
                state.conflicts -= 1
                return state.conflicts >= 0
            }
            if isConflict {
                var error = StorageError(.busy, "could not serialize access")
                error.sqlState = "40001"
                throw error
            }
        } else {
            try check("\(command)")
        }
        let changes = base.totalChangesCount
        try base.perform(command)
        if case .commit = command, changes != changesBefore {
            changesBefore = changes
            backend.didCommit()
        }
    }

    override func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        self.sink = sink.map { RemoteSink($0) }
        base.report(to: self.sink, interest: interest)
    }

    func beginResultDigest() {
        digest = ResultHasher()
        hasResults = false
    }

    func endResultDigest() -> ResultDigest? {
        defer { digest = nil }
        return hasResults ? digest.map { ResultDigest($0) } : nil
    }
}

/// Fails before the statement runs, and adds its rows to the summary.
private final class RemoteStatement: ForwardingStatement {
    private weak var connection: RemoteConnection?
    private var isRunning = false

    init(_ base: any StorageStatement, _ connection: RemoteConnection) {
        self.connection = connection
        super.init(base)
    }

    override func step() throws(StorageError) -> Bool {
        if !isRunning { try connection?.check(sql) }
        isRunning = try base.step()
        if isRunning, connection?.digest != nil {
            connection?.hasResults = true
            for index in 0..<row.count {
                var text = "\(row[index].value)"
                text.withUTF8 { connection?.digest?.combine(UnsafeRawBufferPointer($0)) }
            }
        }
        return isRunning
    }

    override func reset() {
        isRunning = false
        base.reset()
    }
}

private final class RemoteSink: ChangeSink {
    private weak var target: (any ChangeSink)?

    init(_ target: any ChangeSink) { self.target = target }

    func didChange(_ event: ChangeEvent) { target?.didChange(.database) }
    func willCommit() -> Bool { target?.willCommit() ?? true }
    func didRollback() { target?.didRollback() }
}
