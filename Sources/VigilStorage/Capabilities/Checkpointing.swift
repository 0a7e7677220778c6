/// A connection to a database with a write-ahead log, which it can move into the database.
public protocol Checkpointing: StorageConnection {
    /// Moves the log into the database.
    ///
    /// - Parameter schema: the database; all attached ones for `nil`.
    /// - Throws: ``StorageError/Code/busy`` or ``StorageError/Code/locked`` if readers or a writer are in the way, except
    ///   for ``StorageCheckpointMode/passive``, which does what it can.
    func checkpoint(_ mode: StorageCheckpointMode, in schema: String?) throws(StorageError)
        -> StorageCheckpoint
}

/// How far a checkpoint goes.
public enum StorageCheckpointMode: Sendable {
    /// As far as possible without waiting for anybody.
    case passive
    /// Waits for the writer, then moves the whole log.
    case full
    /// Waits for readers too, so that the next write begins the log anew.
    case restart
    /// Empties the log's file as well.
    case truncate
}

/// What a checkpoint did. Both are -1 if the database has no log.
public struct StorageCheckpoint: Sendable, Hashable {
    /// The number of pages in the log.
    public var logPageCount: Int
    /// The number of those that are in the database, now or from before.
    public var checkpointedPageCount: Int

    public init(logPageCount: Int, checkpointedPageCount: Int) {
        self.logPageCount = logPageCount
        self.checkpointedPageCount = checkpointedPageCount
    }
}
