public import Dispatch
import Foundation
public import Logging
public import VigilStorage

/// The options of a database.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.busyMode = .timeout(5)
/// configuration.prepareDatabase { db in
///     try db.execute(sql: "PRAGMA cache_size = -8000")
/// }
/// let dbPool = try DatabasePool(path: path, configuration: configuration)
/// ```
///
/// A configuration is a value: changing it after the database was opened has no effect on the database.
public struct Configuration: Sendable {
    /// The backend of the database. `nil` selects the default of the build: SQLite where it is enabled.
    public var backend: (any StorageBackend)?

    /// The name of the database in connection descriptions, queue labels and messages.
    public var label: String?

    /// Whether the database is opened for reading only. A read-only database must already exist.
    public var readonly = false

    /// The reaction to a lock held by another connection.
    ///
    /// By default, a statement that needs the lock fails immediately. If ``foreignChanges`` is `.observed`,
    /// it waits for up to five seconds, because other connections are expected to write. The readers of a
    /// ``DatabasePool`` wait for up to ten seconds, because the write-ahead log is locked while it is
    /// recovered. Its writer waits for up to 0.1 seconds, because a reader that begins during a commit can
    /// lock the log for a moment. A transaction does not wait after it has read, as always in SQLite. A mode
    /// that you set, including `.immediateError`, applies to all of them.
    ///
    /// On a server, a statement waits for a lock as long as the server permits (`lock_timeout`). A timeout
    /// that you set becomes the limit of all sessions of the pool, including those for observations.
    public var busyMode: Database.BusyMode {
        // Readers of a write-ahead log wait for locks only while the log is recovered or removed.
        get { busyMode(waitingAtLeast: isForReaders ? 10 : 0) }
        set { chosenBusyMode = newValue }
    }

    /// `nil` until ``busyMode`` is set.
    private var chosenBusyMode: Database.BusyMode?

    /// Returns the chosen mode, or by default one with a timeout in seconds.
    func busyMode(waitingAtLeast seconds: TimeInterval) -> Database.BusyMode {
        if let chosenBusyMode { return chosenBusyMode }
        let timeout = max(seconds, foreignChanges == .observed ? 5 : 0)
        return timeout > 0 ? .timeout(timeout) : .immediateError
    }

    /// Whether this is the configuration of a pool's readers and snapshots.
    var isForReaders = false

    /// Whether foreign key constraints are enforced.
    public var foreignKeysEnabled = true

    /// Whether text in double quotes may be a string literal, as SQLite accepts it for compatibility.
    public var acceptsDoubleQuotedStringLiterals = false

    /// Whether an access may end while a transaction is open. If `false`, that traps.
    public var allowsUnsafeTransactions = false

    /// Whether error descriptions may contain the bound values of statements.
    public var publicStatementArguments = false

    /// The maximum number of open readers of a ``DatabasePool``.
    ///
    /// Most observations fetch on one of them at a time, and generally leave the last one to reads while
    /// reads run. Slow fetches use others, less than half of them, and observations with `coalescing(.never)`
    /// may use several.
    public var maximumReaderCount = 5

    /// The maximum number of compiled statements that each connection keeps, to run the same SQL text again.
    ///
    /// All methods for SQL texts, requests and records use the kept statements. With 0, each execution
    /// compiles its text. If you generate many different texts, with values in them instead of arguments, the
    /// least recently used statements are released.
    ///
    /// The texts of the kept statements have at most 256 KiB in total, and a text longer than 16 KiB is not
    /// kept. All statements are released by `releaseMemory()`, when the schema changes, when a function or
    /// collation is added or removed, and after any statement other than a query, an insertion, an update, a
    /// deletion or a transaction command, such as `PRAGMA` and `ATTACH`. Arguments of more than 4 KiB are
    /// released at the end of the access.
    ///
    /// Your own ``Statement`` objects are not among them. ``Database/cachedStatement(sql:)`` has a cache of
    /// its own.
    public var maximumKeptStatementCount = 100

    /// The number of times that `write` runs its closure again after a conflict with another transaction of
    /// the server: it could not be serialized (`40001`), or was chosen to end a deadlock (`40P01`). The same
    /// applies if a kept statement is outdated, because another session has changed the columns of its table
    /// (`0A000`).
    ///
    /// By default, it is `nil`: the closures of the asynchronous `write` and of `asyncWrite` run again up to
    /// three times, because a `@Sendable` closure cannot change variables of its caller. The closures of the
    /// synchronous `write` run once, and a conflict throws `SQLITE_BUSY`.
    ///
    /// A number that you set applies to all of them. The closures begin again with the state of the database,
    /// but with the state of your program as the failed attempt has left it, so they must not have effects
    /// outside of the database. The last error is thrown after that many repetitions, and with 0 after the
    /// first attempt.
    ///
    /// Other methods, such as `writeWithoutTransaction` and `inTransaction`, are never repeated, and neither
    /// are the transactions of SQLite, because it excludes other writers.
    public var maximumWriteRetryCount: Int?

    /// The isolation level of transactions that write to a server: the extent to which they see others.
    ///
    /// ```swift
    /// configuration.isolationLevel = .readCommitted
    /// ```
    ///
    /// The default excludes all anomalies, and conflicts with transactions that write what it reads. SQLite
    /// ignores the option: its transactions are always serializable, because there is one writer at a time.
    public var isolationLevel = IsolationLevel.serializable

    /// The name of the publication whose tables are observed by row, on a PostgreSQL server. The page of the
    /// module `VigilPostgres` describes what it contains.
    ///
    /// ```swift
    /// configuration.publication = "shop"
    /// ```
    ///
    /// The name is spelled as in the catalog, without quotes. Pools with different publications do not
    /// disturb each other. Without a publication of this name, each commit is a change of the whole database.
    /// Files ignore the option.
    public var publication = "vigil"
    package var hasOtherRoles = false

    /// The target of the dispatch queues for accesses.
    ///
    /// Set a concurrent queue for a ``DatabasePool``: with a serial queue, its accesses cannot run at the
    /// same time, and can wait for each other forever.
    public var targetQueue: DispatchQueue?

    /// The target of the writer's dispatch queue; ``targetQueue`` if it is `nil`, or in a read-only database.
    public var writeTargetQueue: DispatchQueue?

    /// The quality of service of database accesses, if there is no target queue.
    public var qos: DispatchQoS = .userInitiated

    /// The quality of service of reads: ``targetQueue`` determines it, or else ``qos``.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The quality of service of writes: ``writeTargetQueue`` determines it, or else ``readQoS``.
    public var writeQoS: DispatchQoS { writeTargetQueue?.qos ?? readQoS }

    /// Whether a ``DatabasePool`` keeps its readers open when it releases memory.
    ///
    /// By default, ``DatabasePool/releaseMemory()`` closes idle readers, and reads open new ones. Otherwise,
    /// the readers release their memory, and reads need not open new ones.
    public var persistentReadOnlyConnections = false

    /// Whether ``Database/suspendNotification`` suspends the database, and ``Database/resumeNotification``
    /// resumes it.
    public var observesSuspensionNotifications = false

    /// Whether commits by other connections and processes are detected, also in attached files.
    public var foreignChanges = ForeignChanges.ignored

    /// Whether value observations ignore updates that leave a row unchanged.
    ///
    /// Detecting such an update requires row images, and some libraries do not provide them. Without them, an
    /// update changes all assigned columns.
    ///
    /// If `false`, changes match as the statements declare them: an update of an observed column matches even
    /// if the value stays the same, and an observation of the rows that meet a condition is notified of
    /// changes to any row of the table.
    public var ignoresNoOpUpdates = true

    /// The number of updates of an observed list after which it is compared with all rows of its request; 0
    /// for never.
    ///
    /// For debugging: the comparison takes as long as fetching all rows. A list that differs is replaced, and
    /// counted in ``ListStatistics/mismatchCount``. See `ValueObservation.trackingList(_:)`.
    public var listVerificationInterval = 0

    /// Whether the results of expensive statements are kept in memory, and updated row by row, while
    /// observations fetch them: aggregates, groups, and some rows of many.
    ///
    /// The values are the same. ``ObservationStatus/results`` reports the updates, and the reasons for other
    /// fetches.
    public var keepsLiveResults = true

    /// The memory for the results of a database that are kept up to date row by row, roughly, in bytes. A
    /// result that does not fit is fetched as a whole.
    ///
    /// By default, it is a 64th of the machine's memory, but at least 64 MB and at most 256 MB. A dashboard
    /// of five queries about 1,000,000 rows needs 131 MB, so it fits if the machine has more than 8 GB. In a
    /// container, the memory of the machine counts: set a smaller value if the container has much less.
    public var liveResultMemory = liveResultMemory(ofMachine: ProcessInfo.processInfo.physicalMemory)

    /// Returns the default of ``liveResultMemory`` on a machine with a number of bytes.
    package static func liveResultMemory(ofMachine byteCount: UInt64) -> Int {
        Int(min(256 << 20, max(64 << 20, byteCount / 64)))
    }

    /// The cost from which a result is kept, in steps of the library's virtual machine (about 50 µs).
    package var leastLiveCost = 2_000

    /// The rows of aggregates are kept from this number of pages on. They cost as much.
    package var leastLivePageCount = 200

    /// The least such cost of each row that is kept. Cheaper rows are fetched as fast as they are copied from
    /// memory.
    var leastLiveRowCost: Int { leastLiveCost / 20 }

    /// The journal mode in which the database is opened.
    public var journalMode = JournalModeConfiguration.default

    /// Whether the files of the write-ahead log are kept when the last connection to the database is closed.
    ///
    /// By default, SQLite deletes them. A process that opens the database read-only, in a directory where it
    /// cannot create files, can then no longer read it. To prevent that, set this option in all writing
    /// processes, for example in an app with extensions that read its database in a shared container.
    ///
    /// ```swift
    /// configuration.persistsWriteAheadLog = true
    /// ```
    ///
    /// It has no effect on databases without a write-ahead log.
    public var persistsWriteAheadLog = false

    /// The logger that receives what observations do, and why. If it is `nil`, nothing is logged.
    ///
    /// Failures are logged at the level `error`, and most other events at `debug`. Two are a `warning`: the
    /// first fetch of more than 100 ms by an observation of a ``DatabaseQueue``, because each write takes as
    /// long, and the first repetition of a fetch after a temporary error. Changes of
    /// ``ObservationStatus/coarseReason`` are logged at `notice`, or at `info` if the reason has ended.
    /// Except for row ids, bound and fetched values are never logged.
    public var logger: Logger?

    /// The receiver of what observations do, for metrics. If it is `nil`, nothing is measured for it.
    public var observationMonitor: (any ObservationMonitor)?

    /// Returns the error of a statement that fails because a test wants it, by its SQL.
    package var statementFault: (@Sendable (String) -> DatabaseError?)?

    /// A source of schema information that the database itself lacks, such as the primary keys of views.
    /// Migrations do not use it.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// The clock for ``Database/transactionDate``.
    public var transactionClock: any TransactionClock = .default

    /// Whether the database file is trusted. See ``untrusted``.
    public var trustsFile = true

    var setups: [@Sendable (Database) throws -> Void] = []

    /// The journal mode in which a database is opened.
    public enum JournalModeConfiguration: Sendable {
        /// A write-ahead log for a ``DatabasePool``; otherwise the current mode of the database.
        case `default`
        /// A write-ahead log.
        case wal
    }

    /// The extent to which a transaction that writes sees others.
    public typealias IsolationLevel = StorageOptions.IsolationLevel

    /// Whether commits by connections other than the database's own writer are detected.
    public enum ForeignChanges: Sendable, Hashable {
        /// They are not detected. Call `Database.notifyChanges(in:)` to report them.
        case ignored
        /// They are detected, and so are their changed rows, if the file has a write-ahead log and is not
        /// encrypted. A commit with unknown rows counts as a change of the whole database, see
        /// ``ObservationStatus/coarseReason``.
        case observed
    }

    /// Creates a configuration with the default options.
    public init() {}

    /// Registers a closure that prepares each new connection, before any access uses it.
    ///
    /// Closures run in the order of their registration. If one throws, opening the connection fails with its
    /// error.
    ///
    /// A closure can choose the format of a new file, such as with `PRAGMA auto_vacuum`: the write-ahead log
    /// is activated after it, unless the backend has a key.
    ///
    /// On a server, they run again in each session that replaces a lost one, as part of the access that needs
    /// it. If one of them throws, the access fails. The closures are retained until the connection is closed.
    public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
        setups.append(setup)
    }

    func using(_ backend: any StorageBackend) -> Configuration {
        var configuration = self
        configuration.backend = backend
        return configuration
    }

    func storageOptions(readOnly: Bool) -> StorageOptions {
        var options = StorageOptions()
        options.access = readOnly ? .readOnly : .create
        options.foreignKeysEnabled = foreignKeysEnabled
        options.acceptsDoubleQuotedStringLiterals = acceptsDoubleQuotedStringLiterals
        options.busyHandler = busyMode.handler
        // The defaults are for the locks of files. They are held for a short time.
        options.busyTimeout = chosenBusyMode?.timeout
        options.isolationLevel = isolationLevel
        options.publication = publication
        options.hasOtherRoles = hasOtherRoles
        if journalMode == .wal { options.journalMode = .wal }
        options.trustsFile = trustsFile
        options.keepsLogFiles = persistsWriteAheadLog
        options.isPreparedBeforeUse = !setups.isEmpty
        return options
    }

    func makeQueue(label: String, target: DispatchQueue?) -> DispatchQueue {
        guard let target else { return DispatchQueue(label: label, qos: qos) }
        return DispatchQueue(label: label, target: target)
    }
}
