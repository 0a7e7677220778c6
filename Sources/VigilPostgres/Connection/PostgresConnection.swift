import CVigilPostgres
package import VigilStorage

/// A connection to a PostgreSQL server, through libpq.
///
/// Must be used by one thread at a time, apart from ``interrupter``.
package final class PostgresConnection: StorageConnection {
    package private(set) var capabilities: StorageCapabilities
    package var interrupter: any StorageInterrupter { canceller }
    let api: UnsafePointer<vigil_postgres_api>
    let canceller: PostgresInterrupter
    let options: StorageOptions
    let secrets: ConnectionSecrets
    private let connectionString: String
    /// The connection of libpq; `nil` once this one is closed.
    private(set) var handle: OpaquePointer?
    var machine = ConnectionMachine()
    /// Whether the last attempt to reconnect has failed.
    private(set) var isUnreachable = false
    /// The properties of the session, as reported by the server.
    var session: PostgresSession
    var savepoints = SavepointStack()
    var reports = ChangeReports()
    var token = ChangeTokenSource()
    /// Whether writes are refused, see ``setReadOnly(_:)``.
    var isReadOnly = false
    /// Whether the open transaction was begun by ``beginSnapshot()``. It survives statements that fail.
    var isSnapshot = false
    /// Whether the open transaction was begun by ``beginSnapshot()``, and no statement has run in it.
    var isUnusedSnapshot = false
    /// Whether the server refuses writes outside of transactions that are begun explicitly.
    var serverIsReadOnly = false
    /// The statement that was prepared last without a name.
    weak var unnamedStatement: PostgresStatement?
    var statementCount = 0
    var nextStatementNumber = 0
    /// The names of the driver's own prepared statements, by text.
    var queryNames: [String: String] = [:]
    /// The versions of schemas, and the state of the database in which they were read.
    var schemaVersions: (state: String, versions: [String: Int64]) = ("", [:])
    /// The names of prepared statements that are no longer used.
    var releasedNames: [String] = []
    /// Summarizes the results of the current fetch of an observation.
    var digest: ResultHasher?
    var hasDigestedResults = false
    package internal(set) var changesCount = 0
    package internal(set) var totalChangesCount = 0
    package var lastInsertedRowID: Int64 { 0 }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - connectionString: a URL or pairs of keys and values, as libpq reads them. What it leaves out is taken from
    ///     the environment and from service files.
    ///   - options: how to open the connection.
    /// - Throws: ``StorageError/Code/cannotOpen`` if the server cannot be reached or refuses the connection.
    package init(_ connectionString: String, options: StorageOptions = StorageOptions()) throws(StorageError)
    {
        let library = try PostgresLibrary.linked()
        api = library.api
        self.connectionString = connectionString
        self.options = options
        secrets = ConnectionSecrets(in: connectionString)
        canceller = PostgresInterrupter(api: api)
        let (handle, session) = try Self.connect(connectionString, options, secrets, library)
        self.handle = handle
        self.session = session
        serverIsReadOnly = options.access == .readOnly
        capabilities = StorageCapabilities(libraryVersion: session.version)
        capabilities.allowsConcurrentReaders = true
        capabilities.hasForeignChangeToken = true
        capabilities.reportsOwnChanges = false
        capabilities.excludesWriters = false
        capabilities.survivesStatementErrors = false
        capabilities.readsEachCommit = false
        canceller.setTarget(handle)
    }

    deinit {
        canceller.setTarget(nil)
        if let handle { api.pointee.finish(handle) }
    }

    private static func connect(
        _ string: String, _ options: StorageOptions, _ secrets: ConnectionSecrets, _ library: PostgresLibrary
    ) throws(StorageError) -> (OpaquePointer, PostgresSession) {
        let api = library.api
        try string.checkForNullCharacter(in: "the address of the server", code: .cannotOpen)
        guard let handle = PostgresSession.connect(string, api: api) else {
            throw StorageError(.outOfMemory, "out of memory")
        }
        var error = StorageError(.cannotOpen, Self.message(of: handle, api, secrets))
        if api.pointee.status(handle) == PostgresConnectionStatus.ok {
            _ = api.pointee.setNoticeProcessor(handle, { _, _ in }, nil)
            do throws(StorageError) {
                return (handle, try PostgresSession(settingUp: handle, api: api, options: options))
            } catch let setUpError {
                error = setUpError
            }
        }
        api.pointee.finish(handle)
        throw error
    }

    /// Returns libpq's message on a connection, without passwords.
    private static func message(
        of handle: OpaquePointer, _ api: UnsafePointer<vigil_postgres_api>, _ secrets: ConnectionSecrets
    ) -> String {
        let message = api.pointee.errorMessage(handle).map { String(cString: $0) } ?? ""
        return secrets.removed(from: message.trimmedLines)
    }

    /// Replaces the lost connection to the server.
    ///
    /// - Throws: ``StorageError/Code/connectionLost`` if that is not possible. The next command tries again.
    func reconnect() throws(StorageError) {
        guard let lost = handle else { throw Self.closedError }
        let library = try PostgresLibrary.linked()
        let (handle, session): (OpaquePointer, PostgresSession)
        do throws(StorageError) {
            (handle, session) = try Self.connect(connectionString, options, secrets, library)
            isUnreachable = false
        } catch {
            isUnreachable = true
            throw StorageError(.connectionLost, "the connection to the server was lost: \(error.message)")
        }
        canceller.setTarget(nil)
        api.pointee.finish(lost)
        self.handle = handle
        self.session = session
        canceller.setTarget(handle)
        serverIsReadOnly = options.access == .readOnly
        unnamedStatement = nil
        queryNames = [:]
        schemaVersions = ("", [:])
        releasedNames = []
        savepoints = SavepointStack()
        token.didReconnect()
        machine.didReconnect()
    }

    static let closedError = StorageError(.misuse, "the database connection is closed")

    /// The message of libpq on the connection, without passwords.
    var lastMessage: String { handle.map { Self.message(of: $0, api, secrets) } ?? "" }

    package func close() throws(StorageError) {
        guard let handle else { return }
        guard statementCount == 0 else {
            throw StorageError(.busy, "unable to close: \(statementCount) statements are not finalized")
        }
        canceller.setTarget(nil)
        reports.didEndTransaction(committed: false)
        machine.close()
        api.pointee.finish(handle)
        self.handle = nil
        reports = ChangeReports()
    }

    package func releaseMemory() {}

    package func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        reports.set(sink, interest)
    }

    package func setReadOnly(_ isReadOnly: Bool) throws(StorageError) {
        guard handle != nil else { throw Self.closedError }
        self.isReadOnly = isReadOnly
    }
}

extension String {
    /// The text on one line, without white space at its ends.
    var trimmedLines: String {
        split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0.isWhitespace } }.joined(
            separator: "; ")
    }
}
