/// A connection that can transfer a write-ahead log to the database file.
public protocol Checkpointing: StorageConnection {
    /// Transfers the write-ahead log to the database file.
    ///
    /// - Parameters:
    ///   - mode: how much to transfer, and what to wait for.
    ///   - schema: the database; `nil` for all databases that the connection has open.
    /// - Throws: ``StorageError/Code/busy`` or ``StorageError/Code/locked`` if readers or a writer prevent it.
    ///   ``StorageCheckpointMode/passive`` transfers what it can instead.
    func checkpoint(_ mode: StorageCheckpointMode, in schema: String?) throws(StorageError)
        -> StorageCheckpoint
}

/// How much a checkpoint transfers, and what it waits for.
public enum StorageCheckpointMode: Sendable {
    /// Transfers as much as possible without waiting.
    case passive
    /// Waits for the writer, then transfers the whole log.
    case full
    /// Does the same as ``full``, and waits for readers, so that the next write starts at the beginning of the log.
    case restart
    /// Does the same as ``restart``, and truncates the log's file.
    case truncate
}

/// The result of a checkpoint. Both numbers are -1 if the database has no write-ahead log.
public struct StorageCheckpoint: Sendable, Hashable {
    /// The number of pages in the log.
    public var logPageCount: Int
    /// The number of the log's pages that are now in the database file, including those transferred earlier.
    public var checkpointedPageCount: Int

    /// Creates the result of a checkpoint.
    public init(logPageCount: Int, checkpointedPageCount: Int) {
        self.logPageCount = logPageCount
        self.checkpointedPageCount = checkpointedPageCount
    }
}
