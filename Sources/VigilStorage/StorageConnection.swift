/// A connection to a database.
///
/// A connection is not `Sendable`. The caller uses it, its statements and its rows from one thread at a time,
/// though not always from the same one. ``interrupter`` is the exception: any thread may use it at any time.
///
/// After ``close()``, throwing functions, other than ``close()``, throw ``StorageError/Code/misuse``. The
/// others have no effect, and properties can still be read.
public protocol StorageConnection: AnyObject {
    /// The abilities of this connection. They do not change once the connection is open.
    var capabilities: StorageCapabilities { get }

    /// Interrupts statements from any thread. It may outlive the connection, and must not retain it.
    var interrupter: any StorageInterrupter { get }

    /// Compiles the first statement at or after an offset in `sql`.
    ///
    /// To run a script, the caller passes the ``StoragePreparation/endUTF8Offset`` of each call to the next
    /// one, until no statement is returned. Names are looked up in the schema as it is at the time of the
    /// call.
    ///
    /// - Parameters:
    ///   - sql: the text of one or more statements.
    ///   - offset: where to begin, in UTF-8 bytes.
    ///   - isCached: whether the caller will keep the statement and run it repeatedly: a hint for memory
    ///     allocation.
    /// - Throws: ``StorageError/Code/error`` for SQL with a NUL character or a mistake, with the offending
    ///   word in the message, and the text of the statement in ``StorageError/sql``; other errors if the
    ///   schema cannot be read.
    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool)
        throws(StorageError) -> StoragePreparation

    /// Begins or ends a transaction, or marks a point in it.
    ///
    /// Has the same effect, and the same reports to the sink, as the equivalent SQL.
    ///
    /// - Throws: ``StorageError/Code/error`` if a transaction is open where none may be, none is open where
    ///   one must be, or no savepoint has the name; ``StorageError/Code/busy`` if another connection holds
    ///   the lock and the busy handler gives up; ``StorageError/Code/constraint`` if
    ///   ``ChangeSink/willCommit()`` prevents the commit.
    func perform(_ command: TransactionCommand) throws(StorageError)

    /// Begins a transaction with a snapshot of the database at the time of the call.
    ///
    /// ``TransactionCommand/beginDeferred``, in contrast, fixes what the transaction sees with its first
    /// read. If this throws, no transaction is open.
    ///
    /// - Throws: ``StorageError/Code/busy`` if another connection prevents reading and the busy handler gives
    ///   up.
    func beginSnapshot() throws(StorageError)

    /// Whether a transaction is open: begun by a command, and neither committed nor rolled back.
    ///
    /// It is `false` while a statement outside of a transaction runs. A savepoint outside of a transaction
    /// opens one. It must be correct after errors too, since callers decide by it whether a transaction
    /// survived a failure.
    var isInTransaction: Bool { get }

    /// Makes every write throw ``StorageError/Code/readOnly`` until this is called again with `false`. Reads
    /// and deferred transactions work as before.
    func setReadOnly(_ isReadOnly: Bool) throws(StorageError)

    /// The key of this connection's last inserted row; 0 before the first insertion, or without integer keys.
    var lastInsertedRowID: Int64 { get }

    /// The number of rows changed by the last INSERT, UPDATE or DELETE. Other statements leave it as it is.
    var changesCount: Int { get }

    /// The number of rows changed since the connection was opened.
    var totalChangesCount: Int { get }

    /// Sets the receiver of this connection's changes, and the only reports to make. `nil` ends all reports.
    ///
    /// The sink replaces the previous one, and must not be retained. Statements compiled earlier report to it
    /// too. Changes by other connections are not reported; see ``foreignChangeToken()``. Called only while no
    /// statement runs, possibly inside a transaction.
    func report(to sink: (any ChangeSink)?, interest: ChangeInterest)

    /// Returns a number that differs from its previous value if another connection has committed in between.
    ///
    /// The connection's own commits, and rollbacks of other connections, do not change the number. Inside a
    /// transaction, it belongs to the transaction's snapshot.
    ///
    /// - Returns: the number; `nil` if the backend cannot detect foreign commits, see
    ///   ``StorageCapabilities/hasForeignChangeToken``.
    /// - Throws: ``StorageError/Code/busy`` if it would have to wait for a lock. The busy handler is not
    ///   called.
    func foreignChangeToken() throws(StorageError) -> Int64?

    /// Returns the current metadata of a table, view or virtual table; `nil` if none has the name.
    ///
    /// The name may be in any case. Without a schema, it is looked up like an unqualified name in SQL.
    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable?

    /// Returns each table of the open databases, virtual and temporary ones too, but no view or schema table.
    func tables() throws(StorageError) -> [TableName]

    /// The maximum number of parameters of a statement.
    var maximumParameterCount: Int { get }

    /// Releases memory that only improves performance, such as caches.
    func releaseMemory()

    /// Closes the connection. Rolls back an open transaction, and releases all locks. May be called again.
    ///
    /// - Throws: ``StorageError/Code/busy`` if a statement is not finalized. The connection then stays open
    ///   and usable.
    func close() throws(StorageError)
}

extension StorageConnection {
    /// `Int.max`: the number of parameters is not limited.
    public var maximumParameterCount: Int { .max }

    /// Does nothing: the connection has no caches.
    public func releaseMemory() {}
}

/// Interrupts the running statements of a connection, from any thread.
public protocol StorageInterrupter: AnyObject, Sendable {
    /// Makes the running statements and commands throw ``StorageError/Code/interrupt`` soon.
    ///
    /// A statement that has returned a row and has not ended is running; its next step throws. One that waits
    /// in the busy handler throws when the handler returns, and writes nothing. Statements that begin after
    /// all running ones have ended are not affected. Does nothing if none runs, or after the connection was
    /// closed.
    ///
    /// The caller may hold locks. An implementation returns quickly, and calls neither user code nor the
    /// connection's statements.
    func interrupt()
}

/// The result of ``StorageConnection/prepare(_:fromUTF8Offset:isCached:)``.
public struct StoragePreparation {
    /// The compiled statement; `nil` if only white space and comments were left.
    public var statement: (any StorageStatement)?
    /// The offset of the text after the statement, in UTF-8 bytes.
    public var endUTF8Offset: Int

    /// Creates the result of a compilation.
    public init(statement: (any StorageStatement)?, endUTF8Offset: Int) {
        self.statement = statement
        self.endUTF8Offset = endUTF8Offset
    }
}

/// A command to begin or end a transaction, or mark a point in it, independent of a SQL dialect.
public enum TransactionCommand: Sendable, Hashable {
    /// Begins a transaction. Its first read or write acquires its locks, and fixes its view of the database.
    case beginDeferred
    /// Begins a transaction, and acquires the write lock. Only one connection at a time can hold it.
    case beginImmediate
    /// Begins a transaction, and excludes other writers, and readers too if they cannot read concurrently.
    case beginExclusive
    /// Commits the transaction.
    case commit
    /// Rolls the transaction back.
    case rollback
    /// Opens a savepoint. Outside of a transaction, it begins one, until the savepoint is released.
    ///
    /// Any text is a valid name. Savepoints can be nested, also under the same name; the innermost is used.
    case savepoint(String)
    /// Closes a savepoint and those inside of it, and keeps their changes.
    case release(String)
    /// Reverts the changes since a savepoint, and keeps it open.
    case rollbackTo(String)

    /// The effect of the command if it succeeds.
    package var effect: TransactionEffect {
        switch self {
        case .beginDeferred, .beginImmediate, .beginExclusive: .begin
        case .commit: .commit
        case .rollback: .rollback
        case .savepoint(let name): .savepoint(name)
        case .release(let name): .release(name)
        case .rollbackTo(let name): .rollbackTo(name)
        }
    }
}
