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
        ///   - server: a URL, or pairs of keys and values, as libpq reads them. What it leaves out is taken from the
        ///     environment, such as `PGHOST` and `PGPASSWORD`, and from service files.
        ///   - configuration: the configuration of the pool. Its backend is used if it has one.
        /// - Throws: `DatabaseError` if the server cannot be reached, or refuses the connection.
        public convenience init(server: String, configuration: Configuration = Configuration()) throws {
            try self.init(
                backend: configuration.backend ?? PostgresBackend(),
                location: .server(StorageAddress(server)),
                configuration: configuration)
        }
    }
#endif
