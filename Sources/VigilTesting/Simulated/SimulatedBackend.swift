public import VigilStorage

/// A database in memory, written for tests of what stands above the storage protocols.
///
/// It behaves as SQLite does, as far as it goes: values, transactions and savepoints, snapshots, locks, constraint
/// errors, change reports. What a test cannot get from a real database it does on demand: it lacks a capability, it
/// fails where ``SimulatedFaults`` says so, it stops in the middle of a statement.
///
/// It understands few forms of SQL; any other is an error that names it:
///
/// ```
/// CREATE TABLE [IF NOT EXISTS] t(column [type] [PRIMARY KEY] [NOT NULL] [UNIQUE], …)
/// DROP TABLE [IF EXISTS] t
/// INSERT [OR REPLACE | OR IGNORE] INTO t[(column, …)] VALUES (value, …), …
/// UPDATE t SET column = value | column [+ value | - value], … [WHERE …]
/// DELETE FROM t [WHERE …]
/// SELECT * | column, … | COUNT(*) | MAX(column) FROM t [WHERE …] [ORDER BY column [DESC]] [LIMIT n]
/// BEGIN [DEFERRED | IMMEDIATE | EXCLUSIVE], COMMIT, END, ROLLBACK [TO s], SAVEPOINT s, RELEASE s
/// ```
///
/// WHERE takes `column = value`, `<`, `<=`, `>`, `>=` and `IS NULL`, joined by AND. A value is a literal or a parameter.
/// The tables themselves can be read from `sqlite_master`.
///
/// Databases live in the backend value and its copies, by their location, files too: nothing touches the disk.
/// Connections may be used on different threads, each by one at a time.
public struct SimulatedBackend: StorageBackend {
    public let faults: SimulatedFaults
    let capabilities: StorageCapabilities
    let disk = SimulatedDisk()

    /// - Parameters:
    ///   - reportsRowImages: whether changes come with the values of the row, or with its key only.
    ///   - reportsEveryRow: whether each row is reported that a REPLACE or a DELETE without WHERE deletes. Otherwise
    ///     their table is.
    ///   - allowsConcurrentReaders: whether others may read while a connection commits. Otherwise it waits for them, as
    ///     SQLite does with a rollback journal.
    ///   - hasForeignChangeToken: whether a connection can tell that another one committed.
    public init(
        reportsRowImages: Bool = true, reportsEveryRow: Bool = true, allowsConcurrentReaders: Bool = true,
        hasForeignChangeToken: Bool = true, faults: SimulatedFaults = SimulatedFaults()
    ) {
        var capabilities = StorageCapabilities(libraryVersion: "1.0.0")
        capabilities.reportsRowImages = reportsRowImages
        capabilities.reportsEveryRow = reportsEveryRow
        capabilities.allowsConcurrentReaders = allowsConcurrentReaders
        capabilities.hasForeignChangeToken = hasForeignChangeToken
        self.capabilities = capabilities
        self.faults = faults
    }

    public var name: String { "Simulation \(capabilities.libraryVersion)" }

    public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        let opened = try disk.open(location, options.access)
        return SimulatedConnection(self, opened, at: location, options)
    }

    /// The sign comes after every commit that changed something, on the thread of the commit.
    public func watchForeignChanges(
        of location: StorageLocation, onSign: @escaping @Sendable () -> Void
    ) throws(StorageError) -> (any StorageWatch)? {
        disk.watch(location, onSign)
    }
}
