/// A connection to a database that can be encrypted.
public protocol Rekeying: StorageConnection {
    /// Sets the key that opens the database, in the form that the library takes.
    ///
    /// Only between opening with ``StorageOptions/isPreparedBeforeUse`` and ``PreparedBeforeUse/finishOpening()``.
    ///
    /// - Throws: ``StorageError/Code/encryptionUnavailable`` if the library does not encrypt, and
    ///   ``StorageError/Code/misuse`` if the database is already open.
    func useKey(_ key: [UInt8]) throws(StorageError)

    /// Encrypts the database, which is open, with another key.
    func changeKey(_ key: [UInt8]) throws(StorageError)
}

/// A connection that can be opened in two steps, so that the program can do something in between.
public protocol PreparedBeforeUse: StorageConnection {
    /// Reads the database for the first time. Does nothing if that has been done.
    ///
    /// - Throws: what ``StorageBackend/open(_:options:)`` throws otherwise.
    func finishOpening() throws(StorageError)
}
