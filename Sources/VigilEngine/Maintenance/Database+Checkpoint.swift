import VigilStorage

extension Database {
    /// The extent of a checkpoint of the write-ahead log.
    ///
    /// See <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>.
    public enum CheckpointMode: CInt, Sendable {
        /// Copies as many frames as possible, without waiting for readers or writers.
        case passive = 0
        /// Waits for the writer and for readers of earlier snapshots, and then copies the whole log.
        case full = 1
        /// Also waits until no reader uses the log, so that the next write starts the log from its beginning.
        case restart = 2
        /// Also truncates the log file to zero bytes.
        case truncate = 3

        fileprivate var storageMode: StorageCheckpointMode {
            switch self {
            case .passive: .passive
            case .full: .full
            case .restart: .restart
            case .truncate: .truncate
            }
        }
    }

    /// Copies the write-ahead log into the database file.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: the extent of the checkpoint.
    ///   - dbName: the name of the database. If `nil`, all databases of the connection are checkpointed.
    /// - Returns: The number of frames in the log, and how many of them are in the database file. Both are -1
    ///   without a log.
    /// - Throws: `SQLITE_ABORT` while the database is suspended; `SQLITE_BUSY` or `SQLITE_LOCKED` if a reader
    ///   or writer blocks the checkpoint, except in passive mode.
    @discardableResult
    public func checkpoint(_ kind: CheckpointMode = .passive, on dbName: String? = "main") throws
        -> (walFrameCount: Int, checkpointedFrameCount: Int)
    {
        guard let embedded else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the backend does not support checkpoints")
        }
        try checkMayWriteFile()
        let result = try storage { () throws(StorageError) in
            try embedded.checkpoint(kind.storageMode, in: dbName)
        }
        return (result.logPageCount, result.checkpointedPageCount)
    }
}
