import VigilRegions
package import VigilStorage

/// A connection to a database, leased to an access.
///
/// ```swift
/// try dbQueue.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Ann"])
///     let id = db.lastInsertedRowID
/// }
/// ```
///
/// It is valid only inside the closure of the access, and it is not `Sendable`. Using it after the access or
/// on another thread traps.
public final class Database: CustomStringConvertible {
    /// The configuration of the connection.
    public let configuration: Configuration

    /// The label of the connection, such as `Vigil.DatabaseQueue`.
    public let description: String

    /// The connection. Reading the property outside of an access traps.
    @inline(__always)  // bench: write-baseline
    package var connection: any StorageConnection {
        checkConfinement()
        return uncheckedConnection
    }

    /// The connection, for callers that have checked the confinement.
    let uncheckedConnection: any StorageConnection
    /// The optional protocols of the connection, for callers inside an access.
    let roles: ConnectionRoles
    /// The names of the backend's schema tables and internal tables.
    package let schemaNaming: SchemaNaming
    /// The words of generated SQL.
    package let dialect: SQLDialect
    /// The thread of the current access.
    let accessThread = AccessThread()
    let statementFinalizer = StatementFinalizer()
    /// Collects and matches the changes by this connection; `nil` on read-only connections.
    let coordinator: CommitCoordinator?
    /// Notifies the writer when a read-only connection has changed the results of its own queries.
    let connectionDidChange: (@Sendable (ConnectionChange) -> Void)?
    /// Whether the connection is ready for accesses.
    private var isSetUp = false
    /// Whether the changes or commits by this connection are observed. Set by ``coordinator``.
    var reportsStatements = false
    /// The running recordings of regions. The innermost one is the last.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var recordings: [RegionRecording] = []
    var recordingCount = 0
    /// The running blocks and statements, and the open transaction.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var activity = ConnectionActivity<Statement>()
    /// The numbers of the last statement that has written, if observers of its commit may have written since.
    var observedWrite: WriteCounts?
    /// The names defined by a request, while its SQL is generated.
    package var requestScope: AnyObject?
    /// The cancellation of the task of the current access; `nil` if the access is not made by a task.
    var cancellation: AccessCancellation?
    /// The circumstances of the running fetch of an observation; `nil` outside of fetches.
    var fetchContext: FetchContext?
    let suspension: Suspension
    /// The journal mode last read while the connection was suspended, such as `wal`. It determines the locks
    /// of a read.
    public var journalModeCache: String?
    /// The compiled statements of the program and of the library, for further runs.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var statementCaches = StatementCaches()
    @exclusivity(unchecked)  // bench: unrelated-writes
    var schema: ConnectionSchema
    var functionCalls = FunctionCalls()
    /// An error for the next statement to throw.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var deferredError: DatabaseError?
    private(set) var isClosed = false
    /// Called before the content of the database is replaced.
    var willReplaceContent: (() -> Void)?
    /// The detection of commits by other connections, if it is enabled.
    var foreignChanges = ForeignChangeDetection()
    /// The number of closures and types of the app that have generated SQL on this connection. The next SQL
    /// of such a request may differ.
    package var appSQLCount = 0
    /// Whether writing transactions can conflict with others.
    let hasOtherWriters: Bool

    /// A reference for objects that must not retain the connection.
    let reference = UnretainedDatabase()

    init(
        connection: any StorageConnection, configuration: Configuration, label: String,
        coordinator: CommitCoordinator?,
        connectionDidChange: (@Sendable (ConnectionChange) -> Void)? = nil
    ) {
        uncheckedConnection = connection
        roles = ConnectionRoles(connection)
        schemaNaming = roles.dialect?.schemaNaming ?? .sqlite
        dialect = roles.dialect?.dialect ?? .sqlite
        hasOtherWriters = !connection.capabilities.excludesWriters
        self.configuration = configuration
        suspension = Suspension(hasFaults: configuration.statementFault != nil)
        self.coordinator = coordinator
        self.connectionDidChange = connectionDidChange
        schema = ConnectionSchema(source: configuration.schemaSource)
        description = label
        reference.database = self
        coordinator?.attach(to: reference)
    }

    deinit {
        reference.database = nil
    }

    /// Prepares a new connection: installs Vigil's functions, and runs the closures of
    /// ``Configuration/prepareDatabase(_:)``.
    func setUp() throws {
        try installStandardFunctions()
        try runSetups()
        if let embedded { try storage { () throws(StorageError) in try embedded.finishOpening() } }
        // No statement is kept before: the closures may change the meaning of texts in ways that Vigil does
        // not notice, and a file without its cipher settings cannot be read to check the schema.
        statementCaches.kept = StatementCache(maximumCount: configuration.maximumKeptStatementCount)
        isSetUp = true
    }

    /// Reports that a read-only connection has attached or detached a database. Attachments during its setup
    /// are not reported, because all connections make them.
    func didChangeDatabases() {
        if isSetUp { connectionDidChange?(.databases) }
    }

    // MARK: - State

    /// A Boolean value that indicates whether a transaction is open.
    public var isInsideTransaction: Bool { connection.isInTransaction }

    /// The row id of the last row inserted by this connection.
    public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }

    /// The number of rows changed by the last INSERT, UPDATE or DELETE.
    public var changesCount: Int { connection.changesCount }

    /// The number of rows changed by this connection since it was opened.
    public var totalChangesCount: Int { connection.totalChangesCount }

    /// The numbers of a statement that has written.
    package struct WriteCounts {
        package let insertedRowID: Int64
        package let changes: Int
        package let totalChanges: Int
    }

    /// The numbers of the last statement that has written, as of its end: without the writes of observers of
    /// its commit, which the connection includes.
    package var lastWrite: WriteCounts { observedWrite ?? writeCounts }

    /// The present numbers of the connection.
    var writeCounts: WriteCounts {
        let connection = uncheckedConnection
        return WriteCounts(
            insertedRowID: connection.lastInsertedRowID, changes: connection.changesCount,
            totalChanges: connection.totalChangesCount)
    }

    // MARK: - Closing

    /// Closes the connection. If a statement is alive, throws `SQLITE_BUSY`, and remains usable.
    func close() throws {
        guard !isClosed else { return }
        removeCachedStatements()
        do {
            try connection.close()
        } catch {
            logUnfinishedStatements(error)
            throw DatabaseError(error)
        }
        isClosed = true
    }

    /// Releases cached statements, the schema cache and other memory that the connection can rebuild.
    ///
    /// The program's own statements are not released.
    public func releaseMemory() {
        checkConfinement()
        removeCachedStatements()
        discardSchemaCache()
        connection.releaseMemory()
    }
}

extension Database: CustomDebugStringConvertible {
    /// The label of the connection, as in `<Database: Vigil.DatabaseQueue>`.
    public var debugDescription: String { "<Database: \(description)>" }
}

/// A change by a read-only connection that affects the results of its queries.
enum ConnectionChange: Sendable {
    /// The connection replaced functions or collations that conditions depend on. Without such conditions, it
    /// changed the results of queries in another way.
    case meanings(DoubtfulConditions)
    /// The connection attached or detached a database.
    case databases
}

extension DatabaseError {
    static var connectionIsClosed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "the database connection is closed")
    }
}

/// An unretained reference to a ``Database``.
///
/// A `weak` reference would make every retain and release of the database slower (measured: a one-row query
/// took 1.3 times as long). This reference is used only inside accesses of the database, and is cleared when
/// the database is released.
final class UnretainedDatabase {
    // Safe: used only inside accesses, and cleared when the database is released.
    unowned(unsafe) var database: Database?
}
