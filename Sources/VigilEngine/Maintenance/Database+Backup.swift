import VigilStorage

extension Database {
    /// Replaces the content of another database with a copy of this one.
    ///
    /// Observers of the destination are notified of a change of the whole database.
    ///
    /// - Parameters:
    ///   - destDb: the destination.
    ///   - pagesPerStep: the number of pages to copy between two calls of `progress`. If negative, all pages
    ///     are copied in one step.
    ///   - progress: a closure that is called after each step. An error that it throws cancels the backup,
    ///     and leaves the destination unchanged. An error after the last step is ignored.
    /// - Throws: The error of `progress`, or `DatabaseError`: with `SQLITE_MISUSE` if the two databases use
    ///   different libraries; with `SQLITE_READONLY` if their pages have different sizes, and the destination
    ///   is in memory, or other connections are using it.
    public func backup(
        to destDb: Database, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        guard let embedded else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the backend does not support backups")
        }
        try destDb.checkMayWriteFile()
        // The cached statements of the destination do not prevent the backup, but they become outdated.
        destDb.schemaDidChange()
        destDb.willReplaceContent?()
        let backup = try storage { () throws(StorageError) in
            try embedded.beginBackup(to: destDb.connection)
        }
        do {
            try copyAll(backup, pagesPerStep: Int(pagesPerStep), progress)
        } catch {
            // The first error is the relevant one.
            try? backup.finish()
            throw error
        }
        // The content is new even if the backup cannot finish.
        defer { destDb.contentWasReplaced() }
        try storage { () throws(StorageError) in try backup.finish() }
    }

    private func copyAll(
        _ backup: any StorageBackup, pagesPerStep: Int,
        _ progress: ((DatabaseBackupProgress) throws -> Void)?
    ) throws {
        while true {
            let isCompleted = try storage { () throws(StorageError) in
                try backup.copy(pageCount: pagesPerStep)
            }
            let state = DatabaseBackupProgress(
                remainingPageCount: backup.remainingPageCount, totalPageCount: backup.totalPageCount,
                isCompleted: isCompleted)
            guard !isCompleted else {
                try? progress?(state)
                return
            }
            try progress?(state)
        }
    }

    /// Reports the new content to observers: no hook has, because no statement of this connection wrote it.
    private func contentWasReplaced() {
        schemaDidChange()
        coordinator?.databaseDidChangeElsewhere(self)
    }
}

/// The progress of a backup.
public struct DatabaseBackupProgress: Sendable {
    /// The number of remaining pages.
    public let remainingPageCount: Int

    /// The number of pages in the source database. It can grow during the backup.
    public let totalPageCount: Int

    /// Whether the backup is complete.
    public let isCompleted: Bool

    /// The number of copied pages.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}
