public import VigilEngine

extension DatabasePool {
    /// Opens the database in a file, with the backend of the configuration or the default one. Creates the
    /// database if it does not exist, unless the configuration is read-only.
    ///
    /// - Throws: `DatabaseError` if the file cannot be opened, is not a database, or is encrypted with another key.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(
            backend: configuration.backend ?? defaultBackend(), location: .file(path: path),
            configuration: configuration)
    }
}
