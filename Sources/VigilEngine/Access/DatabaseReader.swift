/// A database that can be read: a `DatabaseQueue`, and others.
public protocol DatabaseReader: AnyObject, Sendable {
    var configuration: Configuration { get }

    /// Reads, and waits until that is done.
    ///
    /// - Throws: what `value` throws; `DatabaseError` if it writes, or if the database is closed.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// Reads without blocking a thread that is not the database's own.
    ///
    /// - Throws: what `value` throws; `CancellationError` if the task is cancelled before the access begins.
    func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Closes the database. Observations end; accesses fail with `SQLITE_MISUSE` from then on.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_BUSY` if a statement is still alive; the database then stays open.
    func close() throws

    /// Starts an observation. Not for apps to call.
    func _start(_ observation: any _StartedObservation, immediately: Bool)
}

/// A database that can be read and written.
public protocol DatabaseWriter: DatabaseReader {
    /// Writes inside a transaction, and waits until it is committed.
    ///
    /// - Throws: what `updates` throws, after a rollback; `DatabaseError` if the commit fails.
    func write<T>(_ updates: (Database) throws -> T) throws -> T

    /// The same, without blocking a thread that is not the database's own.
    func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T

    /// Writes without a transaction around.
    func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T
}
