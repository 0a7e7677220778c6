extension DatabaseReader {
    /// Replaces the content of another database with a copy of this one, and waits for completion.
    ///
    /// ```swift
    /// try dbQueue.backup(to: DatabaseQueue(path: "/path/to/copy.sqlite"), pagesPerStep: 100) { progress in
    ///     if isCancelled { throw CancellationError() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - writer: the destination.
    ///   - pagesPerStep: the number of pages to copy between two calls of `progress`. If negative, all pages
    ///     are copied in one step.
    ///   - progress: a closure that is called after each step. An error that it throws cancels the backup,
    ///     and leaves the destination unchanged. An error after the last step is ignored.
    /// - Throws: The error of `progress`, or `DatabaseError`.
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
