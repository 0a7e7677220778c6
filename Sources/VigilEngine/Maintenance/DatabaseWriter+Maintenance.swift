extension DatabaseWriter {
    /// Removes everything from the database, while nobody reads: tables, views, triggers, `user_version` and
    /// `application_id`. The file keeps its size until ``vacuum()``.
    ///
    /// All or nothing. Foreign keys are not checked meanwhile, and nothing is done for them.
    @_disfavoredOverload
    public func erase() throws {
        try barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// The same, asynchronously.
    public func erase() async throws {
        try await barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Rebuilds the database in as little space as it needs.
    @_disfavoredOverload
    public func vacuum() throws {
        try writeWithoutTransaction { try $0.vacuum() }
    }

    /// The same, asynchronously.
    public func vacuum() async throws {
        try await writeWithoutTransaction { try $0.vacuum() }
    }

    /// Writes a compact copy of the database to a file, which must not exist or be empty.
    ///
    /// - Throws: `SQLITE_MISUSE` if the library is too old for that: SQLite can do it from 3.27 on.
    @_disfavoredOverload
    public func vacuum(into filePath: String) throws {
        try writeWithoutTransaction { try $0.vacuum(into: filePath) }
    }

    /// The same, asynchronously.
    public func vacuum(into filePath: String) async throws {
        try await writeWithoutTransaction { try $0.vacuum(into: filePath) }
    }
}
