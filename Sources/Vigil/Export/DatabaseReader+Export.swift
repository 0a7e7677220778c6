public import VigilEngine

extension DatabaseReader {
    /// Writes a copy of the database to a file, with the library, the key and the cipher settings of a configuration.
    ///
    /// ```swift
    /// var encrypted = Configuration()
    /// encrypted.backend = SQLCipherBackend(key: .passphrase(secret))
    /// try dbQueue.export(to: "/path/to/copy.sqlite", configuration: encrypted)
    /// ```
    ///
    /// The copy has the state of one transaction: tables with their rows and row ids, virtual tables, indexes, views,
    /// triggers, `user_version` and `application_id`. Temporary tables and attached databases are not copied. Both
    /// databases may be plain or encrypted, and use different libraries. To copy pages as they are, use `backup(to:)`.
    ///
    /// The copy is written to another file in the same directory, and renamed once it is complete and on disk: if the
    /// export fails or the process ends, a file at `path` remains as it was. If the process ends, the incomplete file,
    /// whose name begins with that of `path` and ends with `-export`, can be deleted.
    ///
    /// To replace the database's own file, use ``DatabaseQueue/convert(_:from:to:progress:)``.
    ///
    /// - Parameters:
    ///   - path: the path of the new file.
    ///   - configuration: the configuration of the new file. `prepareDatabase` must add the functions and collations
    ///     that indexes, generated columns and virtual tables use.
    ///   - replacesFile: whether to replace a file that exists. No connection may have it open.
    ///   - progress: a closure that is called before the first row, after every 1,000 rows, and at the end. An error
    ///     that it throws cancels the export. An error at the end is ignored.
    /// - Throws: the error of `progress`; `DatabaseError`, with `SQLITE_CANTOPEN` if the file exists and is not to be
    ///   replaced, with `SQLITE_BUSY` if a log or journal shows that it is in use.
    @_disfavoredOverload
    public func export(
        to path: String, configuration: Configuration = Configuration(), replacesFile: Bool = false,
        progress: ((DatabaseExportProgress) throws -> Void)? = nil
    ) throws {
        try read { db in
            try DatabaseExport(
                path: path, configuration: configuration, replacesFile: replacesFile, progress: progress
            ).run(from: db)
        }
    }

    /// Writes a copy of the database to a file, asynchronously, with the library, the key and the cipher settings of
    /// a configuration. See the synchronous method.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; the error of `progress`; `DatabaseError`.
    public func export(
        to path: String, configuration: Configuration = Configuration(), replacesFile: Bool = false,
        progress: (@Sendable (DatabaseExportProgress) throws -> Void)? = nil
    ) async throws {
        let cancellation = ExportCancellation()
        try await withTaskCancellationHandler {
            do {
                try await read { db in
                    try DatabaseExport(
                        path: path, configuration: configuration, replacesFile: replacesFile,
                        progress: progress, cancellation: cancellation
                    ).run(from: db)
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                try cancellation.check()
                throw error
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
