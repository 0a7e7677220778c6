/// A connection to a database in a file of the program, through a library of the SQLite family.
///
/// Callers look for it once, when the connection is open. Functions of `Database` that need it throw an error
/// for other backends.
package protocol EmbeddedConnection: SchemaReading, FunctionHosting, RowImageProviding {
    // MARK: - Opening

    /// Reads the database for the first time, after the program has prepared the connection: see
    /// ``StorageOptions/isPreparedBeforeUse``. Does nothing if the connection is completely open.
    ///
    /// - Throws: the errors of ``StorageBackend/open(_:options:)``.
    func finishOpening() throws(StorageError)

    /// Returns the open file; `nil` if the database is not in a named file.
    ///
    /// - Throws: ``StorageError/Code/fileMoved`` if the file was already replaced or deleted.
    func openFile() throws(StorageError) -> (any StorageFile)?

    /// Returns the locations of the attached databases, except for databases in memory. Commits of other
    /// connections to them also change the ``StorageConnection/foreignChangeToken()``.
    func attachedLocations() throws(StorageError) -> [StorageLocation]

    /// The texts of all statements in existence, for messages about a failed close.
    var statementTexts: [String] { get }

    // MARK: - Transactions and journal

    /// Returns the statement for a transaction command, for error messages.
    func sql(of command: TransactionCommand) -> String

    /// Returns whether a statement only reads or sets the read-only mode of the connection, without a lock.
    func setsReadOnlyMode(_ sql: String) -> Bool

    /// Returns the name of the journal mode in lower case, such as `wal` or `delete`. Leaves no lock behind.
    func journalMode() throws(StorageError) -> String?

    /// Returns whether reads of an attached database block writers: of a file without a write-ahead log.
    /// Leaves no lock behind.
    func readsBlockWriters(ofAttached schema: String) throws(StorageError) -> Bool

    /// Whether a transaction or a statement reads a state of the main database not changed by later commits.
    var holdsSnapshot: Bool { get }

    /// Returns the current state of the write-ahead log of the main database, which may be newer than an open
    /// snapshot; `nil` without a log, and before the connection has read the database. Leaves no lock behind.
    func logState() -> LogState?

    /// Transfers the write-ahead log to the database file.
    ///
    /// - Parameters:
    ///   - mode: how much to transfer, and what to wait for.
    ///   - schema: the database; `nil` for all open databases.
    /// - Throws: ``StorageError/Code/busy`` or ``StorageError/Code/locked`` if readers or a writer prevent
    ///   it, except in passive mode.
    func checkpoint(_ mode: StorageCheckpointMode, in schema: String?) throws(StorageError)
        -> StorageCheckpoint

    // MARK: - Schema and foreign keys

    /// Returns the names of the storage tables of virtual tables, such as a full-text index.
    func shadowTableNames(in schema: String) throws(StorageError) -> [String]

    /// Returns how a column compares text; `nil` for columns of views, and for collations of the program.
    func collation(of column: String, in table: TableName) -> RowCondition.Collation?

    func enforcesForeignKeys() throws(StorageError) -> Bool

    /// Called outside of a transaction. Existing rows are not checked.
    func setEnforcesForeignKeys(_ enforces: Bool) throws(StorageError)

    /// Whether the open transaction violates a foreign key that its commit will check.
    var hasDeferredForeignKeyViolations: Bool { get }

    // MARK: - Maintenance

    // The caller runs the returned statements like the app's own: they are traced and observed.

    /// The statement to rebuild the database without free space. It runs outside of transactions.
    var rebuildingSQL: String { get }

    /// Returns the statement to write a compact copy of the database to a new or empty file, and the argument
    /// for its only parameter.
    func compactCopy(to path: String) -> (sql: String, argument: String)

    /// Returns the next statement to drop a table, view or trigger of the main database; `nil` if empty.
    ///
    /// The caller runs each one before it requests the next, in one transaction without foreign keys. If the
    /// statement fails, it runs the fallback: a virtual table cannot be dropped without its module or
    /// tokenizer.
    func nextErasingSQL() throws(StorageError) -> (sql: String, fallback: String?)?

    /// The statements to reset the numbers in the header of an erased database, in the same transaction.
    var headerResettingSQL: String { get }

    /// The SQL that protects the schema from writes, after a failed fallback of ``nextErasingSQL()``.
    var schemaProtectingSQL: String { get }

    /// Begins a copy of the database in place of the content of `destination`.
    ///
    /// The destination must not be used until the backup has finished.
    ///
    /// - Throws: ``StorageError/Code/misuse`` if the two connections use different libraries.
    func beginBackup(to destination: any StorageConnection) throws(StorageError) -> any StorageBackup

    // MARK: - Tracing

    /// Sets the receiver of trace events, in place of the previous one; `nil` ends the reports.
    /// The receiver is called in the middle of a statement: it must not use the connection.
    func trace(_ events: StorageTraceEvents, _ receiver: ((StorageTraceEvent) -> Void)?)

    // MARK: - Tokenizers

    /// Adds a tokenizer for full-text tables, or replaces the one of the same name for tables opened later.
    ///
    /// - Throws: ``StorageError/Code/misuse`` if the library has no full-text search with custom tokenizers.
    func add(_ factory: StorageTokenizerFactory) throws(StorageError)

    /// Returns a tokenizer of the library or of the program.
    ///
    /// - Throws: ``StorageError/Code/error`` if it does not exist or rejects the arguments,
    ///   ``StorageError/Code/misuse`` if the library has no full-text search with custom tokenizers.
    func makeTokenizer(named name: String, arguments: [String]) throws(StorageError) -> any StorageTokenizer
}

/// A statement of an ``EmbeddedConnection``.
package protocol EmbeddedStatement: StorageStatement {
    /// Binds a cell of any statement without copying it. It must stay valid until this statement has run.
    /// Unlike a value of Swift, it keeps the bytes of invalid UTF-8.
    func bind(borrowing cell: StorageCell, at index: Int) throws(StorageError)
}

/// An open database file. May be used from any thread, and after the connection was closed.
package protocol StorageFile: Sendable {
    /// The location of the file when it was opened, with an absolute path.
    var location: StorageLocation { get }

    /// Checks that the path of the database still refers to the open file. Opens no file and takes no lock.
    ///
    /// - Throws: ``StorageError/Code/fileMoved`` if the file was replaced or deleted;
    ///   ``StorageError/Code/ioError`` if the path cannot be looked up.
    func checkIsInPlace() throws(StorageError)
}

/// How much a checkpoint transfers, and what it waits for.
package enum StorageCheckpointMode: Sendable {
    /// Transfers as much as possible without waiting.
    case passive
    /// Waits for the writer, then transfers the whole log.
    case full
    /// Also waits for readers: the next write starts at the beginning of the log.
    case restart
    /// Also truncates the log's file.
    case truncate
}

/// The result of a checkpoint. Both numbers are -1 if the database has no write-ahead log.
package struct StorageCheckpoint: Sendable, Hashable {
    package var logPageCount: Int
    /// The number of the log's pages in the database file, including earlier transfers.
    package var checkpointedPageCount: Int

    package init(logPageCount: Int, checkpointedPageCount: Int) {
        self.logPageCount = logPageCount
        self.checkpointedPageCount = checkpointedPageCount
    }
}

/// A copy of a database in progress. Releasing it before it is complete cancels it.
package protocol StorageBackup: AnyObject {
    /// Copies up to `pageCount` pages, or all remaining ones if the number is negative.
    ///
    /// - Returns: `true` if the copy is complete.
    /// - Throws: ``StorageError/Code/busy`` or ``StorageError/Code/locked`` if another connection holds a
    ///   lock. The copy can then be continued.
    func copy(pageCount: Int) throws(StorageError) -> Bool

    /// The number of remaining pages after the last call of ``copy(pageCount:)``.
    var remainingPageCount: Int { get }

    /// The number of pages of the source at the last call of ``copy(pageCount:)``.
    var totalPageCount: Int { get }

    /// Ends the copy. If it is not complete, the destination keeps its previous content.
    func finish() throws(StorageError)
}

package struct StorageTraceEvents: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A statement begins to run.
    package static let statement = StorageTraceEvents(rawValue: 1)
    /// A statement has ended, with its duration.
    package static let profile = StorageTraceEvents(rawValue: 2)
}

package enum StorageTraceEvent {
    case statement(any TracedStatement)
    case profile(any TracedStatement, duration: Duration)
}

package protocol TracedStatement: AnyObject {
    /// The text, without bound values. A trigger appears as a comment with its name.
    var sql: String { get }

    /// The text with the bound values; the same as ``sql`` after the receiver has returned.
    var expandedSQL: String { get }
}

/// Creates the tokenizers of full-text tables.
package struct StorageTokenizerFactory {
    /// The name of the tokenizer in the definitions of tables.
    package var name: String
    /// Returns a tokenizer for the arguments in a table's definition. Called in the middle of a statement.
    package var make: ([String]) throws(StorageError) -> any StorageTokenizer

    package init(name: String, make: @escaping ([String]) throws(StorageError) -> any StorageTokenizer) {
        self.name = name
        self.make = make
    }
}

/// Receives a token: its bytes and their number, and the offsets in the text where it begins and ends.
///
/// Returns 0, or the code of an error to end the tokenization.
package typealias StorageTokenCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ token: UnsafePointer<CChar>?, _ count: CInt,
        _ start: CInt, _ end: CInt
    ) -> CInt

/// Splits text into tokens, with types of C: full-text search passes each token of each document through it.
package protocol StorageTokenizer: AnyObject {
    /// Passes the tokens of a text to a callback.
    ///
    /// - Parameters:
    ///   - text: The bytes of the text, without a terminator.
    ///   - count: The number of bytes.
    ///   - reason: Why the text is split, in bits: 1 for a query, 2 for a prefix in a query, 4 for a
    ///     document, 8 for a function.
    ///   - context: The first argument of the callback.
    ///   - callback: Receives each token.
    /// - Returns: 0 or the code of an error, such as an error of the callback.
    func tokenize(
        _ text: UnsafePointer<CChar>?, count: CInt, reason: CInt, context: UnsafeMutableRawPointer?,
        callback: @escaping StorageTokenCallback
    ) -> CInt
}
