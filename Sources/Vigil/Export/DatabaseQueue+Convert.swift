public import VigilEngine
import VigilSQLite

extension DatabaseQueue {
    /// Replaces the file of a database by a copy with another key, other cipher settings, or without
    /// encryption.
    ///
    /// ```swift
    /// var encrypted = Configuration()
    /// encrypted.backend = SQLCipherBackend(key: .passphrase(secret))
    /// try DatabaseQueue.convert(path, from: Configuration(), to: encrypted)
    /// let dbPool = try DatabasePool(path: path, configuration: encrypted)
    /// ```
    ///
    /// The copy is made as by `export(to:)` while the file is locked for other connections, and replaces the
    /// file in one step. If the conversion fails or the process ends, the file has its old content, or is
    /// converted. It needs disk space for a second copy.
    ///
    /// To change only the key of an encrypted database, `changeKey(to:)` is sufficient.
    ///
    /// - Parameters:
    ///   - path: the path of the file. No other connection may have it open: an idle one is only detected if
    ///     the database has a write-ahead log, and would keep the old file.
    ///   - from: the configuration of the file.
    ///   - to: the configuration of the converted file.
    ///   - progress: a closure, called from time to time. If it throws, the conversion is cancelled.
    /// - Throws: the error of `progress`; `DatabaseError`, with `SQLITE_BUSY` if another connection has the
    ///   file open, with `SQLITE_CANTOPEN` if it does not exist.
    public static func convert(
        _ path: String, from: Configuration, to: Configuration,
        progress: ((DatabaseExportProgress) throws -> Void)? = nil
    ) throws {
        guard FileIdentity(path: path) != nil else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "no such file: \(path)")
        }
        var configuration = from
        configuration.readonly = false
        configuration.foreignChanges = .ignored
        configuration.journalMode = .default
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        do {
            try dbQueue.inDatabase { db in
                // The transaction would lock their files, which the new file may attach too.
                try db.detachDatabases()
                let usesLog = try String.fetchOne(db, sql: "PRAGMA main.journal_mode") == "wal"
                // Without a log, the file alone is the database. Fails if another connection has it open.
                if usesLog { try db.execute(sql: "PRAGMA main.journal_mode = DELETE") }
                do {
                    try db.inTransaction(.exclusive) {
                        try DatabaseExport(
                            path: path, configuration: to, replacesFile: true, isConversion: true,
                            usesLog: usesLog, progress: progress
                        ).run(from: db)
                        return .commit
                    }
                } catch {
                    // Restore the log of the file.
                    if usesLog { try? db.execute(sql: "PRAGMA main.journal_mode = WAL") }
                    throw error
                }
            }
        } catch {
            try? dbQueue.close()
            throw error
        }
        try dbQueue.close()
    }
}
