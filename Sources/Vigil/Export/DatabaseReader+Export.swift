public import VigilEngine

extension DatabaseReader {
    /// Writes a copy of the database to a file, with the library, the key and the cipher settings of a
    /// configuration.
    ///
    /// ```swift
    /// var encrypted = Configuration()
    /// encrypted.backend = SQLCipherBackend(key: .passphrase(secret))
    /// try dbQueue.export(to: "/path/to/copy.sqlite", configuration: encrypted)
    /// ```
    ///
    /// The copy has the state of one transaction: tables with their rows and row ids, virtual tables,
    /// indexes, views, triggers, `user_version` and `application_id`. Temporary tables and attached databases
    /// are not copied. Both databases may be plain or encrypted, and use different libraries. To copy pages
    /// as they are, use `backup(to:)`.
    ///
    /// The copy is written to another file in the same directory, and renamed once it is complete and on
    /// disk: if the export fails or the process ends, a file at `path` remains as it was. If the process
    /// ends, the incomplete file can be deleted: its name begins with the name of `path` and ends with
    /// `-export`.
    ///
    /// To replace the database's own file, use ``DatabaseQueue/convert(_:from:to:progress:)``.
    ///
    /// - Parameters:
    ///   - path: the path of the new file.
    ///   - configuration: the configuration of the new file. `prepareDatabase` must add the functions and
    ///     collations used by indexes, generated columns and virtual tables.
    ///   - replacesFile: whether to replace an existing file. No connection may have it open.
    ///   - progress: a closure, called before the first row, after every 1,000 rows, and at the end. If it
    ///     throws, the export is cancelled, except at the end.
    /// - Throws: the error of `progress`; `DatabaseError`, with `SQLITE_CANTOPEN` if the file exists and is
    ///   not to be replaced, with `SQLITE_BUSY` if a log or journal shows that it is in use.
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

    /// Writes a copy of the database to a file, asynchronously, with the library, the key and the cipher
    /// settings of a configuration. See the synchronous method.
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

/// The progress of an export.
///
/// ```swift
/// try dbQueue.export(to: path, configuration: encrypted) { progress in
///     if isCancelled { throw CancellationError() }
///     report(Double(progress.completedRowCount) / Double(max(1, progress.totalRowCount)))
/// }
/// ```
public struct DatabaseExportProgress: Sendable {
    /// The name of the table being copied; `nil` after the last row, while indexes are built, and at the end.
    public let tableName: String?
    /// The number of copied rows.
    public let completedRowCount: Int
    /// The number of rows of all tables.
    public let totalRowCount: Int
    /// Whether the new file is complete, and in place.
    public let isCompleted: Bool
}
