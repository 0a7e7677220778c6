import CVigilSQLite
package import VigilStorage

extension SQLiteConnection {
    package func checkpoint(_ mode: StorageCheckpointMode, in schema: String?) throws(StorageError)
        -> StorageCheckpoint
    {
        let handle = try openHandle()
        try schema?.checkForNullCharacter(in: "the name of the schema")
        var logged: Int32 = -1
        var checkpointed: Int32 = -1
        let code = api.pointee.wal_checkpoint_v2(handle, schema, mode.number, &logged, &checkpointed)
        guard code == SQLiteCode.ok else { throw lastError(code) }
        return StorageCheckpoint(logPageCount: Int(logged), checkpointedPageCount: Int(checkpointed))
    }
}

extension StorageCheckpointMode {
    fileprivate var number: Int32 {
        switch self {
        case .passive: 0
        case .full: 1
        case .restart: 2
        case .truncate: 3
        }
    }
}

extension SQLiteConnection {
    package func beginBackup(to destination: any StorageConnection) throws(StorageError)
        -> any StorageBackup
    {
        let handle = try openHandle()
        guard let destination = destination as? SQLiteConnection, destination.api == api else {
            throw StorageError(
                .misuse, "cannot copy the database: both connections must use the same SQLite library")
        }
        let target = try destination.openHandle()
        let suspendsLog = try destination.suspendLog(forPagesOf: self)
        guard let backup = api.pointee.backup_init(target, "main", handle, "main") else {
            let error = destination.lastError(api.pointee.extended_errcode(target))
            if suspendsLog { _ = destination.resumeLog() }
            throw error
        }
        let copy = SQLiteBackup(
            source: self, destination: destination, handle: backup, resumesLog: suspendsLog)
        destination.incomingBackup = copy
        return copy
    }

    /// Leaves WAL mode, in which the library keeps the page size, for a copy with pages of another size.
    ///
    /// - Returns: whether the mode was left, and must be restored with ``resumeLog()``.
    private func suspendLog(forPagesOf source: SQLiteConnection) throws(StorageError) -> Bool {
        guard !isInTransaction, try pageSize() != source.pageSize(), try journalMode() == "wal" else {
            return false
        }
        // It fails if another connection has the database open. Without `main`, the statement would also
        // change attached databases.
        guard let mode = try? query("PRAGMA main.journal_mode = DELETE").first?.first,
            mode == .text("delete")
        else {
            throw StorageError(
                .readOnly,
                """
                the pages of the two databases have different sizes, which is possible only if no other connection uses \
                the destination: close the others, or copy into a new file
                """)
        }
        return true
    }

    /// Returns to WAL mode after ``suspendLog(forPagesOf:)``.
    ///
    /// - Returns: the error, if another connection is using the database by now for longer than the busy mode
    ///   allows.
    fileprivate func resumeLog() -> StorageError? {
        do throws(StorageError) {
            _ = try busyWaiter.retrying { () throws(StorageError) in
                try query("PRAGMA main.journal_mode = WAL")
            }
            return nil
        } catch {
            return StorageError(
                error.code,
                "the copy is complete, but the write-ahead log could not be enabled again: \(error.message)")
        }
    }

    fileprivate func pageSize() throws(StorageError) -> Int64? {
        guard case .integer(let size)? = try query("PRAGMA page_size").first?.first else { return nil }
        return size
    }
}

final class SQLiteBackup: StorageBackup {
    /// The source connection, retained because the backup reads from it.
    private let source: SQLiteConnection
    private let destination: SQLiteConnection
    /// The library's handle; `nil` once the backup has ended.
    private var handle: OpaquePointer?
    var isInProgress: Bool { handle != nil }
    private(set) var remainingPageCount = 0
    private(set) var totalPageCount = 0

    private var hasOtherPageSize: Bool { (try? source.pageSize()) != (try? destination.pageSize()) }
    private let resumesLog: Bool

    fileprivate init(
        source: SQLiteConnection, destination: SQLiteConnection, handle: OpaquePointer, resumesLog: Bool
    ) {
        self.resumesLog = resumesLog
        self.source = source
        self.destination = destination
        self.handle = handle
    }

    deinit {
        _ = end()
    }

    func copy(pageCount: Int) throws(StorageError) -> Bool {
        let api = destination.api
        guard let handle else { throw StorageError(.misuse, "the copy has already finished") }
        guard pageCount != 0 else {
            throw StorageError(.misuse, "a step of a backup must copy pages: a negative number copies all")
        }
        let code = api.pointee.backup_step(handle, Int32(clamping: pageCount))
        remainingPageCount = Int(api.pointee.backup_remaining(handle))
        totalPageCount = Int(api.pointee.backup_pagecount(handle))
        // The library only sets the code here, without a message.
        guard code == SQLiteCode.ok || code == SQLiteCode.done else {
            if code == StorageError.Code.readOnly.rawValue, hasOtherPageSize {
                throw StorageError(
                    .readOnly,
                    "the pages of the two databases have different sizes, and the destination is in memory: copy into a file"
                )
            }
            let message = api.pointee.errstr(code).map { String(cString: $0) } ?? "the copy failed"
            throw StorageError(.init(rawValue: code), message)
        }
        return code == SQLiteCode.done
    }

    func finish() throws(StorageError) {
        if let error = end() { throw error }
    }

    /// Ends the backup, unless it has already ended, and returns the error of the library.
    private func end() -> StorageError? {
        guard let handle else { return nil }
        self.handle = nil
        let code = destination.api.pointee.backup_finish(handle)
        var error = code == SQLiteCode.ok ? nil : destination.lastError(code)
        if resumesLog, let failure = destination.resumeLog() { error = error ?? failure }
        destination.reporter.discardMetadata()
        return error
    }
}
