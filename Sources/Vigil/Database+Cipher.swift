#if SQLCipher
    public import VigilEngine
    public import VigilSQLCipher
    import VigilSQLite
    import VigilStorage

    extension Database {
        /// The version of SQLCipher, such as `4.5.6 community`; `nil` if the database is not encrypted.
        public var cipherVersion: String? { connection.capabilities.cipherVersion }

        /// The cryptographic library behind SQLCipher, such as `openssl`; `nil` without encryption.
        public var cipherProvider: String? {
            get throws {
                try withCipher { connection throws(StorageError) in try connection.cipherProvider() }
            }
        }

        /// Checks whether each page of the encrypted file is as it was written, and returns a description of
        /// each page that is damaged, or was changed without the key.
        ///
        /// ```swift
        /// let damage = try dbQueue.read { db in try db.cipherIntegrityCheck() }
        /// guard damage.isEmpty else { return restoreBackup() }
        /// ```
        ///
        /// This reads the whole file. `PRAGMA integrity_check` checks what the pages contain.
        ///
        /// - Throws: `DatabaseError` if the database is not encrypted, or before SQLCipher 4.
        public func cipherIntegrityCheck() throws -> [String] {
            try withCipher { connection throws(StorageError) in try connection.cipherIntegrityCheck() }
        }

        /// Encrypts the database with another key. See ``changePassphrase(_:)-(String)``.
        ///
        /// - Throws: `DatabaseError` if the database is not encrypted, if a transaction is open, or if the
        ///   file cannot be written: `SQLITE_BUSY` if another connection writes. After `SQLITE_IOERR`, the
        ///   file has its old key, and this connection can only read: close it.
        public func changeKey(to key: CipherKey) throws {
            try withCipher { connection throws(StorageError) in
                try key.withBytes { bytes throws(StorageError) in
                    var copy = Array(bytes)
                    defer { copy.wipe() }
                    try connection.changeKey(copy)
                }
            }
        }

        private func withCipher<T>(_ body: (SQLiteConnection) throws(StorageError) -> T) throws -> T {
            guard let connection = connection as? SQLiteConnection else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "the backend does not support encryption: use SQLCipherBackend"
                )
            }
            do {
                return try body(connection)
            } catch {
                throw DatabaseError(error)
            }
        }
    }

    extension DatabaseQueue {
        /// Encrypts the database with another key. Later connections of the same backend use it.
        ///
        /// ```swift
        /// try dbQueue.changeKey(to: .passphrase(newPassphrase))
        /// ```
        ///
        /// If the process ends before it has finished, the file opens with one of the two keys. All other
        /// connections to the file must be closed.
        ///
        /// - Throws: `DatabaseError` if the database is not encrypted, or cannot be written.
        public func changeKey(to key: CipherKey) throws {
            try inDatabase { db in try db.changeKey(to: key) }
        }
    }

    extension DatabasePool {
        /// Encrypts the database with another key. Later connections of the same backend use it.
        ///
        /// ```swift
        /// try dbPool.changeKey(to: .passphrase(newPassphrase))
        /// ```
        ///
        /// The pool waits until no reader is in use, closes them, changes the key, and opens new readers on
        /// demand. Observations continue. An existing snapshot keeps the old key and the state of its
        /// beginning. Until it is released, its pages stay in the log, encrypted with the old key.
        ///
        /// If the process ends before it has finished, the file opens with one of the two keys. Other
        /// processes must not have the file open. If `Configuration.prepareDatabase(_:)` sets the passphrase,
        /// its closure must use the new one as soon as this method returns.
        ///
        /// - Throws: `DatabaseError` if the database is not encrypted, if a statement of a reader is alive,
        ///   or if the file cannot be written.
        public func changeKey(to key: CipherKey) throws {
            try withoutReaders { db in
                try db.changeKey(to: key)
                // Pages in the log may still be encrypted with the old key. A snapshot can prevent this.
                _ = try? db.checkpoint(.truncate)
            }
        }
    }
#endif
