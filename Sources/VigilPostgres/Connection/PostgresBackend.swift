#if PostgreSQL
    public import VigilStorage

    /// A backend for databases on a PostgreSQL server, with the linked libpq.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.backend = PostgresBackend()
    /// ```
    ///
    /// It opens ``/VigilStorage/StorageLocation/server(_:)`` only. The connection string is a URL or pairs of
    /// keys and values, as libpq reads them: what it leaves out is taken from the environment, such as
    /// `PGHOST`, and from service files.
    public struct PostgresBackend: StorageBackend, CommitFeeding {
        /// Creates a backend.
        public init() {}

        /// The name and version of the library, such as `libpq 15.8`.
        public var name: String {
            (try? PostgresLibrary.linked()).map { "libpq \($0.version)" } ?? "libpq"
        }

        /// Opens a connection.
        ///
        /// - Parameters:
        ///   - location: the address of the server.
        ///   - options: the options of the connection. Options of files have no effect.
        /// - Throws: `StorageError` for the location of a file, or if the server cannot be reached or refuses
        ///   the connection.
        public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            try naming { () throws(StorageError) in
                guard case .server(let address) = location else {
                    throw StorageError(
                        .cannotOpen, "PostgreSQL databases are on a server, not in files or memory")
                }
                return try PostgresConnection(address.connectionString, options: options)
            }
        }

        /// Runs `body`, and names the system in its error, because no connection does.
        private func naming<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
            do {
                return try body()
            } catch {
                var error = error
                error.systemName = SQLDialect.postgreSQLName
                throw error
            }
        }

        /// Starts a feed of the commits of all clients, on a connection of its own. With a publication, the
        /// changed rows are received on another one; otherwise, each commit is a change of the whole
        /// database.
        ///
        /// - Returns: the feed, until it is cancelled or released; `nil` for the location of a file.
        /// - Throws: `StorageError` if the server cannot be reached or refuses the connection.
        public func commitFeed(
            of location: StorageLocation, options: StorageOptions, to receiver: any CommitFeedReceiver
        ) throws(StorageError) -> (any StorageCommitFeed)? {
            guard case .server(let address) = location else { return nil }
            return try naming { () throws(StorageError) in
                try PostgresCommitFeed.start(
                    address.connectionString, publication: options.publication,
                    hasOtherRoles: options.hasOtherRoles, to: receiver)
            }
        }

        /// Returns `nil`: the feed reports all commits.
        public func watchForeignChanges(
            of location: StorageLocation, onHint: @escaping @Sendable () -> Void
        ) throws(StorageError) -> (any StorageWatch)? { nil }
    }
#endif
