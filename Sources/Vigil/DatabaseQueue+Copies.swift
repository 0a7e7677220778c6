public import VigilEngine

extension DatabaseQueue {
    /// Returns a queue on an in-memory copy of a database file.
    ///
    /// ```swift
    /// // A test of migrations on a database of an earlier version:
    /// let dbQueue = try DatabaseQueue.inMemoryCopy(fromPath: fixturePath)
    /// try migrator.migrate(dbQueue)
    /// ```
    ///
    /// The file is opened read-only, and is not changed. The copy can be written unless the configuration is
    /// read-only.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - configuration: the configuration of both databases.
    /// - Throws: `DatabaseError` if the file does not exist or cannot be read.
    public static func inMemoryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try copy(of: path, to: ":memory:", configuration)
    }

    /// Returns a queue on a temporary copy of a database file, deleted when the queue is closed.
    ///
    /// Suits databases too large for ``inMemoryCopy(fromPath:configuration:)``.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue.temporaryCopy(fromPath: fixturePath)
    /// ```
    ///
    /// The file is opened read-only, and is not changed. The copy can be written unless the configuration is
    /// read-only.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - configuration: the configuration of both databases.
    /// - Throws: `DatabaseError` if the file does not exist or cannot be read.
    public static func temporaryCopy(
        fromPath path: String, configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        // SQLite opens a temporary database for an empty path.
        try copy(of: path, to: "", configuration)
    }

    private static func copy(
        of path: String, to destination: String, _ configuration: Configuration
    ) throws -> DatabaseQueue {
        var reading = configuration
        reading.readonly = true
        reading.foreignChanges = .ignored
        let source = try DatabaseQueue(path: path, configuration: reading)
        var writing = configuration
        writing.readonly = false
        writing.foreignChanges = .ignored
        let copy = try DatabaseQueue(path: destination, configuration: writing)
        try source.backup(to: copy)
        if configuration.readonly { try copy.inDatabase { try $0.setReadOnly() } }
        return copy
    }
}

extension Database {
    /// Makes all further writes of the connection fail.
    fileprivate func setReadOnly() throws {
        do {
            try connection.setReadOnly(true)
        } catch {
            throw DatabaseError(error)
        }
    }
}
