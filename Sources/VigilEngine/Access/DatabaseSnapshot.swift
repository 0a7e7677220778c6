/// An unchanging view of a database, as it was when the snapshot was created.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshot()
/// let count = try snapshot.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
///
/// A snapshot holds a connection, and prevents the write-ahead log from shrinking. Release it when you no
/// longer need it.
public final class DatabaseSnapshot: DatabaseReader {
    public let configuration: Configuration
    public let path: String
    private let access: ConnectionAccess
    private let observationHost: QueueObservationHost

    init(access: ConnectionAccess, path: String, configuration: Configuration) {
        self.access = access
        self.path = path
        self.configuration = configuration
        observationHost = QueueObservationHost(access, configuration: configuration, observesChanges: false)
    }

    deinit {
        // Accesses may still be scheduled on the connection: close it after them.
        access.async { db in
            db.endSnapshot()
            try? db.close()
        }
    }

    public func close() throws {
        try access.sync { db in
            guard !db.isClosed else { return }
            try db.close()
        }
    }

    public func interrupt() {
        access.interrupt()
    }

    @_disfavoredOverload
    public func read<T>(_ block: (Database) throws -> T) rethrows -> T {
        try access.sync { db in try db.readOnly(block) }
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await access.execute { db in try db.readOnly(value) }
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        access.async { db in
            guard !db.isClosed else { return value(.failure(DatabaseError.connectionIsClosed)) }
            db.readOnly { value(.success($0)) }
        }
    }

    @_disfavoredOverload
    public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try read(value)
    }

    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await read(value)
    }

    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncRead(value)
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
        try access.reentrantSync { db in try db.readOnly(value) }
    }

    /// Starts an observation, which delivers a single value because a snapshot never changes. Apps do not
    /// call this method.
    public func _start(_ observation: any _StartedObservation, immediately: Bool) {
        observationHost.start(observation, in: self, immediately: immediately)
    }

    public var observations: [ObservationStatus] { observationHost.registry.statuses }
}
