#if SQLCipher
    import CVigilSQLite
    package import VigilSQLite
    package import VigilStorage

    extension SQLiteConnection: Rekeying {
        package func useKey(_ key: [UInt8]) throws(StorageError) {
            guard isOpening else {
                throw StorageError(
                    .misuse, "cannot set the key of an open database: set it in prepareDatabase")
            }
            let functions = try keyFunctions()
            try apply(key, functions.key)
            didSetKey(cipherVersion: functions.version)
        }

        package func changeKey(_ key: [UInt8]) throws(StorageError) {
            guard capabilities.cipherVersion != nil else {
                throw StorageError(
                    .misuse, "cannot change the key: the database is not encrypted")
            }
            try apply(key, keyFunctions().rekey)
        }

        private typealias SetKey =
            @convention(c) (
                OpaquePointer?, UnsafePointer<CChar>?, UnsafeRawPointer?, Int32
            ) -> Int32

        private func apply(_ key: [UInt8], _ setKey: SetKey) throws(StorageError) {
            guard !key.isEmpty else { throw StorageError(.misuse, "a key must not be empty") }
            let handle = try openHandle()
            let code = key.withUnsafeBytes {
                setKey(handle, "main", $0.baseAddress, Int32(clamping: $0.count))
            }
            guard code == 0 else {
                throw StorageError(.init(rawValue: code), "the library did not accept the key")
            }
        }

        private func keyFunctions() throws(StorageError) -> (key: SetKey, rekey: SetKey, version: String) {
            // A statement that runs before the key is set must not read the file. This one does not.
            let answer = try query("PRAGMA cipher_version").first?.first
            guard case .text(let version) = answer, let key = library.api.pointee.key_v2,
                let rekey = library.api.pointee.rekey_v2
            else {
                throw StorageError(
                    .encryptionUnavailable,
                    "a key was given, but the library (SQLite \(library.version)) does not support encryption"
                )
            }
            // SQLCipher 4 writes its errors to standard error as well as returning them. Older versions ignore
            // this.
            _ = try? query("PRAGMA cipher_log_level = NONE")
            return (key, rekey, version)
        }
    }
#endif
