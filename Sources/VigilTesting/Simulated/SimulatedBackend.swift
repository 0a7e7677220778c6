public import VigilStorage

/// A backend with databases in memory, for tests of code above the storage protocols.
///
/// Within its limits it behaves like SQLite: values, transactions and savepoints, snapshots, locks,
/// constraint errors and change reports. On demand it does what a test cannot obtain from a real database: it
/// lacks a capability, it fails where ``SimulatedFaults`` requires it, or it stops in the middle of a
/// statement.
///
/// ```swift
/// let faults = SimulatedFaults(rules: [.ioError(atStep: 3)])
/// var configuration = Configuration()
/// configuration.backend = SimulatedBackend(reportsRowImages: false, faults: faults)
/// let dbQueue = try DatabaseQueue(path: "players.db", configuration: configuration)
/// ```
///
/// It supports the following subset of SQL. Any other statement is an error with the unsupported form in its
/// message:
///
/// ```
/// CREATE TABLE [IF NOT EXISTS] t(column [type] [PRIMARY KEY] [NOT NULL] [UNIQUE], …)
/// DROP TABLE [IF EXISTS] t
/// INSERT [OR REPLACE | OR IGNORE] INTO t[(column, …)] VALUES (value, …), …
/// UPDATE t SET column = value | column [+ value | - value], … [WHERE …]
/// DELETE FROM t [WHERE …]
/// SELECT * | column, … | COUNT(*) | MAX(column) FROM t [WHERE …] [ORDER BY column [ASC | DESC]] [LIMIT n]
/// BEGIN [DEFERRED | IMMEDIATE | EXCLUSIVE], COMMIT, END, ROLLBACK [TO s], SAVEPOINT s, RELEASE s
/// ```
///
/// WHERE supports `column = value`, `<`, `<=`, `>`, `>=` and `IS NULL`, joined by AND. A value is a literal
/// or a parameter. The table `sqlite_master` lists the tables.
///
/// The backend and its copies share their databases, identified by location. Nothing is stored on the disk,
/// even if a location is a file. Connections may be used on different threads, but each by one thread at a
/// time.
public struct SimulatedBackend: StorageBackend, CommitFeeding {
    /// The faults of all connections.
    public let faults: SimulatedFaults
    let capabilities: StorageCapabilities
    private let feedOptions: SimulatedFeedOptions?
    let disk = SimulatedDisk()

    /// Creates a backend without databases.
    ///
    /// - Parameters:
    ///   - reportsRowImages: whether change events contain the values of the row. Otherwise they contain only
    ///     its key.
    ///   - reportsEveryRow: whether the rows deleted by REPLACE, or by DELETE without WHERE, are reported one
    ///     by one. Otherwise, a change of their table is reported.
    ///   - allowsConcurrentReaders: whether other connections may read during a commit. Otherwise, a commit
    ///     waits for them, as in SQLite with a rollback journal.
    ///   - hasForeignChangeToken: whether a connection can detect commits of other connections.
    ///   - faults: the faults of all connections. By default there are none.
    ///   - feed: how a feed reports the commits to a `DatabasePool`, as for a server with a stream of
    ///     changes. By default there is none, and connections report their own commits.
    public init(
        reportsRowImages: Bool = true, reportsEveryRow: Bool = true, allowsConcurrentReaders: Bool = true,
        hasForeignChangeToken: Bool = true, faults: SimulatedFaults = SimulatedFaults(),
        feed: SimulatedFeedOptions? = nil
    ) {
        feedOptions = feed
        var capabilities = StorageCapabilities(libraryVersion: "1.0.0")
        capabilities.reportsRowImages = reportsRowImages
        capabilities.reportsEveryRow = reportsEveryRow
        capabilities.allowsConcurrentReaders = allowsConcurrentReaders
        capabilities.hasForeignChangeToken = hasForeignChangeToken
        self.capabilities = capabilities
        self.faults = faults
    }

    /// The name of the backend, with its version.
    public var name: String { "Simulation \(capabilities.libraryVersion)" }

    /// Opens a connection to a database, and creates the database if `options` permit it.
    ///
    /// - Throws: an error with the code `cannotOpen` if the database does not exist and must not be created.
    public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        let opened = try disk.open(location, options.access)
        return SimulatedConnection(self, opened, at: location, options: options)
    }

    /// Calls `onHint` after each commit with changes, on the thread of the commit.
    ///
    /// - Returns: the watch, until it is cancelled or released; `nil` for a database in memory.
    public func watchForeignChanges(
        of location: StorageLocation, onHint: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        disk.watch(location, onHint)
    }

    /// Starts a feed with each commit of each connection.
    ///
    /// - Returns: the feed, until it is cancelled or released; `nil` in memory, or without feed options.
    public func commitFeed(
        of location: StorageLocation, options: StorageOptions, to receiver: any CommitFeedReceiver
    ) throws(StorageError) -> (any StorageCommitFeed)? {
        feedOptions.flatMap { disk.feed(of: location, options: $0, to: receiver) }
    }
}
