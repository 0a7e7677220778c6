extension DatabaseWriter {
    /// Removes the entire content of the database: tables, views and triggers. Resets `user_version` and
    /// `application_id`.
    ///
    /// Waits for running reads, and delays new ones. The file keeps its size until `vacuum()`. If erasing
    /// fails, the database is unchanged. Foreign keys are not checked, and their actions do not run.
    ///
    /// - Throws: `DatabaseError`.
    @_disfavoredOverload
    public func erase() throws {
        try barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Removes the entire content of the database, asynchronously, like the synchronous `erase()`.
    ///
    /// - Throws: `DatabaseError`, and `CancellationError` if the task is cancelled.
    public func erase() async throws {
        try await barrierWriteWithoutTransaction { try $0.erase() }
    }

    /// Rebuilds the database file, so that it contains no free pages. Throws `DatabaseError`.
    @_disfavoredOverload
    public func vacuum() throws {
        try writeWithoutTransaction { try $0.vacuum() }
    }

    /// Rebuilds the database file, asynchronously, so that it contains no free pages.
    ///
    /// - Throws: `DatabaseError`, and `CancellationError` if the task is cancelled.
    public func vacuum() async throws {
        try await writeWithoutTransaction { try $0.vacuum() }
    }

    /// Writes a compact copy of the database to a file. The file must not exist, or it must be empty.
    ///
    /// - Throws: `DatabaseError`, with `SQLITE_MISUSE` for libraries before SQLite 3.27.
    @_disfavoredOverload
    public func vacuum(into filePath: String) throws {
        try writeWithoutTransaction { try $0.vacuum(into: filePath) }
    }

    /// Writes a compact copy of the database to a file. The file must not exist, or it must be empty.
    ///
    /// - Throws: `CancellationError`; `DatabaseError`, with `SQLITE_MISUSE` for libraries before SQLite 3.27.
    public func vacuum(into filePath: String) async throws {
        try await writeWithoutTransaction { try $0.vacuum(into: filePath) }
    }
}
