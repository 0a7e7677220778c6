/// A connection whose database can be copied into that of another connection, while both are in use.
public protocol BackupSource: StorageConnection {
    /// Begins to copy the database, in place of what `destination` holds.
    ///
    /// Until the backup is finished the destination must not be used otherwise.
    ///
    /// - Throws: ``StorageError/Code/misuse`` if the two connections do not go through the same library.
    func beginBackup(to destination: any StorageConnection) throws(StorageError) -> any StorageBackup
}

/// A copy in the making. Releasing it gives it up.
public protocol StorageBackup: AnyObject {
    /// Copies at most so many pages, all that are left if negative.
    ///
    /// - Returns: whether the copy is complete.
    func copy(pageCount: Int) throws(StorageError) -> Bool

    /// The pages that are still to be copied, as of the last step.
    var remainingPageCount: Int { get }

    /// The pages of the source, as of the last step.
    var totalPageCount: Int { get }

    /// Ends the copy. If it is not complete, the destination is left as it was.
    func finish() throws(StorageError)
}
