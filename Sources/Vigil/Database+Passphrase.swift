#if SQLCipher
    public import Foundation
    public import VigilEngine
    import VigilSQLCipher
    import VigilSQLite
    import VigilStorage

    extension Database {
        /// Sets the passphrase of an encrypted database.
        ///
        /// Call it only in `Configuration.prepareDatabase(_:)`, with an `SQLCipherBackend` without a key:
        ///
        /// ```swift
        /// var configuration = Configuration()
        /// configuration.backend = SQLCipherBackend()
        /// configuration.prepareDatabase { db in
        ///     try db.usePassphrase(secret)
        /// }
        /// ```
        ///
        /// A backend with a key needs no closure: `SQLCipherBackend(key: .passphrase(secret))`.
        ///
        /// - Throws: `DatabaseError` if the library does not encrypt, or if the database is already open. A
        ///   wrong passphrase makes the initializer of the queue or pool throw.
        public func usePassphrase(_ passphrase: String) throws {
            try usePassphrase(Data(passphrase.utf8))
        }

        /// Sets the passphrase of an encrypted database, given as bytes. See ``usePassphrase(_:)-(String)``.
        ///
        /// - Throws: `DatabaseError` if the library does not encrypt, or if the database is already open.
        public func usePassphrase(_ passphrase: Data) throws {
            var bytes = Array(passphrase)
            defer { bytes.wipe() }
            try withKeys { connection throws(StorageError) in try connection.useKey(bytes) }
        }

        /// Changes the passphrase of an encrypted database. All other connections to it must be closed.
        ///
        /// - Throws: `DatabaseError` if the database is not encrypted, or cannot be written, or if a
        ///   transaction is open: use `writeWithoutTransaction(_:)`.
        public func changePassphrase(_ passphrase: String) throws {
            try changePassphrase(Data(passphrase.utf8))
        }

        /// Changes the passphrase of an encrypted database to bytes. See ``changePassphrase(_:)-(String)``.
        ///
        /// - Throws: `DatabaseError` if the database is not encrypted, or cannot be written, or if a
        ///   transaction is open: use `writeWithoutTransaction(_:)`.
        public func changePassphrase(_ passphrase: Data) throws {
            var bytes = Array(passphrase)
            defer { bytes.wipe() }
            try withKeys { connection throws(StorageError) in try connection.changeKey(bytes) }
        }

        private func withKeys(_ body: (SQLiteConnection) throws(StorageError) -> Void) throws {
            guard let connection = connection as? SQLiteConnection else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "the backend does not support encryption: use SQLCipherBackend"
                )
            }
            do {
                try body(connection)
            } catch {
                throw DatabaseError(error)
            }
        }
    }
#else
    public import Foundation
    public import VigilEngine

    // The declarations of a build without the trait SQLCipher: their messages name it.

    extension Database {
        /// The version of SQLCipher.
        @available(
            *, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil"
        )
        public var cipherVersion: String? { nil }

        /// Sets the passphrase of an encrypted database.
        @available(
            *, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil"
        )
        public func usePassphrase(_ passphrase: String) throws {}

        /// Sets the passphrase of an encrypted database, given as bytes.
        @available(
            *, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil"
        )
        public func usePassphrase(_ passphrase: Data) throws {}

        /// Changes the passphrase of an encrypted database.
        @available(
            *, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil"
        )
        public func changePassphrase(_ passphrase: String) throws {}

        /// Changes the passphrase of an encrypted database to one given as bytes.
        @available(
            *, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil"
        )
        public func changePassphrase(_ passphrase: Data) throws {}
    }
#endif
