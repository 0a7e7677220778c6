/// A connection that knows which journal makes its commits atomic.
public protocol JournalReporting: StorageConnection {
    /// Returns the name of the journal mode in lower case, such as `wal` or `delete`; `nil` if it is not known.
    ///
    /// It must not leave a lock behind.
    func journalMode() throws(StorageError) -> String?
}
