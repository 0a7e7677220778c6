import VigilRegions
package import VigilStorage

/// A connection to a database, as an access lends it.
///
/// Valid inside the closure that receives it, and only there; not `Sendable`.
public final class Database: CustomStringConvertible {
    public let configuration: Configuration

    /// The connection's label, such as `Vigil.DatabaseQueue`.
    public let description: String

    /// The connection. Traps outside of its accesses.
    @inline(__always)  // bench: write-baseline
    package var connection: any StorageConnection {
        checkConfinement()
        return uncheckedConnection
    }

    /// The connection, for callers that have checked that they are inside an access.
    let uncheckedConnection: any StorageConnection
    /// The thread whose access holds the connection.
    let accessThread = AccessThread()
    let releasedStatements = ReleasedStatements()
    /// Gathers and matches what this connection writes; `nil` on connections that only read.
    let changes: ChangeHub?
    /// Tells the connection that gathers changes what this one, which only reads, has changed for its own queries.
    private(set) var connectionDidChange: (@Sendable (ConnectionChange) -> Void)?
    /// Whether the connection is ready for accesses.
    private var isSetUp = false
    /// Whether somebody wants to hear of what this connection writes, be it only that it commits. Set by ``changes``.
    var isHeard = false
    /// The regions that are being recorded, the innermost last.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var recordings: [RegionRecording] = []
    /// How many `readOnly` blocks are open.
    var readOnlyDepth = 0
    /// The cancellation of the task that makes the current access, if it is a task.
    var cancellation: AccessCancellation?
    /// What observations that are read together have fetched so far.
    var sharedFetches: SharedFetches?
    /// Whether the access reads for observations only: whatever runs may be interrupted on their behalf.
    var isReadByRound = false
    let suspension = Suspension()
    /// The journal mode, such as `wal`, when a suspended connection last had to know it: it decides which locks reading takes.
    public var journalModeCache: String?
    /// The number of running closures whose statements belong to a transaction that was begun for them.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var transactionBlocks = 0
    /// How many runs of statements that may write were begun and have not ended.
    var writingStatementCount = 0
    /// The writing statement that is being stepped; the innermost, if one runs in the middle of another.
    var steppedStatement: Statement?
    /// The statement that observers were last told of.
    var announcedStatement: ObjectIdentifier?
    @exclusivity(unchecked)  // bench: unrelated-writes
    var statements = StatementCache()
    var schema = SchemaCache()
    var schemaCheck = SchemaCheck()
    /// What tells about the schema what the database cannot know: ``Configuration/schemaSource``, unless
    /// ``withSchemaSource(_:execute:)`` sets another.
    public internal(set) var schemaSource: (any DatabaseSchemaSource)?
    /// The transaction, while one is open.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var openTransaction: OpenTransaction?
    /// Whether a statement that may write was run since the transaction began.
    var hasRunWrites = false
    var functionCalls = FunctionCalls()
    /// To be thrown by the next statement.
    @exclusivity(unchecked)  // bench: unrelated-writes
    var deferredError: DatabaseError?
    private(set) var isClosed = false
    /// To be called before anything is read that is observed from then on: foreign commits are looked for.
    var observationWillBegin: ((Database) throws -> Void)?
    /// The file of the database, where foreign changes are observed.
    var observedFile: (any StorageFile)?
    /// The answer of the last look for foreign commits.
    var foreignChangeToken: Int64?

    /// For what must not keep the connection alive.
    let reference = DatabaseReference()

    init(
        connection: any StorageConnection, configuration: Configuration, label: String, changes: ChangeHub?,
        connectionDidChange: (@Sendable (ConnectionChange) -> Void)? = nil
    ) {
        uncheckedConnection = connection
        self.configuration = configuration
        self.changes = changes
        self.connectionDidChange = connectionDidChange
        schemaSource = configuration.schemaSource
        description = label
        reference.database = self
        changes?.attach(to: reference)
    }

    deinit {
        reference.database = nil
    }

    /// Does what ``Configuration/prepareDatabase(_:)`` asked for.
    func setUp() throws {
        try installStandardFunctions()
        for setup in configuration.setups { try setup(self) }
        if let connection = connection as? any PreparedBeforeUse {
            try storage { () throws(StorageError) in try connection.finishOpening() }
        }
        isSetUp = true
    }

    /// Reports databases that a connection attached or detached which only reads. What it does when it is set up is the
    /// same for all of them.
    func didChangeDatabases() {
        if isSetUp { connectionDidChange?(.databases) }
    }

    // MARK: - State

    /// Whether a transaction is open.
    public var isInsideTransaction: Bool { connection.isInTransaction }

    /// The row id of the row that this connection inserted last.
    public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }

    /// The number of rows changed by the last statement that changed any.
    public var changesCount: Int { connection.changesCount }

    /// The number of rows changed since the connection was opened.
    public var totalChangesCount: Int { connection.totalChangesCount }

    // MARK: - Closing

    /// - Throws: `SQLITE_BUSY` if a statement is still alive; the connection then stays usable.
    func close() throws {
        guard !isClosed else { return }
        statements.removeAll()
        do {
            try connection.close()
        } catch {
            logUnfinishedStatements(error)
            throw DatabaseError(error)
        }
        isClosed = true
    }

    func releaseMemory() {
        statements.removeAll()
        schema = SchemaCache()
        connection.releaseMemory()
    }
}

/// What a connection that only reads can change, so that queries of the same text return something else.
enum ConnectionChange: Sendable {
    /// It replaced a function behind `LIKE` or `GLOB`.
    case patterns
    /// It attached or detached a database.
    case databases
}

extension DatabaseError {
    static var connectionIsClosed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "the database connection is closed")
    }
}
