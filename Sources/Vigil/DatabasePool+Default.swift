public import VigilEngine

extension DatabasePool {
    /// Opens, and creates if need be, the database in a file, with the configuration's backend or the default one.
    ///
    /// - Throws: `DatabaseError` if it cannot be opened, is no database, or is encrypted with another key.
    public convenience init(path: String, configuration: Configuration = Configuration()) throws {
        try self.init(
            backend: configuration.backend ?? defaultBackend(), location: .file(path: path),
            configuration: configuration)
    }
}
