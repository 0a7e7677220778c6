import VigilStorage

extension Database {
    /// Copies this database in place of what another one holds.
    ///
    /// Observers of the destination are told that anything may be different there.
    ///
    /// - Parameters:
    ///   - pagesPerStep: how many pages are copied between two calls of `progress`; all at once by default.
    ///   - progress: called after each step. What it throws ends the backup, and the destination is left as it
    ///     was; what it throws after the last step is ignored.
    /// - Throws: `DatabaseError`; `SQLITE_MISUSE` if the two databases are accessed through different libraries.
    public func backup(
        to destDb: Database, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        guard let source = connection as? any BackupSource else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "this backend cannot copy its databases")
        }
        try destDb.checkMayWriteFile()
        // Compiled statements of the destination would be in the way of nothing, but are of no more use.
        destDb.schemaDidChange()
        let backup = try storage { () throws(StorageError) in
            try source.beginBackup(to: destDb.connection)
        }
        do {
            try copyAll(backup, pagesPerStep: Int(pagesPerStep), progress)
        } catch {
            // The first error is the one to be told.
            try? backup.finish()
            throw error
        }
        try storage { () throws(StorageError) in try backup.finish() }
        destDb.contentWasReplaced()
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

    /// No statement of ours wrote this content, so nobody has told of it.
    private func contentWasReplaced() {
        schemaDidChange()
        changes?.didCommitElsewhere(self)
    }
}
