#if PostgreSQL
    public import VigilEngine
    import VigilPostgres
    import VigilStorage

    extension DatabasePool {
        /// Opens a database on a PostgreSQL server.
        ///
        /// ```swift
        /// let dbPool = try DatabasePool(server: "postgres://app@db.example.com/shop")
        /// ```
        ///
        /// - Parameters:
        ///   - server: a URL, or pairs of keys and values, as libpq reads them. What it leaves out is taken
        ///     from the environment, such as `PGHOST` and `PGPASSWORD`, and from service files.
        ///   - configuration: the configuration of the pool. Its backend is used if it has one.
        /// - Throws: `DatabaseError` if the server cannot be reached, or refuses the connection.
        public convenience init(server: String, configuration: Configuration = Configuration()) throws {
            try self.init(
                backend: configuration.backend ?? PostgresBackend(),
                location: .server(StorageAddress(server)),
                configuration: configuration)
        }
    }
#else
    public import VigilEngine
    public import VigilStorage

    // The declarations of a build without the trait PostgreSQL: their messages name it.

    extension DatabasePool {
        /// Opens a database on a PostgreSQL server.
        @available(
            *, unavailable, message: "databases on servers need the trait PostgreSQL of the package Vigil"
        )
        public convenience init(server: String, configuration: Configuration = Configuration()) throws {
            throw DatabaseError(resultCode: .LIBRARY_UNAVAILABLE)
        }
    }

    /// The backend for databases on a PostgreSQL server.
    @available(*, unavailable, message: "databases on servers need the trait PostgreSQL of the package Vigil")
    public struct PostgresBackend: StorageBackend {
        /// Creates a backend.
        public init() {}

        /// The name of the library.
        public var name: String { "libpq" }

        /// Throws an error.
        public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            throw StorageError(.libraryUnavailable, "this build does not include libpq")
        }

        /// Returns `nil`.
        public func watchForeignChanges(
            of location: StorageLocation, onHint: @escaping @Sendable () -> Void
        ) throws(StorageError) -> (any StorageWatch)? { nil }
    }
#endif

extension DatabaseQueue {
    /// A server has several connections, so only a ``DatabasePool`` opens it.
    @available(*, unavailable, message: "open a database on a server with DatabasePool(server:)")
    public convenience init(server: String, configuration: Configuration = Configuration()) throws {
        throw DatabaseError(resultCode: .SQLITE_MISUSE)
    }
}
