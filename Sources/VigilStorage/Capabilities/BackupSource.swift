/// A connection whose database can be copied to that of another connection while it is in use.
public protocol BackupSource: StorageConnection {
    /// Begins a copy of the database, which replaces the content of `destination`.
    ///
    /// The caller does not use the destination until the backup has finished. It uses both connections from one
    /// thread at a time.
    ///
    /// - Throws: ``StorageError/Code/misuse`` if the two connections do not use the same library.
    func beginBackup(to destination: any StorageConnection) throws(StorageError) -> any StorageBackup
}

/// A copy in progress. Releasing it before it is complete cancels it.
public protocol StorageBackup: AnyObject {
    /// Copies the next pages.
    ///
    /// - Parameter pageCount: the maximum number of pages to copy; a negative number copies all that remain.
    /// - Returns: `true` if the copy is complete.
    /// - Throws: ``StorageError/Code/busy`` or ``StorageError/Code/locked`` if another connection holds a lock.
    ///   The copy can then be continued.
    func copy(pageCount: Int) throws(StorageError) -> Bool

    /// The number of pages that remained to be copied after the last call of ``copy(pageCount:)``.
    var remainingPageCount: Int { get }

    /// The number of pages of the source at the last call of ``copy(pageCount:)``.
    var totalPageCount: Int { get }

    /// Ends the copy. If it is not complete, the destination keeps its previous content.
    func finish() throws(StorageError)
}
