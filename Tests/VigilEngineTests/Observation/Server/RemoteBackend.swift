import Synchronization
import VigilTestSupport

@testable import Vigil
@testable import VigilStorage

/// A backend that behaves as a server does, although its database is a file: changes are reported for the whole database,
/// the token counts all commits, and connections are lost.
final class RemoteBackend: StorageBackend {
    fileprivate struct State {
        /// How often the statements that contain a text fail.
        var losses: [(text: String, count: Int)] = []
        /// How often a commit fails because of a conflict.
        var conflicts = 0
        var isDown = false
    }

    private let base: any StorageBackend
    fileprivate let state = Mutex(State())

    init(_ base: any StorageBackend) { self.base = base }

    var name: String { "remote" }

    /// Loses the connection of each of the next statements whose SQL contains `text`.
    func loseConnection(ofStatementsWith text: String, count: Int) {
        state.withLock { $0.losses.append((text, count)) }
    }

    /// Makes the next commits fail, because they cannot be serialized.
    func failCommits(_ count: Int) {
        state.withLock { $0.conflicts = count }
    }

    /// Stops or starts the server.
    func setDown(_ isDown: Bool) {
        state.withLock { $0.isDown = isDown }
    }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        if state.withLock({ $0.isDown }) { throw StorageError(.connectionLost, "the server is down") }
        return RemoteConnection(try base.open(location, options: options), self)
    }

    func watchForeignChanges(
        of location: StorageLocation, onSign: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        try base.watchForeignChanges(of: location, onSign: onSign)
    }
}

private final class RemoteConnection: ForwardingConnection, ResultDigesting {
    private let backend: RemoteBackend
    private var sink: RemoteSink?
    /// The number of commits of this connection, which SQLite's token does not count.
    private var commitCount: Int64 = 0
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
        capabilities.readsEachCommit = false
        return capabilities
    }

    /// Fails if the connection is lost now: an open transaction is rolled back.
    func check(_ sql: String) throws(StorageError) {
        let isLost = backend.state.withLock { state in
            if state.isDown { return true }
            guard let index = state.losses.firstIndex(where: { $0.count > 0 && sql.contains($0.text) }) else {
                return false
            }
            state.losses[index].count -= 1
            return true
        }
        guard isLost else { return }
        if base.isInTransaction { try? base.perform(.rollback) }
        throw StorageError(.connectionLost, "the connection to the server was lost")
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
            commitCount += 1
        }
    }

    override func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        self.sink = sink.map { RemoteSink($0) }
        base.report(to: self.sink, interest: interest)
    }

    override func foreignChangeToken() throws(StorageError) -> Int64? {
        try check("token")
        guard let token = try base.foreignChangeToken() else { return nil }
        return token * 1_000_000 + commitCount
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
