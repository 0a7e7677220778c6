/// A connection that can determine whether its database file was replaced or deleted.
public protocol FileIdentifying: StorageConnection {
    /// Returns the file that the connection has open; `nil` if the database is not in a named file.
    ///
    /// - Throws: ``StorageError/Code/fileMoved`` if the file was already replaced or deleted.
    func openFile() throws(StorageError) -> (any StorageFile)?
}

/// An open database file. May be used from any thread, and after the connection was closed.
public protocol StorageFile: Sendable {
    /// Checks that the path of the database still refers to the open file.
    ///
    /// Opens no file and takes no lock.
    ///
    /// - Throws: ``StorageError/Code/fileMoved`` if the file was replaced or deleted;
    ///   ``StorageError/Code/ioError`` if the path cannot be looked up.
    func checkIsInPlace() throws(StorageError)
}
