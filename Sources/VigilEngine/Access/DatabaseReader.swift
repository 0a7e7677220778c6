/// A database that can be read: a ``DatabaseQueue``, a ``DatabasePool`` or a ``DatabaseSnapshot``.
///
/// ```swift
/// let count = try reader.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
///
/// All methods can be called from any thread. Synchronous methods block the calling thread. Asynchronous
/// methods do not block the threads of Swift's cooperative pool.
public protocol DatabaseReader: AnyObject, Sendable {
    /// The configuration that the database was opened with.
    var configuration: Configuration { get }

    /// The path of the database file; empty for an in-memory database.
    var path: String { get }

    /// Closes the database, after the running accesses have ended.
    ///
    /// Observations end without an error, and later accesses fail with `SQLITE_MISUSE`. Closing a closed
    /// database does nothing.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement is still alive. The database then remains usable.
    func close() throws

    /// Interrupts the running statements. They fail with `SQLITE_INTERRUPT`.
    func interrupt()

    /// Runs `value` in a read-only transaction, and returns its result.
    ///
    /// All statements read the same snapshot of the database: commits by other connections do not become
    /// visible while `value` runs.
    ///
    /// - Throws: the error of `value`; `DatabaseError` if it writes, or if the database is closed.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// Runs `value` in a read-only transaction, asynchronously, and returns its result.
    ///
    /// All statements read the same snapshot of the database. If the task is cancelled before the access
    /// begins, `value` does not run. If it is cancelled later, the running statement is interrupted, or the
    /// next one fails.
    ///
    /// - Throws: the error of `value`; `CancellationError` if the task is cancelled; `DatabaseError` if
    ///   `value` writes, or if the database is closed.
    func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules a read-only transaction, and returns immediately.
    ///
    /// - Parameter value: a closure to call once: on the connection's dispatch queue with the database, or on
    ///   any thread with an error if the database cannot be accessed.
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Runs `value` without a transaction, and returns its result.
    ///
    /// This is unsafe: commits by other connections may become visible between two statements, and nothing
    /// prevents writes on the connection of a ``DatabaseQueue``.
    ///
    /// - Throws: the error of `value`; `DatabaseError` if the database is closed.
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

    /// Runs `value` without a transaction, asynchronously, and returns its result.
    ///
    /// This is unsafe for the same reasons as the synchronous ``unsafeRead(_:)``.
    ///
    /// - Throws: the error of `value`; `CancellationError`; `DatabaseError` if the database is closed.
    func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// Schedules an access without a transaction, and returns immediately.
    ///
    /// - Parameter value: a closure to call once: on the connection's dispatch queue with the database, or on
    ///   any thread with an error if the database cannot be accessed.
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Runs `value` without a transaction, and returns its result. Inside an access of the same database, it
    /// uses the connection of the access.
    ///
    /// - Throws: the error of `value`; `DatabaseError` if the database is closed.
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T

    /// The status of each running value observation, in the order of their starts.
    var observations: [ObservationStatus] { get }

    /// Starts an observation. Apps do not call this method.
    func _start(_ observation: any _StartedObservation, immediately: Bool)
}
