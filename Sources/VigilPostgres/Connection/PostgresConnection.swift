import CVigilPostgres
package import VigilStorage

/// A connection to a PostgreSQL server, through libpq.
///
/// Must be used by one thread at a time, apart from ``interrupter``.
package final class PostgresConnection: ServerConnection {
    package private(set) var capabilities: StorageCapabilities
    package var interrupter: any StorageInterrupter { canceller }
    let api: UnsafePointer<vigil_postgres_api>
    let canceller = PostgresInterrupter()
    let options: StorageOptions
    /// The feed of the connection's pool; `nil` without one.
    let tableReporting: (any TableReporting)?
    let secrets: ConnectionSecrets
    private let address: StorageAddress
    /// The session of the server; `nil` once the connection is closed.
    private(set) var channel: ServerChannel?
    var machine = ConnectionMachine()
    /// Whether the last attempt to reconnect has failed.
    private(set) var isUnreachable = false
    var session: PostgresSession
    var preparation = SessionPreparation()
    /// Whether the transaction of the caller is begun again in a new session.
    var isBeginningAgain = false
    var reporter = ChangeReporter()
    /// The number of sessions before this one.
    private(set) var sessionNumber = 0
    /// Whether writes are refused, see ``setReadOnly(_:)``.
    var isReadOnly = false
    var transaction = OpenTransaction()
    /// The rows that the server is sending; `nil` after its complete answer.
    var stream: ResultStream?
    /// Whether the end of a transaction was sent, and the answer was not received.
    var isEnding = false
    var statements = PreparedStatements()
    var statementCount = 0
    /// The names of tables as the catalog spells them, by names in lower case, if their capitals differ.
    var spellings: [String: [String]] = [:]
    var digest: FetchDigest?
    var changeCounts = ChangeCounts()
    package var changesCount: Int { changeCounts.last }
    package var totalChangesCount: Int { changeCounts.total }
    package var lastInsertedRowID: Int64 { 0 }
    var timeouts = ServerTimeouts() { didSet { channel?.answerTimeout = timeouts.answer } }
    /// The number of waits for the server in ended sessions.
    private var earlierRoundTripCount = 0
    /// The number of waits for an answer of the server.
    package var roundTripCount: Int { earlierRoundTripCount + (channel?.roundTripCount ?? 0) }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - connectionString: a URL or pairs of keys and values, as libpq reads them. What it leaves out is
    ///     taken from the environment and from service files.
    ///   - options: how to open the connection.
    /// - Throws: ``StorageError/Code/cannotOpen`` if the server cannot be reached or refuses the connection.
    package init(_ connectionString: String, options: StorageOptions = StorageOptions()) throws(StorageError)
    {
        let library = try PostgresLibrary.linked()
        api = library.api
        address = StorageAddress(connectionString)
        self.options = options
        tableReporting = options.commitFeed as? any TableReporting
        secrets = ConnectionSecrets(in: connectionString)
        let (channel, session) = try Self.connect(
            to: address, options: options, secrets: secrets, library: library, canceller: canceller)
        self.channel = channel
        self.session = session
        capabilities = StorageCapabilities(libraryVersion: session.version)
        capabilities.allowsConcurrentReaders = true
        capabilities.reportsOwnChanges = false
        capabilities.excludesWriters = false
        capabilities.survivesStatementErrors = false
        capabilities.readsEachCommit = false
        canceller.setTarget(channel.handle, api)
    }

    deinit { canceller.setTarget(nil, api) }

    private static func connect(
        to address: StorageAddress, options: StorageOptions, secrets: ConnectionSecrets,
        library: PostgresLibrary, canceller: PostgresInterrupter
    ) throws(StorageError) -> (ServerChannel, PostgresSession) {
        let api = library.api
        let string = address.connectionString
        try string.checkForNullCharacter(in: "the address of the server", code: .cannotOpen)
        guard let handle = PostgresSession.connect(string, api: api) else {
            throw StorageError(.outOfMemory, "out of memory")
        }
        let channel = ServerChannel(handle, api: api, canceller: canceller)
        guard channel.isConnected else {
            throw StorageError(.cannotOpen, secrets.removed(from: channel.message.trimmedLines))
        }
        let session = try PostgresSession(settingUp: channel, api: api, options: options)
        if session.isPooled { try PostgresSession.checkPooler(of: session, string, library) }
        return (channel, session)
    }

    /// Replaces the lost connection to the server.
    ///
    /// - Throws: ``StorageError/Code/connectionLost`` if that is not possible, or the error of the
    ///   ``preparation``. The next command tries again.
    func reconnect() throws(StorageError) {
        guard let lost = channel else { throw Self.closedError }
        let library = try PostgresLibrary.linked()
        canceller.setTarget(nil, api)
        stream = nil
        isEnding = false
        let (channel, session): (ServerChannel, PostgresSession)
        do throws(StorageError) {
            (channel, session) = try Self.connect(
                to: address, options: options, secrets: secrets, library: library, canceller: canceller)
            isUnreachable = false
        } catch {
            isUnreachable = true
            throw StorageError(.connectionLost, "the connection to the server was lost: \(error.message)")
        }
        earlierRoundTripCount += lost.roundTripCount
        channel.answerTimeout = timeouts.answer
        self.channel = channel
        self.session = session
        canceller.setTarget(channel.handle, api)
        statements = PreparedStatements()
        transaction = OpenTransaction()
        sessionNumber += 1
        machine.didReconnect()
        do throws(StorageError) {
            try runPreparation()
        } catch {
            // Nothing may run in an unprepared session: the next command tries again.
            machine.didLose(during: .begin, wasInTransaction: false)
            throw error
        }
    }

    static let closedError = StorageError(.misuse, "the database connection is closed")

    /// The message of libpq on the connection, without passwords.
    var lastMessage: String { channel.map { secrets.removed(from: $0.message.trimmedLines) } ?? "" }

    package func close() throws(StorageError) {
        guard channel != nil else { return }
        guard statementCount == 0 else {
            throw StorageError(.busy, "unable to close: \(statementCount) statements are not finalized")
        }
        canceller.setTarget(nil, api)
        reporter.didEndTransaction(committed: false)
        machine.close()
        channel = nil
        preparation = SessionPreparation()
        reporter = ChangeReporter()
    }

    package func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        reporter.set(sink, interest)
    }

    package func setReadOnly(_ isReadOnly: Bool) throws(StorageError) {
        guard channel != nil else { throw Self.closedError }
        self.isReadOnly = isReadOnly
    }
}

/// The longest times to wait for the server.
struct ServerTimeouts {
    /// For any answer; `nil` for no limit. A command beyond it fails with
    /// ``StorageError/Code/connectionLost``.
    var answer: Duration?
    /// For commands that wait for no lock: the begin of a transaction, its rollback, and the end of one
    /// without writes.
    var transaction = Duration.seconds(10)
}

/// The numbers of changed rows.
struct ChangeCounts {
    private(set) var last = 0
    private(set) var total = 0

    mutating func add(_ count: Int) {
        last = count
        total += count
    }
}

extension String {
    /// The text on one line, without white space at its ends.
    var trimmedLines: String {
        split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0.isWhitespace } }.joined(
            separator: "; ")
    }
}
