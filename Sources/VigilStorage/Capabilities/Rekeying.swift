/// A connection that can set and change the key of an encrypted database.
public protocol Rekeying: StorageConnection {
    /// Sets the key of the database, in the format of the library.
    ///
    /// Valid only between opening with ``StorageOptions/isPreparedBeforeUse`` and
    /// ``PreparedBeforeUse/finishOpening()``, which also detects a wrong key.
    ///
    /// - Throws: ``StorageError/Code/encryptionUnavailable`` if the library does not encrypt,
    ///   ``StorageError/Code/misuse`` if the key is empty or the database is already open.
    func useKey(_ key: [UInt8]) throws(StorageError)

    /// Encrypts the open database with another key.
    ///
    /// - Throws: ``StorageError/Code/misuse`` if the new key is empty or the database is not encrypted;
    ///   ``StorageError`` if it cannot be written.
    func changeKey(_ key: [UInt8]) throws(StorageError)
}

/// A connection that can be opened in two steps, so that the program can configure it in between.
///
/// With ``StorageOptions/isPreparedBeforeUse``, ``StorageBackend/open(_:options:)`` returns a connection that
/// has not read the database yet.
public protocol PreparedBeforeUse: StorageConnection {
    /// Reads the database for the first time. Does nothing if the connection is completely open.
    ///
    /// - Throws: the errors that ``StorageBackend/open(_:options:)`` would throw otherwise.
    func finishOpening() throws(StorageError)
}
