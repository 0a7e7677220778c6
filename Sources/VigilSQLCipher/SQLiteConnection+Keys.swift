#if SQLCipher
    import CVigilSQLite
    package import VigilSQLite
    package import VigilStorage

    extension SQLiteConnection {
        /// Sets the key of the database, in the format of the library.
        ///
        /// Valid only before ``finishOpening()``, which also detects a wrong key.
        ///
        /// - Throws: ``StorageError/Code/encryptionUnavailable`` if the library does not encrypt,
        ///   ``StorageError/Code/misuse`` if the key is empty or the database is already open.
        package func useKey(_ key: [UInt8]) throws(StorageError) {
            guard encryption.provider != nil else { throw Self.needsBackend }
            guard isOpening else {
                throw StorageError(
                    .misuse, "cannot set the key of an open database: set it in prepareDatabase")
            }
            try CipherKey.passphrase(bytes: key).withBytes { bytes throws(StorageError) in try setKey(bytes) }
        }

        /// Sets the key, and applies the settings of the encryption.
        func setKey(_ key: UnsafeRawBufferPointer) throws(StorageError) {
            let settings = (encryption.provider as? CipherContext)?.settings ?? CipherSettings()
            let functions = try keyFunctions()
            try CipherDefaults.withLock { () throws(StorageError) in try setLog(SQLCipherBackend.log) }
            let commands = try settings.commands(cipherVersion: functions.version)
            if let secures = settings.securesMemory {
                _ = try query("PRAGMA cipher_memory_security = \(secures ? "ON" : "OFF")")
            }
            try apply(key, functions.key)
            for command in commands {
                _ = try query("PRAGMA \(command.pragma) = \(command.value)")
                guard let expected = command.answer,
                    let answer = try answer(of: command.pragma)
                else { continue }
                if answer != expected {
                    throw StorageError(
                        .cipherFeatureUnavailable,
                        """
                        the library (SQLCipher \(functions.version)) does not support the cipher setting \
                        \(command.pragma) = \(command.value)
                        """)
                }
            }
            // SQLCipher does not encrypt temporary files, so they are kept in memory.
            _ = try query("PRAGMA temp_store = MEMORY")
            encryption.attachesUnencrypted = CipherSettings.majorVersion(of: functions.version) < 4
            encryption.hasPlaintextHeader = settings.plaintextHeader != nil
            didSetKey(cipherVersion: functions.version)
        }

        /// Encrypts the open database with another key.
        ///
        /// - Throws: ``StorageError/Code/misuse`` if the new key is empty or the database is not encrypted;
        ///   ``StorageError/Code/busy`` if another connection writes, ``StorageError`` if it cannot be
        ///   written.
        package func changeKey(_ key: [UInt8]) throws(StorageError) {
            guard encryption.provider != nil else { throw Self.needsBackend }
            guard capabilities.cipherVersion != nil else {
                throw StorageError(
                    .misuse, "cannot change the key: the database is not encrypted")
            }
            guard !isInTransaction else {
                throw StorageError(
                    .misuse, "cannot change the key in a transaction: use writeWithoutTransaction")
            }
            let newKey = CipherKey.passphrase(bytes: key)
            try rewrite(with: newKey)
            guard let context = encryption.provider as? CipherContext else { return }
            context.changedKeys?[context.location] = newKey
        }

        /// Rewrites all pages with another key.
        ///
        /// The library reports no failure of this: it rolls back, and later writes with the new key
        /// nevertheless. A transaction holds the lock before. The library commits it or rolls it back, and
        /// the version of the schema says which.
        private func rewrite(with key: CipherKey) throws(StorageError) {
            let rekey = try keyFunctions().rekey
            try run("BEGIN IMMEDIATE")
            var (isRewriting, isCommitted) = (false, false)
            do throws(StorageError) {
                let version = try schemaVersion(of: "main")
                try run("CREATE VIEW main.vigil_changed_key AS SELECT 1")
                try run("DROP VIEW main.vigil_changed_key")
                try key.withBytes { bytes throws(StorageError) in
                    isRewriting = !bytes.isEmpty
                    try apply(bytes, rekey)
                }
                isCommitted = (try? run("COMMIT")) != nil && (try? schemaVersion(of: "main")) != version
            } catch {
                try? run("ROLLBACK")
                if isRewriting { try? setReadOnly(true) }
                throw error
            }
            guard isCommitted else {
                if isInTransaction { try? run("ROLLBACK") }
                try? setReadOnly(true)
                throw StorageError(
                    .ioError,
                    """
                    the database cannot be written with another key: it has the same key as before. This connection \
                    cannot write any more: close it, and open the database again
                    """)
            }
        }

        private typealias SetKey =
            @convention(c) (
                OpaquePointer?, UnsafePointer<CChar>?, UnsafeRawPointer?, Int32
            ) -> Int32

        private func apply(_ key: UnsafeRawBufferPointer, _ setKey: SetKey) throws(StorageError) {
            guard !key.isEmpty else { throw StorageError(.misuse, "a key must not be empty") }
            let handle = try openHandle()
            // Another thread may be attaching a database with other settings.
            let period = try CipherDefaults.use(CipherSettings(), of: library)
            let code = setKey(handle, "main", key.baseAddress, Int32(clamping: key.count))
            period.end()
            guard code != StorageError.Code.authorization.rawValue else { throw Self.needsLicense }
            guard code == 0 else {
                throw StorageError(.init(rawValue: code), "the library did not accept the key")
            }
        }

        /// Gives a commercial library its license. Others ignore it.
        func useLicense(_ license: String) throws(StorageError) {
            try CipherDefaults.withLock { () throws(StorageError) in
                // At the level of debugging, the log contains pragmas.
                try setLog(nil)
                do throws(StorageError) {
                    _ = try query("PRAGMA cipher_license = \(license.quotedSQLText)")
                } catch {
                    // Not the SQL, because it contains the license.
                    throw StorageError(
                        error.code, "the library does not accept the license of SQLCipherBackend(license:)")
                }
            }
        }

        private static let needsLicense = StorageError(
            .authorization,
            """
            the library is a commercial one that requires a license, or the license has expired: give \
            SQLCipherBackend(license:) a valid one
            """)

        private static let needsBackend = StorageError(
            .encryptionUnavailable,
            """
            a key was given, but the backend of the database does not support encryption: set configuration.backend = \
            SQLCipherBackend()
            """)

        private func keyFunctions() throws(StorageError) -> (key: SetKey, rekey: SetKey, version: String) {
            guard let version = try cipherVersion(), let key = library.api.pointee.key_v2,
                let rekey = library.api.pointee.rekey_v2
            else {
                throw StorageError(
                    .encryptionUnavailable,
                    """
                    a key was given, but the library (SQLite \(library.version)) does not support encryption: use \
                    SQLCipherBackend with a library of SQLCipher
                    """)
            }
            return (key, rekey, version)
        }

        /// Returns the version of SQLCipher; `nil` if the library is another one.
        func cipherVersion() throws(StorageError) -> String? {
            // Before the key is set, a statement must not read the file. This one does not.
            try answer(of: "cipher_version")
        }

        /// Returns the answer to a pragma as text, if any.
        func answer(of pragma: String) throws(StorageError) -> String? {
            switch try query("PRAGMA \(pragma)").first?.first {
            case .text(let text)?: text
            case .integer(let number)?: String(number)
            default: nil
            }
        }
    }
#endif
