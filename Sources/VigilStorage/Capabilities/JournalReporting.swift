/// A connection that tells which journal makes its commits atomic.
public protocol JournalReporting: StorageConnection {
    /// The mode's name in lower case, such as `wal` or `delete`. It takes no lock that lasts.
    func journalMode() throws(StorageError) -> String?
}
