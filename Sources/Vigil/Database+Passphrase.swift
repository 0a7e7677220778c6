#if SQLCipher
    public import Foundation
    public import VigilEngine
    import VigilSQLCipher
    import VigilStorage

    extension Database {
        /// Sets the passphrase that opens an encrypted database. In ``Configuration/prepareDatabase(_:)`` only, and only for
        /// an `SQLCipherBackend` without a key:
        ///
        /// ```swift
        /// var configuration = Configuration()
        /// configuration.backend = SQLCipherBackend()
        /// configuration.prepareDatabase { db in
        ///     try db.usePassphrase(secret)
        /// }
        /// ```
        ///
        /// A backend with a key does the same, and needs no closure: `SQLCipherBackend(key: .passphrase(secret))`.
        ///
        /// - Throws: `DatabaseError` if the library does not encrypt, or if the database is open already. Whether the
        ///   passphrase is the right one is told by the initializer of the queue or pool.
        public func usePassphrase(_ passphrase: String) throws {
            try usePassphrase(Data(passphrase.utf8))
        }

        /// The same with the bytes of the passphrase.
        public func usePassphrase(_ passphrase: Data) throws {
            try withKeys { connection throws(StorageError) in try connection.useKey(Array(passphrase)) }
        }

        /// Encrypts an encrypted database with another passphrase. All other connections must be closed.
        ///
        /// - Throws: `DatabaseError` if the database is not encrypted, or cannot be written.
        public func changePassphrase(_ passphrase: String) throws {
            try changePassphrase(Data(passphrase.utf8))
        }

        /// The same with the bytes of the passphrase.
        public func changePassphrase(_ passphrase: Data) throws {
            try withKeys { connection throws(StorageError) in try connection.changeKey(Array(passphrase)) }
        }

        private func withKeys(_ body: (any Rekeying) throws(StorageError) -> Void) throws {
            guard let connection = connection as? any Rekeying else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "this backend does not encrypt: use SQLCipherBackend"
                )
            }
            do {
                try body(connection)
            } catch {
                throw DatabaseError(error)
            }
        }
    }
#endif
