/// Opens databases: through a library, a server or a simulation.
///
/// A backend is a description, not a connection. It is cheap to copy, holds no open file, and can be used
/// from any thread at any time. Set it as the `backend` of a `Configuration`:
///
/// ```swift
/// var configuration = Configuration()
/// configuration.backend = MyBackend()
/// let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
/// ```
///
/// <doc:WritingABackend> describes what the protocols require. Run `BackendContract`, in `VigilTesting`, on
/// your own backend before you rely on it.
public protocol StorageBackend: Sendable {
    /// A short name for messages and logs, such as `SQLite 3.40.1`.
    var name: String { get }

    /// Opens a connection.
    ///
    /// Called on any thread, and concurrently for several connections of a pool. The caller uses the returned
    /// connection from one thread at a time.
    ///
    /// - Parameters:
    ///   - location: the database. Connections opened at equal locations use the same database, except for
    ///     ``StorageLocation/memory(name:)`` without a name.
    ///   - options: how to open it.
    /// - Throws: ``StorageError/Code/cannotOpen`` if the database cannot be opened, or does not exist and is
    ///   not to be created; ``StorageError/Code/notADatabase`` if it is not a database, or is encrypted and
    ///   the backend has no key; ``StorageError/Code/wrongKey`` if the backend's key does not open it.
    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection

    /// Starts to watch for hints of changes by other connections or processes.
    ///
    /// A hint is not a fact: the receiver compares ``StorageConnection/foreignChangeToken()`` before and
    /// after. Hints may be spurious; in particular, this process's own commits may cause them. Each foreign
    /// commit must cause at least one hint, possibly a short time before the commit is visible; commits in
    /// quick succession may share one.
    ///
    /// - Parameters:
    ///   - location: the database to watch.
    ///   - onHint: called for each hint, on any thread. It may use connections, and take some milliseconds.
    ///     The backend must not call it while it holds a lock needed by a connection.
    /// - Returns: the running watch, until it is cancelled or released; `nil` if there are no hints to
    ///   watch for, such as for a database in memory.
    /// - Throws: ``StorageError`` if the watch cannot be set up. Without a watch, the caller compares tokens
    ///   at intervals.
    ///
    /// The default implementation returns `nil`.
    func watchForeignChanges(
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)?
}

extension StorageBackend {
    /// `nil`: there are no hints of foreign changes.
    public func watchForeignChanges(
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? { nil }
}

/// A running watch for foreign changes. It ends when it is cancelled or released.
public protocol StorageWatch: AnyObject, Sendable {
    /// Ends the watch. Can be called repeatedly, from any thread.
    ///
    /// After it returns, no further call of `onHint` begins; one that has already begun may still be running.
    func cancel()
}

/// The location of a database.
public enum StorageLocation: Sendable, Hashable {
    /// A database in memory. It is deleted when its last connection closes.
    ///
    /// Connections of this process with the same `name` share one database. With `nil`, each connection has
    /// its own. A backend without databases in memory throws ``StorageError/Code/cannotOpen``.
    case memory(name: String?)
    /// A database in a file.
    case file(path: String)
    /// A database on a server. A backend without servers throws ``StorageError/Code/cannotOpen``.
    case server(StorageAddress)

    /// Whether the database is on a server.
    package var isServer: Bool { if case .server = self { true } else { false } }
}

/// How a connection is opened.
///
/// A backend may ignore meaningless options, except ``access`` and ``busyHandler``.
public struct StorageOptions: Sendable {
    /// The permitted access to the database.
    public enum Access: Sendable {
        /// Read only. The database must exist.
        case readOnly
        /// Read and write. The database must exist.
        case readWrite
        /// Read and write. The database is created if it does not exist.
        case create
    }

    /// The journal for atomic commits, for backends with a choice.
    public enum JournalMode: Sendable {
        /// Keeps the journal mode of the database.
        case unchanged
        /// Uses a write-ahead log: readers and the writer do not block each other.
        case wal
    }

    /// The extent to which a writing transaction sees others, for backends with a choice.
    public enum IsolationLevel: Sendable, Hashable {
        /// Each statement sees what was committed before it began. Two reads of the same rows can have
        /// different results, and what a transaction computes from rows may be outdated when it writes:
        /// changes of others can be lost. It conflicts only in deadlocks.
        case readCommitted
        /// All statements see the state of the first one. A transaction fails if it changes a row that
        /// another one has changed since. Two transactions that read the same rows and change different ones
        /// can break a rule that each of them has checked (write skew).
        case repeatableRead
        /// Transactions have the same results as if they ran one after another; otherwise, one fails.
        case serializable
    }

    /// The permitted access to the database. Writing with ``Access-swift.enum/readOnly`` throws
    /// ``StorageError/Code/readOnly``.
    public var access: Access = .create
    /// The journal mode to set when the connection opens.
    public var journalMode: JournalMode = .unchanged
    /// Whether foreign keys are enforced.
    public var foreignKeysEnabled = true
    /// Whether `"text"` may stand for a string if no column has that name.
    package var acceptsDoubleQuotedStringLiterals = false
    /// Decides whether to keep waiting for a lock of another connection.
    ///
    /// Called on the waiting thread, repeatedly, with the number of previous calls for the same lock: 0, 1,
    /// 2 and so on. The handler itself waits before it returns. `true` tries again; `false`, or no handler,
    /// throws ``StorageError/Code/busy``. While it waits, the connection must stay interruptible, see
    /// ``StorageInterrupter/interrupt()``.
    public var busyHandler: (@Sendable (_ attempts: Int) -> Bool)?
    /// How long to wait for a lock, for backends without ``busyHandler``; `nil` for the server's own limit.
    public var busyTimeout: Duration?
    /// The isolation level of ``TransactionCommand/beginImmediate`` and
    /// ``TransactionCommand/beginExclusive``, for backends that do not exclude other writers.
    public var isolationLevel = IsolationLevel.serializable
    /// The name of the publication of a ``StorageCommitFeed``, for backends with publications.
    public var publication = "vigil"
    /// Whether observations read with roles that their connections do not show, on a server.
    package var hasOtherRoles = false
    /// Whether the database file is trusted. If not, the backend activates the defenses of its library
    /// against maliciously crafted files.
    public var trustsFile = true
    /// Whether the last connection to close keeps the log's files, for readers that cannot create them.
    package var keepsLogFiles = false
    /// Whether the caller configures the connection before the database is read for the first time, such as
    /// to set a key, and then calls ``EmbeddedConnection/finishOpening()``. Other backends ignore the option.
    package var isPreparedBeforeUse = false
    /// Whether the database can be read before that preparation: it needs no key.
    package var isReadableBeforePreparation = false
    /// The open file of another connection, if the database must be in the same file.
    ///
    /// The connection reads nothing from another file at the same path: opening it throws
    /// ``StorageError/Code/fileMoved``. Backends without an ``EmbeddedConnection`` ignore the option.
    package var requiredFile: (any StorageFile)?
    /// The feed of the pool that opens the connection, for reads of observations and for kept statements.
    package var commitFeed: (any StorageCommitFeed)?

    /// Creates the default options: the database is created if it does not exist.
    public init() {}
}
