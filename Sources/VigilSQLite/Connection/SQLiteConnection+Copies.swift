import CVigilSQLite
package import VigilStorage

extension SQLiteConnection: Checkpointing {
    package func checkpoint(_ mode: StorageCheckpointMode, in schema: String?) throws(StorageError)
        -> StorageCheckpoint
    {
        let handle = try openHandle()
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

extension SQLiteConnection: BackupSource {
    package func beginBackup(to destination: any StorageConnection) throws(StorageError)
        -> any StorageBackup
    {
        let handle = try openHandle()
        guard let destination = destination as? SQLiteConnection, destination.api == api else {
            throw StorageError(
                .misuse, "cannot copy the database: both connections must use the same SQLite library")
        }
        let target = try destination.openHandle()
        guard let backup = api.pointee.backup_init(target, "main", handle, "main") else {
            throw destination.lastError(api.pointee.extended_errcode(target))
        }
        let copy = SQLiteBackup(source: self, destination: destination, handle: backup)
        destination.incomingBackup = copy
        return copy
    }
}

/// A backup that is in progress.
final class SQLiteBackup: StorageBackup {
    /// The source connection, retained because the backup reads from it.
    private let source: SQLiteConnection
    private let destination: SQLiteConnection
    /// The library's handle; `nil` once the backup has ended.
    private var handle: OpaquePointer?
    /// Whether the library still writes to the destination.
    var isInProgress: Bool { handle != nil }
    private(set) var remainingPageCount = 0
    private(set) var totalPageCount = 0

    fileprivate init(source: SQLiteConnection, destination: SQLiteConnection, handle: OpaquePointer) {
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
        let code = api.pointee.backup_step(handle, Int32(clamping: pageCount))
        remainingPageCount = Int(api.pointee.backup_remaining(handle))
        totalPageCount = Int(api.pointee.backup_pagecount(handle))
        // The library only sets the code here, without a message.
        guard code == SQLiteCode.ok || code == SQLiteCode.done else {
            let message = api.pointee.errstr(code).map { String(cString: $0) } ?? "the copy failed"
            throw StorageError(.init(rawValue: code), message)
        }
        return code == SQLiteCode.done
    }

    func finish() throws(StorageError) {
        let code = end()
        guard code == SQLiteCode.ok else { throw destination.lastError(code) }
    }

    /// Ends the backup, unless it has already ended, and returns the library's code.
    private func end() -> Int32 {
        guard let handle else { return SQLiteCode.ok }
        self.handle = nil
        let code = destination.api.pointee.backup_finish(handle)
        destination.reporter.discardMetadata()
        return code
    }
}
