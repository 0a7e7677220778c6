extension DatabaseReader {
    /// Copies this database in place of what another one holds, and waits until that is done.
    ///
    /// ```swift
    /// try dbQueue.backup(to: DatabaseQueue(path: "/path/to/copy.sqlite"), pagesPerStep: 100) { progress in
    ///     if isCancelled { throw CancellationError() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pagesPerStep: how many pages are copied between two calls of `progress`; all at once by default.
    ///   - progress: called after each step. What it throws ends the backup, and the destination is left as it
    ///     was; what it throws after the last step is ignored.
    /// - Throws: `DatabaseError`, and what `progress` throws.
    public func backup(
        to writer: any DatabaseWriter, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        try writer.writeWithoutTransaction { destination in
            try read { source in
                try source.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
            }
        }
    }
}
