import VigilStorage

extension Database {
    /// How far a checkpoint of the write-ahead log goes. (https://www.sqlite.org/c3ref/wal_checkpoint_v2.html)
    public enum CheckpointMode: CInt, Sendable {
        /// As far as possible without waiting for anybody.
        case passive = 0
        /// Waits for the writer, then moves the whole log into the database.
        case full = 1
        /// Waits for readers too, so that the next write begins the log anew.
        case restart = 2
        /// Empties the log's file as well.
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

    /// Moves the write-ahead log into the database.
    ///
    /// - Parameter dbName: the database; all attached ones for `nil`.
    /// - Returns: the number of frames in the log, and of those that are in the database; both -1 without a log.
    /// - Throws: `SQLITE_ABORT` while the database is suspended; `SQLITE_BUSY` or `SQLITE_LOCKED` if a reader or a writer is in the way; never in passive mode.
    @discardableResult
    public func checkpoint(_ kind: CheckpointMode = .passive, on dbName: String? = "main") throws
        -> (walFrameCount: Int, checkpointedFrameCount: Int)
    {
        guard let connection = connection as? any Checkpointing else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "this backend has no checkpoints")
        }
        try checkMayWriteFile()
        let result = try storage { () throws(StorageError) in
            try connection.checkpoint(kind.storageMode, in: dbName)
        }
        return (result.logPageCount, result.checkpointedPageCount)
    }
}
