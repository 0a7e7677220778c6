/// One connection to a database.
///
/// Not `Sendable`: one thread at a time, except ``interrupter``, which any thread may use.
public protocol StorageConnection: AnyObject {
    /// What this connection can do. Found at run time; it does not change while the connection is open.
    var capabilities: StorageCapabilities { get }

    /// Interrupts the connection from any thread.
    var interrupter: any StorageInterrupter { get }

    /// Compiles the first statement of `sql` that begins at or after a UTF-8 offset.
    ///
    /// - Throws: ``StorageError`` with the message of the library for SQL that does not compile.
    func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool)
        throws(StorageError) -> StoragePreparation

    /// Begins, ends or marks a transaction.
    func perform(_ command: TransactionCommand) throws(StorageError)

    /// Begins a transaction that reads the database as it is *now*, not as it will be at its first read.
    func beginSnapshot() throws(StorageError)

    /// Whether a transaction is open: begun, and neither committed nor rolled back.
    var isInTransaction: Bool { get }

    /// Makes every write fail with ``StorageError/Code/readOnly``, until it is called with `false`.
    func setReadOnly(_ isReadOnly: Bool) throws(StorageError)

    /// The key of the row that this connection inserted last, for backends whose rows have an integer key.
    var lastInsertedRowID: Int64 { get }

    /// The number of rows that the last insert, update or delete changed.
    var changesCount: Int { get }

    /// The number of rows changed since the connection was opened.
    var totalChangesCount: Int { get }

    /// Reports changes to `sink`, which is not retained, as finely as `interest` asks; `nil` ends that.
    ///
    /// Not to be called while a statement runs.
    func report(to sink: (any ChangeSink)?, interest: ChangeInterest)

    /// A number that differs from an earlier answer if another connection committed in between;
    /// `nil` if the backend cannot tell. The connection's own commits leave it as it is.
    ///
    /// Never waits for a lock: it throws ``StorageError/Code/busy`` instead.
    func foreignChangeToken() throws(StorageError) -> Int64?

    /// What the schema says about a table, view or virtual table, or `nil` if there is none of that name.
    ///
    /// - Parameter schema: where to look; `nil` looks where an unqualified name in a statement is
    ///   looked up.
    func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable?

    /// The tables of all databases that the connection has open, virtual and temporary ones too, without views and
    /// without the table of tables.
    func tables() throws(StorageError) -> [TableName]

    /// Gives back memory that is only held to be faster.
    func releaseMemory()

    /// Closes the connection. Every use of it afterwards fails with ``StorageError/Code/misuse``.
    ///
    /// - Throws: ``StorageError/Code/busy`` if a statement has not been finalized; the connection then
    ///   stays open and usable.
    func close() throws(StorageError)
}

/// Interrupts what a connection is doing.
public protocol StorageInterrupter: AnyObject, Sendable {
    /// Makes the statements that run now fail with ``StorageError/Code/interrupt`` soon. Does nothing
    /// if none runs, or after the connection was closed.
    func interrupt()
}

/// The answer of ``StorageConnection/prepare(_:fromUTF8Offset:isCached:)``.
public struct StoragePreparation {
    /// The compiled statement; `nil` if only white space and comments were left.
    public var statement: (any StorageStatement)?
    /// Where the next statement begins.
    public var endUTF8Offset: Int

    public init(statement: (any StorageStatement)?, endUTF8Offset: Int) {
        self.statement = statement
        self.endUTF8Offset = endUTF8Offset
    }
}

/// What can be done about a transaction, without words of any SQL dialect.
public enum TransactionCommand: Sendable, Hashable {
    /// Begins a transaction that takes its locks when it needs them.
    case beginDeferred
    /// Begins a transaction that takes the right to write at once.
    case beginImmediate
    /// Begins a transaction that keeps others out at once.
    case beginExclusive
    case commit
    case rollback
    case savepoint(String)
    case release(String)
    /// Undoes what was done since the savepoint, which stays open.
    case rollbackTo(String)
}
