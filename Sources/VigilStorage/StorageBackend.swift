/// Something that can open databases: a library, a server, a simulation.
///
/// A backend is a description, not a connection: it is cheap to copy and holds no open file. Every
/// connection that it opens is used by one thread at a time, which is the caller's business.
///
/// Run ``BackendContract`` (in `VigilTesting`) on a backend of your own before you rely on it.
public protocol StorageBackend: Sendable {
    /// A short name for messages and logs, such as `SQLite 3.40.1`.
    var name: String { get }

    /// Opens a connection.
    ///
    /// - Throws: ``StorageError`` if the database cannot be opened, is no database, or is encrypted
    ///   with another key than the backend's.
    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection

    /// Watches for signs that somebody else changed the database at `location`.
    ///
    /// A sign is a hint, not a fact: the receiver then compares
    /// ``StorageConnection/foreignChangeToken()``. `onSign` may be called from any thread, often
    /// for the process's own writes too, and must return quickly. The change that a sign announces may become
    /// visible some time *after* the sign.
    ///
    /// - Returns: `nil` if nothing outside the process can change such a database (one in memory).
    /// - Throws: ``StorageError`` if the watch cannot be set up; the caller may then look at the
    ///   token at intervals.
    func watchForeignChanges(
        of location: StorageLocation, onSign: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)?
}

/// A running watch. It ends when it is cancelled or released.
public protocol StorageWatch: AnyObject, Sendable {
    /// Ends the watch. No sign *begins* to be reported after this returns.
    func cancel()
}

/// Where a database lives.
public enum StorageLocation: Sendable, Hashable {
    /// A database of the process's own that vanishes with its last connection. Connections that
    /// name the same `name` share it; with `nil` each has its own.
    case memory(name: String?)
    /// A database in a file.
    case file(path: String)
}

/// How a connection is opened.
public struct StorageOptions: Sendable {
    /// What the connection may do to the file.
    public enum Access: Sendable {
        /// Read only; the database must exist.
        case readOnly
        /// Read and write; the database must exist.
        case readWrite
        /// Read and write; the database is created if it does not exist.
        case create
    }

    /// The journal that makes commits atomic, for backends that have a choice.
    public enum JournalMode: Sendable {
        /// As the database has it.
        case unchanged
        /// A write-ahead log: readers and the writer do not block each other.
        case wal
    }

    public var access: Access = .create
    public var journalMode: JournalMode = .unchanged
    public var foreignKeysEnabled = true
    /// Whether `"text"` may stand for a string where no column has that name.
    public var acceptsDoubleQuotedStringLiterals = false
    /// Asked when the database is locked by another connection, with the number of times that it
    /// was asked for this lock; `false` gives up with a busy error. It runs on the thread that waits.
    public var busyHandler: (@Sendable (_ attempts: Int) -> Bool)?
    /// Whether the file was made by somebody who means no harm. Otherwise the backend does what its library
    /// offers against files that were made to do harm.
    public var trustsFile = true
    /// Whether the program does something with the connection before the database is read for the first time. A
    /// backend may take no notice; else its connections are ``PreparedBeforeUse``.
    public var isPreparedBeforeUse = false

    public init() {}
}
