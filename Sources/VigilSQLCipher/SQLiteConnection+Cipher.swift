#if SQLCipher
    import VigilSQLite
    package import VigilStorage

    extension SQLiteConnection {
        /// Returns the cryptographic library behind SQLCipher, such as `openssl`; `nil` without a key.
        package func cipherProvider() throws(StorageError) -> String? {
            try answer(of: "cipher_provider")
        }

        /// Checks each page of the file, and returns a description of each damaged one.
        package func cipherIntegrityCheck() throws(StorageError) -> [String] {
            try requireKey("check the pages of the file")
            try requireVersion4("the integrity check of encrypted files")
            return try query("PRAGMA cipher_integrity_check").map { row in
                if case .text(let text)? = row.first { text } else { "unknown damage" }
            }
        }

        private func requireKey(_ action: String) throws(StorageError) {
            guard capabilities.cipherVersion != nil else {
                throw StorageError(.misuse, "cannot \(action): the database is not encrypted")
            }
        }

        private func requireVersion4(_ feature: String) throws(StorageError) {
            let version = capabilities.cipherVersion ?? "unknown"
            guard CipherSettings.majorVersion(of: version) >= 4 else {
                throw StorageError(
                    .cipherFeatureUnavailable,
                    "\(feature) needs SQLCipher 4 or later, and the library is \(version)")
            }
        }
    }
#endif
