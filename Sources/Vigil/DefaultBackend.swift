public import VigilEngine
package import VigilStorage

#if SQLite
    import VigilSQLite
#elseif SQLCipher
    import VigilSQLCipher
#endif

extension DatabaseQueue {
    /// Opens the database in a file, with the backend of the configuration or the default one. Creates the
    /// database if it does not exist, unless the configuration is read-only.
    ///
    /// The path `:memory:` opens a database in memory.
    ///
    /// - Throws: `DatabaseError` if the file cannot be opened, is not a database, or is encrypted with
    ///   another key.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        let location: StorageLocation = path == ":memory:" ? .memory(name: nil) : .file(path: path)
        try self.init(
            backend: configuration.backend ?? defaultBackend(), location: location,
            configuration: configuration)
    }

    /// Opens a database in memory, deleted when its last connection closes.
    ///
    /// Queues that share a database lock its tables, and SQLite does not wait for these locks, whatever the
    /// busy mode is. A write fails with `SQLITE_LOCKED` while another queue writes, or reads the same table,
    /// and a read fails while another queue has changed its table in an open transaction.
    ///
    /// - Parameters:
    ///   - name: queues with the same name share one database; with `nil`, each has its own.
    ///   - configuration: the configuration of the queue.
    /// - Throws: `DatabaseError` if the database cannot be opened, or if `name` is empty.
    public convenience init(named name: String? = nil, configuration: Configuration = Configuration()) throws
    {
        try self.init(
            backend: configuration.backend ?? defaultBackend(), location: .memory(name: name),
            configuration: configuration)
    }
}

extension DatabasePool {
    /// Opens the database in a file, with the backend of the configuration or the default one. Creates the
    /// database if it does not exist, unless the configuration is read-only.
    ///
    /// - Throws: `DatabaseError` if the file cannot be opened, is not a database, or is encrypted with
    ///   another key.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(
            backend: configuration.backend ?? defaultBackend(), location: .file(path: path),
            configuration: configuration)
    }
}

/// Returns SQLite if the trait `SQLite` is enabled, else SQLCipher without a key.
package func defaultBackend() throws -> any StorageBackend {
    #if SQLite
        return SQLiteBackend()
    #elseif SQLCipher
        return SQLCipherBackend()
    #else
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message:
                "this build of Vigil does not include a backend: enable the trait SQLite or SQLCipher, or set configuration.backend"
        )
    #endif
}
