public import VigilEngine
package import VigilStorage

#if SQLite
    import VigilSQLite
#elseif SQLCipher
    import VigilSQLCipher
#endif

extension DatabaseQueue {
    /// Opens, and creates if need be, the database in a file, with the configuration's backend or the default one.
    ///
    /// - Throws: `DatabaseError` if it cannot be opened, is no database, or is encrypted with another key.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        let location: StorageLocation = path == ":memory:" ? .memory(name: nil) : .file(path: path)
        try self.init(
            backend: configuration.backend ?? defaultBackend(), location: location,
            configuration: configuration)
    }

    /// Opens a database in memory.
    ///
    /// - Parameter name: databases of the same name share their content; `nil` shares with none.
    public convenience init(named name: String? = nil, configuration: Configuration = Configuration()) throws
    {
        try self.init(
            backend: configuration.backend ?? defaultBackend(), location: .memory(name: name),
            configuration: configuration)
    }
}

/// SQLite where the trait is enabled, else SQLCipher without a key.
package func defaultBackend() throws -> any StorageBackend {
    #if SQLite
        return SQLiteBackend()
    #elseif SQLCipher
        return SQLCipherBackend()
    #else
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message:
                "this build of Vigil has no backend: enable the trait SQLite or SQLCipher, or set configuration.backend"
        )
    #endif
}
