/// A database that can be read: a `DatabaseQueue`, a `DatabasePool`, a `DatabaseSnapshot`.
///
/// Functions that are not asynchronous wait on the calling thread, and can be called from any. Those that are do
/// not block the threads that run Swift's tasks.
public protocol DatabaseReader: AnyObject, Sendable {
    var configuration: Configuration { get }

    /// The path of the file; empty for a database in memory.
    var path: String { get }

    /// Closes the database. Observations end; accesses fail with `SQLITE_MISUSE` from then on. Closing again does nothing.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_BUSY` if a statement is still alive; the database then stays usable.
    func close() throws

    /// Makes the statements that run now fail with `SQLITE_INTERRUPT`.
    func interrupt()

    /// Reads from one moment of the database: what others commit meanwhile is not seen.
    ///
    /// - Throws: what `value` throws; `DatabaseError` if it writes, or if the database is closed.
    func read<T>(_ value: (Database) throws -> T) throws -> T

    /// The same, asynchronously.
    ///
    /// - Throws: `CancellationError` too. A task that is cancelled before the access begins does not run `value`; one
    ///   that is cancelled later makes the next statement fail.
    func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// The same, later: `value` gets an error if the database cannot be accessed.
    func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// Reads where what others commit may be seen between two statements, and where nothing keeps from writing to a
    /// queue's connection.
    func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

    /// The same, asynchronously.
    func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

    /// The same, later.
    func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

    /// As ``unsafeRead(_:)``; but from within an access of the same database, it takes part in that one.
    func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T

    /// The value observations that go on, in the order in which they were started, and what each has done so far.
    var observations: [ObservationStatus] { get }

    /// Starts an observation. Not for apps to call.
    func _start(_ observation: any _StartedObservation, immediately: Bool)
}
